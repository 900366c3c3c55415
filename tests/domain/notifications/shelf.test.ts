import { beforeAll, expect, test } from 'vitest'
import type { NotificationFilter } from '../../../lib/domain/notifications/list.ts'
import type { User } from '../../../lib/platform/users/users.ts'
import { type App, openApp } from '../../harness/app.ts'
import { changeUser, createUser } from '../../harness/people.ts'

let app: App
beforeAll(async () => {
  app = await openApp({ env: { LOG_LEVEL: 'silent' } })
})

/** What people have been told, written down as one would by hand, beside what the table makes of it. */
type Told = { event: string; type: string; at: number; is_read: boolean; own: boolean }
type Reader = { user: User; reviews: boolean; told: Told[] }

const DAY = 24 * 3600
const noticeOf = { submission_update: 'waiting', project_state_changed: 'project_in_review' } as const
const types = ['submission_update', 'submission_update', 'project_state_changed'] as const
let events = 0

/** Numbers that a seed decides. */
function dice(seed: number) {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
type Chance = ReturnType<typeof dice>

function never(): never {
  throw new Error('nothing is there')
}

const load = async () => ({
  ...(await import('../../../lib/base/clock.ts')),
  ...(await import('../../../lib/domain/notifications/announcements.ts')),
  ...(await import('../../../lib/domain/notifications/list.ts')),
  ...(await import('../../../lib/domain/notifications/membership.ts')),
  ...(await import('../../../lib/domain/notifications/reading.ts')),
  ...(await import('../../../lib/domain/notifications/send.ts')),
  ...(await import('../../../lib/domain/notifications/unread.ts')),
  ...(await import('../../../lib/platform/users/actor.ts')),
  ...(await import('../../../lib/platform/unit-of-work.ts')),
})
type Lib = Awaited<ReturnType<typeof load>>

const present = ({ clock }: Lib) => clock.now().getTime()
const textOf = (at: number) => new Date(at).toISOString()
const isLiving = (lib: Lib, { at }: Told) => at >= present(lib) - 180 * DAY * 1000
const someNews = (event: string, at: number) => ({ event, detail: event, entity_id: null, created_at: textOf(at) })

/** Announces some things, of which some come of a reader, now and then twice. */
async function announce(lib: Lib, readers: readonly Reader[], chance: Chance): Promise<void> {
  const news = Array.from({ length: 1 + chance(chance(8) === 0 ? 40 : 4) }, () => {
    app.tick(1)
    const author = chance(3) === 0 ? (readers[chance(readers.length)] ?? never()).user.id : 'someone'
    const type = types[chance(3)] ?? never()
    const what = someNews(`event ${++events}`, present(lib))
    return { ...what, type, actor_id: author, notice: noticeOf[type], not_for: [author] }
  })
  const at = present(lib)
  for (const { event, type, actor_id } of news)
    for (const it of readers.filter(({ reviews, user }) => reviews && user.id !== actor_id))
      it.told.push({ event, type, at, is_read: false, own: false })
  const sent = news.map(({ type: _, ...it }) => it)
  await lib.announceAll(sent)
  if (chance(4) === 0) await lib.announceAll(sent)
}

async function send(lib: Lib, it: Reader): Promise<void> {
  app.tick(1)
  const [at, event] = [present(lib), `event ${++events}`]
  it.told.push({ event, type: 'moderation', at, is_read: false, own: true })
  await lib.sendAll(it.user.id, [{ ...someNews(event, at), actor_id: null, notice: 'flagged' }])
}

/** Someone begins or ends reviewing. */
async function turn(lib: Lib, it: Reader): Promise<void> {
  app.tick(1)
  it.reviews = !it.reviews
  const at = textOf(present(lib))
  const role = { role: 'community_reviewer' as const, expertise_areas: [], assigned_by: null, updated_at: at }
  const changed = await changeUser(it.user.id, ({ id, reviewer_role: old }) => ({
    reviewer_role: { ...role, id, created_at: old?.created_at ?? at, is_active: it.reviews },
  }))
  it.user = changed ?? never()
  await lib.followReviewer(it.user.id)
  await lib.followReviewer(it.user.id)
}

/** All pages of a list, forth, and the last but one back again. */
async function pages(lib: Lib, it: Reader, filter: NotificationFilter, limit: number) {
  const actor = lib.actorOf(it.user)
  const seen: string[] = []
  let earlier: string[] = []
  let from: { side: 'after'; at: string } | undefined
  for (;;) {
    const page = await lib.listNotifications(filter, actor, { limit, offset: seen.length, from })
    const shown = page.results.map(({ message, is_read }) => `${message.event} ${is_read}`)
    if (from && page.first) {
      const offset = seen.length - earlier.length
      const before = { limit, offset, from: { side: 'before' as const, at: page.first } }
      const back = await lib.listNotifications(filter, actor, before)
      expect(back.results.map(({ message, is_read }) => `${message.event} ${is_read}`)).toEqual(earlier)
    }
    seen.push(...shown)
    earlier = shown
    if (page.results.length < limit || !page.last) return { count: page.count, seen }
    from = { side: 'after', at: page.last }
  }
}

/** Whatever can be asked of a list. */
const filters = [undefined, false, true].flatMap((is_read) =>
  [undefined, 'submission_update', 'project_state_changed', 'moderation'].map((notification_type) => ({
    is_read,
    notification_type,
  })),
)

/** A third of them, with each type, and with what is read, unread and both. */
const someOf = (chance: Chance) => {
  const turn = chance(3)
  return filters.filter((_, i) => i % 3 === turn)
}

/** What is unread is counted up to a hundred. */
const atMost100 = (some: readonly Told[]) => Math.min(some.length, 100)

/** What someone can ask is as it was written down. */
async function check(lib: Lib, it: Reader, chance: Chance, asked: readonly NotificationFilter[]): Promise<void> {
  const inOrder = it.told.map((one, i) => ({ ...one, i })).sort((a, b) => b.at - a.at || b.i - a.i)
  const unread = inOrder.filter((one) => !one.is_read && isLiving(lib, one))
  expect(await lib.countUnread(it.user.id)).toBe(atMost100(unread))
  for (const filter of asked) {
    const { is_read, notification_type } = filter
    const wanted = inOrder.filter(
      (one) =>
        isLiving(lib, one) && (is_read ?? one.is_read) === one.is_read && (notification_type ?? one.type) === one.type,
    )
    const found = await pages(lib, it, filter, 8 + chance(40))
    expect(found).toEqual({ count: wanted.length, seen: wanted.map((one) => `${one.event} ${one.is_read}`) })
  }
}

async function mark(lib: Lib, it: Reader, chance: Chance): Promise<void> {
  const { results } = await lib.listNotifications({}, lib.actorOf(it.user), { limit: 100, offset: chance(10) })
  const some = results.map(({ message }) => message).filter(() => chance(3) === 0)
  const fresh = it.told.filter(({ event, is_read }) => !is_read && some.some((one) => one.event === event))
  const ids = some.map((one) => one.notification_id)
  expect(await lib.inUnit((unit) => lib.markRead(unit, it.user.id, [...ids, ...ids, 'nothing']))).toBe(fresh.length)
  for (const each of fresh) each.is_read = true
}

async function markAll(lib: Lib, it: Reader): Promise<void> {
  const fresh = it.told.filter((one) => !one.is_read && isLiving(lib, one))
  expect(await lib.inUnit((unit) => lib.markAllRead(unit, it.user.id))).toBe(atMost100(fresh))
  for (const each of it.told) each.is_read = true
}

test.each([1, 2])('whatever happens, everybody has what they were told: seed %i', async (seed) => {
  const lib = await load()
  const chance = dice(seed)
  const readers: Reader[] = []
  for (let i = 0; i < 3; i += 1) {
    const name = `shelf-${seed}-${i}`
    const user = await createUser({ email: `${name}@heritage.test`, username: name })
    readers.push({ user, reviews: false, told: [] })
  }
  const one = () => readers[chance(readers.length)] ?? never()
  const steps = [
    ...Array.from({ length: 8 }, () => () => announce(lib, readers, chance)),
    ...Array.from({ length: 3 }, () => () => send(lib, one())),
    ...Array.from({ length: 3 }, () => () => turn(lib, one())),
    ...Array.from({ length: 4 }, () => () => mark(lib, one(), chance)),
    () => markAll(lib, one()),
    async () => app.tick(chance(chance(3) === 0 ? 60 : 2) * DAY),
  ]
  for (let step = 1; step <= 120; step += 1) {
    await (steps[chance(steps.length)] ?? never())()
    if (step % 15 === 0) for (const it of readers) await check(lib, it, chance, step === 120 ? filters : someOf(chance))
  }
  expect(events).toBeGreaterThan(100)
})
