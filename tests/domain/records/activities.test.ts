import { beforeAll, describe, expect, test } from 'vitest'
import { type App, type CallerName, openApp } from '../../harness/app.ts'
import { contribute, decide, everyState, publish, sure } from '../../harness/make.ts'

let app: App
let sights: Awaited<ReturnType<typeof everyState>>
beforeAll(async () => {
  app = await openApp()
  sights = await everyState(app, 'monuments')
})

type Row = {
  activity_type: string
  comment: string
  entity_id: string | null
  entity_name: string
  entity_status: string
  created_at: string
}
const feed = async (who: CallerName, query: Record<string, string | number> = {}) =>
  (await app[who].get('/data/activities/', { query: { limit: 100, ...query } })).body

describe('the feed', () => {
  test('is everyone’s, newest first, and shows who did what', async () => {
    app.tick(60)
    const it = await contribute(app.other, 'structures', { name: 'Newest' })
    const { results } = await feed('other')
    expect(results[0]).toEqual({
      activity_id: expect.any(String),
      activity_type: 'submitted',
      comment: '',
      created_at: '2025-01-15T10:01:00.000Z',
      user: expect.objectContaining({ username: 'other', email: '' }),
      entity_id: it.cultural_entity_id,
      entity_name: 'Newest',
      entity_category: 'monument',
      entity_status: 'pending_review',
    })
  })

  const named = {
    anon: ['published'],
    other: ['published', 'restricted'],
    community: ['published', 'restricted', 'pending', 'rejected', 'revising'],
    contributor: ['published', 'restricted', 'pending', 'rejected', 'revising'],
    staff: ['published', 'restricted', 'pending', 'rejected', 'revising', 'deleted'],
  } as const
  test.each(['anon', 'other', 'community', 'contributor', 'staff'] as const)(
    'names to %s only the records that it may see',
    async (who) => {
      const { results } = await feed(who)
      const names = new Set(
        results.map((row: Row) => row.entity_name).filter((name: string) => name.startsWith('Sight')),
      )
      expect([...names].sort()).toEqual(named[who].map((state) => `Sight ${state}`).sort())
      for (const row of results.filter((one: Row) => one.entity_id === null)) {
        expect(row).toMatchObject({ entity_name: '', entity_category: '', entity_status: '', comment: '' })
      }
    },
  )

  test('tells a reason for refusal to those whom it concerns only', async () => {
    const it = await publish(app, 'structures', { name: 'Reasoned' })
    sure(200, await app.contributor.patch(`/cidoc/structures/${it.id}/`, { body: { note: 'x' } }))
    sure(201, await decide(app.community, it, { verdict: 'reject', feedback: 'This is a rumour.' }))
    const reasons = async (who: 'anon' | 'other' | 'contributor' | 'domain') =>
      (await feed(who, { activity_type: 'rejected', entity: it.cultural_entity_id })).results
        .filter((row: Row) => row.entity_id === it.cultural_entity_id)
        .map((row: Row) => [row.comment, row.entity_status])
    // That an edit was refused is for those who work on the record.
    for (const who of ['anon', 'other'] as const) expect(await reasons(who)).toEqual([])
    for (const who of ['contributor', 'domain'] as const)
      expect(await reasons(who)).toEqual([['This is a rumour.', 'accepted']])
  })

  test('tells the feedback of an accepting verdict to those who work on the record, as explanations do', async () => {
    const it = await contribute(app.contributor, 'structures', { name: 'Praised' })
    sure(201, await decide(app.community, it, { verdict: 'accept', feedback: 'Well done.' }))
    const comments = async (who: 'anon' | 'other' | 'contributor' | 'domain') => {
      const rows = (await feed(who, { entity: it.cultural_entity_id, activity_type: 'accepted' })).results
      return rows.map((row: Row) => row.comment)
    }
    for (const who of ['anon', 'other'] as const) expect(await comments(who)).toEqual([''])
    for (const who of ['contributor', 'domain'] as const) expect(await comments(who)).toEqual(['Well done.'])
  })

  test.each([
    [{ username: 'curator' }, (row: { user: { username: string } }) => row.user.username === 'curator'],
    [{ activity_type: 'rejected' }, (row: Row) => row.activity_type === 'rejected'],
    [{ username: 'curator', activity_type: 'accepted' }, (row: Row) => row.activity_type === 'accepted'],
  ])('filtered by %j holds and counts that only', async (query, fits) => {
    const { results, count } = await feed('community', query)
    expect(results.length).toBeGreaterThan(0)
    expect(results.every(fits)).toBe(true)
    expect(count).toBe(results.length)
  })

  test('filtered by a name that nobody has is empty', async () => {
    const empty = { count: 0, next: null, previous: null, results: [] }
    expect(await feed('staff', { username: 'nobody-of-this-name' })).toEqual(empty)
  })

  test('filtered by a type that is none is empty, with a warning', async () => {
    const { warnings, ...page } = await feed('staff', { activity_type: 'no-such-type' })
    expect(page).toEqual({ count: 0, next: null, previous: null, results: [] })
    expect(warnings).toEqual([
      { member: 'activity_type', message: expect.stringContaining('Not a valid choice. Choose one of: submitted,') },
    ])
  })

  test('is read oldest first on request', async () => {
    const times = (await feed('community', { ordering: 'created_at' })).results.map((row: Row) => row.created_at)
    expect(times).toEqual([...times].sort())
    expect(times.length).toBeGreaterThan(5)
  })

  test('of a person holds what that person did, their own hidden records named to themselves', async () => {
    const own = await feed('contributor', { username: 'dev' })
    expect(own.results.every((row: { user: { username: string } }) => row.user.username === 'dev')).toBe(true)
    expect(own.results.map((row: Row) => row.entity_name)).toContain('Sight pending')
    const seen = await feed('other', { username: 'dev' })
    expect(seen.results.map((row: Row) => row.entity_name)).not.toContain('Sight pending')
  })

  test('of a record is its history, for those who may see it', async () => {
    const { cultural_entity_id: entity } = sights.rejected
    const types = (rows: readonly Row[]) => rows.map((row) => row.activity_type)
    expect(types((await feed('contributor', { entity })).results)).toEqual(['rejected', 'submitted'])
    expect(types((await feed('contributor', { entity, activity_type: 'rejected' })).results)).toEqual(['rejected'])
    expect(types((await feed('contributor', { entity, username: 'dev' })).results)).toEqual(['submitted'])
    for (const [who, it] of [
      ['other', sights.rejected],
      ['contributor', sights.deleted],
      ['community', sights.deleted],
    ] as const)
      expect(await feed(who, { entity: it.cultural_entity_id })).toMatchObject({ count: 0, results: [] })
  })

  test('leads to each of its rows, for those who may see the record', async () => {
    const rows = (await feed('contributor', { username: 'dev' })).results
    const hidden = rows.find((row: Row) => row.entity_name === 'Sight pending')
    const open = rows.find((row: Row) => row.entity_name === 'Sight published')
    expect((await app.contributor.get(`/data/activities/${hidden.activity_id}/`)).body).toEqual(hidden)
    expect((await app.anon.get(`/data/activities/${open.activity_id}/`)).body).toEqual({
      ...open,
      user: expect.anything(),
    })
    const unknown = '8b8b4b9e-3c5f-4d0e-9a51-0c7d8a5e2f10'
    for (const [who, id] of [
      ['anon', hidden.activity_id],
      ['other', hidden.activity_id],
      ['staff', unknown],
      ['staff', sights.published.cultural_entity_id],
      ['staff', 'x'],
    ] as const) {
      const reply = await app[who].get(`/data/activities/${id}/`)
      expect([reply.status, reply.body]).toEqual([404, { detail: 'Not found.' }])
    }
  })

  test('costs two calls however much it says', async () => {
    expect((await app.anon.get('/data/activities/', { query: { limit: 100 } })).cost.calls).toBe(2)
    expect(sights.published.id).toBeGreaterThan(0)
  })
})
