import * as v from 'valibot'
import { clock, nowSeconds } from '../../base/clock.ts'
import { splitIntoParts } from '../../base/concurrency.ts'
import { announcementId } from '../../base/ids/notification-id.ts'
import {
  defineItem,
  getMany,
  itemIn,
  put,
  type Stored,
  type Write,
  withNextVersion,
} from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { notices } from './events.ts'
import { type AnnouncedTo, changeInbox, expiryOf, messageMembers, type ReviewSpan } from './items.ts'
import type { News } from './send.ts'

/** A message for all reviewers. It is stored once, and each reviewer reads it next to their own notifications (fan-out on read). */
export const Announcement = v.object({
  ...messageMembers,
  /** The users to whom it is not shown: whoever caused the event, and the contributor of its record. */
  not_for: v.array(v.string()),
  happened_at: v.string(),
})
export type Announcement = v.InferOutput<typeof Announcement>

/** The index partition of the announcements of one type. */
export const announcedOfType = (type: string) => `ANNOUNCED#TYPE#${type}`
export const announcement = defineItem({
  type: 'announcement',
  schema: Announcement,
  key: (it: { notification_id: string }) => key.announcement(it.notification_id),
  indexes: (it) => ({ gsi4: { pk: announcedOfType(it.notification_type), sk: it.notification_id } }),
  expires: expiryOf,
})

/**
 * The item that names the last announcement. Each new announcement writes it, so ids only grow: no announcement is added below an id that
 * somebody has read.
 */
const End = v.object({
  /** The number of announcements ever made. */
  n: v.number(),
  /** The id of the last announcement, and the time in that id, in milliseconds since 1970. */
  last: v.string(),
  ms: v.number(),
  version: v.number(),
})
type End = v.InferOutput<typeof End>
const announcedEnd = defineItem({ type: 'announced_end', schema: End, key: (_: object) => key.announcedEnd })
const noEnd: End = { n: 0, last: '', ms: 0, version: 0 }

/** Marks an event as announced, so that a repeated change announces nothing. */
const announcedEvent = defineItem({
  type: 'announced',
  schema: v.object({ notice: v.string(), event: v.string(), until: v.number(), version: v.number() }),
  key: (it: { notice: string; event: string }) => key.announcedOf(it.notice, it.event),
  expires: (it) => it.until,
})

/** The id of the last announcement, from items that include the one of `key.announcedEnd`. `''` before the first announcement. */
export const lastIdIn = (found: ReadonlyMap<string, Stored>): string => itemIn(found, announcedEnd, {})?.last ?? ''

/** Loads the id of the last announcement. `''` before the first one. One call. */
export const loadLastId = async (): Promise<string> => lastIdIn(await getMany([key.announcedEnd], true))

export type NewAnnouncement = News & { not_for: readonly string[] }

/** Each announcement takes two writes, and a transaction holds a hundred. */
const ANNOUNCED_AT_ONCE = 45

/** Announces events to all reviewers, in order. Leaves out those announced before and those that have expired. One transaction for each 45. */
export async function announceAll(news: readonly NewAnnouncement[]): Promise<void> {
  const living = news.filter((it) => expiryOf(it) > nowSeconds())
  for (const part of splitIntoParts(living, ANNOUNCED_AT_ONCE)) await announceSome(part)
}

const announceSome = (news: readonly NewAnnouncement[]): Promise<void> =>
  changeInbox(async () => {
    const found = await getMany([key.announcedEnd, ...news.map(announcedEvent.key)], true)
    // prove: announced-before
    const fresh = news.filter((it) => !itemIn(found, announcedEvent, it))
    const old = itemIn(found, announcedEnd, {})
    let end = old ?? noEnd
    const writes: Write[] = []
    for (const it of new Map(fresh.map((it) => [`${it.notice} ${it.event}`, it])).values()) {
      const added = nextAnnouncement(end, it)
      end = { ...end, n: end.n + 1, last: added.notification_id, ms: Date.parse(added.created_at) }
      writes.push(put(announcement, added, undefined))
      const { notice, event } = it
      // prove: announced-event
      writes.push(put(announcedEvent, { notice, event, until: expiryOf(added), version: 1 }, undefined))
    }
    // prove: announced-end
    if (writes.length > 0) writes.push(put(announcedEnd, withNextVersion<End>(end, {}), old))
    return { result: undefined, writes }
  })

/** Builds the announcement that follows this end. Its id sorts after all earlier ids, and `created_at` is the time in its id. */
function nextAnnouncement({ n, last, ms }: End, news: NewAnnouncement): Announcement {
  const { created_at: happened_at, not_for, ...it } = news
  const present = Math.max(clock.now().getTime(), ms)
  const at = announcementId(present, n + 1) > last ? present : present + 1
  return {
    project_id: null,
    ...it,
    notification_type: notices[it.notice].type,
    happened_at,
    not_for: [...new Set(not_for)],
    notification_id: announcementId(at, n + 1),
    created_at: new Date(at).toISOString(),
    version: 1,
  }
}

/** The span of reviewing in which an announcement falls. Undefined if it falls in none. */
export const spanOf = ({ spans }: AnnouncedTo, it: Announcement): ReviewSpan | undefined =>
  spans.find(({ since, through }) => it.happened_at >= since && (through === null || it.notification_id <= through))

/** Whether an announcement is for a person: it happened while they reviewed, and `not_for` does not name them. */
export const isFor = (user_id: string, announced: AnnouncedTo, it: Announcement): boolean =>
  !it.not_for.includes(user_id) && spanOf(announced, it) !== undefined
