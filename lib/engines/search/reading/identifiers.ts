import { plainWords } from '../../matching/index.ts'
import { eachPosting } from '../index/codec.ts'
import { identifierTerm } from '../index/identifiers.ts'
import type { Corpus } from '../model/corpus.ts'
import { type Filters, makeFilter } from '../model/filters.ts'

/** The most words before an identifier. */
const MOST_LABEL_WORDS = 2
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
  for (const letters of lettersOf(written)) {
    const numbers: number[] = []
    for (const list of corpus.postings(identifierTerm(letters)))
      eachPosting(list, (number) => {
        if (admits(number)) numbers.push(number)
      })
    if (numbers.length > 0) return Uint32Array.from(numbers)
  }
  return new Uint32Array()
}

/** The plain letters of an identifier as written. Of an address also the letters of the last parts of its path: `node12345`. */
function lettersOf(written: string): string[] {
  const letters = plainWords(written).join('')
  const path = /^(?:[a-z]+:\/\/)?[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+\/([^?#]+)/iu.exec(written)?.[1]
  const parts = path?.split('/').filter(Boolean) ?? []
  // "node/12345" says more than "12345", which may also be a number of something else.
  // "Register Q4711": the name of the register stands before the identifier.
  const words = written.split(/\s+/)
  const last = words.length <= MOST_LABEL_WORDS + 1 ? (words.at(-1) ?? '') : ''
  const labelled = /^\p{L}+\p{N}+$/u.test(last) ? [plainWords(last).join('')] : []
  return [letters, ...labelled, ...[2, 1].map((count) => plainWords(parts.slice(-count).join(' ')).join(''))].filter(
    (it, i, all) => /\d/.test(it) && all.indexOf(it) === i,
  )
}
