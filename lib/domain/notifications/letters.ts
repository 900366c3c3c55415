import { clock } from '../../base/clock.ts'
import { get, parse, put, type Write, walk, walkTable, withNextVersion } from '../../engines/table/index.ts'
import type { Actor } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { announcement, loadLastId } from './announcements.ts'
import { changeInbox, DUE, emptyInbox, type Inbox, inbox, isReviewing, notification, WAITING } from './items.ts'
import { resolveRows } from './list.ts'
import { type Mailing, withDue } from './mailing.ts'
import { announcedRows, idOf, ownRows } from './rows.ts'

/** Letters that are due, and their messages. A letter is marked in the inbox before it is sent, so it is sent at most once. */

/** Lists the users whose letter is due, the longest due first. One call. */
export const listDueInboxes = async (at: string, limit: number): Promise<string[]> =>
  (await walk({ index: 'gsi2', pk: DUE, forward: true, limit }))
    .map((item) => parse(inbox, item))
    .filter(({ mailing }) => mailing?.due_at && mailing.due_at <= at)
    .map(({ user_id }) => user_id)

/**
 * Makes a letter due for up to `limit` reviewers who want letters and have had none since the latest announcement. Two calls, and
 * two more for each reviewer.
 */
export async function remindReviewers(limit: number): Promise<void> {
  const last = await loadLastId()
  if (last === '') return
  const waiting = await walk({ index: 'gsi4', pk: WAITING, forward: false, limit, beyond: last })
  for (const { user_id } of waiting.map((item) => parse(inbox, item))) await remind(user_id, last)
}

const remind = (user_id: string, last: string): Promise<void> =>
  changeInbox(async () => {
    const box = await get(inbox, { user_id })
    const { announced, mailing } = box ?? {}
    const isWaiting = mailing?.due_at === null && isReviewing(announced) && (announced?.told_through ?? last) < last
    if (!box || !mailing || !isWaiting) return { result: undefined, writes: [] }
    const due = withDue(mailing, clock.now().toISOString())
    return { result: undefined, writes: [put(inbox, withNextVersion<Inbox>(box, { mailing: due }), box)] }
  })

/** Plans the writes that begin, change or end a person's letters. Messages that arrived before letters begin are in no letter. */
export async function mailingWrites(
  user_id: string,
  how: Pick<Mailing, 'mode' | 'hour' | 'zone'> | undefined,
): Promise<Write[]> {
  const old = await get(inbox, { user_id })
  if (!how) return old?.mailing ? [put(inbox, withNextVersion<Inbox>(old, { mailing: undefined }), old)] : []
  const box = old ?? emptyInbox(user_id)
  const fresh = { told: box.arrived, due_at: null, last_at: '', attempts: 0 }
  const waits = box.mailing !== undefined && box.mailing.due_at !== null
  const changed: Mailing = { ...fresh, ...box.mailing, ...how, due_at: null }
  const mailing = waits ? withDue(changed, clock.now().toISOString()) : changed
  const announced =
    old?.mailing || !box.announced ? box.announced : { ...box.announced, told_through: await loadLastId() }
  return [put(inbox, withNextVersion<Inbox>(box, { mailing, announced }), old)]
}

/**
 * A letter whose sending has begun; its messages are marked as sent. It holds the notifications with ordinals above `after`, up to
 * `through`. `announced` bounds its announcements in the same way, by id.
 */
export type BegunLetter = {
  after: number
  through: number
  announced: { after: string; through: string }
  attempts: number
}

/** Takes the letter that is due to a person, so that no failure sends it twice. Undefined if none is due, or if another process has it. */
export const beginLetter = (user_id: string, at: string): Promise<BegunLetter | undefined> =>
  changeInbox(async () => {
    const box = await get(inbox, { user_id })
    const mailing = box?.mailing
    if (!box || !mailing?.due_at || mailing.due_at > at) return { result: undefined, writes: [] }
    const last = box.announced ? await loadLastId() : ''
    const own = { after: mailing.told, through: box.arrived, attempts: mailing.attempts }
    const begun = { ...own, announced: { after: box.announced?.told_through ?? '', through: last } }
    const next = { ...mailing, told: box.arrived, due_at: null, last_at: at, attempts: 0 }
    const announced = box.announced && { ...box.announced, told_through: last }
    return { result: begun, writes: [put(inbox, withNextVersion<Inbox>(box, { mailing: next, announced }), box)] }
  })

/** Makes a letter due again after the mail service has refused it. */
export const postponeLetter = (user_id: string, begun: BegunLetter, until: string): Promise<void> =>
  changeInbox(async () => {
    const box = await get(inbox, { user_id })
    if (!box?.mailing) return { result: undefined, writes: [] }
    const attempts = begun.attempts + 1
    const mailing = { ...box.mailing, told: Math.min(begun.after, box.mailing.told), due_at: until, attempts }
    const { after } = begun.announced
    const announced =
      box.announced && box.announced.told_through > after ? { ...box.announced, told_through: after } : box.announced
    return { result: undefined, writes: [put(inbox, withNextVersion<Inbox>(box, { mailing, announced }), box)] }
  })

/** The most messages of a letter, the latest ones. */
const MOST_IN_LETTER = 100

/** Lists the messages of a letter: unread ones, newest first, as the reader may see them now. Up to seven calls. */
export async function listForLetter(actor: Actor, { after, through, announced }: BegunLetter) {
  const latest = { forward: false, limit: MOST_IN_LETTER }
  const isAnnounced = announced.through > announced.after
  const [items, others, box] = await Promise.all([
    walkTable({ ...latest, pk: key.notification(actor.id, '').pk }),
    isAnnounced ? walkTable({ ...latest, pk: key.announcement('').pk }) : [],
    get(inbox, { user_id: actor.id }),
  ])
  const own = items.map((item) => parse(notification, item)).filter((it) => it.arrival > after && it.arrival <= through)
  const theirs = others
    .map((item) => parse(announcement, item))
    .filter(({ notification_id: id }) => id > announced.after && id <= announced.through)
  const rows = [...ownRows(own, box), ...(box ? await announcedRows(theirs, box) : [])]
  const unread = rows.filter(({ is_read }) => !is_read).sort((a, b) => (idOf(a) < idOf(b) ? 1 : -1))
  return resolveRows(actor, unread.slice(0, MOST_IN_LETTER))
}
