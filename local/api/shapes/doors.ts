import * as v from 'valibot'
import { collectionKeys } from '../../../lib/names/same-as.ts'
import { keyScopes } from '../../../lib/permissions.ts'
import { maybe, oneOf, text, time, uuid, Values, whole } from './common.ts'

/** Doors for other systems: keys, the feed of changes. */

const Mirrored = v.object({
  kind: text,
  id: v.union([whole, uuid]),
  cultural_entity_id: uuid,
  name: text,
  category: text,
  latitude: maybe(v.number()),
  longitude: maybe(v.number()),
  values: Values,
})
const Change = v.object({
  number: whole,
  at: time,
  change: oneOf(['created', 'updated', 'withdrawn', 'merged', 'separated']),
  kind: text,
  id: v.union([whole, uuid]),
  cultural_entity_id: maybe(uuid),
  url: text,
  record: v.optional(maybe(Mirrored)),
  members: v.optional(v.array(text)),
})
export const Changes = v.object({
  after: whole,
  until: whole,
  last: whole,
  next: maybe(text),
  changes: v.array(Change),
})

const PageLink = v.object({ id: text, type: text })
export const ChangeCollection = v.object({
  '@context': v.unknown(),
  id: text,
  type: text,
  totalItems: whole,
  first: PageLink,
  last: PageLink,
})
const activity = {
  id: text,
  type: oneOf(['Create', 'Update', 'Delete']),
  endTime: time,
  object: v.object({
    id: text,
    type: text,
    seeAlso: v.optional(v.object({ id: text, type: text, format: text })),
  }),
}
export const ChangeActivity = v.object({ '@context': v.unknown(), ...activity })
export const ChangePage = v.object({
  '@context': v.unknown(),
  id: text,
  type: text,
  startIndex: whole,
  partOf: PageLink,
  prev: v.optional(PageLink),
  next: v.optional(PageLink),
  orderedItems: v.array(v.object(activity)),
})

export const Key = v.object({
  id: uuid,
  name: text,
  scopes: v.array(oneOf(keyScopes)),
  created_at: time,
  expires_at: time,
  last_used_at: maybe(time),
  is_expired: v.boolean(),
})
export const NewKey = v.object({ ...Key.entries, token: text })

const TypeOf = v.object({ id: text, name: text })
const Suggest = v.object({ service_url: text, service_path: text })
const Candidate = v.object({
  ...TypeOf.entries,
  description: text,
  type: v.array(TypeOf),
  score: v.number(),
  match: v.boolean(),
})
export const Manifest = v.object({
  versions: v.array(text),
  name: text,
  identifierSpace: text,
  schemaSpace: text,
  defaultTypes: v.array(TypeOf),
  view: v.object({ url: text }),
  preview: v.object({ url: text, width: whole, height: whole }),
  suggest: v.object({ entity: Suggest, property: Suggest, type: Suggest }),
  extend: v.object({ propose_properties: Suggest, property_settings: v.array(v.unknown()) }),
})
export const Candidates = v.record(v.string(), v.object({ result: v.array(Candidate) }))
const ExtendedValue = v.union([
  v.object({ id: text, name: text }),
  v.object({ str: text }),
  v.object({ float: v.number() }),
  v.object({ bool: v.boolean() }),
  v.object({ date: text }),
])
export const Extended = v.object({
  meta: v.array(v.object({ ...TypeOf.entries, type: v.optional(TypeOf) })),
  rows: v.record(v.string(), v.record(v.string(), v.array(ExtendedValue))),
})
export const SuggestedEntities = v.object({
  result: v.array(v.object({ ...TypeOf.entries, description: text, notable: v.array(TypeOf) })),
})
export const SuggestedTypes = v.object({ result: v.array(TypeOf) })
export const ProposedProperties = v.object({ type: v.optional(text), limit: whole, properties: v.array(TypeOf) })

export const ResolvedLink = v.object({
  same_as: text,
  collection: maybe(oneOf(collectionKeys)),
  id: maybe(text),
  address: maybe(text),
  records: v.array(
    v.object({ kind: text, id: v.union([whole, uuid]), cultural_entity_id: uuid, name: text, url: text }),
  ),
})

export const Hook = v.object({
  id: uuid,
  url: text,
  changes: v.array(oneOf(['created', 'updated', 'withdrawn'])),
  kinds: v.array(text),
  position: whole,
  created_at: time,
})
export const NewHook = v.object({ ...Hook.entries, secret: text })
export const Delivery = v.object({
  id: uuid,
  event: text,
  state: oneOf(['waiting', 'delivered', 'dead']),
  attempts: whole,
  next_at: maybe(time),
  last_error: maybe(text),
  created_at: time,
  body: text,
})
