import { cut, plainWords } from '../../matching/index.ts'
import { eachPosting } from '../index/codec.ts'
import { type ColumnTally, tallyFor } from '../index/columns.ts'
import { requiredPiecesOf } from '../index/grams.ts'
import { toTerm } from '../index/words.ts'
import type { Hit, LiteralQuery } from '../query.ts'
import type { Corpus } from './corpus.ts'
import { makeHit } from './hits.ts'
import { selectTop } from './sort.ts'

/** The most documents of each resource that are read and compared with the text. */
const MOST_READ = 3000
/** A piece of a text that this many words contain is too common: it is not used to narrow the documents. */
const MOST_WORDS = 5000

/**
 * Finds documents that contain a text as it was typed, in any letter case. Candidates come from the vocabulary, and are then read. Returns
 * the hits of each resource, the newest first.
 */
export function findLiteral(
  corpus: Corpus,
  { text, scope, limit }: LiteralQuery,
  admits: (number: number) => boolean,
): Map<string, Hit[]> {
  const hitsByResource = new Map<string, Hit[]>()
  const needle = cut(text.trim().normalize('NFC').toLowerCase(), 200)
  const { columns } = corpus
  const resources = corpus.labels.resource.texts
  const groups = new Map<number, number[]>()
  for (const number of candidatesFor(corpus, needle, tallyFor(scope))) {
    if (!admits(number)) continue
    const resource = columns.resource[number] ?? 0
    const group = groups.get(resource)
    if (group) group.push(number)
    else groups.set(resource, [number])
  }
  const isNewer = (a: number, b: number) => {
    const [x, y] = [columns.created[a] ?? 0, columns.created[b] ?? 0]
    return x === y ? (columns.order[a] ?? 0) > (columns.order[b] ?? 0) : x > y
  }
  const hitsIn = (number: number): Hit[] => {
    const { title, names, summary, text } = corpus.document(number)
    const searched = [title, ...names, summary, text]
    const isHit = searched.some((each) => each.normalize('NFC').toLowerCase().includes(needle))
    return isHit ? [makeHit(corpus, number, 1)] : []
  }
  for (const [resource, group] of groups) {
    const hits: Hit[] = []
    for (const number of selectTop(group, MOST_READ, isNewer)) {
      if (hits.length === limit) break
      hits.push(...hitsIn(number))
    }
    if (hits.length > 0) hitsByResource.set(resources[resource] ?? '', hits)
  }
  return hitsByResource
}

/** The documents in which each word of the text is part of a word. All documents if the words do not narrow them. */
function candidatesFor(corpus: Corpus, needle: string, tally: ColumnTally): Iterable<number> {
  const all = plainWords(needle)
  if (all.length === 0) return []
  // A single letter is part of too many words. It is looked up only if the text has nothing longer.
  const longer = all.filter((piece) => piece.length > 1)
  const lists = [...new Set(longer.length > 0 ? longer : all)].flatMap((piece) => withPiece(corpus, piece, tally) ?? [])
  const [fewest, ...others] = lists.sort((a, b) => a.size - b.size)
  if (!fewest) return Array.from({ length: corpus.columns.size }, (_, number) => number)
  return [...fewest].filter((number) => others.every((list) => list.has(number)))
}

/**
 * The documents with a word that contains `piece`, or begins with it if it is one letter. Undefined if such words are too many.
 */
function withPiece(corpus: Corpus, piece: string, tally: ColumnTally): Set<number> | undefined {
  const pieces = requiredPiecesOf(piece)
  const words =
    pieces.length === 0
      ? corpus.words.beginning(piece, MOST_WORDS, tally)
      : corpus.words.sharing(pieces, pieces.length, MOST_WORDS, tally)
  if (words.length >= MOST_WORDS) return undefined
  const numbers = new Set<number>()
  for (const term of new Set(words.filter((word) => word.includes(piece)).map(toTerm)))
    for (const list of corpus.postings(term)) eachPosting(list, (number) => numbers.add(number))
  return numbers
}
