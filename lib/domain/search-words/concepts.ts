import { reigns } from '../../engines/calendars/index.ts'
import type { Concept, ConceptSource } from '../../engines/search/index.ts'
import names from './names.json' with { type: 'json' }
import seed from './questions.json' with { type: 'json' }
import { splitWords } from './split.ts'

/*
 * The concepts of questions that no record holds. Their words are data: `names.json` and `questions.json`. Each concept has a label and
 * words in English, Nepali and Newar: singular, in any spelling, with commas between them. The words of a concept in `names.json` mean the
 * same ("mandir"). Its words in `questions.json` only find it ("tempel").
 */

/** The sorts of concept that a part of a question may name. */
const interpretations = [
  'sort',
  'place',
  'deity',
  'period',
  'century',
  'month',
  'material',
  'state',
  'festival',
] as const
type Interpretation = (typeof interpretations)[number]

/** The names that `interpreted` uses for parts of a question: sorts of concept, and what the grammar reads. */
export const readParts = [...interpretations, 'near', 'years', 'order', 'identifier', 'words'] as const
/** The most parts of `interpreted` that a question takes back. */
export const MOST_TAKEN_BACK = 24
/** The key of a part that is taken back, in the form in which the engine compares it. */
export const normaliseKey = (sent: string): string => sent.trim().normalize('NFC').toLowerCase()

const conceptsFrom = (as: Interpretation, rows: Readonly<Record<string, string>>): Concept[] =>
  Object.entries(rows).map(([label, words]) => ({ as, label, phrases: [label, ...splitWords(words)] }))

/** Sorts of beings after whom records are named. Example: queen, as in "queen's pond". */
const owners: ReadonlySet<string> = new Set(names.owners)
/** Sorts of events that bring about a state of things. Example: earthquake, as in "damaged by the earthquake". */
const causes: ReadonlySet<string> = new Set(names.causes)
const furtherWords: Readonly<Record<string, string>> = seed.sort
const sorts = (): Concept[] =>
  conceptsFrom(
    'sort',
    Object.fromEntries(
      Object.entries(names.sort).map(([label, words]) => [label, `${words}, ${furtherWords[label] ?? ''}`]),
    ),
  ).map((it) => ({
    ...it,
    ...(owners.has(it.label) && { isOwner: true }),
    ...(causes.has(it.label) && { isCause: true }),
    ...nearSorts(it),
  }))
/** The broader sort whose word may also be used for things of this sort. Example: a shrine may be called a temple. */
function nearSorts({ phrases }: Concept): Pick<Concept, 'near'> {
  const { word, nearby } = names.broadSort
  const isBroad = nearby.split(' ').some((it) => phrases[0]?.toLowerCase() === it)
  return isBroad ? { near: Object.keys(names.sort).filter((label) => label.toLowerCase() === word) } : {}
}

/** The sort of all records of a resource. */
export const sortByResource: Readonly<Record<string, string>> = {
  deities: 'God',
  festivals: 'Festival',
  rituals: 'Ritual',
  guthis: 'Guthi',
  caste_groups: 'Caste',
  calendar_systems: 'Calendar',
}

/** The resources whose records are concepts, by all their names. Unlike the words of `names.json`, a new record is a concept at once. */
export const conceptsByResource = (): Readonly<Record<string, ConceptSource>> => ({
  locations: { as: 'place', by: 'point', spareWords: splitWords(seed.spareWords.place) },
  deities: { as: 'deity', spareWords: splitWords(seed.spareWords.deity) },
  historical_periods: { as: 'period', by: 'years', spareWords: splitWords(seed.spareWords.period) },
  festivals: { as: 'festival', spareWords: splitWords(seed.spareWords.festival) },
})

type Town = { at: number[]; reach: number }
const townNames: Readonly<Record<string, string>> = names.town
/** Towns, each with its centre, and its radius in kilometres. */
const places = (): Concept[] =>
  Object.entries<Town>(seed.place).map(
    ([
      label,
      {
        at: [lat = 0, lng = 0],
        reach,
      },
    ]) => ({
      as: 'place',
      label,
      phrases: [label, ...splitWords(townNames[label] ?? '')],
      area: { at: { lat, lng }, reach },
    }),
  )

const sameDeities: Readonly<Record<string, string>> = names.deity
const deities = (): Concept[] =>
  conceptsFrom(
    'deity',
    Object.fromEntries(
      Object.entries(seed.deity).map(([label, words]) => [
        label,
        [sameDeities[label], words].filter(Boolean).join(', '),
      ]),
    ),
  ).map((it) => ({ ...it, isName: true }))

const periods = (): Concept[] =>
  Object.entries(reigns).map(([label, { words, from, to }]) => ({
    as: 'period',
    label,
    phrases: [label, ...splitWords(words)],
    years: { from, to, partly: false },
  }))

const ordinals = () =>
  `first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth
  fifteenth sixteenth seventeenth eighteenth nineteenth twentieth`.split(/\s+/)
const nth = (n: number) => `${n}${['th', 'st', 'nd', 'rd'][n > 3 && n < 21 ? 0 : n % 10] ?? 'th'}`
/** Centuries of the common era, as both languages write them. */
const centuries = (): Concept[] =>
  Array.from({ length: 21 }, (_, i) => i + 1).map((n) => ({
    as: 'century',
    label: `${nth(n)} century`,
    years: { from: n * 100 - 99, to: n * 100, partly: true },
    phrases: [
      ...['century', 'cent', 'centuries'].flatMap((word) => [`${nth(n)} ${word}`, `${n} ${word}`]),
      ...(ordinals()[n - 1] ? [`${ordinals()[n - 1]} century`] : []),
      ...['शताब्दी', 'सताब्दी', 'shatabdi'].flatMap((word) => [
        `${n} ${word}`,
        `${n}औं ${word}`,
        `${n}औँ ${word}`,
        `${n} औं ${word}`,
      ]),
    ],
  }))

type Month = { names: string; near?: string }
/** Months of the Nepali, Newar and Gregorian year. The months in `near` overlap with a month, so they fit less well. */
const months = (): Concept[] =>
  Object.entries<Month>(seed.month).map(([label, { names, near = '' }]) => ({
    as: 'month',
    label,
    phrases: [label, ...splitWords(names)],
    near: monthsNear(label, splitWords(near)),
  }))

/** The months that overlap with a month. `seed.month` has each pair once, in the row of one of the two. */
function monthsNear(label: string, own: readonly string[]): string[] {
  return Object.entries<Month>(seed.month).flatMap(([other, { near = '' }]) => {
    if (splitWords(near).includes(label)) return [other]
    return other === label ? own : []
  })
}

/** The seasons as people ask for them, with their months. */
const seasons = (): Concept[] =>
  Object.entries<Month>(seed.season).map(([label, { names, near = '' }]) => ({
    as: 'month',
    label,
    phrases: splitWords(names),
    near: splitWords(near),
  }))

/** The concepts that no record holds. A function and no constant, since most processes never search. */
export const concepts = (): readonly Concept[] => [
  ...sorts(),
  ...places(),
  ...deities(),
  ...periods(),
  ...centuries(),
  ...months(),
  ...conceptsFrom('material', names.material),
  ...conceptsFrom('state', seed.state),
  ...seasons(),
]
