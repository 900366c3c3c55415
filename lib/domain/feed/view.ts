import * as v from 'valibot'
import * as s from '../../base/shapes.ts'
import { kinds } from '../kinds/index.ts'
import { LabelView } from '../labels/labels.ts'
import { iriOf } from '../records/iri.ts'
import type { ChangeSort, FeedEntry } from './items.ts'

/** How the wire names the changes of clusters. */
const ofClusters: Readonly<Record<ChangeSort, string>> = {
  created: 'merged',
  updated: 'merged',
  withdrawn: 'separated',
}

const thingShape = () =>
  v.object({
    kind: s.text,
    id: v.union([s.whole, s.uuid]),
    cultural_entity_id: s.uuid,
    name: s.text,
    category: s.text,
    latitude: s.maybe(v.number()),
    longitude: s.maybe(v.number()),
    labels: v.optional(v.array(LabelView)),
    values: s.Values,
  })
const changeEntry = () =>
  v.object({
    number: s.whole,
    at: s.time,
    change: s.oneOf(['created', 'updated', 'withdrawn', 'merged', 'separated']),
    kind: s.text,
    id: v.union([s.whole, s.uuid]),
    cultural_entity_id: s.maybe(s.uuid),
    url: s.text,
    record: v.optional(s.maybe(thingShape())),
    members: v.optional(v.array(s.text)),
  })
export const ChangesView = s.shape('Changes', () =>
  v.object({
    after: s.whole,
    until: s.whole,
    last: s.whole,
    next: s.maybe(s.text),
    changes: v.array(changeEntry()),
  }),
)

/** A change as JSON, without values. The values are at `url`, or in `record` with `include=record`. */
export const changeView = (it: FeedEntry, origin: string) => ({
  number: it.number,
  at: it.at,
  change: it.kind === 'entity_cluster' ? ofClusters[it.change] : it.change,
  kind: it.kind,
  id: kinds[it.kind].record ? Number(it.object_pk) : it.object_pk,
  cultural_entity_id: it.kind === 'entity_cluster' ? null : it.id,
  url: iriOf(origin, it.kind, it.object_pk),
})
