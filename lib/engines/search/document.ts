import * as v from 'valibot'
import type { Stored } from '../table/index.ts'

/** The document that search stores of one record, project or user. */
export const SearchDocument = v.object({
  id: v.string(),
  /** The name of the group of its results, in the plural: persons, cultural_entities, users. */
  resource: v.string(),
  /** The id in its own endpoint: the integer id of a kind, or the UUID of a user or an entity. */
  object_pk: v.string(),
  title: v.string(),
  /** All its other names, in any script. */
  names: v.array(v.string()),
  summary: v.string(),
  /** Searched, but not shown: other members of the record, and text that was read from pictures. */
  text: v.string(),
  location_hint: v.string(),
  /** Members by which lists filter, such as the category of a contribution: `{ category: 'tangible' }`. Not shown. */
  headings: v.exactOptional(v.record(v.string(), v.string())),
  point: v.nullable(v.object({ lat: v.number(), lng: v.number() })),
  /** The name of its image in the Image API, and the size in pixels. */
  picture: v.exactOptional(v.object({ image: v.string(), width: v.number(), height: v.number() })),
  name_ne: v.exactOptional(v.string()),
  /** The values of each facet: `{ place: ['Patan'] }`. */
  values: v.exactOptional(v.record(v.string(), v.array(v.string()))),
  /** The records that it links to. `facet` names the facet of which the link is a value. */
  links: v.exactOptional(v.array(v.object({ id: v.string(), facet: v.nullable(v.string()) }))),
  /** Its years CE, both ends included. An open end is null. */
  years: v.exactOptional(
    v.object({ from: v.nullable(v.number()), to: v.nullable(v.number()), approximate: v.boolean() }),
  ),
  /** Its names in other systems: `wd:Q889902`, or an address. */
  identifiers: v.exactOptional(v.array(v.string())),
  /** The status as the public API shows it. Null if it has none. */
  status: v.nullable(v.string()),
  is_published: v.boolean(),
  access_tier: v.string(),
  contributor_id: v.nullable(v.string()),
  created_at: v.string(),
  updated_at: v.string(),
  popularity_score: v.number(),
  /** Members that the engine stores and returns with a hit. It never reads them. */
  payload: v.exactOptional(v.record(v.string(), v.unknown())),
  /** The version of the stored item. An older version never replaces a newer one. */
  version: v.number(),
})
export type SearchDocument = v.InferOutput<typeof SearchDocument>

/** The change by which a document is removed. */
export const GoneDocument = v.object({ id: v.string(), gone: v.literal(true), version: v.number() })
export type GoneDocument = v.InferOutput<typeof GoneDocument>

export const DocumentChange = v.union([GoneDocument, SearchDocument])
export type DocumentChange = v.InferOutput<typeof DocumentChange>

export const isGone = (change: DocumentChange): change is GoneDocument => 'gone' in change

/** Makes documents from stored items of these types. Undefined for an item without a document. */
export type DocumentSource = {
  types: readonly string[]
  documentOf: (stored: Stored) => DocumentChange | undefined
}

type LoadSource = () => Promise<DocumentSource>
let loadSource: LoadSource | undefined

/** Registers the source of documents, once in a process. `load` may import the source, since only functions that need documents call `load`. */
export function provideDocuments(load: LoadSource): void {
  loadSource = load
}

/** Loads what `provideDocuments` was given. Undefined in a function that neither searches nor writes documents. */
export const sourceIfProvided = async (): Promise<DocumentSource | undefined> => loadSource?.()

/** Loads what `provideDocuments` was given. Throws if nothing was: the function lacks the import of `lib/domain/composition.ts`. */
export async function documentSource(): Promise<DocumentSource> {
  if (!loadSource) throw new Error('search has no documents: call provideDocuments first')
  return loadSource()
}
