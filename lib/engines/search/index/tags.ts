import { once } from '../../../base/once.ts'
import { distanceInMetres } from '../../matching/index.ts'
import type { SearchDocument } from '../document.ts'
import { type Concept, loadedVocabulary } from '../vocabulary.ts'
import { ANY_VOICE, soundsApart, type Voice } from './voice.ts'
import { splitWords, type Word } from './words.ts'

export const tagOf = ({ as, label }: Pick<Concept, 'as' | 'label'>): string => `#${as} ${label}`

type Row = { concept: Concept; voices: readonly Voice[] }

/**
 * Concepts by the terms of their phrases, joined by spaces. If two concepts claim a phrase, the first one gets it.
 * `openers`: the first terms of phrases of several words.
 */
const phraseIndex = once(() => {
  const byPhrase = new Map<string, Row[]>()
  const openers = new Set<string>()
  for (const concept of loadedVocabulary().concepts) {
    for (const phrase of concept.phrases) {
      const words = splitWords(phrase)
      const terms = words.map(({ term }) => term)
      const key = terms.join(' ')
      const row = { concept, voices: words.map(({ voice }) => voice) }
      if (key !== '') byPhrase.set(key, [...(byPhrase.get(key) ?? []), row])
      if (terms.length > 1) openers.add(terms[0] ?? '')
    }
  }
  return { byPhrase, openers }
})
/** The most words of a phrase. */
const LONGEST = 4

/** A run of words that names a concept, from word `from` to word `to`. */
export type Mention = { from: number; to: number; concept: Concept }

/** Finds the concepts that a text names. At each place the longest phrase wins, and no word is part of two. */
export function findMentions(words: readonly Pick<Word, 'term' | 'voice'>[]): Mention[] {
  const found: Mention[] = []
  const { byPhrase, openers } = phraseIndex()
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
      const rows = byPhrase.get(key ?? '')
      const row = rows?.find(({ voices }) =>
        voices.every((voice, i) => !soundsApart(voice, words[from + i]?.voice ?? ANY_VOICE)),
      )
      if (!row) continue
      found.push({ from, to: from + size - 1, concept: row.concept })
      from += size - 1
      break
    }
  }
  return found
}

export const conceptOf = (term: string): Concept | undefined => phraseIndex().byPhrase.get(term)?.[0]?.concept

/** Terms of five letters or more that name a concept by themselves. Shorter ones are too near to other words. */
export const conceptTerms = once(() =>
  [...phraseIndex().byPhrase.keys()].filter((it) => it.length > 4 && !it.includes(' ')),
)

/**
 * How surely a document is what a part of it names, from 0 to 1. A name may hold several sorts: a "Devi Temple" is a
 * temple, not a goddess. The last one counts as `name`, the others as `part`.
 */
const SURE = { value: 1, name: 0.92, part: 0.3, opening: 0.75, summary: 0.5, text: 0.3, near: 0.6 }
/** The opening words of a summary say what a thing is. */
const OPENING = 5
/** A document that spans more years belongs to no century and no reign. */
const MOST_YEARS = 150

/** The tags of a document, each with how surely it is true, from 0 to 1. */
export function tagsOf(
  it: SearchDocument,
  parts: { names: readonly (readonly Word[])[]; summary: readonly Word[]; text: readonly Word[] },
) {
  const tags = new Map<string, number>()
  const add = (concept: Pick<Concept, 'as' | 'label'>, sure: number) => {
    const tag = tagOf(concept)
    if ((tags.get(tag) ?? 0) < sure) tags.set(tag, sure)
  }
  const named = (words: readonly Word[], sure: (mention: Mention) => number) => {
    for (const mention of findMentions(words)) add(mention.concept, sure(mention))
  }
  const { concepts, facets, sortByResource } = loadedVocabulary()
  const byResource = sortByResource[it.resource]
  if (byResource !== undefined) add({ as: 'sort', label: byResource }, SURE.value)
  for (const [facet, values] of Object.entries(it.values ?? {}))
    for (const value of values ?? [])
      named(splitWords(spaced(value)), ({ concept }) => (concept.as === facets[facet] ? SURE.value : SURE.text))
  for (const name of parts.names) {
    const mentions = findMentions(name)
    const head = mentions.findLast(({ concept }) => concept.as === 'sort')
    for (const mention of mentions)
      add(mention.concept, mention.concept.as === 'sort' && mention !== head ? SURE.part : SURE.name)
  }
  named(parts.summary, ({ from }) => (from < OPENING ? SURE.opening : SURE.summary))
  named(parts.text, () => SURE.text)
  for (const concept of concepts) {
    if (isAround(concept, it)) add(concept, SURE.near)
    if (isOfTime(concept, it)) add(concept, concept.years?.partly ? SURE.value : SURE.near)
  }
  return tags
}

/** Splits "DhungeDhara" and "world_heritage_site" into words. */
const spaced = (value: string) => value.replaceAll('_', ' ').replace(/(?<=[a-z])(?=[A-Z])/g, ' ')

const isAround = ({ area }: Concept, { point }: SearchDocument): boolean =>
  area !== undefined && point !== null && distanceInMetres(area.at, point) <= area.reach * 1000

/** Whether the years of a document lie in those of a concept. With `partly` it is enough that they overlap. */
function isOfTime({ years: of }: Concept, { years }: SearchDocument): boolean {
  if (!of || !years || years.from === null || years.to === null || years.to - years.from > MOST_YEARS) return false
  const { from, to } = years
  return of.partly ? from <= of.to && to >= of.from : from >= of.from && to <= of.to
}

/** The tags of neighbouring concepts. Their documents answer a concept less surely. */
export const nearbyTags = ({ as, near = [] }: Concept): string[] => near.map((label) => tagOf({ as, label }))
