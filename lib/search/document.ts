import * as v from 'valibot'

/** The values by which results are counted and narrowed, beside resource and status. */
export const facetNames = ['type', 'place', 'style', 'period', 'tradition', 'deity', 'material'] as const
export type FacetName = (typeof facetNames)[number]

/** What search knows of one thing: a record of any kind, a project or a user. Made by lib/effects/search-documents.ts from stored items. */
export const Document = v.object({
  id: v.string(),
  /** The plural under which results are grouped: persons, cultural_entities, users. */
  resource: v.string(),
  /** What names the thing in its own endpoint: a kind's integer id, a user's or an entity's UUID. */
  object_pk: v.string(),
  title: v.string(),
  /** Every other name it goes by, in whatever script. */
  names: v.array(v.string()),
  summary: v.string(),
  /** What else is searched and not shown: further members of its kind, text read from pictures. */
  text: v.string(),
  location_hint: v.string(),
  /** A heading that lists filter by, shown to nobody: of a contribution that under which it is reviewed. What no list filters has none. */
  category: v.exactOptional(v.string()),
  point: v.nullable(v.object({ lat: v.number(), lng: v.number() })),
  /** The picture that stands for it: what its image is called by the Image API, and its size in pixels. */
  picture: v.exactOptional(v.object({ image: v.string(), width: v.number(), height: v.number() })),
  /** The name in Devanagari, where it has one. */
  name_ne: v.exactOptional(v.string()),
  /** What it is by the values that results are counted and narrowed by. */
  values: v.exactOptional(v.partial(v.object(v.entriesFromList(facetNames, v.array(v.string()))))),
  /** The records that it links to, by their ids, each with the facet that it is a value of. */
  links: v.exactOptional(v.array(v.object({ id: v.string(), facet: v.nullable(v.picklist(facetNames)) }))),
  /** The years of our era in which it was made, lived or was held; both ends included, an open one null. */
  years: v.exactOptional(
    v.object({ from: v.nullable(v.number()), to: v.nullable(v.number()), approximate: v.boolean() }),
  ),
  /** As the wire shows it to the public; null for what has none. */
  status: v.nullable(v.string()),
  is_published: v.boolean(),
  access_tier: v.string(),
  contributor_id: v.nullable(v.string()),
  created_at: v.string(),
  updated_at: v.string(),
  popularity_score: v.number(),
  /** Of the stored item; an older version never replaces a newer one. */
  version: v.number(),
})
export type Document = v.InferOutput<typeof Document>

/** That a thing is no longer there for anyone. */
export const Gone = v.object({ id: v.string(), gone: v.literal(true), version: v.number() })
export type Gone = v.InferOutput<typeof Gone>

/** What one change of the table means for search. */
export const Change = v.union([Gone, Document])
export type Change = v.InferOutput<typeof Change>

/** Whether a change takes its document away. */
export const isGone = (it: Change): it is Gone => 'gone' in it
