import * as v from 'valibot'
import { kindKeys } from '../kinds/index.ts'
import { defineItem } from '../table/item.ts'
import { key } from '../table/keys.ts'

/** The item types of the feed of changes: what everyone may read, and what has become of it. */

/** What may become of a public thing. `withdrawn`: nobody but insiders may read it any more. */
export const changeSorts = ['created', 'updated', 'withdrawn'] as const
export type ChangeSort = (typeof changeSorts)[number]

/** Which thing a change is about: `id` is a review identity, or a cluster's id; `object_pk` names it at its own address. */
const about = { id: v.string(), kind: v.picklist(kindKeys), object_pk: v.string() }

/** One change. Numbers go from 1 on without a gap, and times never go back. */
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

/** The last number that was given. */
export const end = defineItem({
  type: 'changes_end',
  schema: v.object({ number: v.number(), at: v.string(), version: v.number() }),
  key: () => key.changesEnd(),
})

/** What the feed has told of a thing last. It stays when the thing is withdrawn. */
export const LastTold = v.object({
  ...about,
  number: v.number(),
  at: v.string(),
  /** What the public sees of it, as a digest; null when that is nothing. */
  digest: v.nullable(v.string()),
  version: v.number(),
})
export type LastTold = v.InferOutput<typeof LastTold>
export const lastTold = defineItem({
  type: 'change_last_told',
  schema: LastTold,
  key: (it: { id: string }) => key.lastTold(it.id),
})

/** A thing in the list of its kind, at the place of its last change. */
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
