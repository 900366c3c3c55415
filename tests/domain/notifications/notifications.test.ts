import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { commandsOf, contribute, decide, publish, sure } from '../../harness/make.ts'
import { createUser, signInAs } from '../../harness/people.ts'

let app: App
let following: Following
beforeAll(async () => {
  app = await openApp()
  following = await followTable()
})

type Row = {
  notification_id: string
  notification_type: string
  message: string
  link: string
  is_read: boolean
  entity_id: string | null
  entity_name: string
  created_at: string
}
const place = '/data/notifications/'
const shelf = async (who: Persona, query: Record<string, string | number> = {}) =>
  sure(200, await who.get(place, { query: { limit: 100, ...query } }))
const about = async (who: Persona, it: { cultural_entity_id: string }): Promise<Row[]> =>
  (await shelf(who)).results.filter((row: Row) => row.entity_id === it.cultural_entity_id)
const said = async (who: Persona, it: { cultural_entity_id: string }) =>
  (await about(who, it)).map((row) => row.message)
const unread = async (who: Persona) => sure(200, await who.get(`${place}unread_count/`)).unread_count
const idOf = async (who: Persona) => (await who.get('/api/user/info')).body.id
/** So many notifications of a user, sent without their events. */
async function sendMany(user_id: string, many: number, more: object = {}) {
  const { sendAll } = await import('../../../lib/domain/notifications/send.ts')
  const { clock } = await import('../../../lib/base/clock.ts')
  for (let i = 0; i < many; i += 1) {
    const created_at = new Date(clock.now().getTime() + i).toISOString()
    const it = { user_id, event: `sent ${i}`, actor_id: null, entity_id: null, detail: 'other', created_at }
    await sendAll(user_id, [{ notice: 'flagged', ...it, ...more }])
  }
}
/** Someone who has just signed up, and has been told nothing. */
async function someone(): Promise<Persona & { id: string; again: () => Promise<Persona> }> {
  const username = `reader-${crypto.randomUUID().slice(0, 8)}`
  const password = 'correct horse battery'
  sure(201, await app.anon.post('/api/register/', { body: { username, email: `${username}@example.org`, password } }))
  const signIn = async () =>
    app.as(sure(200, await app.anon.post('/api/token/', { body: { username, password } })).access)
  const who = await signIn()
  return { ...who, id: await idOf(who), again: signIn }
}

describe('a new contribution', () => {
  test('is told to its contributor and to every reviewer', async () => {
    const it = await contribute(app.contributor, 'structures', { name: 'Told of' })
    await following.settled()
    expect(await said(app.contributor, it)).toEqual(['Your contribution waits for review: Told of'])
    for (const who of [app.community, app.domain, app.curator]) {
      expect(await about(who, it)).toEqual([
        {
          notification_id: expect.stringMatching(/^[0-9A-Za-z]{11}$/),
          user: await idOf(who),
          notification_type: 'submission_update',
          message: 'A contribution waits for review: Told of',
          is_read: false,
          link: `/curation/review/${it.cultural_entity_id}`,
          entity_id: it.cultural_entity_id,
          entity_name: 'Told of',
          entity_category: 'monument',
          actor_username: 'dev',
          actor_display_name: 'Dev Heritage',
          project: null,
          submission: null,
          created_at: '2025-01-15T10:00:00.000Z',
        },
      ])
    }
    for (const who of [app.other, app.staff]) expect(await about(who, it)).toEqual([])
  })

  test('by a reviewer is told to the other reviewers', async () => {
    const it = await contribute(app.community, 'structures', { name: 'By a reviewer' })
    await following.settled()
    expect(await said(app.community, it)).toEqual(['Your contribution waits for review: By a reviewer'])
    expect(await said(app.domain, it)).toEqual(['A contribution waits for review: By a reviewer'])
  })

  test('tells nothing of the records that it only names', async () => {
    const it = await contribute(app.contributor, 'events', {
      name: 'Naming',
      took_place_at: 'A place of this name only',
    })
    await following.settled()
    expect(await said(app.domain, it)).toEqual(['A contribution waits for review: Naming'])
    expect((await shelf(app.domain)).results.map((row: Row) => row.entity_name)).not.toContain(
      'A place of this name only',
    )
  })
})

describe('a decision is told to the contributor, in words', () => {
  test.each([
    ['accept', {}, 'Your contribution was accepted'],
    ['request_changes', { feedback: 'Name a source.' }, 'A reviewer asks you to change your contribution'],
    ['reject', { feedback: 'Not heritage.' }, 'Your contribution was not accepted'],
    ['escalate', {}, 'Your contribution was passed on to another reviewer'],
  ])('%s', async (verdict, more, message) => {
    const name = `Decided ${verdict}`
    const it = await contribute(app.contributor, 'structures', { name })
    app.tick(1)
    sure(201, await decide(app.community, it, { verdict, ...more }))
    await following.settled()
    const [row] = await about(app.contributor, it)
    expect(row).toMatchObject({
      notification_type: 'review_decision',
      message: `${message}: ${name}`,
      link: `/knowledge/entity/view/${it.cultural_entity_id}`,
      actor_username: 'reviewer',
    })
    expect(await said(app.community, it)).toEqual([`A contribution waits for review: ${name}`])
  })

  test('and an escalation to whoever is asked', async () => {
    const it = await contribute(app.contributor, 'structures', { name: 'Passed on' })
    const escalated_to = await idOf(app.curator)
    app.tick(1)
    sure(201, await decide(app.community, it, { verdict: 'escalate', escalated_to }))
    await following.settled()
    expect((await said(app.curator, it))[0]).toBe('You are asked to decide on a contribution: Passed on')
    expect(await said(app.domain, it)).toEqual(['A contribution waits for review: Passed on'])
  })
})

test('a revision after a request for changes is told to who has asked for them, and nobody else', async () => {
  const it = await contribute(app.contributor, 'structures', { name: 'Reworked' })
  sure(201, await decide(app.community, it, { verdict: 'request_changes', feedback: 'Name a source.' }))
  app.tick(1)
  sure(200, await app.contributor.patch(`/cidoc/structures/${it.id}/`, { body: { note: 'With a source.' } }))
  await following.settled()
  expect((await about(app.community, it))[0]).toMatchObject({
    notification_type: 'revision',
    message: 'A contribution that you have reviewed was revised: Reworked',
    link: `/curation/review/${it.cultural_entity_id}`,
  })
  expect(await said(app.domain, it)).toEqual(['A contribution waits for review: Reworked'])
})

test('a flag is told to the contributor, unless they raised it', async () => {
  const it = await publish(app, 'structures', { name: 'Doubted' })
  const raise = async (who: Persona, flag_type: string) =>
    sure(201, await who.post('/data/review-flags/', { body: { entity: it.cultural_entity_id, flag_type } }))
  app.tick(1)
  await raise(app.other, 'questionable_source')
  await raise(app.contributor, 'low_confidence')
  await following.settled()
  const flagged = (await about(app.contributor, it)).filter((row) => row.notification_type === 'moderation')
  expect(flagged.map((row) => row.message)).toEqual(['A record of yours was flagged as questionable source: Doubted'])
  expect((await about(app.other, it)).length).toBe(0)
})

test('a notice separates the words of a code, and leaves names as they are', async () => {
  const { writeNotice } = await import('../../../lib/domain/notifications/events.ts')
  const said = (...[name, detail]: [Parameters<typeof writeNotice>[0], string]) =>
    writeNotice(name, { detail, about: undefined }).message
  expect(said('import_read', '"wells_of_patan.xlsx"')).toBe('Your table "wells_of_patan.xlsx" was read.')
  expect(said('proposal_approved', '"A_B"')).toBe('Your proposal "A_B" was approved.')
  expect(said('flagged', 'suspected_duplicate')).toBe('A record of yours was flagged as suspected duplicate.')
  expect(said('role', 'domain_expert')).toBe('You review as domain expert from now on.')
})

test('an event on a change of an item finds its record, as one on a new item does', async () => {
  const { eventOf } = await import('../../../lib/domain/effects/notify.ts')
  const it = await publish(app, 'structures', { name: 'Settled' })
  const { id } = sure(
    201,
    await app.other.post('/data/review-flags/', {
      body: { entity: it.cultural_entity_id, flag_type: 'low_confidence' },
    }),
  )
  await following.settled()
  // No event of ours is of this form yet: a flag that exists is settled.
  const before = eventOf.flag
  const events: Record<string, (typeof eventOf)[string]> = eventOf
  events.flag = ({ before: old, after }) =>
    old && after
      ? {
          notices: ['flagged'],
          event: `settled#${after.id}`,
          at: String(after.created_at),
          actor_id: null,
          entity_id: String(after.entity_id),
        }
      : undefined
  try {
    const body = { is_resolved: true }
    sure(200, await app.domain.patch(`/data/review-flags/${id}/`, { body }))
    await following.settled()
  } finally {
    if (before) events.flag = before
  }
  expect((await said(app.contributor, it)).filter((text) => text.includes('flagged')).length).toBe(2)
})

test('reads no record for changes that notify nobody, and all others with one call', async () => {
  const { loadHeads } = await import('../../../lib/domain/effects/notify.ts')
  const activityOf = (activity_type: string) => ({
    before: undefined,
    after: {
      pk: 'X',
      sk: 'Y',
      type: 'activity',
      entity_id: `11111111-1111-4111-8111-11111111111${activity_type.length}`,
      activity_id: 'a',
      activity_type,
      version: 1,
      comment: '',
      created_at: '2025-01-15T10:00:00.000Z',
      user_id: 'somebody',
    },
  })
  const callsFor = async (...types: string[]) =>
    (await commandsOf(() => loadHeads(types.map(activityOf) as never))).length
  expect([await callsFor('accepted', 'deleted'), await callsFor('submitted', 'revised', 'accepted')]).toEqual([0, 1])
})

test('a role is told to who has got it, and again when it becomes another', async () => {
  const who = await someone()
  const assign = async (role: string) =>
    app.curator.post('/data/reviewer-roles/assign/', { body: { user_id: who.id, role } })
  sure(201, await assign('community_reviewer'))
  app.tick(1)
  sure(200, await assign('community_reviewer'))
  app.tick(1)
  sure(200, await assign('domain_expert'))
  await following.settled()
  const roles = (await shelf(who)).results.filter((row: Row) => row.notification_type === 'general')
  expect(roles.map((row: Row) => [row.message, row.link])).toEqual([
    ['You review as domain expert from now on.', '/curation/review'],
    ['You review as community reviewer from now on.', '/curation/review'],
  ])
  sure(204, await app.curator.delete(`/data/reviewer-roles/${who.id}/`))
})

test('changes that are told twice tell nobody anything new', async () => {
  const { handler } = await import('../../../functions/projector.ts')
  await following.settled()
  const everyone = [app.contributor, app.other, app.community, app.domain, app.curator, app.staff]
  const look = () => Promise.all(everyone.map(async (who) => [await shelf(who), await unread(who)]))
  const before = await look()
  expect(JSON.stringify(before).length).toBeGreaterThan(5000)
  const Records = [...following.told]
  expect(await handler({ Records })).toEqual({ batchItemFailures: [] })
  expect(await handler({ Records })).toEqual({ batchItemFailures: [] })
  expect(await look()).toEqual(before)
})

test('two events of one moment that give one id are both told', async () => {
  const who = await someone()
  const { notificationId } = await import('../../../lib/base/ids/notification-id.ts')
  const at = Date.parse('2025-01-15T12:00:00.000Z')
  const byId = new Map<string, string>()
  let pair: string[] = []
  for (let i = 0; pair.length === 0; i += 1) {
    const id = notificationId(at, `event ${i}#flagged#0`)
    const twin = byId.get(id)
    if (twin) pair = [twin, `event ${i}`]
    byId.set(id, `event ${i}`)
  }
  for (const event of [...pair, ...pair]) await sendMany(who.id, 1, { event, created_at: new Date(at).toISOString() })
  expect([(await shelf(who)).count, await unread(who)]).toEqual([2, 2])
})

test('many that arrive at once are all counted', async () => {
  const who = await someone()
  const events = Array.from({ length: 12 }, (_, i) => `at once ${i}`)
  await Promise.all(events.map((event) => sendMany(who.id, 1, { event })))
  expect([(await shelf(who)).count, await unread(who)]).toEqual([12, 12])
})

describe('notifications', () => {
  test('are nobody else’s business', async () => {
    const who = await someone()
    await sendMany(who.id, 1)
    const [row] = (await shelf(who)).results
    expect((await who.get(`${place}${row.notification_id}/`)).body).toEqual(row)
    for (const [other, status] of [
      [app.staff, 404],
      [app.anon, 401],
    ] as const)
      expect((await other.get(`${place}${row.notification_id}/`)).status).toBe(status)
    expect(
      (await app.staff.post(`${place}mark_read/`, { body: { notification_ids: [row.notification_id] } })).body,
    ).toEqual({
      marked_read: 0,
    })
    expect(await unread(who)).toBe(1)
    for (const [method, path] of [
      ['GET', place],
      ['GET', `${place}unread_count/`],
      ['POST', `${place}mark_read/`],
      ['POST', `${place}mark_all_read/`],
    ] as const)
      expect((await app.anon.send(method, path)).status).toBe(401)
  })

  test.each(['x', '12345678901', '1', 'GONE#000000', '00000000000/'])('there is none with the id %s', async (id) => {
    expect((await app.contributor.get(`${place}${encodeURIComponent(id)}/`)).status).toBe(404)
  })

  test('are listed newest first, page by page', async () => {
    const who = await someone()
    await sendMany(who.id, 25)
    const first = sure(200, await who.get(place))
    expect([first.count, first.results.length]).toEqual([25, 20])
    const { pathname, search } = new URL(first.next)
    const second = (await who.get(pathname + search)).body
    const times = [...first.results, ...second.results].map((row: Row) => row.created_at)
    expect(times).toEqual([...times].sort().reverse())
    expect(new Set(times).size).toBe(25)
    expect(second.next).toBeNull()
  })

  test('are filtered by type and by whether they are read, counted exactly', async () => {
    const who = await someone()
    await sendMany(who.id, 3)
    await sendMany(who.id, 4, { notice: 'accept' })
    const ids = (await shelf(who, { notification_type: 'moderation' })).results.map((row: Row) => row.notification_id)
    expect(ids.length).toBe(3)
    const marked = { body: { notification_ids: [ids[0]] } }
    expect((await who.post(`${place}mark_read/`, marked)).body).toEqual({ marked_read: 1 })
    const sizes = async (query: Record<string, string | number>) => {
      const { count, results } = await shelf(who, query)
      return [count, results.length, new Set(results.map((row: Row) => row.is_read)).size]
    }
    expect(await sizes({ is_read: 'false' })).toEqual([6, 6, 1])
    expect(await sizes({ is_read: 'true' })).toEqual([1, 1, 1])
    expect(await sizes({ is_read: 'false', notification_type: 'moderation' })).toEqual([2, 2, 1])
    expect(await sizes({ is_read: 'true', notification_type: 'review_decision' })).toEqual([0, 0, 0])
    expect((await who.get(place, { query: { notification_type: 'ugly' } })).status).toBe(400)
  })

  test('that are unread are paged back and forth, each once', async () => {
    const who = await someone()
    await sendMany(who.id, 130)
    const { results } = await shelf(who)
    const notification_ids = results.filter((_: Row, i: number) => i % 2 === 0).map((row: Row) => row.notification_id)
    expect((await who.post(`${place}mark_read/`, { body: { notification_ids } })).body).toEqual({ marked_read: 50 })
    const seen: string[] = []
    let at = `${place}?is_read=false&limit=30`
    const pages: string[][] = []
    for (;;) {
      const { count, next, results: page } = sure(200, await who.get(at))
      expect(count).toBe(80)
      pages.push(page.map((row: Row) => row.notification_id))
      seen.push(...page.map((row: Row) => row.notification_id))
      if (!next) break
      at = next.replace(new URL(next).origin, '')
    }
    expect([seen.length, new Set(seen).size]).toEqual([80, 80])
    const { previous } = sure(200, await who.get(at))
    const back = sure(200, await who.get(previous.replace(new URL(previous).origin, '')))
    expect(back.results.map((row: Row) => row.notification_id)).toEqual(pages[1])
  })

  test('of a record that their reader may not see any more say nothing of it', async () => {
    const it = await publish(app, 'structures', { name: 'Vanishing' })
    await following.settled()
    expect(await said(app.contributor, it)).toContain('Your contribution was accepted: Vanishing')
    const [{ notification_id }] = (await about(app.contributor, it)) as [Row]
    sure(204, await app.staff.delete(`/cidoc/structures/${it.id}/`))
    const row = (await app.contributor.get(`${place}${notification_id}/`)).body
    expect(row).toMatchObject({ entity_id: null, entity_name: '', entity_category: '', link: '' })
    expect(JSON.stringify(row)).not.toMatch(/Vanishing/)
    expect(JSON.stringify(await shelf(app.contributor))).not.toContain(it.cultural_entity_id)
  })
})

describe('marking as read', () => {
  const markRead = async (who: Persona, notification_ids: unknown) =>
    (await who.post(`${place}mark_read/`, { body: { notification_ids } })).body

  test('counts each once, and passes over what is unknown or not one’s own', async () => {
    const [who, stranger] = [await someone(), await someone()]
    await sendMany(who.id, 3)
    await sendMany(stranger.id, 1, { event: 'for a stranger' })
    const [a, b] = (await shelf(who)).results.map((row: Row) => row.notification_id)
    const [theirs] = (await shelf(stranger)).results.map((row: Row) => row.notification_id)
    expect(await markRead(who, [a, a, b, 'nothing', '00000000000', theirs])).toEqual({ marked_read: 2 })
    expect(await markRead(who, [a, b])).toEqual({ marked_read: 0 })
    expect([await unread(who), await unread(stranger)]).toEqual([1, 1])
    expect((await shelf(who)).results.map((row: Row) => row.is_read)).toEqual([true, true, false])
  })

  test.each([
    ['without ids', () => ({ body: { notification_ids: [] } })],
    ['with null', () => ({ body: { notification_ids: null } })],
    ['with an empty body', () => ({ body: '' })],
    ['with nothing', () => ({})],
  ])('%s means all', async (_, sent) => {
    const who = await someone()
    await sendMany(who.id, 2)
    expect((await who.post(`${place}mark_read/`, sent())).body).toEqual({ marked_read: 2 })
    expect(await unread(who)).toBe(0)
  })

  test('all of them takes one write, however many', async () => {
    const who = await someone()
    await sendMany(who.id, 300)
    // What is unread is counted up to a hundred: 100 means "100 or more".
    expect(await unread(who)).toBe(100)
    const base = await commandsOf(() => who.get('/data/testme/'))
    let reply: unknown
    const commands = await commandsOf(async () => {
      reply = (await who.post(`${place}mark_all_read/`, { body: '' })).body
    })
    expect(reply).toEqual({ marked_read: 100 })
    expect(commands).toEqual([...base, 'BatchGetItemCommand', 'QueryCommand', 'TransactWriteItemsCommand'])
    expect(await unread(who)).toBe(0)
    expect((await shelf(who, { is_read: 'false' })).count).toBe(0)
    expect((await shelf(who)).results.every((row: Row) => row.is_read)).toBe(true)
    await sendMany(who.id, 1, { event: 'a later one' })
    expect(await unread(who)).toBe(1)
    expect((await shelf(who, { is_read: 'false' })).results.length).toBe(1)
  })

  test('all of them leaves what comes late but tells of something earlier unread', async () => {
    const who = await someone()
    await sendMany(who.id, 2)
    sure(200, await who.post(`${place}mark_all_read/`))
    await sendMany(who.id, 1, { event: 'delayed', created_at: '2025-01-15T09:00:00.000Z' })
    expect(await unread(who)).toBe(1)
    expect((await shelf(who)).results.map((row: Row) => row.is_read)).toEqual([true, true, false])
  })

  test('at the same time as others arrive loses nothing', async () => {
    const who = await someone()
    await sendMany(who.id, 5)
    const [a, b] = (await shelf(who)).results.map((row: Row) => row.notification_id)
    await Promise.all([
      markRead(who, [a]),
      markRead(who, [b]),
      sendMany(who.id, 1, { event: 'one more' }),
      sendMany(who.id, 1, { event: 'two more' }),
    ])
    expect([await unread(who), (await shelf(who)).count]).toEqual([5, 7])
  })

  test.each([
    ['a text', 'x', ['Give a list of texts.']],
    ['numbers', [5], { 0: ['Give a list of texts.'] }],
    ['more than 1000', Array.from({ length: 1001 }, () => 'x'), ['Give no more than 1000 of them.']],
  ])('%s is refused', async (_, ids, why) => {
    expect(await markRead(app.contributor, ids)).toEqual({ notification_ids: why })
  })
})

describe('how many are unread', () => {
  test('costs two calls, and the read of those that are unread', async () => {
    const who = await someone()
    await sendMany(who.id, 40)
    const base = (await who.get('/data/testme/')).cost
    const { body, cost } = await who.get(`${place}unread_count/`)
    expect(body).toEqual({ unread_count: 40 })
    expect([cost.calls - base.calls, cost.units - base.units]).toEqual([2, 4])
  })

  test('is none for who has been told nothing', async () => {
    expect(await unread(await someone())).toBe(0)
  })
})

describe('after 180 days', () => {
  const day = 24 * 3600
  test('a notification is shown and counted no more, though it is there still', async () => {
    const who = await someone()
    await sendMany(who.id, 2, { created_at: '2025-01-15T10:00:00.000Z', event: 'old' })
    await sendMany(who.id, 1)
    const [, old] = (await shelf(who)).results
    app.tick(180 * day)
    await sendMany(who.id, 1, { event: 'new' })
    const later = await who.again()
    for (const query of [{}, { is_read: 'false' }, { notification_type: 'moderation' }]) {
      const { count, results } = await shelf(later, query)
      expect(count).toBe(results.length)
      expect(results.map((row: Row) => row.notification_id)).not.toContain(old.notification_id)
    }
    expect((await later.get(`${place}${old.notification_id}/`)).status).toBe(404)
  })

  test('the table drops it, and every count follows', async () => {
    const who = await someone()
    const { key } = await import('../../../lib/platform/table/keys.ts')
    const { removeEntry } = await import('../../../lib/engines/table/item.ts')
    const { transact } = await import('../../../lib/engines/table/transact.ts')
    await sendMany(who.id, 3)
    const [unreadOne, readOne] = (await shelf(who)).results.map((row: Row) => row.notification_id)
    sure(200, await who.post(`${place}mark_read/`, { body: { notification_ids: [readOne] } }))
    // As the table does it, whose own time differs from the test's.
    for (const id of [unreadOne, readOne]) await transact([removeEntry(key.notification(who.id, id))])
    await following.settled()
    expect((await shelf(who)).count).toBe(1)
    expect(await unread(who)).toBe(1)
  })
})

test('every reviewer is told, however many there are', async () => {
  const reviewers = Array.from({ length: 103 }, (_, i) => ({
    id: crypto.randomUUID(),
    email: `many-${i}@heritage.test`,
  }))
  const role = { role: 'community_reviewer' as const, expertise_areas: [], is_active: true, assigned_by: null }
  const at = '2025-01-15T10:00:00.000Z'
  const tokens: string[] = []
  for (const { id, email } of reviewers) {
    const reviewer_role = { ...role, id, created_at: at, updated_at: at }
    const user = await createUser({ id, email, username: email.slice(0, email.indexOf('@')), reviewer_role })
    tokens.push(await signInAs(user))
  }
  await contribute(app.contributor, 'structures', { name: 'Told to many' })
  await following.settled()
  const counts = await Promise.all(tokens.map((token) => unread(app.as(token))))
  expect(counts).toEqual(reviewers.map(() => 1))
})
