import { createHash } from 'node:crypto'
import { once } from '../../base/once.ts'
import type { Point } from '../matching/index.ts'

/** What a part of a question can mean. `as` is its sort ('place'), `label` its name ('Patan'), `phrases` the words for it in any spelling. */
export type Concept = {
  readonly as: string
  readonly label: string
  readonly phrases: readonly string[]
  /** Labels of the same sort that overlap with this one and answer it less surely. */
  readonly near?: readonly string[]
  /** A document within `reach` kilometres of this point is there. */
  readonly area?: { readonly at: Point; readonly reach: number }
  /** A document of these years is of this time: with `partly` if the two overlap, else if it lies within. */
  readonly years?: { readonly from: number; readonly to: number; readonly partly: boolean }
  /** Before a sort of thing it says whose the thing is: the queen of "queen's pond". */
  readonly isOwner?: boolean
  /** Alone it is a name to look for, not a meaning. */
  readonly isName?: boolean
}

/** What an installation of search knows of its field. */
export type SearchVocabulary = {
  readonly concepts: readonly Concept[]
  /** For each resource the sort of thing that all its documents are: the label of a concept as `sort`. */
  readonly sortByResource: Readonly<Record<string, string>>
  /**
   * The facets by which results are counted and narrowed. Each names the sort of concept (`as`) that its values surely
   * mean, or null.
   */
  readonly facets: Readonly<Record<string, string | null>>
  /** The facet that says where a thing is, in words. */
  readonly placeFacet: string
  /** A text like most documents, its commonest words last. Documents are compressed with it as their dictionary. */
  readonly sample: string
}

type MakeVocabulary = () => SearchVocabulary | Promise<SearchVocabulary>
let make: MakeVocabulary | undefined
let loaded: SearchVocabulary | undefined

/** Hands in the vocabulary, once in a process. `given` runs when the vocabulary is first needed; it may import its words then. */
export function provideVocabulary(given: MakeVocabulary): void {
  make = given
}

/** Makes the vocabulary ready. Whatever opens, builds or packs a snapshot awaits this first. */
export async function loadVocabulary(): Promise<void> {
  if (!make) throw new Error('search has no vocabulary: call provideVocabulary first')
  loaded ??= await make()
}

/** The vocabulary, which `loadVocabulary` has made ready. */
export function loadedVocabulary(): SearchVocabulary {
  if (loaded) return loaded
  const given = make?.()
  if (!given || given instanceof Promise) throw new Error('search has no vocabulary: await loadVocabulary first')
  loaded = given
  return given
}

/** The names of the facets, in the order in which they are shown. */
export const vocabularyFacets = once((): readonly string[] => Object.keys(loadedVocabulary().facets))

/** Changes with the vocabulary. No process opens a snapshot that was made with another one. */
export const vocabularyDigest = (): string =>
  createHash('sha256').update(JSON.stringify(loadedVocabulary())).digest('hex').slice(0, 16)
