import type { Scope } from '../../base/visibility.ts'
import type { Point } from '../matching/index.ts'
import type { SearchDocument } from './document.ts'

/** The orders of results. Documents that tie are ordered by id, so pages neither repeat nor skip one. */
export const sortOrders = [
  'relevance',
  'newest',
  'popularity',
  'created',
  '-created',
  'name',
  '-name',
  'distance',
] as const
export type SortOrder = (typeof sortOrders)[number]

/**
 * A question with its filters.
 *
 * `text` may be anything that was typed. Without a letter or digit it finds nothing; '' and spaces find all that passes
 * the filters. A document must pass every filter. In a list of values, one is enough.
 */
export type SearchQuery = {
  text: string
  /**
   * Who asks. Unpublished documents are shown only to their contributor and to those who may see everything. Restricted
   * ones are shown to those signed in.
   */
  scope: Scope
  resources?: readonly string[] | undefined
  statuses?: readonly string[] | undefined
  published?: boolean | undefined
  /** The heading of a document, or a test of it. */
  category?: string | ((heading: string) => boolean) | undefined
  contributor?: string | undefined
  /** Values of facets, in any letter case. */
  values?: Readonly<Record<string, readonly string[] | undefined>> | undefined
  /** A document without a place passes neither `box` nor `near`. */
  box?: Box | undefined
  near?: Near | undefined
  /**
   * Years of our era, both included. A document passes if its own years may overlap with them. Without years it does
   * not pass.
   */
  years?: { from: number; to: number } | undefined
  /**
   * `newest` sorts by updated_at, `created` by created_at with the oldest first. `distance` needs `near`. `relevance`
   * without a text is `newest`.
   */
  sort?: SortOrder | undefined
  offset?: number | undefined
  limit: number
  facets?: boolean | undefined
  snippets?: boolean | undefined
  /** Takes every word as it is: none is read as a place, a sort of thing or a time. */
  literal?: boolean | undefined
}

/** A document as a result. `score` is between 0 and 1. */
export type Hit = Omit<SearchDocument, 'text' | 'version' | 'links'> & {
  score: number
  /** A passage of the document, as HTML, with the words of the question between <mark> and </mark>. */
  snippet?: string
  /** Kilometres from the point of `near`. */
  distance?: number
  /** With `years`: whether the document's own years surely lie within them. */
  when?: 'certain' | 'possible'
}

/** Degrees. If west is greater than east, the box crosses the date line. */
export type Box = { west: number; south: number; east: number; north: number }
export type Near = Point & { within: number }

/**
 * How many documents were found of each value. A document counts under the first value of a facet, and under no status
 * if it has none. `when` comes with `years`.
 */
export type Facets = Record<'resource' | 'status', Record<string, number>> & {
  when?: { certain: number; possible: number }
  [facet: string]: Record<string, number> | undefined
}

/** What a part of the question was understood as. With `literal` nothing is. */
export type Interpreted = { text: string; as: string; value: string }

export type SearchResult = {
  /** How many documents were found, on all pages. */
  count: number
  hits: Hit[]
  facets?: Facets
  interpreted?: Interpreted[]
  /** Words of the question that no found document holds. */
  left_out?: string[]
  /** The question as the best hits spell it, if that differs. */
  did_you_mean?: string
  /** The state of the model. Equal states give equal answers to equal questions, except for the age in the score. */
  state: string
}

/** How many points lie in one cell of a geohash grid, and the mean of their coordinates. */
export type PointCluster = Point & { geohash: string; count: number }

/** Points, or if they are too many, clusters of them. `count` includes documents without a place. */
export type MapResult = { count: number; points: Hit[]; clusters: PointCluster[]; state: string }

/**
 * A text that somebody is typing. It is completed by names that begin with it, and from three letters on by similar
 * names.
 */
export type SuggestQuery = {
  text: string
  scope: Scope
  resources?: readonly string[] | undefined
  limit: number
}

/**
 * Asks for documents that contain exactly this text, in any letter case: in a name, the summary or another searched
 * member.
 */
export type LiteralQuery = {
  text: string
  scope: Scope
  resources?: readonly string[] | undefined
  published?: boolean | undefined
  /** The most hits of each resource. */
  limit: number
}

/** The port of search. Its methods are asynchronous, so that another engine can answer over the network. */
export type Model = {
  search: (ask: SearchQuery) => Promise<SearchResult>
  /** Finds the documents with a place. Up to 5,000 come as points, more as cells of a grid. Ignores page and order. */
  map: (ask: SearchQuery) => Promise<MapResult>
  suggest: (guess: SuggestQuery) => Promise<Hit[]>
  /** Finds hits by resource, the newest (by created_at) first. Resources without hits are absent. */
  literal: (ask: LiteralQuery) => Promise<Map<string, Hit[]>>
  /** Loads one document, if the scope sees it. */
  document: (id: string, scope: Scope) => Promise<Hit | undefined>
  state: string
}

/** The state of this process's model, for health answers. `snapshot`: what the model was opened from. */
export type Health = {
  healthy: boolean
  message: string
  snapshot: 'none' | 'current' | 'previous' | 'rebuilt'
  position: number
  documents: number
}
