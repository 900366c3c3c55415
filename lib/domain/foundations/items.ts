import * as v from 'valibot'
import { audiences } from '../../base/visibility.ts'
import { defineItem } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { kindKeys } from '../kinds/index.ts'

/** A claim that would stand in the place of another one, and the references on which it rests. */
const Successor = v.object({ claim: v.string(), value: v.string(), references: v.array(v.string()) })

/**
 * One standing value: the claim, its value as everyone may read it, and all references on which it rests. `successors`: what would stand if
 * these fell, in order.
 */
export const Footing = v.object({
  property: v.string(),
  claim: v.string(),
  value: v.string(),
  references: v.array(v.string()),
  successors: v.array(Successor),
})
export type Footing = v.InferOutput<typeof Footing>

/** `alone`: nothing else supports the value. `shared`: other sources do, or a claim without a source, which cannot fall. */
export const supports = ['alone', 'shared'] as const
export type Support = (typeof supports)[number]

/** The stored footings of a record. By them the next change finds the entries that it replaces. */
export const footings = defineItem({
  type: 'footings',
  schema: v.object({
    entity_id: v.string(),
    kind: v.picklist(kindKeys),
    audience: v.nullable(v.picklist(audiences)),
    values: v.array(Footing),
    version: v.number(),
  }),
  key: (it: { entity_id: string }) => key.footings(it.entity_id),
})
export type Footings = v.InferOutput<typeof footings.schema>

/** The values of one record that rest on one reference in the same way. */
export const dependent = defineItem({
  type: 'dependent',
  schema: v.object({
    reference: v.string(),
    audience: v.picklist(audiences),
    support: v.picklist(supports),
    kind: v.picklist(kindKeys),
    entity_id: v.string(),
    values: v.array(Footing),
    version: v.number(),
  }),
  key: (it: { reference: string; audience: string; support: string; kind: string; entity_id: string }) =>
    key.dependent(it.reference, `${it.audience}#${it.support}#${it.kind}#${it.entity_id}`),
  counted: (it) => it.values.map(() => `RESTS#${it.reference}#${it.audience}#${it.kind}#${it.support}`),
})
export type Dependent = v.InferOutput<typeof dependent.schema>

/** The most records that one request decides on: their writes are one transaction. */
export const MOST_AT_ONCE = 5

/** What was decided on one record that rests on a source in question, so that the decision can be taken back. */
export const sourceRuling = defineItem({
  type: 'source_ruling',
  schema: v.object({
    source_id: v.string(),
    entity_id: v.string(),
    verdict: v.picklist(['accept', 'reject']),
    decision: v.nullable(v.string()),
    /** `values`: by property, the claim that stood and the claim that stands since. `statuses`: the earlier status of each of these claims. */
    values: v.array(v.object({ property: v.string(), before: v.string(), after: v.nullable(v.string()) })),
    statuses: v.record(v.string(), v.picklist(['pending', 'accepted', 'disputed', 'superseded'])),
    by: v.string(),
    at: v.string(),
    version: v.number(),
  }),
  key: (it: { source_id: string; entity_id: string }) => key.sourceRuling(it.source_id, it.entity_id),
  counted: (it) => it.values.map(() => rulingList(it.source_id)),
})
/** Only the size of this list is stored: how many values that rest on a source were decided on. */
export const rulingList = (source_id: string): string => `RULED#${source_id}`
export type SourceRuling = v.InferOutput<typeof sourceRuling.schema>
