import { clock } from '../clock.ts'
import { firstIdAt } from '../ids/notification-id.ts'
import { amended, parse, put, type Write } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { getMany, itemAt, type Stored, walkTable } from '../table/read.ts'
import { keyOf, type User, userOf } from '../users/users.ts'
import { type Announcement, announcementOf, endIn, holdEnd, withheldWrite, withOneWithheld } from './announcements.ts'
import { changeInbox, empty, type Inbox, inbox, oldestId } from './items.ts'
import { withDue } from './mailing.ts'
import { type Announced, before, isReviewing, isWithheld, type Place, type Span } from './places.ts'

/** Whether announcements are for someone. */
export const reviews = (it: Pick<User, 'is_active' | 'reviewer_role'>): boolean =>
  it.is_active && it.reviewer_role?.is_active === true

/**
 * Notes where in the announcements someone begins or ends reviewing, by what the user is now. Who begins gets what has happened since, also
 * where it was announced before this is noted; who ends keeps what he had. Safe to repeat.
 */
export const followReviewer = (user_id: string): Promise<void> =>
  changeInbox(async () => {
    const found = await getMany([keyOf(user_id), key.inbox(user_id), key.announcedEnd], true)
    const stored = itemAt(found, keyOf(user_id))
    const user = stored && userOf(stored)
    const old = boxIn(found, user_id)
    const isNow = user !== undefined && reviews(user)
    if (isNow === isReviewing(old?.announced)) return { result: undefined, writes: [] }
    const end = endIn(found)
    const { box, writes } = isNow ? await begun(user, old ?? empty(user_id), end) : { box: ended(old, end), writes: [] }
    if (!box) return { result: undefined, writes: [] }
    return { result: undefined, writes: [put(inbox, amended<Inbox>(box, {}), old), holdEnd(found), ...writes] }
  })

const boxIn = (found: ReadonlyMap<string, Stored>, user_id: string): Inbox | undefined => {
  const stored = itemAt(found, key.inbox(user_id))
  return stored && parse(inbox, stored)
}

/** An inbox whose owner begins to review. */
async function begun(user: User, box: Inbox, end: Place): Promise<{ box: Inbox; writes: Write[] }> {
  const spans = (box.announced?.spans ?? []).filter(({ to }) => to !== null && to.at >= oldestId())
  const since = sinceWhen(user, box)
  const span: Span = { from: end, to: null, since, noted: end.n }
  const missed = await announcedSince(user.id, span, box.announced?.spans.at(-1)?.to?.n ?? 0)
  const [first] = missed
  const from = first ? before(first) : end
  const fresh: Announced = { spans: [], read_through: from, passed: {}, withheld: {}, told: from.n }
  let announced: Announced = { ...fresh, ...box.announced, told: from.n, spans: [...spans, { ...span, from }] }
  const writes: Write[] = []
  for (const it of missed.filter((it) => isWithheld(user.id, span, it))) {
    announced = withOneWithheld(announced, it.notification_type)
    writes.push(withheldWrite(user.id, it, announced.withheld))
  }
  return { box: { ...box, announced }, writes }
}

/** When someone has begun to review: with the role, or when it became active again. Who was taken over from elsewhere may have had it before. */
function sinceWhen({ created_at, reviewer_role: role }: User, { announced }: Inbox): string {
  const begun = (announced ? role?.updated_at : role?.created_at) ?? created_at
  return [created_at, begun].sort().at(-1) ?? begun
}

/** So many of what was announced meanwhile are looked at, and so many of them may be withheld. */
const MOST_MISSED = 1000
const MOST_WITHHELD = 90

/** What was announced after someone has begun to review and before that was noted, oldest first, from the first that is for them. One call. */
async function announcedSince(user_id: string, span: Span, after: number): Promise<Announcement[]> {
  const since = firstIdAt(Date.parse(span.since))
  const newest = await walkTable({ pk: key.announcement('').pk, forward: false, limit: MOST_MISSED })
  const found: Announcement[] = []
  let others = 0
  for (const it of newest.map(announcementOf)) {
    if (isWithheld(user_id, span, it)) others += 1
    if (it.notification_id < since || it.n <= after || others > MOST_WITHHELD) break
    found.unshift(it)
  }
  const first = found.findIndex((it) => !isWithheld(user_id, span, it))
  return first < 0 ? [] : found.slice(first)
}

/** An inbox whose owner reviews no longer. What he has not been told yet goes into a last letter. */
function ended(old: Inbox | undefined, end: Place): Inbox | undefined {
  if (!old?.announced) return undefined
  const { announced, mailing } = old
  const spans = announced.spans.map((it) => (it.to === null ? { ...it, to: end } : it))
  const isUntold = announced.told < end.n
  const due = mailing && isUntold ? withDue(mailing, clock.now().toISOString()) : mailing
  return { ...old, announced: { ...announced, spans }, mailing: due }
}
