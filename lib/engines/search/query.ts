import type { Scope } from '../../base/visibility.ts'
import type { Point } from '../matching/index.ts'
import type { SearchDocument } from './document.ts'

/** The orders of results. Ties go by id, so that pages neither repeat nor skip. */
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
 * A question with its filters. `text` may be anything that was typed. A text without a letter or digit finds nothing;
 * '' or spaces ask for everything that passes the filters. Different filters are joined by and, the members of a list
 * by or.
 */
export type SearchQuery = {
  text: string
  /**
   * Who asks. Unpublished documents come only to their contributor and to those who may see everything, restricted ones
   * only to those signed in.
   */
  scope: Scope
  resources?: readonly string[] | undefined
  statuses?: readonly string[] | undefined
  published?: boolean | undefined
  /** The heading of a document, or a test of headings. */
  category?: string | ((heading: string) => boolean) | undefined
  /** The id of a user. */
  contributor?: string | undefined
  /** Values of facets, letter case aside. */
  values?: Readonly<Record<string, readonly string[] | undefined>> | undefined
  /** Within a box, or within so many kilometres of a point. A document without a place passes neither. */
  box?: Box | undefined
  near?: Near | undefined
  /**
   * Years of our era, both included. A document passes if its own years may overlap with them; without years it does
   * not.
   */
  years?: { from: number; to: number } | undefined
  /**
   * `newest` goes by updated_at, `created` by created_at, oldest first. `distance` needs `near`. Relevance without text
   * is `newest`.
   */
  sort?: SortOrder | undefined
  offset?: number | undefined
  limit: number
  facets?: boolean | undefined
  /** Whether hits carry a snippet. */
  snippets?: boolean | undefined
  /** Takes every word as it is: none stands for a place, a sort of thing or a time. */
  literal?: boolean | undefined
}

/** A document as a result. `score` lies between 0 and 1. */
export type Hit = Omit<SearchDocument, 'text' | 'version' | 'links'> & {
  score: number
  /** A passage that answers, as HTML. What was asked for stands between <mark> and </mark>. */
  snippet?: string
  /** Kilometres from the point of `near`. */
  distance?: number
  /** With `years`: whether its own years surely lie within them. */
  when?: 'certain' | 'possible'
}

/** The sides of a box, in degrees. A box whose west is greater than its east crosses the date line. */
export type Box = { west: number; south: number; east: number; north: number }
export type Near = Point & { within: number }

/**
 * How many documents of each value were found, exactly. A document counts under the first of its values, and under no
 * status if it has none. `when` comes with `years`: how many lie surely within them, and how many perhaps.
 */
export type Facets = Record<'resource' | 'status', Record<string, number>> & {
  when?: { certain: number; possible: number }
  [facet: string]: Record<string, number> | undefined
}

/** A part of the question, and what it was taken for. `literal` switches this off. */
export type Interpreted = { text: string; as: string; value: string }

export type SearchResult = {
  /** How many documents were found, on all pages. */
  count: number
  hits: Hit[]
  facets?: Facets
  interpreted?: Interpreted[]
  /** Words of the question that none of the found documents holds. */
  left_out?: string[]
  /** The question in another spelling, if the hits spell a word of it otherwise. */
  did_you_mean?: string
  /**
   * The state of the model that answered. Equal states give equal answers to equal questions, but for the age in the
   * score.
   */
  state: string
}

/** The points in one cell of a geohash grid: how many they are, and the mean of their coordinates. */
export type PointCluster = Point & { geohash: string; count: number }

/** Either points or clusters. `count` includes documents without a place. */
export type MapResult = { count: number; points: Hit[]; clusters: PointCluster[]; state: string }

/** A text to complete while somebody types: by names that begin with it, and from three letters on by similar names. */
export type SuggestQuery = {
  text: string
  scope: Scope
  resources?: readonly string[] | undefined
  limit: number
}

/**
 * Asks for documents that contain the text as it was typed, letter case aside: in a name, the summary or another
 * searched member.
 */
export type LiteralQuery = {
  text: string
  scope: Scope
  resources?: readonly string[] | undefined
  published?: boolean | undefined
  /** The most hits of each resource, newest first. */
  limit: number
}

/**
 * The port of search. Its methods are asynchronous so that another engine can answer; the embedded one reads only
 * memory and a local file.
 */
export type Model = {
  search: (ask: SearchQuery) => Promise<SearchResult>
  /**
   * The found documents that have a place, in no order: points, or beyond 5,000 of them cells of a grid. Ignores page
   * and order.
   */
  map: (ask: SearchQuery) => Promise<MapResult>
  suggest: (guess: SuggestQuery) => Promise<Hit[]>
  /** Hits by resource, newest (created) first. Resources without hits are absent. */
  literal: (ask: LiteralQuery) => Promise<Map<string, Hit[]>>
  /** One document by its id, if the scope sees it. */
  document: (id: string, scope: Scope) => Promise<Hit | undefined>
  state: string
}

/** How the model of this process stands, for health answers. `snapshot`: what it was opened from. */
export type Health = {
  healthy: boolean
  message: string
  snapshot: 'none' | 'current' | 'previous' | 'rebuilt'
  position: number
  documents: number
}
