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

/** Terms for the same sort of thing: "mandir" for "temple". */
export const synonymsOf = (term: string): ReadonlySet<string> => meanings().get(term) ?? none
const none: ReadonlySet<string> = new Set()

/**
 * Folds a name so that names of one meaning are equal: "Ram Mandir", "Ram Temple". Each word for a sort of thing is
 * replaced by one that stands for all, and spaces are taken out.
 */
export const meaningOf = (name: string): string => respell(plainWords(name).map(standIn).join(''))

function standIn(word: string): string {
  const term = toTerm(word)
  const others = synonymsOf(term)
  return others.size > 0 ? ([term, ...others].sort()[0] ?? word) : word
}
