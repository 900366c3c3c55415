import * as v from 'valibot'
import { defineItem } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'

/** What an expert says of one source in question. */
const Doubted = v.object({
  source_id: v.string(),
  standing: v.picklist(['questioned', 'withdrawn']),
  reason: v.string(),
})
export type Doubted = v.InferOutput<typeof Doubted>

/** Notes that a source is in question. There is one mark for each reference by which claims name the source. */
export const sourceMark = defineItem({
  type: 'source_mark',
  schema: v.object({
    reference: v.string(),
    ...Doubted.entries,
    /** Further sources in question that share the reference. A withdrawn source stands before these. */
    others: v.optional(v.array(Doubted), []),
    version: v.number(),
  }),
  key: (it: { reference: string }) => key.sourceMark(it.reference),
})
export type SourceMark = v.InferOutput<typeof sourceMark.schema>
