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
 * `text` may be any text. Without a letter or digit it finds nothing, but '' and spaces find all documents that pass the
 * filters. A document must pass every filter. In a list of values, one value is enough.
 */
export type SearchQuery = {
  text: string
  /**
   * The documents that the caller may read. Unpublished documents are shown only to their contributor and to callers who
   * may read everything. Restricted documents are shown to signed-in callers.
   */
  scope: Scope
  resources?: readonly string[] | undefined
  statuses?: readonly string[] | undefined
  published?: boolean | undefined
  /** The headings that a document must have. An undefined heading may have any value. */
  headings?: Readonly<Record<string, string | undefined>> | undefined
  contributor?: string | undefined
  /** Values of facets, in any letter case. */
  values?: Readonly<Record<string, readonly string[] | undefined>> | undefined
  /** A document without a place passes neither `box` nor `near`. */
  box?: GeoBox | undefined
  near?: Near | undefined
  /**
   * Years CE, both included. A document passes if its own years may overlap with them. A document without years does not
   * pass.
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
  /** Searches for every word as it is, and reads none as a place, a sort of thing or a time. */
  literal?: boolean | undefined
  /** Keys of parts of `interpreted` that are taken back: their words are searched as they are. */
  without?: readonly string[] | undefined
}

/** A document as a result. `score` is between 0 and 1. */
export type Hit = Omit<SearchDocument, 'text' | 'version' | 'links' | 'identifiers'> & {
  score: number
  /** A passage of the document, as HTML, with the words of the question between <mark> and </mark>. */
  snippet?: string
  /** Kilometres from the point of `near`. */
  distance?: number
  /** With `years`: `certain` if the document's own years are exact and within them, else `possible`. */
  when?: 'certain' | 'possible'
}

/** Degrees. If west is greater than east, the box crosses the date line. */
export type GeoBox = { west: number; south: number; east: number; north: number }
export type Near = Point & { within: number }

/**
 * The number of found documents for each value. A document counts under the first value of a facet. A document without a
 * status counts under none. `when` is present if the query has `years`.
 */
export type Facets = Record<'resource' | 'status', Record<string, number>> & {
  when?: { certain: number; possible: number }
  [facet: string]: Record<string, number> | undefined
}

/**
 * A part of the question that was read as a concept, as an identifier, or by the grammar. Example: "patan" as `place`, "Patan". The answer
 * leaves out what an `excluded` part names. If `without` holds the `key`, the same question searches the part as plain words.
 */
export type Interpreted = { key: string; text: string; as: string; value: string; excluded?: true }

export type SearchResult = {
  /** The number of found documents, on all pages. */
  count: number
  hits: Hit[]
  facets?: Facets
  interpreted?: Interpreted[]
  /** Words of the question without effect: no found document holds them, they name no place ("near the airport"), or they are praise. */
  left_out?: string[]
  /** The question as the best hits spell it, if that differs. */
  did_you_mean?: string
  /** The state of the model (`Model.state`). */
  state: string
}

/** The number of points in one cell of a geohash grid, and the mean of their coordinates. */
export type PointCluster = Point & { geohash: string; count: number }

/** Points, or clusters if there are too many points. `count` includes documents without a place. */
export type MapResult = { count: number; points: Hit[]; clusters: PointCluster[]; state: string }

/**
 * A text that is being typed. Its completions are names that begin with it, and from three letters on also similar
 * names.
 */
export type SuggestQuery = {
  text: string
  scope: Scope
  resources?: readonly string[] | undefined
  limit: number
}

/**
 * A query for documents that contain exactly this text, in any letter case: in a name, the summary or another searched
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

/**
 * What a text names as a whole. `as` and `value`: as in `interpreted`. `ids`: the documents with this name. `area`: the circle around the
 * point of the thing, with `reach` in kilometres.
 */
export type Meaning = {
  as: string
  value: string
  ids: readonly string[]
  area?: { readonly at: Point; readonly reach: number }
}

/** The port of search, for questions. Its methods are asynchronous, so that another engine can answer over the network. */
export type Model = {
  search: (query: SearchQuery) => Promise<SearchResult>
  /** Finds the documents with a place. Up to 5,000 come as points, more as cells of a grid. Ignores page and order. */
  map: (query: SearchQuery) => Promise<MapResult>
  suggest: (query: SuggestQuery) => Promise<Hit[]>
  /** Finds hits for each resource, the newest (by created_at) first. Resources without hits are absent. */
  literal: (query: LiteralQuery) => Promise<Map<string, Hit[]>>
  /** What each of these texts names as a whole, by the documents that the scope may read and by the vocabulary. */
  meanings: (texts: readonly string[], scope: Scope) => Promise<(Meaning | undefined)[]>
  /** Loads one document. Undefined if it does not exist or the scope may not read it. */
  document: (id: string, scope: Scope) => Promise<Hit | undefined>
  /** A text that changes with every change of the documents. Answers are cached under it. */
  state: string
}

/** The port of search, for the processes and commands that keep the engine in order. */
export type SearchUpkeep = {
  /** Prepares the engine for the next questions, if that is due. Returns the number of documents, 0 if it is not due. */
  compactIfDue: () => Promise<number>
  /** Like `compactIfDue`, due or not. Returns a report for the operator. */
  compactNow: () => Promise<string>
  /**
   * Makes all documents anew from the table. `progress` gets the number of items that were read, and of documents.
   * Fails with `unavailable` while another process does it.
   */
  rebuild: (progress?: (items: number, documents: number) => void) => Promise<{ documents: number; report: string }>
  /** Goes back to the state before the last rebuild. Fails with `impossible` if the engine keeps none. */
  rollBack: () => Promise<string>
  /** Describes the state of the engine for the operator. */
  describe: () => Promise<string>
  /** Whether a new process could answer questions. The message is public, so it contains no number of documents. */
  check: () => Promise<{ healthy: boolean; message: string }>
}

/** The state of this process's model. `snapshot`: the file from which the model was opened. */
export type ModelHealth = {
  healthy: boolean
  message: string
  snapshot: 'none' | 'current' | 'previous' | 'rebuilt'
  position: number
  documents: number
}
