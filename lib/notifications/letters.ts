import { clock } from '../clock.ts'
import { firstIdAt } from '../ids/notification-id.ts'
import type { Actor } from '../permissions.ts'
import { amended, parse, put, type Write } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { get, getMany, walk, walkTable } from '../table/read.ts'
import { announcementOf, endIn } from './announcements.ts'
import { changeInbox, DUE, empty, type Inbox, inbox, notification, toldOf, WAITING } from './items.ts'
import { shownUnread } from './list.ts'
import { type Mailing, withDue } from './mailing.ts'
import { type Row, toldBy } from './merge.ts'
import { isReviewing } from './places.ts'

/** The letters that are due, and what they tell. A letter is taken by the inbox before it is sent, so nobody sends it again. */

/** Whose letters are due, the longest first. One call. */
export const dueInboxes = async (at: string, limit: number): Promise<string[]> =>
  (await walk({ index: 'gsi2', pk: DUE, forward: true, limit }))
    .map((item) => parse(inbox, item))
    .filter(({ mailing }) => mailing?.due_at && mailing.due_at <= at)
    .map(({ user_id }) => user_id)

/** Makes letters due to reviewers who want them, where something was announced that they are not told of. Two calls, and two for each of so many. */
export async function remindReviewers(limit: number): Promise<void> {
  const { n } = await endNow()
  const waiting = await walk({ index: 'gsi4', pk: WAITING, forward: false, limit, beyond: toldOf(n) })
  for (const { user_id } of waiting.map((item) => parse(inbox, item))) await remind(user_id, n)
}

const endNow = async () => endIn(await getMany([key.announcedEnd], true))

const remind = (user_id: string, through: number): Promise<void> =>
  changeInbox(async () => {
    const box = await get(inbox, { user_id })
    const { announced, mailing } = box ?? {}
    const isWaiting = mailing?.due_at === null && isReviewing(announced) && (announced?.told ?? through) < through
    if (!box || !mailing || !isWaiting) return { result: undefined, writes: [] }
    const due = withDue(mailing, clock.now().toISOString())
    return { result: undefined, writes: [put(inbox, amended<Inbox>(box, { mailing: due }), box)] }
  })

/** The writes by which someone's letters begin, change or end with what arrives from now on; for those who write their settings. */
export async function mailingWrites(
  user_id: string,
  how: Pick<Mailing, 'mode' | 'hour' | 'zone'> | undefined,
): Promise<Write[]> {
  const old = await get(inbox, { user_id })
  if (!how) return old?.mailing ? [put(inbox, amended<Inbox>(old, { mailing: undefined }), old)] : []
  const box = old ?? empty(user_id)
  const fresh = { told: box.arrived, due_at: null, last_at: '', attempts: 0 }
  const waits = box.mailing !== undefined && box.mailing.due_at !== null
  const changed: Mailing = { ...fresh, ...box.mailing, ...how, due_at: null }
  const mailing = waits ? withDue(changed, clock.now().toISOString()) : changed
  const announced = old?.mailing || !box.announced ? box.announced : { ...box.announced, told: (await endNow()).n }
  return [put(inbox, amended<Inbox>(box, { mailing, announced }), old)]
}

/** What arrived, or was announced, after one until another. */
type Stretch = { after: number; through: number }

/** A letter that has been begun: what it tells counts as told from now on. */
export type BegunLetter = Stretch & { announced: Stretch; attempts: number }

/**
 * Takes the letter that is due to someone, once: whoever comes second gets undefined. What it tells counts as told before it is sent, so that no
 * failure sends it twice.
 */
export const beginLetter = (user_id: string, at: string): Promise<BegunLetter | undefined> =>
  changeInbox(async () => {
    const box = await get(inbox, { user_id })
    const mailing = box?.mailing
    if (!box || !mailing?.due_at || mailing.due_at > at) return { result: undefined, writes: [] }
    const { n } = box.announced ? await endNow() : { n: 0 }
    const own = { after: mailing.told, through: box.arrived, attempts: mailing.attempts }
    const begun = { ...own, announced: { after: box.announced?.told ?? 0, through: n } }
    const next = { ...mailing, told: box.arrived, due_at: null, last_at: at, attempts: 0 }
    const announced = box.announced && { ...box.announced, told: n }
    return { result: begun, writes: [put(inbox, amended<Inbox>(box, { mailing: next, announced }), box)] }
  })

/** Makes a letter that was certainly not taken due again. */
export const postponeLetter = (user_id: string, begun: BegunLetter, until: string): Promise<void> =>
  changeInbox(async () => {
    const box = await get(inbox, { user_id })
    if (!box?.mailing) return { result: undefined, writes: [] }
    const attempts = begun.attempts + 1
    const mailing = { ...box.mailing, told: Math.min(begun.after, box.mailing.told), due_at: until, attempts }
    const told = Math.min(begun.announced.after, box.announced?.told ?? 0)
    const announced = box.announced && { ...box.announced, told }
    return { result: undefined, writes: [put(inbox, amended<Inbox>(box, { mailing, announced }), box)] }
  })

/** A letter looks at so many of the latest. */
const MOST_IN_LETTER = 100

/** What a letter is to tell: of what arrived in it or was announced, what is not read yet, newest first, as its reader may see it now. Four calls. */
export async function inLetter(actor: Actor, { after, through, announced }: BegunLetter) {
  // Behind the ids other things of the reader lie.
  const latest = { forward: false, limit: MOST_IN_LETTER, beyond: firstIdAt(clock.now().getTime() + 86_400_000) }
  const isToAnnounce = announced.through > announced.after
  const [items, others, box] = await Promise.all([
    walkTable({ ...latest, pk: key.notification(actor.id, '').pk }),
    isToAnnounce ? walkTable({ ...latest, pk: key.announcement('').pk }) : [],
    get(inbox, { user_id: actor.id }),
  ])
  const own = items.map((item) => parse(notification, item)).filter((it) => isWithin(it.arrival, { after, through }))
  const theirs = others.map(announcementOf).filter((it) => isWithin(it.n, announced))
  const rows: Row[] = [...own.map((own) => ({ own })), ...theirs.map((announced) => ({ announced }))]
  return shownUnread(actor, rows.sort(byAge).slice(0, MOST_IN_LETTER), box)
}

const isWithin = (n: number, { after, through }: Stretch) => n > after && n <= through
const byAge = (a: Row, b: Row) => (toldBy(a).notification_id < toldBy(b).notification_id ? 1 : -1)
