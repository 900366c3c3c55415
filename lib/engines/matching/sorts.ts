import { once } from '../../base/once.ts'
import { fold, sortWords } from './fold.ts'
import { lexicon } from './lexicon.ts'

/** Groups of words for one sort of thing in several languages. A search for a temple also finds a mandir. */
export const sortGroups = (): readonly (readonly string[])[] => lexicon().groups.map(({ words }) => words)

/**
 * Maps each folded word for a sort of thing to the word that represents its group. Honours of beings are left out. A word of two groups
 * belongs to the first.
 */
export const sortOf = once((): ReadonlyMap<string, string> => {
  const byWord = new Map<string, string>()
  for (const { words, honours } of lexicon().groups) {
    if (honours) continue
    const folded = words.map(fold)
    for (const word of folded) if (!byWord.has(word)) byWord.set(word, byWord.get(folded[0] ?? '') ?? folded[0] ?? word)
  }
  return byWord
})

/** Folded phrases of two words for a sort of thing, each with the word that represents its group: "rest house". */
const sortPhrases = once((): ReadonlyMap<string, string> => {
  const rows = lexicon().groups.flatMap(({ words, phrases }) => {
    const word = words[0] === undefined ? undefined : sortOf().get(fold(words[0]))
    return word === undefined ? [] : phrases.map((phrase) => [fold(phrase), word] as const)
  })
  return new Map(rows)
})

/** Replaces each phrase of two words for a sort by the word that represents its group. */
export function joinSortPhrases(words: readonly string[]): string[] {
  const joined: string[] = []
  for (let at = 0; at < words.length; at += 1) {
    const sort = sortPhrases().get(`${words[at]} ${words[at + 1]}`)
    joined.push(sort ?? words[at] ?? '')
    if (sort !== undefined) at += 1
  }
  return joined
}

/** Whether a folded word names a sort of thing, a part of a place or an honour, and so does not tell two names apart. */
export const isSortWord = (folded: string): boolean => sortWords().has(folded) || sortOf().has(folded)

const sortsIn = (words: string): ReadonlySet<string> =>
  new Set(
    fold(words)
      .split(' ')
      .map((word) => sortOf().get(word) ?? word),
  )
/** The sort whose word is also used for other sorts. `anywhere` has these sorts. `nearby` has more, for two things at most 150 m apart. */
const broad = once(() => {
  const { word, anywhere, nearby } = lexicon().broad
  const [sort = ''] = sortsIn(word)
  return { sort, anywhere: sortsIn(anywhere), nearby: sortsIn(`${anywhere} ${nearby}`) }
})

/**
 * Whether two names can mean one thing by their sorts. A name without a sort agrees with every sort. `near`: the two
 * are in one place, so more sorts agree.
 */
export function sortsAgree(a: ReadonlySet<string>, b: ReadonlySet<string>, near = false): boolean {
  const within = (few: ReadonlySet<string>, many: ReadonlySet<string>) => [...few].every((sort) => many.has(sort))
  const { sort, anywhere, nearby } = broad()
  const isBroad = (x: ReadonlySet<string>, y: ReadonlySet<string>) => x.has(sort) && within(y, near ? nearby : anywhere)
  return within(a, b) || within(b, a) || isBroad(a, b) || isBroad(b, a)
}
