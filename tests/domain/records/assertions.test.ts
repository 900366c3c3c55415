import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp } from '../../harness/app.ts'
import { withTornQueries } from '../../harness/faults.ts'
import { contribute, decide, everyState, flagsOf, publish, type State, sure } from '../../harness/make.ts'

let app: App
let sights: Awaited<ReturnType<typeof everyState>>
beforeAll(async () => {
  app = await openApp()
  sights = await everyState(app, 'monuments')
})

const CLAIMS = '/cidoc/assertions/'
const notFound = { detail: 'Not found.' }
type Name = 'anon' | 'other' | 'contributor' | 'community' | 'staff'
type Claim = { id: string; property: string; value: string; reconciliation_status: string; cultural_entity_id: string }
const about = async (who: Name, it: { id: number }, more: object = {}) =>
  (await app[who].get(CLAIMS, { query: { entity_type: 'monument', entity_id: it.id, ...more } })).body
const say = (who: Exclude<Name, 'anon'>, it: { id: number }, body: object) =>
  app[who].post(CLAIMS, { body: { entity_type: 'monument', entity_id: it.id, ...body } })

describe('who reads the claims about a record', () => {
  const readers: Record<State, readonly Name[]> = {
    published: ['anon', 'other', 'contributor', 'community', 'staff'],
    restricted: ['other', 'contributor', 'community', 'staff'],
    pending: ['contributor', 'community', 'staff'],
    rejected: ['contributor', 'community', 'staff'],
    revising: ['contributor', 'community', 'staff'],
    deleted: ['staff'],
  }
  const cases = Object.entries(readers).flatMap(([state, those]) =>
    (['anon', 'other', 'contributor', 'community', 'staff'] as const).map((who) => ({
      state: state as State,
      who,
      reads: those.includes(who),
    })),
  )
  test.each(cases)('$state by $who: $reads', async ({ state, who, reads }) => {
    const it = sights[state]
    const { results, count } = await about(who, it)
    expect(count).toBe(results.length)
    expect(results.length > 0).toBe(reads)
    const [one] = (await about('staff', it)).results
    const reply = await app[who].get(`${CLAIMS}${one.id}/`)
    expect(reply.status).toBe(reads ? 200 : 404)
    if (!reads) expect(reply.body).toEqual(notFound)
    const byIdentity = await app[who].get(CLAIMS, { query: { cultural_entity_id: it.cultural_entity_id } })
    expect(byIdentity.body.count).toBe(count)
  })

  test('a claim that waits is read by its author, the contributor, reviewers and staff', async () => {
    const made = sure(
      201,
      await say('other', sights.published, { asserted_property: 'condition', asserted_value: 'Poor' }),
    )
    const sees = async (who: Name) =>
      (await about(who, sights.published)).results.some((one: Claim) => one.id === made.id)
    for (const who of ['other', 'contributor', 'community', 'staff'] as const) expect(await sees(who)).toBe(true)
    expect(await sees('anon')).toBe(false)
    expect((await app.anon.get(`${CLAIMS}${made.id}/`)).status).toBe(404)
    for (const who of ['other', 'community', 'staff'] as const)
      expect((await app[who].get(`${CLAIMS}${made.id}/`)).status).toBe(200)
  })

  test('the list of all claims holds accepted ones; those that wait are for reviewers', async () => {
    const { body } = await app.anon.get(CLAIMS, { query: { limit: 100 } })
    expect(body.results.length).toBeGreaterThan(0)
    for (const one of body.results) expect(one.reconciliation_status).toBe('accepted')
    const seen = new Set(body.results.map((one: Claim) => one.cultural_entity_id))
    expect([...seen]).toEqual([sights.published.cultural_entity_id])
    for (const status of ['pending', 'superseded']) {
      for (const who of ['anon', 'other'] as const)
        expect((await app[who].get(CLAIMS, { query: { status } })).body.results).toEqual([])
      const { results } = (await app.community.get(CLAIMS, { query: { status } })).body
      expect(results.length).toBeGreaterThan(0)
      for (const one of results) expect(one.reconciliation_status).toBe(status)
    }
  })

  test('the claims of a deleted record are in no list but that of staff', async () => {
    const ids = async (who: Name) =>
      (await app[who].get(CLAIMS, { query: { limit: 100 } })).body.results.map((one: Claim) => one.cultural_entity_id)
    expect(await ids('community')).not.toContain(sights.deleted.cultural_entity_id)
    expect(await ids('staff')).toContain(sights.deleted.cultural_entity_id)
  })

  test.each([
    { entity_type: 'monument', entity_id: 'x' },
    { entity_type: 'no-such-kind', entity_id: '1' },
    { entity_type: 'monument' },
    { entity_id: '1' },
    { cultural_entity_id: 'not-an-id' },
    { status: 'no-such-status' },
  ])('%j names nothing, and lists nothing', async (query) => {
    const { status, body } = await app.staff.get(CLAIMS, { query })
    const { warnings = [], ...page } = body
    expect([status, page]).toEqual([200, { count: 0, next: null, previous: null, results: [] }])
    // A value that can name nothing is warned of.
    expect(warnings.map((it: { member: string }) => it.member)).toEqual(
      Object.entries(query).flatMap(([name, value]) => (/^no-|^not-/.test(value) ? [name] : [])),
    )
  })
})

describe('a claim about a record', () => {
  test('waits for review with its source, author and time', async () => {
    const reply = await say('other', sights.published, {
      property: 'note',
      value: 'Seen in 1934.',
      source_type: 'book',
      source_citation: 'Rana 1934',
      source_url: 'https://example.org/rana',
      confidence: 'uncertain',
      data_quality_note: 'Second hand.',
    })
    expect(reply.status).toBe(201)
    expect(reply.body).toMatchObject({
      asserted_property: 'note',
      asserted_value: 'Seen in 1934.',
      property: 'note',
      value: 'Seen in 1934.',
      source_type: 'book',
      source_citation: 'Rana 1934',
      source_url: 'https://example.org/rana',
      confidence: 'uncertain',
      data_quality_note: 'Second hand.',
      contributed_by: 'other',
      reconciliation_status: 'pending',
      revision_number: null,
      entity_type: 'monument',
      object_id: sights.published.id,
      cultural_entity_id: sights.published.cultural_entity_id,
      created_at: '2025-01-15T10:00:00.000Z',
    })
  })

  test('changes nothing of what the record says', async () => {
    const before = (await app.anon.get(`/cidoc/monuments/${sights.published.id}/`)).body
    sure(201, await say('other', sights.published, { property: 'note', value: 'Otherwise.' }))
    expect((await app.anon.get(`/cidoc/monuments/${sights.published.id}/`)).body).toEqual(before)
  })

  test('that contradicts what stands raises a flag', async () => {
    const it = await publish(app, 'monuments', { name: 'Contradicted', condition: 'Good' })
    const made = sure(201, await say('other', it, { property: 'condition', value: 'Ruinous' }))
    expect(await flagsOf(it)).toMatchObject([
      { flag_type: 'contradiction', property: 'condition', assertion_ids: [made.id, expect.any(String)] },
    ])
    const agreeing = await publish(app, 'monuments', { name: 'Agreed', condition: 'Good' })
    sure(201, await say('other', agreeing, { property: 'condition', value: 'Good' }))
    expect(await flagsOf(agreeing)).toEqual([])
  })

  test('on which another record rests is named there to those who may see it', async () => {
    const ground = await publish(app, 'deities', { name: 'Ground of others', note: 'A note that is withdrawn' })
    const claims = { entity_type: 'deity', entity_id: ground.id }
    const { results } = sure(200, await app.anon.get(CLAIMS, { query: claims }))
    const { id } = results.find((one: Claim) => one.property === 'note')
    const { id: on } = await publish(app, 'monuments', { name: 'Rests on others', has_provenance_assertion: id })
    const rests = async (who: Name) => (await app[who].get(`/cidoc/monuments/${on}/`)).body.has_provenance_assertion
    const named = [{ id, name: 'A note that is withdrawn' }]
    expect(await rests('anon')).toEqual(named)
    sure(204, await app.staff.delete(`/cidoc/deities/${ground.id}/`))
    for (const who of ['anon', 'other', 'community'] as const) expect(await rests(who)).toEqual([])
    expect(await rests('staff')).toEqual(named)
  })

  test('cannot come in as accepted, or in the name of someone else', async () => {
    const reply = await say('other', sights.published, {
      property: 'note',
      value: 'x',
      reconciliation_status: 'accepted',
      contributed_by: 'staff',
      contributor_id: 'x',
      revision_number: 1,
    })
    expect(reply.body).toMatchObject({
      reconciliation_status: 'pending',
      contributed_by: 'other',
      revision_number: null,
    })
  })

  test.each(['pending', 'rejected', 'deleted'] as const)(
    'is refused about a %s record that the author may not see',
    async (state) => {
      const reply = await say('other', sights[state], { property: 'note', value: 'x' })
      expect([reply.status, reply.body]).toEqual([400, { entity_id: ['There is no record with this id.'] }])
    },
  )

  test('of a relationship names the other record, with a predicate of the list', async () => {
    const [predicate] = (await app.anon.get('/cidoc/relationship-predicates/')).body.results
    const place = await publish(app, 'locations', { name: 'Claimed place' })
    const body = {
      property: `relationship.${predicate.code}`,
      object_entity_type: 'location',
      object_entity_id: place.id,
    }
    expect((await say('other', sights.published, body)).body).toMatchObject({
      value: 'Claimed place',
      object_entity_type: 'location',
      object_entity_id: place.id,
    })
    const hidden = await contribute(app.contributor, 'locations', { name: 'Hidden place' })
    expect((await say('other', sights.published, { ...body, object_entity_id: hidden.id })).body).toEqual({
      object_entity_id: ['There is no record with this id.'],
    })
    const wrong = await say('other', sights.published, { ...body, property: 'relationship.no_such' })
    expect(wrong.status).toBe(400)
    expect(Object.keys(wrong.body)).toEqual(['asserted_property'])
  })
})

describe('how a claim stands', () => {
  const settle = (who: Exclude<Name, 'anon'> | 'domain' | 'anon', id: string, reconciliation_status: string) =>
    app[who].patch(`${CLAIMS}${id}/`, { body: { reconciliation_status } })
  const claim = async (who: Exclude<Name, 'anon'>, value: string): Promise<Claim> =>
    sure(201, await say(who, sights.published, { property: 'note', value }))

  test('is set by a reviewer', async () => {
    const { id } = await claim('other', 'Settled')
    expect((await settle('community', id, 'accepted')).body).toMatchObject({ id, reconciliation_status: 'accepted' })
    expect((await app.anon.get(`${CLAIMS}${id}/`)).status).toBe(200)
    expect((await settle('contributor', id, 'superseded')).status).toBe(403)
    expect((await settle('domain', id, 'superseded')).body).toMatchObject({ reconciliation_status: 'superseded' })
    expect((await app.anon.get(`${CLAIMS}${id}/`)).status).toBe(404)
  })

  test('is not set by its author, nor by anyone who does not review', async () => {
    const { id } = await claim('other', 'Mine')
    expect((await settle('anon', id, 'accepted')).status).toBe(401)
    expect((await settle('other', id, 'accepted')).status).toBe(403)
    expect((await settle('contributor', id, 'accepted')).status).toBe(404)
    sure(200, await settle('community', id, 'accepted'))
    expect((await settle('contributor', id, 'disputed')).status).toBe(403)
    const own = await claim('community', 'A reviewer’s own')
    const reply = await settle('community', own.id, 'accepted')
    expect([reply.status, reply.body]).toEqual([403, { detail: 'Nobody decides on a contribution of their own.' }])
  })

  test('is not accepted before its record is published', async () => {
    const [one] = (await about('staff', sights.pending)).results
    const reply = await settle('domain', one.id, 'accepted')
    expect([reply.status, reply.body]).toEqual([409, { detail: 'Its record is not published: that is decided first.' }])
    expect((await settle('community', one.id, 'accepted')).status).toBe(403)
  })

  test('is one of four words', async () => {
    const { id } = await claim('other', 'Worded')
    expect((await settle('community', id, 'true')).body).toEqual({
      reconciliation_status: ['Not a valid choice. Choose one of: pending, accepted, disputed, superseded.'],
    })
  })

  test('is not lost when two reviewers set it at once', async () => {
    const { id } = await claim('other', 'Raced')
    const { etag = '' } = (await app.community.get(`${CLAIMS}${id}/`)).headers
    const first = await app.community.patch(`${CLAIMS}${id}/`, {
      body: { reconciliation_status: 'accepted' },
      headers: { 'if-match': etag },
    })
    const second = await app.domain.patch(`${CLAIMS}${id}/`, {
      body: { reconciliation_status: 'disputed' },
      headers: { 'if-match': etag },
    })
    expect([first.status, second.status]).toEqual([200, 412])
  })
})

test('a verdict on the record leaves claims apart from it as they are', async () => {
  const it = await publish(app, 'monuments', { name: 'Left apart', note: 'n' })
  const made = sure(201, await say('other', it, { property: 'description', value: 'Apart.' }))
  sure(200, await app.contributor.patch(`/cidoc/monuments/${it.id}/`, { body: { note: 'm' } }))
  sure(201, await decide(app.curator, it, { verdict: 'accept' }))
  expect((await app.community.get(`${CLAIMS}${made.id}/`)).body.reconciliation_status).toBe('pending')
})

test('several who claim something of one record at once are all heard', async () => {
  const it = await publish(app, 'monuments', { name: 'Claimed by many' })
  const years = ['1710', '1720', '1730']
  const who = ['other', 'community', 'staff'] as const
  const said = await Promise.all(
    years.map((value, i) => say(who[i] ?? 'other', it, { property: 'construction_date', value })),
  )
  expect(said.map(({ status }) => status)).toEqual([201, 201, 201])
  const { results } = await about('staff', it)
  const claimed = results.filter(({ property }: Claim) => property === 'construction_date')
  expect(claimed.map(({ value }: Claim) => value).sort()).toEqual(years)
})

test('a claim contradicts what is being put in place, or is refused', async () => {
  const it = await publish(app, 'monuments', { name: 'Claimed at one moment' })
  sure(201, await say('other', it, { property: 'construction_date', value: '1710' }))
  // A query sees the record as it will be, and the first claim not yet.
  const isLate = ({ entity_id, type, claims }: Record<string, unknown>) =>
    entity_id === it.cultural_entity_id && type === 'claims' && Object.hasOwn(Object(claims), 'construction_date')
  await withTornQueries(Number.POSITIVE_INFINITY, isLate, async () => {
    const reply = await say('community', it, { property: 'construction_date', value: '1720' })
    expect([reply.status, reply.body]).toEqual([
      409,
      { detail: 'This has changed since it was read. Read it again and retry.' },
    ])
  })
  expect(await flagsOf(it)).toEqual([])
  await withTornQueries(1, isLate, async () => {
    sure(201, await say('community', it, { property: 'construction_date', value: '1720' }))
  })
  expect(await flagsOf(it)).toEqual([
    expect.objectContaining({ flag_type: 'contradiction', property: 'construction_date' }),
  ])
})

test('claims about no record are found by their identifier, by whoever may read them', async () => {
  const identified = async (who: Name, more: object = {}) => {
    const { count, results } = sure(200, await app[who].get(CLAIMS, { query: { identifier: 't:1', ...more } }))
    return [count, results.map((it: { id: string; identifier: string }) => [it.id, it.identifier])]
  }
  const body = { asserted_property: 'note', asserted_value: 'x' }
  const made = sure(201, await app.contributor.post(CLAIMS, { body: { ...body, identifier: 't:1' } }))
  sure(201, await app.contributor.post(CLAIMS, { body: { ...body, identifier: 't:10' } }))
  sure(201, await say('contributor', sights.published, { ...body, identifier: 't:1' }))
  const [none, one] = [
    [0, []],
    [1, [[made.id, 't:1']]],
  ]
  for (const who of ['contributor', 'community', 'staff'] as const)
    expect([who, await identified(who)]).toEqual([who, one])
  for (const who of ['anon', 'other'] as const) expect([who, await identified(who)]).toEqual([who, none])
  expect(await identified('staff', { status: 'accepted' })).toEqual(none)
  expect(await identified('staff', { entity_type: 'monument', entity_id: sights.published.id })).toEqual(none)
  sure(200, await app.community.patch(`${CLAIMS}${made.id}/`, { body: { reconciliation_status: 'accepted' } }))
  expect(await identified('anon')).toEqual(one)
  expect(await identified('anon', { asserted_property: 'name' })).toEqual(none)
})
