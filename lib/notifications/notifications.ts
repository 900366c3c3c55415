import * as v from 'valibot'
import { clock, nowSeconds } from '../clock.ts'
import { invalid } from '../errors.ts'
import { firstIdAt, isNotificationId, notificationId } from '../ids/notification-id.ts'
import { type Actor, mayInspect, mayVisit } from '../permissions.ts'
import { asSubject, type Project, project } from '../projects/items.ts'
import { type RecordItem, recordItem } from '../records/items.ts'
import { amended, defineItem, parse, put, type Write } from '../table/item.ts'
import { type Key, key } from '../table/keys.ts'
import { DEEPEST_OFFSET, type PageRequest, type PageResult, readList } from '../table/pages.ts'
import { get, getMany, itemIn, type Stored, walk } from '../table/read.ts'
import { type Plan, retryOnConflict } from '../table/retry.ts'
import { type PeopleById, peopleIn } from '../users/people.ts'
import { keyOf } from '../users/users.ts'
import { type NoticeName, notices, notificationTypes } from './events.ts'
import { Mailing, withDue } from './mailing.ts'

/**
 * What people are told. A notification is stored once, however often its event is heard, and kept for 180 days. The
 * inbox beside them knows how many are unread, and that everything which had arrived by some moment is read.
 */
const LIFETIME = 180 * 24 * 3600

export const Notification = v.object({
  notification_id: v.string(),
  user_id: v.string(),
  notification_type: v.picklist(notificationTypes),
  notice: v.custom<NoticeName>((it) => typeof it === 'string' && it in notices),
  /** What it tells of; with the moment it makes the id. */
  event: v.string(),
  /** Null: the service itself. */
  actor_id: v.nullable(v.string()),
  entity_id: v.nullable(v.string()),
  project_id: v.optional(v.nullable(v.string()), null),
  detail: v.string(),
  is_read: v.boolean(),
  /** Its ordinal among the notifications of its user. */
  arrival: v.number(),
  created_at: v.string(),
  version: v.number(),
})
export type Notification = v.InferOutput<typeof Notification>

const listOf = (user: string, type?: string) => `NOTIFICATION#${user}${type === undefined ? '' : `#${type}`}`
const expiryOf = (it: { created_at: string }) => Math.floor(Date.parse(it.created_at) / 1000) + LIFETIME
/** Every id below this one has expired, whether the table has dropped it or not. */
const oldestId = () => firstIdAt(clock.now().getTime() - LIFETIME * 1000)

export const notification = defineItem({
  type: 'notification',
  schema: Notification,
  key: (it: { user_id: string; notification_id: string }) => key.notification(it.user_id, it.notification_id),
  indexes: (it) => ({
    gsi3: { pk: listOf(it.user_id), sk: it.notification_id },
    gsi4: { pk: listOf(it.user_id, it.notification_type), sk: it.notification_id },
  }),
  expires: expiryOf,
})

const Inbox = v.object({
  user_id: v.string(),
  /** How many there are, and how many of them are unread, by type. */
  held: v.record(v.string(), v.number()),
  unread: v.record(v.string(), v.number()),
  /** How many have ever arrived. */
  arrived: v.number(),
  /** Whatever arrived up to this one is read. */
  read_through: v.number(),
  /** Of who wants letters, and of nobody else. */
  mailing: v.optional(Mailing),
  version: v.number(),
})
export type Inbox = v.InferOutput<typeof Inbox>
export const inbox = defineItem({
  type: 'inbox',
  schema: Inbox,
  key: ({ user_id }: { user_id: string }) => key.inbox(user_id),
  indexes: ({ mailing, user_id }) => (mailing?.due_at ? { gsi2: { pk: DUE, sk: `${mailing.due_at}#${user_id}` } } : {}),
})
/** The inboxes for which a letter is due, by when. */
export const DUE = 'INBOX#DUE'

/** Stands for one that the table has dropped, so that it is taken out of the counts once. */
const uncounted = defineItem({
  type: 'gone_notification',
  schema: v.object({ user_id: v.string(), notification_id: v.string(), until: v.number(), version: v.number() }),
  key: (it: { user_id: string; notification_id: string }) => key.goneNotification(it.user_id, it.notification_id),
  expires: (it) => it.until,
})

export type NewNotification = Pick<
  Notification,
  'user_id' | 'notice' | 'event' | 'actor_id' | 'entity_id' | 'detail' | 'created_at'
> & {
  project_id?: string | null
  /** The request whose change it comes of, where another writes it. */
  request_id?: string | undefined
}

/** So many are stored in one transaction, with the inbox. */
const STORED_AT_ONCE = 90

/** Stores notifications of one person, in order, in as few transactions as they fit into; what is there already, or whose time is over, is passed over. */
export async function sendAll(user_id: string, told: readonly NewNotification[]): Promise<void> {
  let left = told.filter((it) => expiryOf(it) > nowSeconds())
  // Two events of one moment may give one id: the second takes the next.
  for (let turn = 0; left.length > 0; turn += 1) {
    const taken: NewNotification[] = []
    for (let start = 0; start < left.length; start += STORED_AT_ONCE)
      taken.push(...(await sendSome(user_id, left.slice(start, start + STORED_AT_ONCE), turn)))
    left = taken
  }
}

const sameEvent = (a: NewNotification, b: NewNotification) => a.event === b.event && a.notice === b.notice

/** Stores some of them; answers those whose id another event has. */
const sendSome = (user_id: string, told: readonly NewNotification[], turn: number): Promise<NewNotification[]> =>
  changeInbox(async () => {
    const wanted = new Map<string, NewNotification>()
    const taken: NewNotification[] = []
    for (const it of told) {
      const id = notificationId(Date.parse(it.created_at), `${it.event}#${it.notice}#${turn}`)
      const other = wanted.get(id)
      if (other && !sameEvent(other, it)) taken.push(it)
      else wanted.set(id, it)
    }
    const keys = [...wanted.keys()].map((id) => key.notification(user_id, id))
    const found = await getMany([...keys, key.inbox(user_id)], true)
    const old = itemIn(found, inbox, { user_id })
    let box = old ?? empty(user_id)
    const writes: Write[] = []
    for (const [notification_id, it] of wanted) {
      const there = itemIn(found, notification, { user_id, notification_id })
      if (there && !sameEvent(there, it)) taken.push(it)
      if (there) continue
      const { type } = notices[it.notice]
      box = { ...box, arrived: box.arrived + 1, held: plus(box.held, type, 1), unread: plus(box.unread, type, 1) }
      const made = { ...it, user_id, notification_id, notification_type: type, arrival: box.arrived }
      writes.push(put(notification, { project_id: null, ...made, is_read: false, version: 1 }, undefined))
    }
    if (writes.length > 0) {
      const mailing = box.mailing && withDue(box.mailing, clock.now().toISOString())
      writes.push(put(inbox, amended<Inbox>(box, { mailing }), old))
    }
    return { result: taken, writes }
  })

/** Takes one that the table has dropped out of the counts, once however often it is told. */
export const uncountExpired = (stored: Stored): Promise<void> =>
  changeInbox(async () => {
    const it = parse(notification, stored)
    const found = await getMany([uncounted.key(it), key.inbox(it.user_id)], true)
    if (itemIn(found, uncounted, it)) return { result: undefined, writes: [] }
    const box = itemIn(found, inbox, it)
    const mark = {
      user_id: it.user_id,
      notification_id: it.notification_id,
      until: nowSeconds() + 7 * 24 * 3600,
      version: 1,
    }
    return {
      result: undefined,
      writes: [
        put(uncounted, mark, undefined),
        ...(box ? [put(inbox, amended<Inbox>(box, without(box, it)), box)] : []),
      ],
    }
  })

/** What an inbox holds, and of that what is unread, without one of its notifications. */
const without = (box: Inbox, it: Notification): Pick<Inbox, 'held' | 'unread'> => ({
  held: plus(box.held, it.notification_type, -1),
  unread: isRead(it, box) ? box.unread : plus(box.unread, it.notification_type, -1),
})

/** How many of a user's are unread: one small read. One that has just expired counts until the table has dropped it. */
export async function unreadOf(user: string): Promise<number> {
  const found = await getMany([key.inbox(user)])
  return unreadIn(itemIn(found, inbox, { user_id: user }))
}

/** Marks everything that has arrived as read, in one write; answers how many that were. */
export const markAllRead = (user_id: string): Promise<number> =>
  changeInbox(async () => {
    const box = await get(inbox, { user_id })
    const marked = unreadIn(box)
    if (!box || marked === 0) return { result: 0, writes: [] }
    const read = amended<Inbox>(box, { unread: {}, read_through: box.arrived })
    return { result: marked, writes: [put(inbox, read, box)] }
  })

/** Marks these as read; answers how many of them were not. Ids that name none of the user's are passed over. */
export async function markRead(user_id: string, ids: readonly string[]): Promise<number> {
  const wanted = [...new Set(ids)].filter(isNotificationId)
  let marked = 0
  for (let start = 0; start < wanted.length; start += AT_ONCE)
    marked += await markSome(user_id, wanted.slice(start, start + AT_ONCE))
  return marked
}

/** How many fit into one read and one transaction. */
const AT_ONCE = 90

const markSome = (user_id: string, ids: readonly string[]): Promise<number> =>
  changeInbox(async () => {
    const found = await getMany([key.inbox(user_id), ...ids.map((id) => key.notification(user_id, id))], true)
    const box = itemIn(found, inbox, { user_id })
    if (!box) return { result: 0, writes: [] }
    const fresh = ids.flatMap((id) => livingIn(found, user_id, id) ?? []).filter((it) => !isRead(it, box))
    if (fresh.length === 0) return { result: 0, writes: [] }
    const unread = fresh.reduce((counts, it) => plus(counts, it.notification_type, -1), box.unread)
    return {
      result: fresh.length,
      writes: [
        put(inbox, amended<Inbox>(box, { unread }), box),
        ...fresh.map((it) => put(notification, amended<Notification>(it, { is_read: true }), it)),
      ],
    }
  })

/** A notification as its reader is shown it; `about` is missing where they may not see the record any more. */
export type Shown = {
  notification: Notification
  is_read: boolean
  about: RecordItem | undefined
  on: Project | undefined
}

/** One of the caller's own. */
export async function load(id: string, actor: Actor): Promise<{ shown: Shown; people: PeopleById } | undefined> {
  if (!isNotificationId(id)) return undefined
  const stored = await getMany([key.notification(actor.id, id), key.inbox(actor.id)], true)
  const it = livingIn(stored, actor.id, id)
  if (!it) return undefined
  const found = await getMany(namedBy(it))
  return { shown: shownTo(actor, it, itemIn(stored, inbox, { user_id: actor.id }), found), people: peopleIn(found) }
}

export type Filter = { is_read?: boolean | undefined; notification_type?: string | undefined }
export type NotificationPage = PageResult<Shown> & { people: PeopleById }

/** One page of the caller's own, newest first: three calls. Read or unread ones are filtered from all, page by page. */
export async function list(
  { is_read, notification_type: type }: Filter,
  actor: Actor,
  place: PageRequest,
): Promise<NotificationPage> {
  const where = { index: type === undefined ? 'gsi3' : 'gsi4', pk: listOf(actor.id, type) } as const
  if (is_read !== undefined) return listByReadState(where, is_read, type, actor, place)
  const [expired, { items, found, first, last }] = await Promise.all([
    expiredIn(where),
    readList({ partitions: [where], counted: [] }, place, (page) => [
      key.inbox(actor.id),
      ...page.map((item) => parse(notification, item)).flatMap(namedBy),
    ]),
  ])
  const box = itemIn(found, inbox, { user_id: actor.id })
  const results = items.map((item) => parse(notification, item)).filter(isLiving)
  return {
    first,
    last,
    count: total(box?.held ?? {}, type) - expired.length,
    results: results.map((it) => shownTo(actor, it, box, found)),
    people: peopleIn(found),
  }
}

type Where = { index: 'gsi3' | 'gsi4'; pk: string }

/** At most this many calls of a hundred look for those that are read, or unread. */
const MOST_CALLS = 50

async function listByReadState(
  where: Where,
  is_read: boolean,
  type: string | undefined,
  actor: Actor,
  place: PageRequest,
): Promise<NotificationPage> {
  const [expired, state] = await Promise.all([expiredIn(where), getMany([key.inbox(actor.id)])])
  const box = itemIn(state, inbox, { user_id: actor.id })
  const fits = (it: Notification) => isRead(it, box) === is_read
  const unread = total(box?.unread ?? {}, type)
  const count = (is_read ? total(box?.held ?? {}, type) - unread : unread) - expired.filter(fits).length
  const page = await sift(where, fits, place, count)
  const found = await getMany(page.flatMap(namedBy))
  return {
    count,
    results: page.map((it) => shownTo(actor, it, box, found)),
    people: peopleIn(found),
    first: page.at(0)?.notification_id,
    last: page.at(-1)?.notification_id,
  }
}

async function sift(
  where: Where,
  fits: (it: Notification) => boolean,
  { limit, offset, from }: PageRequest,
  count: number,
): Promise<Notification[]> {
  if (!from && offset > DEEPEST_OFFSET)
    throw invalid({ offset: [`Follow the links in "next" to read beyond ${DEEPEST_OFFSET}.`] })
  const forward = from?.side === 'before'
  const skip = from ? 0 : offset
  const most = skip + (forward ? limit : Math.min(limit, Math.max(0, count - offset)))
  const hits: Notification[] = []
  let beyond = from?.at
  for (let calls = 0; calls < MOST_CALLS && hits.length < most; calls += 1) {
    const items = (await walk({ ...where, forward, limit: 100, beyond })).map((item) => parse(notification, item))
    hits.push(...items.filter((it) => isLiving(it) && fits(it)))
    beyond = items.at(-1)?.notification_id
    if (items.length < 100) break
  }
  const page = hits.slice(skip, skip + limit)
  return forward ? page.reverse() : page
}

/** Those that have expired and that the table has not dropped yet: at most of two days, and as a rule none. */
async function expiredIn(where: Where): Promise<Notification[]> {
  const oldest = async (limit: number) =>
    (await walk({ ...where, forward: true, limit }))
      .map((item) => parse(notification, item))
      .filter((it) => !isLiving(it))
  return (await oldest(1)).length === 0 ? [] : oldest(1000)
}

/** What a notification names: its record or project, and who made the event. */
export const namedBy = ({ entity_id, project_id, actor_id }: Notification): Key[] => [
  ...(entity_id === null ? [] : [key.head(entity_id)]),
  ...(project_id === null ? [] : [key.project(project_id)]),
  ...(actor_id === null ? [] : [keyOf(actor_id)]),
]

export function shownTo(
  actor: Actor,
  it: Notification,
  box: Inbox | undefined,
  found: ReadonlyMap<string, Stored>,
): Shown {
  const about = it.entity_id === null ? undefined : itemIn(found, recordItem, { entity_id: it.entity_id })
  const on = it.project_id === null ? undefined : itemIn(found, project, { id: it.project_id })
  return {
    notification: it,
    is_read: isRead(it, box),
    about: about && mayInspect(actor, about) ? about : undefined,
    on: on && mayVisit(actor, asSubject(on)) ? on : undefined,
  }
}

export const isLiving = (it: { notification_id: string }) => it.notification_id >= oldestId()
export const isRead = (it: Notification, box: Inbox | undefined) => it.is_read || it.arrival <= (box?.read_through ?? 0)
const unreadIn = (box: Inbox | undefined) => total(box?.unread ?? {}, undefined)

/** How many there are of each type. */
type Sizes = Readonly<Record<string, number>>
export const plus = (sizes: Sizes, type: string, by: number) => ({
  ...sizes,
  [type]: Math.max(0, (sizes[type] ?? 0) + by),
})
/** How many there are of one type, or of all. */
const total = (sizes: Sizes, type: string | undefined): number =>
  type === undefined ? Object.values(sizes).reduce((sum, n) => sum + n, 0) : (sizes[type] ?? 0)
/** Before the first one arrives. */
export const empty = (user_id: string): Inbox => ({
  user_id,
  held: {},
  unread: {},
  arrived: 0,
  read_through: 0,
  version: 0,
})

function livingIn(found: ReadonlyMap<string, Stored>, user_id: string, id: string): Notification | undefined {
  const it = itemIn(found, notification, { user_id, notification_id: id })
  return it && isLiving(it) ? it : undefined
}

/** Several write to one inbox at a time: whoever comes second looks again. */
export const changeInbox = <T>(plan: () => Promise<Plan<T>>): Promise<T> => retryOnConflict(plan, { attempts: 20 })
