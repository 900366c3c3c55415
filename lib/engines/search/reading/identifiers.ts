import { plainWords } from '../../matching/index.ts'
import { eachPosting } from '../index/codec.ts'
import { identifierTerm } from '../index/identifiers.ts'
import type { Corpus } from '../model/corpus.ts'
import { type Filters, makeFilter } from '../model/filters.ts'

/** The most characters of an identifier. */
const LONGEST = 100

/**
 * The documents that carry a question as their identifier: `Q889902`, `osm way 112563248`, `STR002`, or an address. Empty if it has no
 * digit, or if no document that the caller may see carries it.
 */
export function findByIdentifier(corpus: Corpus, question: Filters & { text: string }): Uint32Array {
  const written = question.text.trim()
  if (written.length > LONGEST || !/\p{N}/u.test(written)) return new Uint32Array()
  const admits = makeFilter(corpus, question)
  const numbers: number[] = []
  for (const list of corpus.postings(identifierTerm(plainWords(written).join(''))))
    eachPosting(list, (number) => {
      if (admits(number)) numbers.push(number)
    })
  return Uint32Array.from(numbers)
}
