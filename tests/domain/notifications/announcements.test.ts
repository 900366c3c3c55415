import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { commandsOf, contribute, sure } from '../../harness/make.ts'
import { createUser } from '../../harness/people.ts'

let app: App
let following: Following
beforeAll(async () => {
  app = await openApp()
  following = await followTable()
  await following.settled()
})

type Row = { notification_id: string; message: string; is_read: boolean; created_at: string }
const place = '/data/notifications/'
const shelf = async (who: Persona, query: Record<string, string | number> = {}) =>
  sure(200, await who.get(place, { query: { limit: 100, ...query } }))
const messages = async (who: Persona): Promise<string[]> =>
  (await shelf(who)).results.map(({ message }: Row) => message.replace('A contribution waits for review: ', ''))
const unread = async (who: Persona) => sure(200, await who.get(`${place}unread_count/`)).unread_count
const markRead = async (who: Persona, notification_ids: string[]) =>
  sure(200, await who.post(`${place}mark_read/`, { body: { notification_ids } })).marked_read
const markAll = async (who: Persona) => sure(200, await who.post(`${place}mark_all_read/`)).marked_read

type Reader = Persona & { id: string; again: () => Promise<Persona> }
let people = 0
/** Someone who has just signed up. */
async function someone(): Promise<Reader> {
  const username = `announced-${++people}`
  const password = 'correct horse battery'
  sure(201, await app.anon.post('/api/register/', { body: { username, email: `${username}@example.org`, password } }))
  const again = async () =>
    app.as(sure(200, await app.anon.post('/api/token/', { body: { username, password } })).access)
  const who = await again()
  return { ...who, id: sure(200, await who.get('/api/user/info')).id, again }
}
async function appoint({ id }: Reader) {
  app.tick(1)
  return app.curator.post('/data/reviewer-roles/assign/', { body: { user_id: id, role: 'community_reviewer' } })
}
const dismiss = async ({ id }: Reader) => sure(204, await app.curator.delete(`/data/reviewer-roles/${id}/`))
/** Someone who reviews, and has been told of that. */
async function reviewer(): Promise<Reader> {
  const who = await someone()
  sure(201, await appoint(who))
  await following.settled()
  await markAll(who)
  return who
}
let contributed = 0
async function waiting(by: Persona = app.contributor, name = `Waiting ${++contributed}`): Promise<string> {
  app.tick(1)
  await contribute(by, 'events', { name })
  await following.settled()
  return name
}
const waits = async (who: Persona) => (await messages(who)).filter((it) => it.startsWith('Waiting'))

describe('what is announced to all reviewers', () => {
  test('is told to who reviews then, and to nobody who reviews later or no longer', async () => {
    const who = await reviewer()
    const later = await someone()
    const first = await waiting()
    sure(201, await appoint(later))
    const second = await waiting()
    expect([await waits(who), await waits(later)]).toEqual([[second, first], [second]])
    await dismiss(who)
    const third = await waiting()
    // What they were told is there still, and says nothing of what they may not see any more.
    expect((await messages(who)).filter((it) => it.startsWith('A contribution'))).toEqual([
      'A contribution waits for review.',
      'A contribution waits for review.',
    ])
    expect(await waits(later)).toEqual([third, second])
    sure(201, await appoint(who))
    const fourth = await waiting()
    expect(await waits(who)).toEqual([fourth, second, first])
    const { count, results } = await shelf(who)
    expect([count, await unread(who)]).toEqual([results.length, results.filter((it: Row) => !it.is_read).length])
  })

  test('is not told to whom it comes of, who stays exactly counted', async () => {
    const who = await reviewer()
    const other = await reviewer()
    const own = await waiting(who)
    const another = await waiting()
    expect(await messages(who)).toEqual([
      another,
      `Your contribution waits for review: ${own}`,
      'You review as community reviewer from now on.',
    ])
    expect([(await shelf(who)).count, await unread(who)]).toEqual([3, 2])
    expect(await waits(other)).toEqual([another, own])
    const { results } = await shelf(other)
    const [, { notification_id }] = results
    expect((await other.get(`${place}${notification_id}/`)).body).toEqual(results[1])
    expect((await who.get(`${place}${notification_id}/`)).status).toBe(404)
    expect(await markRead(who, [notification_id])).toBe(0)
  })

  test('is nobody else’s business', async () => {
    const who = await reviewer()
    await waiting()
    const [{ notification_id }] = (await shelf(who)).results
    const later = await reviewer()
    for (const [other, status] of [
      [app.contributor, 404],
      [later, 404],
      [app.anon, 401],
    ] as const)
      expect((await other.get(`${place}${notification_id}/`)).status).toBe(status)
    expect(await markRead(later, [notification_id])).toBe(0)
  })

  test('before it was noted that someone reviews is told to them, once they do', async () => {
    const { handler } = await import('../../../functions/projector.ts')
    await following.settled()
    const who = await someone()
    app.tick(1)
    await contribute(app.contributor, 'events', { name: 'Waiting before the role' })
    app.tick(1)
    sure(201, await appoint(who))
    app.tick(1)
    await contribute(who, 'events', { name: 'Waiting of their own' })
    await contribute(app.contributor, 'events', { name: 'Waiting after the role' })
    const records = await following.take()
    const isOfUser = ({ dynamodb }: (typeof records)[number]) => dynamodb?.Keys?.pk?.S === `USER#${who.id}`
    await handler({ Records: records.filter((it) => !isOfUser(it)) })
    expect(await waits(who)).toEqual([])
    await handler({ Records: records.filter(isOfUser) })
    await handler({ Records: records.filter(isOfUser) })
    await following.settled()
    expect(await waits(who)).toEqual(['Waiting after the role'])
    expect([(await shelf(who)).count, await unread(who)]).toEqual([3, 3])
  })

  test('is read by each alone, one by one or all at once', async () => {
    const [who, other] = [await reviewer(), await reviewer()]
    for (let i = 0; i < 3; i += 1) await waiting()
    const [a, b] = (await shelf(who)).results.map((it: Row) => it.notification_id)
    expect([await markRead(who, [a, a, 'nothing']), await markRead(who, [a, b]), await markRead(who, [a, b])]).toEqual([
      1, 1, 0,
    ])
    expect([await unread(who), await unread(other)]).toEqual([1, 3])
    expect((await shelf(who)).results.slice(0, 3).map((it: Row) => it.is_read)).toEqual([true, true, false])
    expect((await shelf(who, { is_read: 'false' })).results).toHaveLength(1)
    expect((await other.get(`${place}${a}/`)).body.is_read).toBe(false)
    expect((await who.get(`${place}${a}/`)).body.is_read).toBe(true)
    expect([await markAll(who), await markAll(who), await unread(who), await unread(other)]).toEqual([1, 0, 0, 3])
    await waiting()
    expect([await unread(who), (await shelf(who, { is_read: 'false' })).count]).toEqual([1, 1])
  })

  test('is shown for 180 days', async () => {
    const day = 24 * 3600
    const who = await reviewer()
    await waiting(app.contributor, 'Waiting long')
    await waiting(who, 'Waiting long, of their own')
    const old = (await shelf(who)).results.find((it: Row) => it.message.endsWith('Waiting long'))
    app.tick(90 * day)
    const half = await who.again()
    await waiting(half, 'Waiting of their own since half the time')
    await waiting(app.contributor, 'Waiting since half the time')
    app.tick(90 * day + 10)
    const later = await who.again()
    for (const query of [{}, { is_read: 'false' }, { is_read: 'true' }, { notification_type: 'submission_update' }]) {
      const { count, results } = await shelf(later, query)
      expect([query, count]).toEqual([query, results.length])
      expect(results.map((row: Row) => row.notification_id)).not.toContain(old.notification_id)
    }
    expect((await later.get(`${place}${old.notification_id}/`)).status).toBe(404)
    expect(await markRead(later, [old.notification_id])).toBe(0)
    expect(await waits(later)).toEqual(['Waiting since half the time'])
    await waiting(app.contributor, 'Waiting at last')
    const many = await unread(later)
    const [newest, next] = (await shelf(later, { is_read: 'false' })).results
    for (const [i, { notification_id }] of [newest, next].entries()) {
      expect(await markRead(later, [notification_id])).toBe(1)
      expect(await unread(later)).toBe(many - i - 1)
    }
  })
})

describe('what it costs', () => {
  test('to announce a contribution is the same for 5 reviewers and for 50', async () => {
    const { clock } = await import('../../../lib/base/clock.ts')
    const appointMany = async (many: number) => {
      for (let i = 0; i < many; i += 1) {
        const [id, at] = [crypto.randomUUID(), clock.now().toISOString()]
        const role = {
          id,
          role: 'community_reviewer' as const,
          expertise_areas: [],
          is_active: true,
          assigned_by: null,
        }
        const reviewer_role = { ...role, created_at: at, updated_at: at }
        await createUser({ id, email: `${id}@heritage.test`, username: id.slice(0, 20), reviewer_role })
      }
      await following.settled()
    }
    const { handler } = await import('../../../functions/projector.ts')
    const cost = async () => {
      app.tick(1)
      await contribute(app.contributor, 'events', { name: `Waiting ${crypto.randomUUID()}` })
      const Records = await following.take()
      const commands = await commandsOf(() => handler({ Records }))
      const after = (await following.take()).map((it) => it.dynamodb?.Keys?.pk?.S ?? '')
      const told = after.filter((pk) => /^(ANNOUNCED|NOTIFICATION|INBOX)/.test(pk))
      return { calls: commands.length, told: told.map((pk) => pk.split('#')[0]).sort() }
    }
    await appointMany(5)
    await cost()
    const few = await cost()
    await appointMany(45)
    await cost()
    expect(await cost()).toEqual(few)
    expect(few.told).toEqual(['ANNOUNCED', 'ANNOUNCED', 'ANNOUNCED', 'INBOX', 'NOTIFICATION'])
  })

  test('to ask how many are unread is four calls, and the read of those that are unread', async () => {
    const who = await reviewer()
    for (let i = 0; i < 3; i += 1) await waiting()
    for (let i = 0; i < 20; i += 1) await contribute(app.contributor, 'events', { name: `Waiting too ${i}` })
    await following.settled()
    const base = (await who.get('/data/testme/')).cost
    const { body, cost } = await who.get(`${place}unread_count/`)
    expect(body).toEqual({ unread_count: 23 })
    expect([cost.calls - base.calls, cost.units - base.units]).toEqual([4, 4])
  })
})
