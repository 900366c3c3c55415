import * as v from 'valibot'
import type { Stored } from '../table/index.ts'

/** What search knows of one thing: a record of any kind, a project or a user. */
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
  /** Searched, but not shown: further members of its kind, and text read from pictures. */
  text: v.string(),
  location_hint: v.string(),
  /**
   * The heading by which lists filter; shown to nobody. A contribution has the one under which it is reviewed; what no
   * list filters has none.
   */
  category: v.exactOptional(v.string()),
  point: v.nullable(v.object({ lat: v.number(), lng: v.number() })),
  /** Its picture: the name of the image in the Image API, and its size in pixels. */
  picture: v.exactOptional(v.object({ image: v.string(), width: v.number(), height: v.number() })),
  /** The name in Devanagari, where it has one. */
  name_ne: v.exactOptional(v.string()),
  /** The values of its facets. Results are counted and narrowed by them. */
  values: v.exactOptional(v.record(v.string(), v.array(v.string()))),
  /** The ids of the records that it links to. `facet` is the facet of which the link is a value. */
  links: v.exactOptional(v.array(v.object({ id: v.string(), facet: v.nullable(v.string()) }))),
  /** Years of our era in which it was made, lived or was held. Both ends are included; an open end is null. */
  years: v.exactOptional(
    v.object({ from: v.nullable(v.number()), to: v.nullable(v.number()), approximate: v.boolean() }),
  ),
  /** As the wire shows it to the public; null where there is none. */
  status: v.nullable(v.string()),
  is_published: v.boolean(),
  access_tier: v.string(),
  contributor_id: v.nullable(v.string()),
  created_at: v.string(),
  updated_at: v.string(),
  popularity_score: v.number(),
  /** The version of the stored item. An older one never replaces a newer one. */
  version: v.number(),
})
export type SearchDocument = v.InferOutput<typeof SearchDocument>

/** A document is gone, for everyone. */
export const GoneDocument = v.object({ id: v.string(), gone: v.literal(true), version: v.number() })
export type GoneDocument = v.InferOutput<typeof GoneDocument>

/** What search learns of one change of the table. */
export const DocumentChange = v.union([GoneDocument, SearchDocument])
export type DocumentChange = v.InferOutput<typeof DocumentChange>

/** Whether a change takes its document away. */
export const isGone = (it: DocumentChange): it is GoneDocument => 'gone' in it

/** What search learns of stored items, and of which types. */
export type DocumentSource = {
  types: readonly string[]
  documentOf: (stored: Stored) => DocumentChange | undefined
}

let source: DocumentSource | undefined

/**
 * Hands in what search learns of items. The engine does not know what is stored, so who builds a model from the table
 * calls this first.
 */
export function provideDocuments(given: DocumentSource): void {
  source = given
}

/** What was handed in. Fails where nothing was. */
export function documentSource(): DocumentSource {
  if (!source) throw new Error('search has no documents: call provideDocuments first')
  return source
}
