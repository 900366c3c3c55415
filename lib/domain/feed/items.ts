import * as v from 'valibot'
import { defineItem } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { kindKeys } from '../kinds/index.ts'

/** The item types of the feed: numbered changes of what everyone may read. */

/** The sorts of change of a public record or cluster. `withdrawn` means that it is no longer public. */
export const changeSorts = ['created', 'updated', 'withdrawn'] as const
export type ChangeSort = (typeof changeSorts)[number]

/** The subject of a change: a record or a cluster. `id` is a review identity or the id of a cluster; `object_pk` is the id in its own address. */
const About = v.object({ id: v.string(), kind: v.picklist(kindKeys), object_pk: v.string() })
export type About = v.InferOutput<typeof About>

/** What is compared to see whether a subject has changed since its latest entry. `FeedEntry` does not hold it. */
const Compared = v.object({
  /** Digest of the parts that everyone may read. Null if it is not public. */
  digest: v.nullable(v.string()),
})
export type Compared = v.InferOutput<typeof Compared>

/** One change. Numbers start at 1 and have no gap; times never go back. */
export const FeedEntry = v.object({
  number: v.number(),
  at: v.string(),
  change: v.picklist(changeSorts),
  ...About.entries,
  version: v.number(),
})
export type FeedEntry = v.InferOutput<typeof FeedEntry>
export const feedEntry = defineItem({
  type: 'change_entry',
  schema: FeedEntry,
  key: (it: { number: number }) => key.change(it.number),
})

/** The number and time of the latest entry. */
export const feedEnd = defineItem({
  type: 'changes_end',
  schema: v.object({ number: v.number(), at: v.string(), version: v.number() }),
  key: () => key.changesEnd(),
})

/** The latest entry about a record or cluster. It stays when the subject is withdrawn. */
export const LastTold = v.object({
  ...About.entries,
  number: v.number(),
  at: v.string(),
  ...Compared.entries,
  version: v.number(),
})
export type LastTold = v.InferOutput<typeof LastTold>
export const lastTold = defineItem({
  type: 'change_last_told',
  schema: LastTold,
  key: (it: { id: string }) => key.lastTold(it.id),
})

/** A record or cluster in the list of its kind, sorted by its latest change. */
export const Current = v.object({
  ...About.entries,
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
