import { createHash } from 'node:crypto'
import { once } from '../../base/once.ts'
import type { Point } from '../matching/index.ts'

/**
 * What a part of a question can mean. `as`: its sort ('place'). `label`: its name ('Patan'). `phrases`: words for it,
 * in any spelling.
 */
export type Concept = {
  readonly as: string
  readonly label: string
  readonly phrases: readonly string[]
  /** Labels of the same sort that overlap with this one. Their documents answer it less surely. */
  readonly near?: readonly string[]
  /** A document within `reach` kilometres of this point belongs to the concept. */
  readonly area?: { readonly at: Point; readonly reach: number }
  /** A document of these years belongs to the concept: if it lies within them, or with `partly` if it overlaps. */
  readonly years?: { readonly from: number; readonly to: number; readonly partly: boolean }
  /** Before a sort of thing it says whose that is: the queen of "queen's pond". */
  readonly isOwner?: boolean
  /** As the only word of a question it is a name to look for, not a meaning. */
  readonly isName?: boolean
}

/** The words of a field, such as heritage. */
export type SearchVocabulary = {
  readonly concepts: readonly Concept[]
  /** The sort of thing that all documents of a resource are: the label of a concept as `sort`. */
  readonly sortByResource: Readonly<Record<string, string>>
  /** The facets of results. Each names the sort of concept (`as`) that its values stand for, or null. */
  readonly facets: Readonly<Record<string, string | null>>
  /** The facet with the name of a document's place. */
  readonly placeFacet: string
  /** A text like most documents, its commonest words last. It is the dictionary for compressing documents. */
  readonly sample: string
}

type MakeVocabulary = () => SearchVocabulary | Promise<SearchVocabulary>
let make: MakeVocabulary | undefined
let loaded: SearchVocabulary | undefined

/** Registers the vocabulary, once in a process. `given` runs with the first search and may import the words then. */
export function provideVocabulary(given: MakeVocabulary): void {
  make = given
}

/** Loads the vocabulary. Whatever opens or builds a snapshot awaits this first. */
export async function loadVocabulary(): Promise<void> {
  if (!make) throw new Error('search has no vocabulary: call provideVocabulary first')
  loaded ??= await make()
}

/** The vocabulary, after `loadVocabulary`. */
export function loadedVocabulary(): SearchVocabulary {
  if (loaded) return loaded
  const given = make?.()
  if (!given || given instanceof Promise) throw new Error('search has no vocabulary: await loadVocabulary first')
  loaded = given
  return given
}

/** The names of the facets, in the order in which they are shown. */
export const vocabularyFacets = once((): readonly string[] => Object.keys(loadedVocabulary().facets))

/** A hash of the vocabulary. No process opens a snapshot that was made with another one. */
export const vocabularyDigest = (): string =>
  createHash('sha256').update(JSON.stringify(loadedVocabulary())).digest('hex').slice(0, 16)
