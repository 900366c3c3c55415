import * as v from 'valibot'
import type { Stored } from '../table/index.ts'

/** What search stores of one record, project or user. */
export const SearchDocument = v.object({
  id: v.string(),
  /** The plural under which results are grouped: persons, cultural_entities, users. */
  resource: v.string(),
  /** The id in its own endpoint: the integer id of a kind, or the UUID of a user or an entity. */
  object_pk: v.string(),
  title: v.string(),
  /** Every other name it goes by, in whatever script. */
  names: v.array(v.string()),
  summary: v.string(),
  /** Searched, but not shown: the other members of its kind, and text that was read from pictures. */
  text: v.string(),
  location_hint: v.string(),
  /**
   * The heading by which lists filter: for a contribution the category under which it is reviewed. It is shown to
   * nobody.
   */
  category: v.exactOptional(v.string()),
  point: v.nullable(v.object({ lat: v.number(), lng: v.number() })),
  /** The name of its image in the Image API, and the size in pixels. */
  picture: v.exactOptional(v.object({ image: v.string(), width: v.number(), height: v.number() })),
  name_ne: v.exactOptional(v.string()),
  /** The values of each facet: `{ place: ['Patan'] }`. */
  values: v.exactOptional(v.record(v.string(), v.array(v.string()))),
  /** The records that it links to. `facet` names the facet of which the link is a value. */
  links: v.exactOptional(v.array(v.object({ id: v.string(), facet: v.nullable(v.string()) }))),
  /** Years of our era in which it was made, lived or was held, both ends included. An open end is null. */
  years: v.exactOptional(
    v.object({ from: v.nullable(v.number()), to: v.nullable(v.number()), approximate: v.boolean() }),
  ),
  /** As the public API shows it; null for what has no status. */
  status: v.nullable(v.string()),
  is_published: v.boolean(),
  access_tier: v.string(),
  contributor_id: v.nullable(v.string()),
  created_at: v.string(),
  updated_at: v.string(),
  popularity_score: v.number(),
  /** The version of the stored item. An older version never replaces a newer one. */
  version: v.number(),
})
export type SearchDocument = v.InferOutput<typeof SearchDocument>

/** What the log says when a document was removed. */
export const GoneDocument = v.object({ id: v.string(), gone: v.literal(true), version: v.number() })
export type GoneDocument = v.InferOutput<typeof GoneDocument>

export const DocumentChange = v.union([GoneDocument, SearchDocument])
export type DocumentChange = v.InferOutput<typeof DocumentChange>

export const isGone = (it: DocumentChange): it is GoneDocument => 'gone' in it

/** Makes documents from stored items. `types` are the types of items that have one. */
export type DocumentSource = {
  types: readonly string[]
  documentOf: (stored: Stored) => DocumentChange | undefined
}

let source: DocumentSource | undefined

/** Registers the source of documents, once in a process. A model is built from the table only after that. */
export function provideDocuments(given: DocumentSource): void {
  source = given
}

export function documentSource(): DocumentSource {
  if (!source) throw new Error('search has no documents: call provideDocuments first')
  return source
}
