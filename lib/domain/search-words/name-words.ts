import { type Lexicon, provideLexicon } from '../../engines/matching/index.ts'
import data from './names.json' with { type: 'json' }
import { splitWords } from './split.ts'

/*
 * The words by which names are compared. They come from the same data as the words of questions (`names.json`). So search and the
 * comparison of names know the same sorts of things.
 */

const owners: ReadonlySet<string> = new Set(data.owners)

/** The single words for each sort of thing. Example: temple, mandir, degah. */
const groups = (): Lexicon['groups'] => [
  ...Object.entries(data.sort).map(([label, words]) => ({
    words: [label.toLowerCase(), ...splitWords(words)].filter((it) => !it.includes(' ')),
    phrases: [label.toLowerCase(), ...splitWords(words)].filter((it) => it.includes(' ')),
    honours: owners.has(label),
  })),
  ...data.otherSorts.split(' ').map((word) => ({ words: [word], phrases: [], honours: false })),
]

const phrasesOf = (rows: Readonly<Record<string, string>>): string[][] =>
  Object.entries(rows).map(([label, words]) => [label, ...splitWords(words)])

/** Figures with the words for each: "8 eight, 9 nine". */
const figuresIn = (rows: string): [figure: string, words: string[]][] =>
  splitWords(rows).map((row) => {
    const [figure = '', ...words] = row.split(' ')
    return [figure, words]
  })

provideLexicon(() => ({
  sorts: data.sorts,
  titles: data.titles,
  towns: data.towns,
  beings: [data.deities, ...Object.values(data.deity).flatMap(splitWords)].join(' '),
  sameBeings: phrasesOf(data.deity),
  groups: groups(),
  broad: data.broadSort,
  same: [
    ...groups().map(({ words }) => words),
    ...[data.material, data.word, data.town, data.deity].flatMap(phrasesOf),
  ],
  apart: phrasesOf(data.word),
  numbers: Object.fromEntries(figuresIn(data.number)),
  units: Object.entries(data.unit).flatMap(([of, rows]) =>
    figuresIn(rows).map(([is, words]) => ({ of, is: Number(is), words })),
  ),
}))
