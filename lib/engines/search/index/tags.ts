import { once } from '../../../base/once.ts'
import { distanceInMetres } from '../../matching/index.ts'
import type { SearchDocument } from '../document.ts'
import { type Concept, loadedVocabulary } from '../vocabulary.ts'
import { ANY_VOICE, soundsApart, type Voice } from './voice.ts'
import { splitWords, type Word } from './words.ts'

/** The term under which documents of a concept are listed. No word begins with `#`. */
export const tagOf = ({ as, label }: Pick<Concept, 'as' | 'label'>): string => `#${as} ${label}`

export const isTag = (term: string): boolean => term.startsWith('#')

type Row = { concept: Concept; voices: readonly Voice[] }

/**
 * Concepts by the terms of their phrases, joined by spaces. A phrase may have several, in the order of the vocabulary.
 * `openers`: the first terms of phrases of several words.
 */
const phraseIndex = once(() => {
  const byPhrase = new Map<string, Row[]>()
  const openers = new Set<string>()
  for (const concept of loadedVocabulary().concepts) {
    for (const phrase of concept.phrases.flatMap(withPlural)) {
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
/**
 * A phrase, and its English plural if it ends in a, i, o or u: stupas. `singularOf` keeps the -s of such words, since many names end in
 * -as.
 */
const withPlural = (phrase: string): string[] => (/[aiou]$/.test(phrase) ? [phrase, `${phrase}s`] : [phrase])

/** The most words of a phrase that is looked up in a text. A longer phrase of the vocabulary is never found. */
const MOST_WORDS = 4

/** A run of words that names a concept, from word `from` to word `to`. */
export type Mention = { from: number; to: number; concept: Concept }

/** Finds the concept of the documents with a whole name. The name is given as its terms, with a space between. */
export type FindNamed = (terms: string) => Concept | undefined

/**
 * Finds the concepts that a text names: concepts of the vocabulary and, with `findNamed`, documents that are concepts. At each position the
 * longest phrase wins, and no word is part of two phrases.
 */
export function findMentions(words: readonly Pick<Word, 'term' | 'voice'>[], findNamed?: FindNamed): Mention[] {
  const mentions: Mention[] = []
  const { byPhrase, openers } = phraseIndex()
  for (let from = 0; from < words.length; from += 1) {
    const opens = findNamed !== undefined || openers.has(words[from]?.term ?? '')
    for (let size = opens ? Math.min(MOST_WORDS, words.length - from) : 1; size > 0; size -= 1) {
      const key =
        size === 1
          ? words[from]?.term
          : words
              .slice(from, from + size)
              .map(({ term }) => term)
              .join(' ')
      const rows = byPhrase.get(key ?? '')
      const row = rows?.find(({ voices }) =>
        voices.every((voice, i) => !soundsApart(voice, words[from + i]?.voice ?? ANY_VOICE)),
      )
      const run = words.slice(from, from + size)
      const concept = eitherOf(row?.concept, size > 1 && holdsSort(run) ? undefined : findNamed?.(key ?? ''))
      if (!concept) continue
      mentions.push({ from, to: from + size - 1, concept })
      from += size - 1
      break
    }
  }
  return mentions
}

/** Joins a concept of the vocabulary and one of documents with the same name, if both are of one sort. Else the former is preferred. */
const eitherOf = (known: Concept | undefined, named: Concept | undefined): Concept | undefined =>
  known && named?.documents && named.as === known.as ? { ...known, documents: named.documents } : (known ?? named)

/** Whether any of these words names a sort of thing by itself: whoever asks for "North Temple" asks for a temple, too. */
const holdsSort = (words: readonly Pick<Word, 'term'>[]): boolean =>
  words.some(({ term }) => {
    const concept = conceptOf(term)
    return concept?.as === 'sort' && !concept.isOwner
  })

/** The concept of the vocabulary that has this phrase, given as its terms with a space between. */
export const conceptOfPhrase = (terms: string, as: string): Concept | undefined =>
  phraseIndex()
    .byPhrase.get(terms)
    ?.find(({ concept }) => concept.as === as)?.concept

/** The concept that this term names by itself. Undefined if it names none. */
export const conceptOf = (term: string): Concept | undefined => phraseIndex().byPhrase.get(term)?.[0]?.concept

/** Terms of five letters or more that name a concept alone. Shorter terms are too similar to other words. */
export const conceptTerms = once(() =>
  [...phraseIndex().byPhrase.keys()].filter((phrase) => phrase.length > 4 && !phrase.includes(' ')),
)

/**
 * The certainty that a document belongs to a concept, by the part of it that names the concept, from 0 to 1. A name may
 * contain several sorts: a "Devi Temple" is a temple, not a goddess. The last sort counts as `name`, the others as `part`.
 */
export const CERTAINTY = { value: 1, name: 0.92, part: 0.3, opening: 0.75, summary: 0.5, text: 0.3, near: 0.6 }
/** The number of words that open a summary. They usually name the sort of thing. */
const OPENING = 5
/** A document with a longer span of years belongs to no century and no reign. */
const MOST_YEARS = 150

/** Finds the tags of a document, each with its certainty from 0 to 1. */
export function tagsOf(
  document: SearchDocument,
  parts: { names: readonly (readonly Word[])[]; summary: readonly Word[]; text: readonly Word[] },
) {
  const tags = new Map<string, number>()
  const add = (concept: Pick<Concept, 'as' | 'label'>, certainty: number) => {
    const tag = tagOf(concept)
    if ((tags.get(tag) ?? 0) < certainty) tags.set(tag, certainty)
  }
  const addMentions = (words: readonly Word[], certaintyOf: (mention: Mention) => number) => {
    for (const mention of findMentions(words)) add(mention.concept, certaintyOf(mention))
  }
  const { concepts, facets, sortByResource } = loadedVocabulary()
  const byResource = sortByResource[document.resource]
  if (byResource !== undefined) add({ as: 'sort', label: byResource }, CERTAINTY.value)
  for (const [facet, values] of Object.entries(document.values ?? {}))
    for (const value of values ?? [])
      addMentions(splitWords(splitName(value)), ({ concept }) =>
        concept.as === facets[facet] ? CERTAINTY.value : CERTAINTY.text,
      )
  for (const name of parts.names) {
    const mentions = findMentions(name)
    const head = mentions.findLast(({ concept }) => concept.as === 'sort')
    for (const mention of mentions)
      add(mention.concept, mention.concept.as === 'sort' && mention !== head ? CERTAINTY.part : CERTAINTY.name)
  }
  addMentions(parts.summary, ({ from }) => (from < OPENING ? CERTAINTY.opening : CERTAINTY.summary))
  addMentions(parts.text, () => CERTAINTY.text)
  for (const concept of concepts) {
    if (isAround(concept, document)) add(concept, CERTAINTY.near)
    if (isOfTime(concept, document)) add(concept, concept.years?.partly ? CERTAINTY.value : CERTAINTY.near)
  }
  return tags
}

/** The sorts of things that the values of a document name, such as the type Temple. */
export function sortsByValue({ values = {} }: SearchDocument): string[] {
  const { facets } = loadedVocabulary()
  const named = Object.entries(values).flatMap(([facet, texts = []]) =>
    facets[facet] === 'sort' ? texts.flatMap((text) => findMentions(splitWords(splitName(text)))) : [],
  )
  return [...new Set(named.flatMap(({ concept }) => (concept.as === 'sort' ? [concept.label] : [])))]
}

/** Splits "DhungeDhara" and "world_heritage_site" into words. */
const splitName = (value: string) => value.replaceAll('_', ' ').replace(/(?<=[a-z])(?=[A-Z])/g, ' ')

const isAround = ({ area }: Concept, { point }: SearchDocument): boolean =>
  area !== undefined && point !== null && distanceInMetres(area.at, point) <= area.reach * 1000

/** Whether the years of a document are within the years of a concept. With `partly` it is enough that they overlap. */
function isOfTime({ years: period }: Concept, { years }: SearchDocument): boolean {
  if (!period || !years || years.from === null || years.to === null || years.to - years.from > MOST_YEARS) return false
  const { from, to } = years
  return period.partly ? from <= period.to && to >= period.from : from >= period.from && to <= period.to
}

/** The tags of the labels in `near`. A document that has only such a tag ranks lower. */
export const nearbyTags = ({ as, near = [] }: Concept): string[] => near.map((label) => tagOf({ as, label }))
