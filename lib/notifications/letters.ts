import { clock } from '../clock.ts'
import type { Actor } from '../permissions.ts'
import { amended, parse, put, type Write } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { get, getMany, walk, walkTable } from '../table/read.ts'
import { peopleIn } from '../users/people.ts'
import { type Mailing, withDue } from './mailing.ts'
import {
  changeInbox,
  DUE,
  empty,
  type Inbox,
  inbox,
  isLiving,
  isRead,
  namedBy,
  notification,
  shownTo,
} from './notifications.ts'

/** The letters that are due, and what they tell. A letter is taken by the inbox before it is sent, so nobody sends it again. */

/** Whose letters are due, the longest first. One call. */
export const dueInboxes = async (at: string, limit: number): Promise<string[]> =>
  (await walk({ index: 'gsi2', pk: DUE, forward: true, limit }))
    .map((item) => parse(inbox, item))
    .filter(({ mailing }) => mailing?.due_at && mailing.due_at <= at)
    .map(({ user_id }) => user_id)

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
  return [put(inbox, amended<Inbox>(box, { mailing }), old)]
}

/** A letter that has been begun: it tells what arrived after one until another, which counts as told from now on. */
export type BegunLetter = { after: number; through: number; attempts: number }

/**
 * Takes the letter that is due to someone, once: whoever comes second gets undefined. What it tells counts as told before it is sent, so that no
 * failure sends it twice.
 */
export const beginLetter = (user_id: string, at: string): Promise<BegunLetter | undefined> =>
  changeInbox(async () => {
    const box = await get(inbox, { user_id })
    const mailing = box?.mailing
    if (!box || !mailing?.due_at || mailing.due_at > at) return { result: undefined, writes: [] }
    const begun = { after: mailing.told, through: box.arrived, attempts: mailing.attempts }
    const next = { ...mailing, told: box.arrived, due_at: null, last_at: at, attempts: 0 }
    return { result: begun, writes: [put(inbox, amended<Inbox>(box, { mailing: next }), box)] }
  })

/** Makes a letter that was certainly not taken due again. */
export const postponeLetter = (user_id: string, { after, attempts }: BegunLetter, until: string): Promise<void> =>
  changeInbox(async () => {
    const box = await get(inbox, { user_id })
    if (!box?.mailing) return { result: undefined, writes: [] }
    const mailing = { ...box.mailing, told: Math.min(after, box.mailing.told), due_at: until, attempts: attempts + 1 }
    return { result: undefined, writes: [put(inbox, amended<Inbox>(box, { mailing }), box)] }
  })

/** A letter looks at so many of the latest. */
const MOST_IN_LETTER = 100

/** What a letter is to tell: of what arrived in it, what is not read yet, newest first, as its reader may see it now. Three calls. */
export async function inLetter(actor: Actor, { after, through }: BegunLetter) {
  const { pk } = key.notification(actor.id, '')
  const [items, box] = await Promise.all([
    walkTable({ pk, forward: false, limit: MOST_IN_LETTER }),
    get(inbox, { user_id: actor.id }),
  ])
  const told = items
    .filter((item) => item.type === notification.type)
    .map((item) => parse(notification, item))
    .filter((it) => it.arrival > after && it.arrival <= through && isLiving(it) && !isRead(it, box))
  const found = await getMany(told.flatMap(namedBy), true)
  return { shown: told.map((it) => shownTo(actor, it, box, found)), people: peopleIn(found) }
}
