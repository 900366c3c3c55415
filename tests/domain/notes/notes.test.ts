import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { atOnce, contribute, decide, publish, sure } from '../../harness/make.ts'

let app: App
let following: Following
let temple: { id: number; cultural_entity_id: string }
beforeAll(async () => {
  app = await openApp({ env: { RATE_NOTES: '1000/h', RATE_NOTES_DAY: '1000/day' } })
  following = await followTable()
  temple = await publish(app, 'structures', { name: 'Nyatapola', description: 'A temple of five roofs.' })
})

const place = '/data/public-contributions/'
let left = 0
/** What the page behind a code sends. */
const scanned = (more: object = {}) => ({
  entity_id: temple.cultural_entity_id,
  entity_name: 'Nyatapola',
  contribution_type: 'memory',
  content: `My grandmother told me about it. ${++left}`,
  contributor_name: 'Anonymous',
  contributor_email: '',
  contributor_phone: '',
  source_description: '',
  submitted_via: 'qr_scan',
  ...more,
})
const leave = async (more: object = {}, who: Persona = app.anon) =>
  sure(201, await who.post(place, { body: scanned(more) })).id as string
const read = async (id: string, who: Persona = app.community) => sure(200, await who.get(`${place}${id}/`))
const review = (id: string, body: object, who: Persona = app.community) => who.post(`${place}${id}/review/`, { body })
const contacts = { contributor_email: 'maya@visitor.example', contributor_phone: '+977 1 4200000' }

describe('a note', () => {
  test('is left by anyone without an account, and read by whoever is signed in', async () => {
    const reply = await app.anon.post('/data/api/public-contributions', { body: scanned({ contributor_name: '' }) })
    expect([reply.status, reply.body.message]).toEqual([201, 'Thank you. Reviewers will look at your note.'])
    expect(await read(reply.body.id, app.other)).toMatchObject({
      entity: temple.cultural_entity_id,
      entity_reference_id: '',
      entity_name_display: 'Nyatapola',
      contribution_type: 'memory',
      contribution_type_display: 'Personal Memory',
      contributor_name: 'Anonymous',
      submitted_via: 'qr_scan',
      status: 'pending',
      status_display: 'Pending Review',
      promoted_entity: null,
      canonical_status: null,
      reviewed_by_username: null,
    })
    expect((await app.anon.get(place)).status).toBe(401)
  })

  test.each([
    [{ entity_name: '' }, { entity_name: ['This field may not be blank.'] }],
    [{ content: ' ' }, { content: ['This field may not be blank.'] }],
    [{ contributor_email: 'nobody' }, { contributor_email: ['Enter a valid email address.'] }],
    [
      { contributor_phone: '1'.repeat(21) },
      { contributor_phone: ['Ensure this field has no more than 20 characters.'] },
    ],
    [{ latitude: 91 }, { latitude: ['Give a number.'] }],
    [{ contribution_type: 'gossip' }, { contribution_type: [expect.stringContaining('history, story')] }],
  ])('with %j is refused', async (more, fault) => {
    const reply = await app.anon.post(place, { body: scanned(more) })
    expect([reply.status, reply.body]).toEqual([400, fault])
  })

  test('on a number names the record of the kind that is sent with it; else the number is kept', async () => {
    const number = temple.id
    expect((await read(await leave({ entity_id: number, entity_type: 'structure' }))).entity).toBe(
      temple.cultural_entity_id,
    )
    expect(await read(await leave({ entity_id: String(number) }))).toMatchObject({
      entity: null,
      entity_reference_id: String(number),
    })
  })

  test('on a record that the visitor may not see is on an unknown one', async () => {
    const hidden = await contribute(app.contributor, 'structures', { name: 'A hidden shrine' })
    const id = await leave({ entity_id: hidden.cultural_entity_id, entity_name: 'The shrine' })
    expect(await read(id)).toMatchObject({
      entity: null,
      entity_reference_id: hidden.cultural_entity_id,
      entity_name_display: 'The shrine',
    })
  })

  test('does not tell the name of a record that its reader may not see any more', async () => {
    const shown = await publish(app, 'structures', { name: 'Shown today' })
    const id = await leave({ entity_id: shown.cultural_entity_id, entity_name: 'As the visitor wrote' })
    sure(204, await app.staff.delete(`/cidoc/structures/${shown.id}/`))
    expect(await read(id, app.other)).toMatchObject({ entity: null, entity_name_display: 'As the visitor wrote' })
  })

  test('tells no more of a place than its reader may know of the record', async () => {
    const guarded = await publish(app, 'structures', {
      name: 'Guarded grove',
      coordinates: '27.671612, 85.428934',
      access_tier: 'community_only',
    })
    const at = { entity_id: guarded.cultural_entity_id, latitude: 27.671612, longitude: 85.428934 }
    // Who is not signed in may not see the record, so the note keeps its id as it was sent.
    const unknown = await leave(at)
    expect(await read(unknown, app.other)).toMatchObject({ entity: null, latitude: null, longitude: null })
    const id = await leave({ ...at, content: 'Signed in.' }, app.staff)
    expect(await read(id, app.other)).toMatchObject({ latitude: 27.7, longitude: 85.4 })
    expect(await read(id)).toMatchObject({ latitude: 27.671612, longitude: 85.428934 })
    sure(204, await app.staff.delete(`/cidoc/structures/${guarded.id}/`))
    expect(await read(id, app.other)).toMatchObject({ entity: null, latitude: null, longitude: null })
    const free = await leave({ entity_id: '', latitude: 27.671612, longitude: 85.428934 })
    expect(await read(free, app.other)).toMatchObject({ latitude: 27.671612 })
  })

  test('that is sent twice from one address is one note; another day it is another', async () => {
    const body = scanned()
    const ids = [await app.anon.post(place, { body }), await app.anon.post(place, { body })].map((it) => it.body.id)
    expect(ids[0]).toBe(ids[1])
    const both = await atOnce([1, 2].map(() => () => app.anon.post(place, { body: { ...body, content: 'At once' } })))
    expect(both[0]?.body.id).toBe(both[1]?.body.id)
    app.tick(86_401)
    expect((await app.anon.post(place, { body })).body.id).not.toBe(ids[0])
  })

  test('costs its sender less than 100 units, however long it is', async () => {
    const words = Array.from({ length: 300 }, (_, i) => `शब्द${i}`).join(' ')
    const content = `${words} ${'म'.repeat(4000)}`.slice(0, 4000)
    const { units } = await app.cost(app.anon.post(place, { body: scanned({ content, ...contacts }) }))
    expect(units).toBeLessThan(100)
  })

  test('shows contacts to reviewers alone, and has none 90 days after the decision', async () => {
    const id = await leave(contacts)
    const waiting = await leave(contacts)
    const shown = (it: object) => ({ email: it['contributor_email' as never], phone: it['contributor_phone' as never] })
    const all = { email: contacts.contributor_email, phone: contacts.contributor_phone }
    expect(shown(await read(id, app.other))).toEqual({ email: null, phone: null })
    expect(shown(await read(id))).toEqual(all)
    const listed = sure(200, await app.other.get(place)).results
    expect(JSON.stringify(listed)).not.toContain('visitor.example')
    sure(200, await review(id, { status: 'rejected', review_notes: 'Already known.' }))
    const { handler: sweep } = await import('../../../functions/sweeper.ts')
    app.tick(89 * 86_400)
    await sweep({ chores: 'seldom' })
    expect(shown(await read(id))).toEqual(all)
    app.tick(2 * 86_400)
    expect(await sweep({ chores: 'seldom' })).toMatchObject({ contacts: 1 })
    expect(shown(await read(id))).toEqual({ email: null, phone: null })
    expect(shown(await read(waiting))).toEqual(all)
    const { scan } = await import('../../../lib/engines/table/index.ts')
    for await (const page of scan(['note']))
      for (const item of page) if (item.id === id) expect(JSON.stringify(item)).not.toContain('visitor.example')
  })

  test('is throttled by address', async () => {
    const { config } = await import('../../../lib/base/config.ts')
    const before = config.RATE_NOTES
    Object.assign(config, { RATE_NOTES: { limit: 1, seconds: 7200 } })
    try {
      app.tick(7200)
      await leave()
      const refused = await app.anon.post(place, { body: scanned() })
      expect([refused.status, Number(refused.headers['retry-after']) > 0]).toEqual([429, true])
    } finally {
      Object.assign(config, { RATE_NOTES: before })
    }
  })
})

describe('lists and counts', () => {
  test('are filtered by state, type and way, and searched by the beginnings of words', async () => {
    const id = await leave({ entity_name: 'Dattatreya', contribution_type: 'story', submitted_via: 'field_survey' })
    const ids = async (query: Record<string, string>) =>
      sure(200, await app.other.get(place, { query })).results.map((it: { id: string }) => it.id)
    expect(await ids({ contribution_type: 'story' })).toEqual([id])
    expect(await ids({ contribution_type: 'story', status: 'pending', submitted_via: 'field_survey' })).toEqual([id])
    expect(await ids({ submitted_via: 'field_survey', status: 'rejected' })).toEqual([])
    expect(await ids({ search: 'datta grand' })).toEqual([id])
    expect(await ids({ search: 'dattatreya', status: 'rejected' })).toEqual([])
    const listed = sure(200, await app.other.get(place, { query: { status: 'pending', limit: 1 } }))
    const stats = sure(200, await app.community.get(`${place}stats/`))
    expect(listed.count).toBe(stats.pending)
    expect(stats.total).toBe(stats.pending + stats.approved + stats.rejected + stats.incorporated)
    expect(stats.by_type).toContainEqual({ contribution_type: 'story', count: 1 })
    expect(stats.by_source).toContainEqual({ submitted_via: 'field_survey', count: 1 })
  })
})

describe('a decision', () => {
  test('is for reviewers, once, and not on a note of their own', async () => {
    const id = await leave()
    expect((await review(id, { status: 'approved' }, app.other)).status).toBe(403)
    expect((await review(id, { status: 'pending' })).status).toBe(400)
    expect(sure(200, await review(id, { status: 'approved', review_notes: 'Good.' }))).toEqual({
      message: 'The note is decided on.',
      id,
      status: 'approved',
      promoted_entity_id: null,
    })
    const detail = 'This note has been decided on already.'
    expect((await review(id, { status: 'rejected' }, app.domain)).body).toEqual({ detail })
    expect(await read(id)).toMatchObject({ reviewed_by_username: 'reviewer', review_notes: 'Good.' })
    expect((await read(id, app.other)).review_notes).toBe('')
    const own = await leave({}, app.community)
    expect((await review(own, { status: 'approved' })).body.detail).toBe(
      'Nobody decides on a contribution of their own.',
    )
    sure(200, await review(own, { status: 'approved' }, app.domain))
  })

  test('of two reviewers at once is that of one', async () => {
    const id = await leave()
    const replies = await atOnce(
      [app.community, app.domain].map((who) => () => review(id, { status: 'approved', target_type: 'Monument' }, who)),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409])
  })

  test('that fails leaves neither a record nor a decision', async () => {
    const id = await leave()
    const both = { status: 'approved', target_type: 'Monument', link_to_entity_id: temple.cultural_entity_id }
    expect((await review(id, both)).body).toEqual({
      target_type: ['Give target_type or link_to_entity_id, one of them.'],
    })
    const unknown = '8b8b4b9e-3c5f-4d0e-9a51-0c7d8a5e2f10'
    expect((await review(id, { status: 'approved', link_to_entity_id: unknown })).body).toEqual({
      link_to_entity_id: ['There is no record with this id.'],
    })
    expect((await read(id)).status).toBe('pending')
  })

  test('with a record makes the note a claim of it, told by the visitor', async () => {
    const id = await leave({ content: 'Five brothers built it in one night.' })
    const { promoted_entity_id } = sure(200, await review(id, { status: 'incorporated' }))
    expect(promoted_entity_id).toBe(temple.cultural_entity_id)
    const query = { cultural_entity_id: temple.cultural_entity_id, asserted_property: 'description' }
    const claims = sure(200, await app.community.get('/cidoc/assertions/', { query })).results
    expect(claims).toContainEqual(
      expect.objectContaining({
        asserted_value: 'Five brothers built it in one night.',
        source_type: 'oral_history',
        source_url: `http://localhost:8000/data/public-contributions/${id}/`,
        contributed_by: 'visitor',
        reconciliation_status: 'pending',
      }),
    )
    // The record says what it said, until somebody accepts the claim.
    expect((await app.anon.get(`/cidoc/structures/${temple.id}/`)).body.description).toBe('A temple of five roofs.')
    // That a claim or an edit of it waits is told to those who review.
    sure(200, await app.contributor.patch(`/cidoc/structures/${temple.id}/`, { body: { note: 'Edited' } }))
    expect(await read(id, app.other)).toMatchObject({
      promoted_entity: promoted_entity_id,
      canonical_status: 'accepted',
    })
    expect((await read(id)).canonical_status).toBe('pending_review')
  })

  test.each(['Monument', 'Person', 'Festival', 'CasteGroup'])('makes a %s of a note', async (target_type) => {
    const id = await leave({ entity_id: '', entity_name: `A new ${target_type}` })
    const { promoted_entity_id } = sure(200, await review(id, { status: 'approved', target_type }))
    expect(await read(id)).toMatchObject({ promoted_entity: promoted_entity_id, canonical_status: 'pending_review' })
    // A waiting record is hidden from those who do not work on it.
    expect(await read(id, app.other)).toMatchObject({ promoted_entity: null, canonical_status: null })
  })
})

test('the walk: a code is scanned, a note is left, a reviewer promotes it, and everyone finds it', async () => {
  const page = sure(200, await app.anon.get(`/data/cultural-entities/${temple.cultural_entity_id}/`))
  const id = await leave({
    entity_id: '',
    entity_name: 'Pujari Math well',
    content: `A well behind ${page.name}, dug by the priests.`,
    contributor_name: 'Maya',
    latitude: 27.6716,
    longitude: 85.4289,
  })
  const [row] = sure(200, await app.community.get(place, { query: { status: 'pending', search: 'pujari' } })).results
  expect(row.id).toBe(id)
  const { promoted_entity_id } = sure(
    200,
    await review(id, { status: 'approved', target_type: 'ArchitecturalStructure' }),
  )
  await following.settled()
  const queued = sure(200, await app.domain.get(`/data/review-workspace/${promoted_entity_id}/`))
  expect(queued).toMatchObject({
    name: 'Pujari Math well',
    status: 'pending_review',
    contributor: { username: 'visitor' },
  })
  expect(sure(200, await app.anon.get('/data/search/', { query: { q: 'Pujari Math well' } })).results).toEqual([])
  sure(201, await decide(app.domain, { cultural_entity_id: promoted_entity_id }, { verdict: 'accept' }))
  await following.settled()
  const found = sure(200, await app.anon.get('/data/search/', { query: { q: 'Pujari Math well' } }))
  expect(found.results[0]).toMatchObject({ title: 'Pujari Math well' })
  const explained = sure(200, await app.anon.get(`/data/entities/${promoted_entity_id}/explain/`))
  expect(JSON.stringify(explained)).toContain('oral_history')
  expect(JSON.stringify(explained)).toContain('Note of a visitor (Maya)')
  expect(await read(id, app.other)).toMatchObject({ promoted_entity: promoted_entity_id, canonical_status: 'accepted' })
})
