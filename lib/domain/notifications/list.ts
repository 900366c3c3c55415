import { invalid } from '../../base/errors.ts'
import { isNotificationId } from '../../base/ids/notification-id.ts'
import type { PageRequest, PageResult } from '../../engines/table/index.ts'
import { DEEPEST_OFFSET, get, getMany, itemIn, type Key, type Stored } from '../../engines/table/index.ts'
import { type Actor, mayInspect, mayVisit } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { type PeopleById, peopleIn } from '../../platform/users/people.ts'
import { keyOf } from '../../platform/users/users.ts'
import { asSubject, type Project, project } from '../projects/items.ts'
import { type RecordItem, recordItem } from '../records/items.ts'
import { announcement } from './announcements.ts'
import { type Inbox, inbox, livingIn, type Message } from './items.ts'
import {
  announcedRows,
  type Direction,
  idOf,
  ownRows,
  type Row,
  readAnnouncedRows,
  readOwnRows,
  takeRows,
} from './rows.ts'
import { loadUnread, MOST_COUNTED } from './unread.ts'

/** A notification as its reader may see it. `about` and `on` are undefined if the reader may no longer see the record or project. */
export type VisibleNotification = {
  message: Message & { user_id: string }
  is_read: boolean
  about: RecordItem | undefined
  on: Project | undefined
}

/** Loads a notification of the caller, or an announcement for them. Undefined if the id names neither. Two calls, or up to four. */
export async function loadNotification(
  id: string,
  actor: Actor,
): Promise<{ notification: VisibleNotification; people: PeopleById } | undefined> {
  if (!isNotificationId(id)) return undefined
  const stored = await getMany([key.notification(actor.id, id), key.inbox(actor.id)], true)
  const box = itemIn(stored, inbox, { user_id: actor.id })
  const own = livingIn(stored, actor.id, id)
  const [row] = own ? ownRows([own], box) : await loadAnnouncedRow(id, box)
  if (!row) return undefined
  const { notifications, people } = await resolveRows(actor, [row])
  const [notification] = notifications
  return notification && { notification, people }
}

async function loadAnnouncedRow(id: string, box: Inbox | undefined): Promise<Row[]> {
  if (!box?.announced) return []
  const announced = await get(announcement, { notification_id: id })
  return announced ? announcedRows([announced], box) : []
}

export type NotificationFilter = { is_read?: boolean | undefined; notification_type?: string | undefined }
export type NotificationPage = PageResult<VisibleNotification> & { people: PeopleById }

/** The most rows that are read for one page. The filter `is_read` may have to skip many. */
const MOST_READ = 5000

/**
 * One page of the caller's notifications and announcements, newest first. `count` is exact up to 100. A greater count is a lower
 * bound. Usually three to six calls; more if the filter `is_read` has to skip many rows.
 */
export async function listNotifications(
  filter: NotificationFilter,
  actor: Actor,
  page: PageRequest,
): Promise<NotificationPage> {
  const { limit, offset, from } = page
  if (!from && offset > DEEPEST_OFFSET)
    throw invalid({ offset: [`Follow the links in "next" to read beyond ${DEEPEST_OFFSET}.`] })
  const box = await get(inbox, { user_id: actor.id })
  const readRows = await rowReader(actor.id, filter, box)
  const isBack = from?.side === 'before'
  const start = from ? 0 : offset
  const needed = from ? limit + 1 : Math.max(offset + limit, MOST_COUNTED) + 1
  const [ahead, newest] = await Promise.all([
    readRows({ forward: isBack, from: from?.at }, needed),
    from && offset < MOST_COUNTED ? readRows({ forward: false, from: undefined }, MOST_COUNTED) : [],
  ])
  const rows = ahead.slice(start, start + limit)
  if (isBack) rows.reverse()
  const { notifications, people } = await resolveRows(actor, rows)
  const end = offset + rows.length
  const hasMore = isBack || ahead.length > start + limit
  return {
    count: Math.max(Math.min(ahead.length, MOST_COUNTED), newest.length, hasMore ? end + 1 : end),
    results: notifications,
    people,
    first: rows.at(0) && idOf(rows.at(0) as Row),
    last: rows.at(-1) && idOf(rows.at(-1) as Row),
  }
}

type ReadRows = (direction: Direction, most: number) => Promise<Row[]>

/**
 * Returns the function that reads the rows of a filter. If fewer than 100 notifications are unread, unread rows are filtered in
 * memory. Otherwise it walks the lists.
 */
async function rowReader(user_id: string, filter: NotificationFilter, box: Inbox | undefined): Promise<ReadRows> {
  const { is_read, notification_type: type } = filter
  const unread = is_read === false ? await loadUnread(user_id, box) : undefined
  if (unread && unread.length < MOST_COUNTED)
    return async (direction, most) => filterRows(unread, type, direction).slice(0, most)
  return (direction, most) =>
    takeRows(
      [readOwnRows(user_id, type, box, direction, most), ...readAnnouncedRows(box, type, direction, most)],
      { forward: direction.forward, most, mostRead: Math.max(MOST_READ, most) },
      (row) => is_read === undefined || row.is_read === is_read,
    )
}

const filterRows = (rows: readonly Row[], type: string | undefined, { forward, from }: Direction): Row[] =>
  rows
    .filter((row) => type === undefined || row.message.notification_type === type)
    .filter((row) => from === undefined || (forward ? idOf(row) > from : idOf(row) < from))
    .sort((a, b) => (idOf(a) < idOf(b) === forward ? -1 : 1))

/** Adds to rows the records, projects and people that they name, as the reader may see them now. One call for each hundred of these. */
export async function resolveRows(
  actor: Actor,
  rows: readonly Row[],
): Promise<{ notifications: VisibleNotification[]; people: PeopleById }> {
  const found = await getMany(
    rows.flatMap(({ message }) => keysNamedBy(message)),
    true,
  )
  return { notifications: rows.map((row) => visibleRow(actor, row, found)), people: peopleIn(found) }
}

/** The keys of the record, the project and the person that a message names. */
function keysNamedBy({ entity_id, project_id, actor_id }: Message): Key[] {
  return [
    ...(entity_id === null ? [] : [key.head(entity_id)]),
    ...(project_id === null ? [] : [key.project(project_id)]),
    ...(actor_id === null ? [] : [keyOf(actor_id)]),
  ]
}

function visibleRow(actor: Actor, { message, is_read }: Row, found: ReadonlyMap<string, Stored>): VisibleNotification {
  const { entity_id, project_id } = message
  const about = entity_id === null ? undefined : itemIn(found, recordItem, { entity_id })
  const on = project_id === null ? undefined : itemIn(found, project, { id: project_id })
  return {
    message: { ...message, user_id: actor.id },
    is_read,
    about: about && mayInspect(actor, about) ? about : undefined,
    on: on && mayVisit(actor, asSubject(on)) ? on : undefined,
  }
}
