import type { Sight } from '../index/columns.ts'
import { linkTerm } from '../index/links.ts'
import type { Word } from '../index/words.ts'
import type { Corpus } from './corpus.ts'
import type { QueryWord } from './question.ts'

/** The most records that a question is taken to name. */
const MOST_NAMED = 4

/**
 * Adds to the words of a question the links of the records that they name. What links to such a record then holds these
 * words. `numbers`: the documents that may be named, the likeliest first.
 */
export function addLinks(
  corpus: Corpus,
  asked: readonly QueryWord[],
  numbers: readonly number[],
  sight: Sight,
): readonly QueryWord[] {
  const links = new Map<QueryWord, string[]>()
  let named = 0
  for (const number of numbers) {
    const run = corpus.names(number).flatMap(({ words }) => runOf(words, asked))
    const link = run.length > 0 ? linkTerm(corpus.document(number).id) : ''
    if (link === '' || corpus.terms.count(link, sight) === 0) continue
    for (const word of new Set(run)) links.set(word, [...(links.get(word) ?? []), link])
    if (++named === MOST_NAMED) break
  }
  return links.size === 0 ? asked : asked.map((it) => ({ ...it, links: links.get(it) ?? [] }))
}

/**
 * The words of a question that are a whole name, one after the other. None if the name says only what sort of thing it
 * is.
 */
function runOf(name: readonly Word[], asked: readonly QueryWord[]): readonly QueryWord[] {
  if (name.length > asked.length || name.every(({ tells }) => tells < 1)) return []
  const from = asked.findIndex((_, i) => name.every(({ term }, j) => asked[i + j]?.term === term))
  return from < 0 ? [] : asked.slice(from, from + name.length)
}
