import { plainWords } from '../domain/fold.ts'
import type { Hit, Literal } from './ask.ts'
import { eachPosting } from './codec.ts'
import { resourceIn, type Sight, sightOf } from './columns.ts'
import type { Corpus } from './corpus.ts'
import { tellingPiecesOf } from './grams.ts'
import { top } from './top.ts'
import { termOf } from './words.ts'

/** So many documents are read at most to see whether they hold a text. */
const MOST_READ = 3000

/** Documents that hold a text as it was typed, letter case aside. The vocabulary tells which can; they are read to be sure. */
export function literalIn(
  corpus: Corpus,
  { text, scope, limit }: Literal,
  admits: (number: number) => boolean,
): Map<string, Hit[]> {
  const found = new Map<string, Hit[]>()
  const needle = text.trim().normalize('NFC').toLowerCase().slice(0, 200)
  const { columns } = corpus
  const candidates = candidatesFor(corpus, needle, sightOf(scope)).filter(admits)
  const newest = (a: number, b: number) => {
    const [x, y] = [columns.created[a] ?? 0, columns.created[b] ?? 0]
    return x === y ? (columns.order[a] ?? 0) > (columns.order[b] ?? 0) : x > y
  }
  for (const number of top(candidates, MOST_READ, newest)) {
    const resource = corpus.resources[resourceIn(columns.flags[number] ?? 0)] ?? ''
    const hits = found.get(resource) ?? []
    if (hits.length >= limit) continue
    const { version: _, ...face } = corpus.face(number)
    const searched = [face.title, ...face.names, face.summary, corpus.text(number)]
    if (!searched.some((each) => each.normalize('NFC').toLowerCase().includes(needle))) continue
    hits.push({ ...face, score: 1 })
    found.set(resource, hits)
  }
  return found
}

/** The documents with a word that holds the longest piece of the text; the rest of the text narrows down no further. */
function candidatesFor(corpus: Corpus, needle: string, sight: Sight): Uint32Array {
  const piece = plainWords(needle).reduce((longest, each) => (each.length > longest.length ? each : longest), '')
  if (piece === '') return new Uint32Array()
  const pieces = tellingPiecesOf(piece)
  const words =
    piece.length < 2
      ? corpus.words.beginning(piece, 2000, sight)
      : corpus.words.sharing(pieces, pieces.length, 2000, sight).filter((each) => each.includes(piece))
  const numbers = new Set<number>()
  for (const term of new Set(words.map(termOf)))
    for (const list of corpus.postings(term)) eachPosting(list, (number) => numbers.add(number))
  return Uint32Array.from(numbers)
}
