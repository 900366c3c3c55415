import { get, parse, walk } from '../../engines/table/index.ts'
import { arrivalKey, type Inbox, inbox, notification, oldestId, unmarkedOf } from './items.ts'
import { idBefore, laterOf, ownRows, type Row, readAnnouncedRows, takeRows } from './rows.ts'

/** Unread notifications are counted up to this number: 100 means "100 or more". */
export const MOST_COUNTED = 100
/** The most announcements for this person that are looked at to count the unread ones. */
const MOST_READ = 1000

/** Counts unread notifications and announcements, up to 100. Costs two calls, and two more for the announcements of a reviewer. */
export const countUnread = async (user_id: string): Promise<number> =>
  (await loadUnread(user_id, await get(inbox, { user_id }))).length

/** Loads up to 100 unread rows, in no order. */
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

/** Loads up to 100 unread announcements, oldest first, from `read_through` on. */
async function loadAnnouncedUnread(box: Inbox): Promise<Row[]> {
  const from = unreadStart(box)
  return takeRows(
    readAnnouncedRows(box, undefined, { forward: true, from }, MOST_COUNTED),
    { forward: true, most: MOST_COUNTED, mostRead: MOST_READ },
    ({ is_read }) => !is_read,
  )
}

/** Announcements after this sort key may be unread. */
export const unreadStart = ({ announced }: Inbox): string => laterOf(idBefore(oldestId()), announced?.read_through)
