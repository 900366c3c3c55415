import * as v from 'valibot'
import { defineItem } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { kindKeys } from '../kinds/index.ts'

/** The item types of the feed: numbered changes of what everyone may read. */

/** What happens to a public thing. `withdrawn` means that it is not public any more. */
export const changeSorts = ['created', 'updated', 'withdrawn'] as const
export type ChangeSort = (typeof changeSorts)[number]

/** Which thing a change is about. `id` is a review identity or the id of a cluster; `object_pk` is the id in its own address. */
const about = { id: v.string(), kind: v.picklist(kindKeys), object_pk: v.string() }

/** One change. Numbers start at 1 and have no gap; times never go back. */
export const Entry = v.object({
  number: v.number(),
  at: v.string(),
  change: v.picklist(changeSorts),
  ...about,
  version: v.number(),
})
export type Entry = v.InferOutput<typeof Entry>
export const entry = defineItem({
  type: 'change_entry',
  schema: Entry,
  key: (it: { number: number }) => key.change(it.number),
})

/** The number and time of the latest entry. */
export const end = defineItem({
  type: 'changes_end',
  schema: v.object({ number: v.number(), at: v.string(), version: v.number() }),
  key: () => key.changesEnd(),
})

/** What the latest entry about a thing said. It stays when the thing is withdrawn. */
export const LastTold = v.object({
  ...about,
  number: v.number(),
  at: v.string(),
  /** Digest of what the public sees of it; null if that is nothing. */
  digest: v.nullable(v.string()),
  version: v.number(),
})
export type LastTold = v.InferOutput<typeof LastTold>
export const lastTold = defineItem({
  type: 'change_last_told',
  schema: LastTold,
  key: (it: { id: string }) => key.lastTold(it.id),
})

/** A thing in the list of its kind, sorted by its latest change. */
export const Current = v.object({
  ...about,
  number: v.number(),
  at: v.string(),
  withdrawn: v.boolean(),
  version: v.number(),
})
export type Current = v.InferOutput<typeof Current>
export const current = defineItem({
  type: 'change_current',
  schema: Current,
  key: (it: { kind: string; at: string; number: number }) => key.changed(it.kind, it.at, it.number),
})
