import { get, parse, walk } from '../../engines/table/index.ts'
import { arrivalKey, type Inbox, inbox, notification, oldestId, unmarkedOf } from './items.ts'
import { announcedRuns, idBefore, laterOf, ownRows, type Row, takeRows } from './rows.ts'

/** Unread notifications are counted up to so many: 100 means "100 or more". */
export const MOST_COUNTED = 100
/** So many steps of a hundred announcements are read to count the unread ones. */
const MOST_STEPS = 10

/** How many are unread, up to 100. One call for the inbox, then one for own notifications; a reviewer needs two more for announcements. */
export const countUnread = async (user_id: string): Promise<number> =>
  (await loadUnread(user_id, await get(inbox, { user_id }))).length

/** What is unread, up to 100 rows in no order. */
export async function loadUnread(user_id: string, box: Inbox | undefined): Promise<Row[]> {
  if (!box) return []
  const [own, announced] = await Promise.all([loadOwnUnread(user_id, box), loadAnnouncedUnread(box)])
  return [...own, ...announced].slice(0, MOST_COUNTED)
}

async function loadOwnUnread(user_id: string, box: Inbox): Promise<Row[]> {
  const beyond = arrivalKey(box.read_through)
  const items = await walk({ index: 'gsi2', pk: unmarkedOf(user_id), forward: true, limit: MOST_COUNTED, beyond })
  return ownRows(
    items.map((item) => parse(notification, item)),
    box,
  )
}

/** Oldest first, from the place up to which all is read. */
async function loadAnnouncedUnread(box: Inbox): Promise<Row[]> {
  const from = unreadStart(box)
  return takeRows(
    announcedRuns(box, undefined, { forward: true, from }),
    { forward: true, most: MOST_COUNTED, calls: MOST_STEPS },
    ({ is_read }) => !is_read,
  )
}

/** The sort key beyond which announcements may be unread. */
export const unreadStart = ({ announced }: Inbox): string => laterOf(idBefore(oldestId()), announced?.read_through)
