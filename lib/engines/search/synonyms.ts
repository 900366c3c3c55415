import { once } from '../../base/once.ts'
import { plainWords, respell, sortGroups } from '../matching/index.ts'
import { toTerm } from './index/words.ts'

const synonymsByTerm = once(
  () =>
    new Map<string, ReadonlySet<string>>(
      sortGroups().flatMap((group) => {
        const terms = group.map(toTerm)
        return terms.map((term) => [term, new Set(terms.filter((other) => other !== term))] as const)
      }),
    ),
)

/** Terms for the same sort of thing: "mandir" for "temple". */
export const synonymsOf = (term: string): ReadonlySet<string> => synonymsByTerm().get(term) ?? noTerms
const noTerms: ReadonlySet<string> = new Set()

/**
 * Folds a name so that names of one meaning are equal: "Ram Mandir", "Ram Temple". Replaces each word for a sort of thing
 * by one word for its whole group, and removes spaces.
 */
export const meaningOf = (name: string): string => respell(plainWords(name).map(groupWord).join(''))

/** The first word of a group of synonyms, in alphabetical order. The word itself if it has no synonyms. */
function groupWord(word: string): string {
  const term = toTerm(word)
  const others = synonymsOf(term)
  return others.size > 0 ? ([term, ...others].sort()[0] ?? word) : word
}
