import * as v from 'valibot'
import { maybe, oneOf, text, time, uuid, Values, whole } from './common.ts'

/** Doors for other systems: the feed of changes. */

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
