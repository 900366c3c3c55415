import * as v from 'valibot'
import { clock, nowSeconds } from '../clock.ts'
import { announcementId, firstIdAt } from '../ids/notification-id.ts'
import { amended, defineItem, parse, put, type Write } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { getMany, itemIn, type Stored } from '../table/read.ts'
import { notices } from './events.ts'
import { changeInbox, expiryOf, type Inbox, inbox, told } from './items.ts'
import { isReviewing, type Place } from './places.ts'
import type { News } from './send.ts'
import { plus, type Sizes } from './sizes.ts'

/**
 * What all reviewers are told is stored once, however many they are, and each reads it beside his own notifications. Announcements are
 * numbered without gaps, and each says how many of each type there were up to it: so how many lie between two places is a difference,
 * and nobody need be told of one that expires.
 */
export const Announcement = v.object({
  ...told,
  n: v.number(),
  by: v.record(v.string(), v.number()),
  /** Those of whom it comes. */
  not_for: v.array(v.string()),
  happened_at: v.string(),
})
export type Announcement = v.InferOutput<typeof Announcement>

export const announcedOfType = (type: string) => `ANNOUNCED#TYPE#${type}`
export const announcement = defineItem({
  type: 'announcement',
  schema: Announcement,
  key: (it: { notification_id: string }) => key.announcement(it.notification_id),
  indexes: (it) => ({ gsi4: { pk: announcedOfType(it.notification_type), sk: it.notification_id } }),
  expires: expiryOf,
})

/** How far announcements have come. Whoever announces something, or begins or ends reviewing, writes it, so that these have an order. */
const End = v.object({
  n: v.number(),
  by: v.record(v.string(), v.number()),
  /** The id of the last one, and its milliseconds. */
  last: v.string(),
  ms: v.number(),
  version: v.number(),
})
type End = v.InferOutput<typeof End>
export const announcedEnd = defineItem({ type: 'announced_end', schema: End, key: (_: object) => key.announcedEnd })
const beginning: End = { n: 0, by: {}, last: '', ms: 0, version: 0 }

/** Stands for an event that is announced. */
const once = defineItem({
  type: 'announced',
  schema: v.object({ notice: v.string(), event: v.string(), until: v.number(), version: v.number() }),
  key: (it: { notice: string; event: string }) => key.announcedOf(it.notice, it.event),
  expires: (it) => it.until,
})

/** An announcement that is not for someone who reviews; it says how many of each type there were for them up to it. */
export const withheld = defineItem({
  type: 'withheld',
  schema: v.object({
    user_id: v.string(),
    notification_id: v.string(),
    notification_type: v.string(),
    n: v.number(),
    by: v.record(v.string(), v.number()),
    created_at: v.string(),
    version: v.number(),
  }),
  key: (it: { user_id: string; notification_id: string }) => key.withheld(it.user_id, it.notification_id),
  expires: expiryOf,
})

/** The clocks of two processes may differ by so much, in milliseconds. */
const APART = 60_000

/** Where announcements end at present, by what a `getMany` has found. */
export function endIn(found: ReadonlyMap<string, Stored>): Place {
  const { n, by, last } = itemIn(found, announcedEnd, {}) ?? beginning
  const present = firstIdAt(clock.now().getTime() - APART)
  return { n, by, at: [last, present].sort().at(-1) ?? last }
}

/** The end is written anew, as it is: whoever announces something meanwhile looks again. */
export function holdEnd(found: ReadonlyMap<string, Stored>): Write {
  const old = itemIn(found, announcedEnd, {})
  return put(announcedEnd, amended<End>(old ?? beginning, {}), old)
}

export type NewAnnouncement = News & { not_for: readonly string[] }

/** Each takes two writes, and two more for each of two whom it comes of, where they review; a transaction holds a hundred. */
const ANNOUNCED_AT_ONCE = 16

/** Announces to all reviewers, in order; what is announced already, or whose time is over, is passed over. One transaction for each sixteen. */
export async function announceAll(news: readonly NewAnnouncement[]): Promise<void> {
  const left = news.filter((it) => expiryOf(it) > nowSeconds())
  for (let start = 0; start < left.length; start += ANNOUNCED_AT_ONCE)
    await announceSome(left.slice(start, start + ANNOUNCED_AT_ONCE))
}

const announceSome = (news: readonly NewAnnouncement[]): Promise<void> =>
  changeInbox(async () => {
    const authors = [...new Set(news.flatMap(({ not_for }) => not_for))]
    const found = await getMany([key.announcedEnd, ...news.map(once.key), ...authors.map(key.inbox)], true)
    const fresh = new Map(news.filter((it) => !itemIn(found, once, it)).map((it) => [`${it.notice} ${it.event}`, it]))
    const old = itemIn(found, announcedEnd, {})
    let end = old ?? beginning
    const boxes = new Map(authors.flatMap((id) => reviewerIn(found, id) ?? []))
    const writes: Write[] = []
    for (const it of fresh.values()) {
      const made = next(end, it)
      end = { ...end, n: made.n, by: made.by, last: made.notification_id, ms: Date.parse(made.created_at) }
      const until = expiryOf(made)
      writes.push(put(announcement, made, undefined))
      writes.push(put(once, { notice: it.notice, event: it.event, until, version: 1 }, undefined))
      for (const id of made.not_for) writes.push(...withhold(boxes, id, made))
    }
    if (fresh.size === 0) return { result: undefined, writes: [] }
    return { result: undefined, writes: [...writes, put(announcedEnd, amended<End>(end, {}), old), ...changed(boxes)] }
  })

/** The next announcement. Its id is later than all before it, and its time is that of its id. */
function next({ n, by, last, ms }: End, { created_at: happened_at, not_for, ...it }: NewAnnouncement): Announcement {
  const present = Math.max(clock.now().getTime(), ms)
  const at = announcementId(present, n + 1) > last ? present : present + 1
  const { type: notification_type } = notices[it.notice]
  return {
    ...{ project_id: null, ...it, notification_type, happened_at, not_for: [...new Set(not_for)], version: 1 },
    ...{ n: n + 1, by: plus(by, notification_type, 1) },
    notification_id: announcementId(at, n + 1),
    created_at: new Date(at).toISOString(),
  }
}

/** The inboxes of those whom announcements come of: as they were read, and as they will be. */
type Boxes = Map<string, { old: Inbox; box: Inbox }>

function reviewerIn(found: ReadonlyMap<string, Stored>, user_id: string): [string, { old: Inbox; box: Inbox }][] {
  const old = itemIn(found, inbox, { user_id })
  return old && isReviewing(old.announced) ? [[user_id, { old, box: old }]] : []
}

/** Notes that an announcement is not for someone, where they review. */
function withhold(boxes: Boxes, user_id: string, it: Announcement): Write[] {
  const { old, box } = boxes.get(user_id) ?? {}
  if (!old || !box?.announced) return []
  const announced = withOneWithheld(box.announced, it.notification_type)
  boxes.set(user_id, { old, box: { ...box, announced } })
  return [withheldWrite(user_id, it, announced.withheld)]
}

type Counted = Pick<NonNullable<Inbox['announced']>, 'passed' | 'withheld'>
/** The counts of an inbox with one more that is withheld. */
export const withOneWithheld = <T extends Counted>(it: T, type: string): T => ({
  ...it,
  passed: plus(it.passed, type, 1),
  withheld: plus(it.withheld, type, 1),
})

export const withheldWrite = (user_id: string, it: Announcement, by: Sizes): Write => {
  const { notification_id, notification_type, n, created_at } = it
  return put(
    withheld,
    { user_id, notification_id, notification_type, n, by: { ...by }, created_at, version: 1 },
    undefined,
  )
}

const changed = (boxes: Boxes): Write[] =>
  [...boxes.values()].flatMap(({ old, box }) => (box === old ? [] : [put(inbox, amended<Inbox>(box, {}), old)]))

/** One that a `getMany` has found. */
export const announcementIn = (found: ReadonlyMap<string, Stored>, notification_id: string): Announcement | undefined =>
  itemIn(found, announcement, { notification_id })

export const announcementOf = (stored: Stored): Announcement => parse(announcement, stored)
