import * as v from 'valibot'
import { defineItem } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { FeedEntry } from '../feed/items.ts'

/** The item types of watches: what people watch, and the changes of it. */

/**
 * What can be watched. A watch of a place follows the records that name it, or a place in it. A watch of a search follows the records that
 * it finds.
 */
export const watchSorts = ['record', 'place', 'source', 'kind', 'search'] as const
export type WatchSort = (typeof watchSorts)[number]

/** What is watched: a review identity, the id of a source, a kind, or the words of a search. */
const subject = { what: v.picklist(watchSorts), about: v.string() }

/** One thing that one person watches. */
export const Watch = v.object({
  user_id: v.string(),
  id: v.string(),
  ...subject,
  /** The number of the last change when the watch began. Bulletins leave out changes up to this one. */
  since: v.number(),
  created_at: v.string(),
  version: v.number(),
})
export type Watch = v.InferOutput<typeof Watch>
export const watch = defineItem({
  type: 'watch',
  schema: Watch,
  key: (it: { user_id: string; id: string }) => key.watch(it.user_id, it.id),
})

/** A person who watches something. The item lies in one partition with the person's watches. */
export const Watcher = v.object({
  user_id: v.string(),
  /** The number of the last change that bulletins have dealt with: named, counted or left out. */
  told: v.number(),
  /** When the next bulletin is due, ISO 8601. */
  due_at: v.string(),
  version: v.number(),
})
export type Watcher = v.InferOutput<typeof Watcher>
export const watcher = defineItem({
  type: 'watcher',
  schema: Watcher,
  key: ({ user_id }: { user_id: string }) => key.watcher(user_id),
  indexes: ({ due_at, user_id }) => ({ gsi2: { pk: DUE, sk: `${due_at}#${user_id}` } }),
})
/** The index partition of people who watch something, ordered by the time when their next bulletin is due. */
export const DUE = 'WATCHER'

/** How many people watch a subject. The changes of a subject that nobody watches are not noted. */
const WatchCount = v.object({ subject: v.string(), watchers: v.number(), version: v.number() })
export type WatchCount = v.InferOutput<typeof WatchCount>
export const watchCount = defineItem({
  type: 'watched',
  schema: WatchCount,
  key: (it: { subject: string }) => key.watched(it.subject),
})

/** Seconds for which the changes of a subject are kept: 90 days. */
const LIFETIME = 90 * 24 * 3600

/** A change of the feed, noted under one subject that is watched. */
const WatchedChange = v.object({ subject: v.string(), ...FeedEntry.entries })
export const watchedChange = defineItem({
  type: 'watched_change',
  schema: WatchedChange,
  key: (it: { subject: string; number: number }) => key.watchedChange(it.subject, it.number),
  expires: ({ at }) => Math.floor(Date.parse(at) / 1000) + LIFETIME,
})

/** The number of the last change that was noted under a subject. With one read of it a bulletin learns that nothing is new. */
export const watchedLast = defineItem({
  type: 'watched_last',
  schema: v.object({ subject: v.string(), number: v.number(), version: v.literal(1) }),
  key: (it: { subject: string }) => key.watchedLast(it.subject),
})

/** The number in the feed up to which `followFeed` has come. */
export const watchedThrough = defineItem({
  type: 'watched_through',
  schema: v.object({ number: v.number(), version: v.number() }),
  key: () => key.watchedThrough(),
})

/** The name under which the changes of a watched thing are noted. Undefined for a search, which runs when its changes are needed. */
export const subjectOf = ({ what, about }: Pick<Watch, 'what' | 'about'>): string | undefined =>
  what === 'search' ? undefined : `${what}#${about}`
