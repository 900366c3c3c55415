import type { Point } from '../matching/geo.ts'
import type { Scope } from '../permissions.ts'
import type { Reading } from './concepts.ts'
import type { Document, FacetName } from './document.ts'

/** The orders in which results can come; ties are settled by id, so pages neither repeat nor skip. */
export const sorts = ['relevance', 'newest', 'popularity', 'created', '-created', 'name', '-name', 'distance'] as const
export type Sort = (typeof sorts)[number]

/**
 * What is looked for. `text` is data, whatever was typed; one without a letter or digit in it finds nothing, and '' (or only
 * spaces) asks for everything that the filters let through. Filters are joined by and, the members of a list by or.
 */
export type SearchQuery = {
  text: string
  /** Who asks: unpublished documents come only to their contributor and to those who may see everything, restricted ones only to those signed in. */
  scope: Scope
  resources?: readonly string[] | undefined
  statuses?: readonly string[] | undefined
  published?: boolean | undefined
  /** The heading of a document, or which headings will do. */
  category?: string | ((heading: string) => boolean) | undefined
  /** The id of a user. */
  contributor?: string | undefined
  /** Values of facets, letter case aside. */
  values?: Partial<Record<FacetName, readonly string[]>> | undefined
  /** Where: within a box, or within so many kilometres of a point. What has no place is nowhere. */
  box?: Box | undefined
  near?: Near | undefined
  /** Years of our era, both included: what may have been within them, or around them. What has no years was at no time. */
  years?: { from: number; to: number } | undefined
  /** `distance` needs `near`. `newest` goes by updated_at, `created` by created_at, oldest first. Relevance without text is `newest`. */
  sort?: Sort | undefined
  offset?: number | undefined
  limit: number
  facets?: boolean | undefined
  /** Whether hits carry a snippet. */
  snippets?: boolean | undefined
  /** Takes every word as it is: nothing is understood as a place, a sort of thing or a time. */
  literal?: boolean | undefined
}

/** A document as a result. `score` lies between 0 and 1. */
export type Hit = Omit<Document, 'text' | 'version' | 'links'> & {
  score: number
  /** A piece of the field that answers, as HTML: what was asked for between <mark> and </mark>. */
  snippet?: string
  /** Kilometres from the point asked for. */
  distance?: number
  /** Whether its years are surely within those asked for. */
  when?: 'certain' | 'possible'
}

/** A box by its corners; one whose west is east of its east crosses the date line. */
export type Box = { west: number; south: number; east: number; north: number }
export type Near = Point & { within: number }

/**
 * How many documents of each sort were found, exact. Documents without a status are in no status, and each is counted under
 * the first of its values. `when`, where years were asked for: surely within them, or perhaps.
 */
export type Facets = Record<'resource' | 'status', Record<string, number>> & {
  [Name in FacetName]?: Record<string, number>
} & {
  when?: { certain: number; possible: number }
}

/** What a part of the question was understood as; `&literal=1` takes it back. */
export type Interpreted = { text: string; as: Reading; value: string }

export type SearchResult = {
  /** All that was found, exact, whatever page is shown. */
  count: number
  hits: Hit[]
  facets?: Facets
  interpreted?: Interpreted[]
  /** Words of the question that nothing which was found holds. */
  left_out?: string[]
  /** The question as it may have been meant, where a word of it is spelt otherwise in what was found. */
  did_you_mean?: string
  /** Names the state of the model that answered; equal states give equal answers to equal questions, but for the age in the score. */
  state: string
}

/** Points in one cell of a geohash grid: how many, and their middle. */
export type PointCluster = Point & { geohash: string; count: number }

/** `count` also counts what has no place. Either points or clusters. */
export type MapResult = { count: number; points: Hit[]; clusters: PointCluster[]; state: string }

/** What is completed while someone types: names that begin with the text, and from three letters on names that are like it. */
export type SuggestQuery = {
  text: string
  scope: Scope
  resources?: readonly string[] | undefined
  limit: number
}

/** Documents in which the text stands as it was typed, letter case aside: in a name, the summary or another searched member. */
export type Literal = {
  text: string
  scope: Scope
  resources?: readonly string[] | undefined
  published?: boolean | undefined
  /** Of each resource so many at most, the newest first. */
  limit: number
}

/** A search model at one moment. Asking is asynchronous, so that another engine can answer; ours reads but memory and a local file. */
export type Model = {
  search: (ask: SearchQuery) => Promise<SearchResult>
  /** What was found that has a place, in no order; beyond 5,000 in cells of a grid. Pages and orders are not looked at. */
  map: (ask: SearchQuery) => Promise<MapResult>
  suggest: (guess: SuggestQuery) => Promise<Hit[]>
  /** By resource, each newest (created) first; resources without any are absent. */
  literal: (ask: Literal) => Promise<Map<string, Hit[]>>
  /** One document by its id, if the scope sees it. */
  document: (id: string, scope: Scope) => Promise<Hit | undefined>
  state: string
}

/** How the model of this process stands, for health answers. `snapshot` says what it was opened from. */
export type Health = {
  healthy: boolean
  message: string
  snapshot: 'none' | 'current' | 'previous' | 'rebuilt'
  position: number
  documents: number
}
