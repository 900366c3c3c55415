import { reigns } from '../../calendars/periods.ts'
import { metres } from '../../matching/geo.ts'
import { once } from '../../once.ts'
import { type Concept, centuries, concepts, monthsNear, sortByResource, towns } from '../concepts.ts'
import type { Document } from '../document.ts'
import { ANY, isApart, type Voice } from './voice.ts'
import { type Word, wordsOf } from './words.ts'

/** The term under which documents of a concept are listed; no word is spelt so. */
export const tagOf = ({ as, label }: Pick<Concept, 'as' | 'label'>): string => `#${as} ${label}`

type Row = { concept: Concept; voices: readonly Voice[] }

/**
 * Concepts by the terms of their phrases, joined by spaces, with the voices of the words: the first that claims a phrase has it. And
 * the terms with which a phrase of several words begins.
 */
const known = once(() => {
  const byPhrase = new Map<string, Row[]>()
  const openers = new Set<string>()
  for (const concept of concepts) {
    for (const phrase of concept.phrases) {
      const words = wordsOf(phrase)
      const terms = words.map(({ term }) => term)
      const key = terms.join(' ')
      const row = { concept, voices: words.map(({ voice }) => voice) }
      if (key !== '') byPhrase.set(key, [...(byPhrase.get(key) ?? []), row])
      if (terms.length > 1) openers.add(terms[0] ?? '')
    }
  }
  return { byPhrase, openers }
})
/** The longest phrase, in words. */
const LONGEST = 4

/** A run of words, both ends by their place, that names a concept. */
export type Mention = { from: number; to: number; concept: Concept }

/** What is named in a text, the longest phrases first from the left; no word is part of two. */
export function mentionsIn(words: readonly Pick<Word, 'term' | 'voice'>[]): Mention[] {
  const found: Mention[] = []
  const { byPhrase, openers } = known()
  for (let from = 0; from < words.length; from += 1) {
    const opens = openers.has(words[from]?.term ?? '')
    for (let size = opens ? Math.min(LONGEST, words.length - from) : 1; size > 0; size -= 1) {
      const key =
        size === 1
          ? words[from]?.term
          : words
              .slice(from, from + size)
              .map((it) => it.term)
              .join(' ')
      const named = byPhrase.get(key ?? '')
      const row = named?.find(({ voices }) =>
        voices.every((voice, i) => !isApart(voice, words[from + i]?.voice ?? ANY)),
      )
      if (!row) continue
      found.push({ from, to: from + size - 1, concept: row.concept })
      from += size - 1
      break
    }
  }
  return found
}

/** The concepts with a word of its own, for spelling: term to concept. */
export const conceptOf = (term: string): Concept | undefined => known().byPhrase.get(term)?.[0]?.concept

/** The terms of concepts that are one word, but for short ones, which are near too many others. */
export const conceptTerms = once(() => [...known().byPhrase.keys()].filter((it) => it.length > 4 && !it.includes(' ')))

/** A Devi Temple is a temple and no goddess: of several sorts in a name the last is what it is. How surely a document is of what a part of it names, from 0 to 1. */
const SURE = { value: 1, name: 0.92, part: 0.3, opening: 0.75, summary: 0.5, text: 0.3, near: 0.6 }
/** A description says in its first words what a thing is. */
const OPENING = 5
/** A span of more years tells no century, and one of two reigns neither. */
const MOST_YEARS = 150

/** The tags of a document with how surely each is true of it, from 0 to 1. */
export function tagsOf(
  it: Document,
  parts: { names: readonly (readonly Word[])[]; summary: readonly Word[]; text: readonly Word[] },
) {
  const tags = new Map<string, number>()
  const add = (concept: Pick<Concept, 'as' | 'label'>, sure: number) => {
    const tag = tagOf(concept)
    if ((tags.get(tag) ?? 0) < sure) tags.set(tag, sure)
  }
  const named = (words: readonly Word[], sure: (mention: Mention) => number) => {
    for (const mention of mentionsIn(words)) add(mention.concept, sure(mention))
  }
  const byResource = sortByResource[it.resource]
  if (byResource !== undefined) add({ as: 'sort', label: byResource }, SURE.value)
  for (const [facet, values] of Object.entries(it.values ?? {}))
    for (const value of values ?? [])
      named(wordsOf(spaced(value)), ({ concept }) => (concept.as === expected[facet] ? SURE.value : SURE.text))
  for (const name of parts.names) {
    const mentions = mentionsIn(name)
    const head = mentions.findLast(({ concept }) => concept.as === 'sort')
    for (const mention of mentions)
      add(mention.concept, mention.concept.as === 'sort' && mention !== head ? SURE.part : SURE.name)
  }
  named(parts.summary, ({ from }) => (from < OPENING ? SURE.opening : SURE.summary))
  named(parts.text, () => SURE.text)
  for (const { label, at, reach } of it.point ? towns : [])
    if (it.point && metres(at, it.point) <= reach * 1000) add({ as: 'place', label }, SURE.near)
  for (const [concept, sure] of datesOf(it)) add(concept, sure)
  return tags
}

/** "DhungeDhara", "world_heritage_site". */
const spaced = (value: string) => value.replaceAll('_', ' ').replace(/(?<=[a-z])(?=[A-Z])/g, ' ')

/** What the values of a facet say for sure. */
const expected: Readonly<Record<string, Concept['as']>> = {
  type: 'sort',
  place: 'place',
  deity: 'deity',
  period: 'period',
  material: 'material',
}

/** The centuries and reigns that the years of a document fall into. */
function* datesOf({ years }: Document): Iterable<[Pick<Concept, 'as' | 'label'>, number]> {
  if (!years || years.from === null || years.to === null || years.to - years.from > MOST_YEARS) return
  const { from, to } = years
  for (const [i, century] of centuries.entries()) if (from <= (i + 1) * 100 && to > i * 100) yield [century, SURE.value]
  for (const [label, reign] of Object.entries(reigns))
    if (from >= reign.from && to <= reign.to) yield [{ as: 'period', label }, SURE.near]
}

/** What documents may be listed under that answer a concept less surely, with how well they do. */
export const nearTo = ({ as, label }: Concept): string[] =>
  as === 'month' ? (monthsNear[label] ?? []).map((other) => tagOf({ as, label: other })) : []
