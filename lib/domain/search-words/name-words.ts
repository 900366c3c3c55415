import { type Lexicon, provideLexicon } from '../../engines/matching/index.ts'
import seed from './seed.json' with { type: 'json' }
import { splitWords } from './split.ts'

/*
 * The words by which names are compared come of the same data as those of questions: who compares two names, and who asks for them, know
 * the same sorts of things.
 */

const { sorts, otherSorts, titles, towns, deities, broadSort } = seed.names
const owners: ReadonlySet<string> = new Set(seed.owners)

/** The words of one meaning for each sort: temple, mandir, degah. What stands after a semicolon only asks for the sort. */
const groups = (): Lexicon['groups'] => [
  ...Object.entries(seed.sort).map(([label, words]) => ({
    words: [label.toLowerCase(), ...splitWords(words.replace(/;.*/, ''))].filter((it) => !it.includes(' ')),
    honours: owners.has(label),
  })),
  ...otherSorts.split(' ').map((word) => ({ words: [word], honours: false })),
]

provideLexicon(() => ({ sorts, titles, towns, beings: deities, groups: groups(), broad: broadSort }))
