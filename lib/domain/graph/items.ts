import * as v from 'valibot'
import { defineItem } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'

/** `reviewed`: what everyone may read. `all`: what reviewers may inspect, including what waits. */
export const graphScopes = ['reviewed', 'all'] as const
export type GraphScope = (typeof graphScopes)[number]

/** The present graph of a scope. `object`: its key in the bucket. */
export const graphPointer = defineItem({
  type: 'graph',
  schema: v.object({ scope: v.picklist(graphScopes), object: v.string(), version: v.number() }),
  key: (it: { scope: string }) => key.graph(it.scope),
})
export type GraphPointer = v.InferOutput<typeof graphPointer.schema>
