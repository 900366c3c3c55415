import { once } from '../../base/once.ts'
import { plainWords, respell, sortGroups } from '../matching/index.ts'
import { toTerm } from './index/words.ts'

const meanings = once(
  () =>
    new Map<string, ReadonlySet<string>>(
      sortGroups.flatMap((group) => {
        const terms = group.split(' ').map(toTerm)
        return terms.map((term) => [term, new Set(terms.filter((other) => other !== term))] as const)
      }),
    ),
)

/** The terms that mean the same sort of thing as a term. */
export const synonymsOf = (term: string): ReadonlySet<string> => meanings().get(term) ?? none
const none: ReadonlySet<string> = new Set()

/**
 * A name in one spelling without spaces, each word for a sort of thing replaced by one that stands for all. So names
 * that mean the same are equal: "Ram Mandir", "Ram Temple".
 */
export const meaningOf = (name: string): string => respell(plainWords(name).map(standIn).join(''))

function standIn(word: string): string {
  const term = toTerm(word)
  const others = synonymsOf(term)
  return others.size > 0 ? ([term, ...others].sort()[0] ?? word) : word
}
