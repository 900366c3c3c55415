import { clock } from '../../base/clock.ts'
import { firstIdAt } from '../../base/ids/notification-id.ts'
import { getMany, itemAt, itemIn, put, withNextVersion } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { keyOf, type User, userOf } from '../../platform/users/users.ts'
import { lastIdIn } from './announcements.ts'
import { type AnnouncedTo, changeInbox, emptyInbox, type Inbox, inbox, isReviewing, oldestId } from './items.ts'
import { withDue } from './mailing.ts'
import { laterOf } from './rows.ts'

/** Whether announcements are for this user. */
export const isReviewer = (it: Pick<User, 'is_active' | 'reviewer_role'>): boolean =>
  it.is_active && it.reviewer_role?.is_active === true

/**
 * Notes in a user's inbox whether the user reviews now. A new reviewer sees the announcements of all events since the role began, even
 * of those before this call. A former reviewer keeps the announcements of the past. Safe to repeat.
 */
export const followReviewer = (user_id: string): Promise<void> =>
  changeInbox(async () => {
    const found = await getMany([keyOf(user_id), key.inbox(user_id), key.announcedEnd], true)
    const stored = itemAt(found, keyOf(user_id))
    const user = stored && userOf(stored)
    const old = itemIn(found, inbox, { user_id })
    const isNow = user !== undefined && isReviewer(user)
    if (isNow === isReviewing(old?.announced)) return { result: undefined, writes: [] }
    const box = isNow ? withSpan(user, old ?? emptyInbox(user_id)) : withoutSpan(old, lastIdIn(found))
    return { result: undefined, writes: box ? [put(inbox, withNextVersion<Inbox>(box, {}), old)] : [] }
  })

/** The inbox of someone who begins to review. */
function withSpan(user: User, box: Inbox): Inbox {
  const living = (box.announced?.spans ?? []).filter(({ through }) => through !== null && through >= oldestId())
  const since = startOfReview(user, box)
  const announced: AnnouncedTo = {
    spans: [...living, { since, through: null }],
    read_through: box.announced?.read_through ?? '',
    told_through: firstIdAt(Date.parse(since)),
  }
  return { ...box, announced }
}

/** When someone began to review: when they got the role, or when it became active again. An imported role may be older than the account. */
function startOfReview({ created_at, reviewer_role: role }: User, { announced }: Inbox): string {
  const begun = (announced ? role?.updated_at : role?.created_at) ?? created_at
  return laterOf(begun, created_at)
}

/** The inbox of someone who reviews no longer. Announcements that no letter has held yet make a last letter due. */
function withoutSpan(box: Inbox | undefined, last: string): Inbox | undefined {
  if (!box?.announced) return undefined
  const { announced, mailing } = box
  const spans = announced.spans.map((it) => (it.through === null ? { ...it, through: last } : it))
  const isUntold = announced.told_through < last
  const due = mailing && isUntold ? withDue(mailing, clock.now().toISOString()) : mailing
  return { ...box, announced: { ...announced, spans }, mailing: due }
}
