import { createHash } from 'node:crypto'
import { once } from '../../base/once.ts'
import type { Point } from '../matching/index.ts'

/**
 * A concept that a part of a question can mean. `as`: its sort ('place'). `label`: its name ('Patan'). `phrases`: words
 * for it, in any spelling.
 */
export type Concept = {
  readonly as: string
  readonly label: string
  readonly phrases: readonly string[]
  /** Labels of the same sort that overlap with this one. Documents that only belong to them rank lower. */
  readonly near?: readonly string[]
  /** A document within `reach` kilometres of this point belongs to the concept. */
  readonly area?: { readonly at: Point; readonly reach: number }
  /** A document belongs to the concept if its years are within these years. With `partly` it is enough that they overlap. */
  readonly years?: { readonly from: number; readonly to: number; readonly partly: boolean }
  /** Before a sort of thing it is only its owner: the queen of "queen's pond". */
  readonly isOwner?: boolean
  /** Beside a state it is only what brought the state about: the earthquake of "damaged by the earthquake". */
  readonly isCause?: boolean
  /** As the only word of a question it is a name, not a concept. */
  readonly isName?: boolean
  /** The numbers of the documents that are called so. Only concepts that the engine finds among the documents have some. */
  readonly documents?: readonly number[]
}

/**
 * How documents of a resource are concepts by their names. `as`: the sort of concept. `by`: what lies around its point, or within its
 * years, belongs to it, too. `spareWords`: words of names that may be left out, such as "town".
 */
export type ConceptSource = {
  readonly as: string
  readonly by?: 'point' | 'years'
  readonly spareWords?: readonly string[]
}

/**
 * What a phrase of the grammar asks for.
 *
 * - `not`: without the part beside it. `near`: near a place. `in`: at a place or in a time. `within`: it stands before a distance.
 * - `before`, `after`, `since`, `between`: in a time. `bce`: before our era. `and`: it joins the two ends of `between`.
 * - `oldest`, `newest`: an order. `extreme`: a superlative for which records have no figure, such as "biggest".
 * - `thing`: only things that people made. `made`: the same, if a time follows ("built before 1700").
 * - `lived`: only people, if a time follows ("born before 1300"). `age`: it follows a number ("older than 500 years").
 * - `nearest`: near the place after the sort of thing ("nearest museum to Patan").
 * - `noise`: praise and fillers.
 */
export const grammarRoles = [
  'not',
  'near',
  'within',
  'before',
  'after',
  'since',
  'bce',
  'between',
  'and',
  'in',
  'oldest',
  'newest',
  'extreme',
  'made',
  'lived',
  'age',
  'nearest',
  'thing',
  'noise',
] as const
export type GrammarRole = (typeof grammarRoles)[number]
/** A phrase `leads` its part ("near Patan"), `follows` it ("Patan najik"), or stands `alone` ("oldest"). */
export const grammarSides = ['leads', 'follows', 'alone'] as const
export type GrammarSide = (typeof grammarSides)[number]
/** A phrase that asks for something. The grammar of a language is a list of them. */
export type GrammarPhrase = { readonly role: GrammarRole; readonly side: GrammarSide; readonly phrase: string }

/** The concepts, sorts and facets of a field, such as heritage. */
export type SearchVocabulary = {
  /** The phrases by which questions exclude, order and limit, in all languages. */
  readonly grammar?: readonly GrammarPhrase[]
  /** Superlatives of one meaning, in all languages: biggest, largest. */
  readonly superlatives?: readonly (readonly string[])[]
  /** How far a place reaches from its point, in kilometres, by a word of its name or type: valley 15. */
  readonly reaches?: Readonly<Record<string, number>>
  /** The resources of things that people made. */
  readonly madeResources?: readonly string[]
  /** The resources of people. */
  readonly peopleResources?: readonly string[]
  readonly concepts: readonly Concept[]
  /** How documents are concepts, by resource. Documents of other resources are none. */
  readonly conceptsByResource?: Readonly<Record<string, ConceptSource>>
  /** For each resource the sort of thing of all its documents: the label of a concept as `sort`. */
  readonly sortByResource: Readonly<Record<string, string>>
  /** The facets of results, each with the sort of concept (`as`) that its values name, or null. */
  readonly facets: Readonly<Record<string, string | null>>
  /** The facet with the name of a document's place. */
  readonly placeFacet: string
  /** The dictionary for compressing documents: a text like most documents, with its commonest words last. */
  readonly sample: string
}

type MakeVocabulary = () => SearchVocabulary | Promise<SearchVocabulary>
let makeVocabulary: MakeVocabulary | undefined
let loaded: SearchVocabulary | undefined

/** Registers the vocabulary, once in a process. `make` is called by the first search, and may import the words then. */
export function provideVocabulary(make: MakeVocabulary): void {
  makeVocabulary = make
}

/** Loads the vocabulary. Code that opens or builds a snapshot awaits this first. */
export async function loadVocabulary(): Promise<void> {
  if (!makeVocabulary) throw new Error('search has no vocabulary: call provideVocabulary first')
  loaded ??= await makeVocabulary()
}

/** The vocabulary, after `loadVocabulary`. */
export function loadedVocabulary(): SearchVocabulary {
  if (loaded) return loaded
  const vocabulary = makeVocabulary?.()
  if (!vocabulary || vocabulary instanceof Promise)
    throw new Error('search has no vocabulary: await loadVocabulary first')
  loaded = vocabulary
  return vocabulary
}

/** The names of the facets, in the order in which they are shown. */
export const vocabularyFacets = once((): readonly string[] => Object.keys(loadedVocabulary().facets))

/** A hash of the members of the vocabulary that shape a snapshot. A process does not open a snapshot that has another hash. */
export function vocabularyDigest(): string {
  const {
    grammar: _,
    reaches: __,
    madeResources: ___,
    superlatives: ____,
    peopleResources: _____,
    ...indexed
  } = loadedVocabulary()
  return createHash('sha256').update(JSON.stringify(indexed)).digest('hex').slice(0, 16)
}
