import { beforeAll, describe, expect, test } from 'vitest'
import { type Answer, type App, openApp, type Persona } from '../../harness/app.ts'
import { type Following, followTable } from '../../harness/following.ts'

let app: App
let following: Following
beforeAll(async () => {
  app = await openApp()
  following = await followTable()
})

const PATH = '/cidoc/entity-clusters/'
const SUGGEST = '/api/v1/cidoc/entity-clusters/suggest-duplicates/'
const AT = '2025-01-15T10:00:00.000Z'
const notFound = { detail: 'Not found.' }
const refused = { detail: 'You do not have permission to perform this action.' }
const signInNeeded = { detail: 'Authentication credentials were not provided.' }
const badToken = { detail: 'The token is malformed, expired or revoked.' }
const nobody = '00000000-0000-4000-8000-00000000ffff'
const wrongScope = { type_scope: [expect.stringMatching(/^Not a valid choice\. Choose one of: person, location, /)] }
const wrongId = { members: { 0: { entity_id: ['Give a list of {entity_type, entity_id}.'] } } }
const wrongMembers = { members: ['Give a list of {entity_type, entity_id}.'] }

type Record = { id: number; cultural_entity_id: string }
/** A record of someone, that waits for review. */
const propose = async (
  name: string,
  more: object = {},
  segment = 'structures',
  who = app.contributor,
): Promise<Record> => {
  const made = await who.post(`/cidoc/${segment}/`, { body: { name, ...more } })
  expect(made.status).toBe(201)
  return made.body
}
const publish = async (name: string, more: object = {}, segment = 'structures') => {
  const made = await propose(name, more, segment)
  const path = `/data/review-workspace/${made.cultural_entity_id}/decide/`
  expect((await app.community.post(path, { body: { verdict: 'accept' } })).status).toBeLessThan(300)
  return made
}
const member = ({ id }: Record, entity_type = 'structure') => ({ entity_type, entity_id: id })
const make = async (body: object, who: Persona = app.curator) => {
  const made = await who.post(PATH, { body: { canonical_label: 'Somewhere', type_scope: 'structure', ...body } })
  expect([made.status, made.body]).toEqual([201, expect.anything()])
  return made.body
}
const membersOf = async (id: string, who: Persona = app.anon) =>
  (await who.get(`${PATH}${id}/members/`)).body.members.map((it: { entity_id: number }) => it.entity_id)
const idsIn = async (query: { [name: string]: string | number }, who: Persona = app.anon) => {
  if ('search' in query) await following.settled()
  const { status, body } = await who.get(PATH, { query })
  expect(status).toBe(200)
  expect(body.count).toBe(body.results.length)
  return body.results.map((it: { id: string }) => it.id)
}
const withoutTrace = async (call: () => Promise<Answer>) => {
  const before = (await app.staff.get(PATH)).body.count
  const answer = await call()
  expect((await app.staff.get(PATH)).body.count).toBe(before)
  return answer
}

describe('making a cluster', () => {
  test('a reviewer names it, what it gathers, and its members', async () => {
    const [one, two] = [await publish('Nyatapola'), await publish('Nyatapola Mandir')]
    const reply = await app.community.post(PATH, {
      body: {
        canonical_label: 'Nyatapola',
        type_scope: 'architecturalstructure',
        note: 'Five tiers',
        curated_aliases: ['Nyatapola Dega', 'ङातापोल'],
        external_identifiers: { wikidata: 'Q2080270' },
        members: [member(one), { entity_type: 'architecturalstructure', entity_id: String(two.id) }],
      },
    })
    expect([reply.status, reply.body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        canonical_label: 'Nyatapola',
        name: 'Nyatapola',
        type_scope: 'architecturalstructure',
        registry_key: 'structure',
        locked: false,
        lock_reason: '',
        note: 'Five tiers',
        version: 1,
        merged_into: null,
        curated_aliases: ['Nyatapola Dega', 'ङातापोल'],
        external_identifiers: { wikidata: 'Q2080270' },
        contributor: 'reviewer',
        created_at: AT,
        updated_at: AT,
      },
    ])
    const { id } = reply.body
    for (const path of [`${PATH}${id}/`, `/cidoc/entity_clusters/${id}`, `/api/v1/cidoc/entity-clusters/${id}`]) {
      const read = await app.anon.get(path)
      expect([read.status, read.body]).toEqual([200, reply.body])
    }
    const members = await app.anon.get(`${PATH}${id}/members/`)
    expect([members.status, members.body]).toEqual([
      200,
      {
        cluster_id: id,
        members: [
          ['Nyatapola', one],
          ['Nyatapola Mandir', two],
        ].map(([display_title, it]) => ({
          entity_type: 'architecturalstructure',
          entity_id: (it as Record).id,
          display_title,
          membership_assertion_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        })),
      },
    ])
  })

  test('cultural entities are gathered by their review identity', async () => {
    const made = await app.contributor.post('/data/cultural-entities/', {
      body: { name: 'Bisket Jatra', category: 'festival', description: 'New year in Bhaktapur' },
    })
    const { entity_id } = made.body
    const { id } = await make({ type_scope: 'entity', members: [{ entity_type: 'entity', entity_id }] }, app.staff)
    expect(await membersOf(id, app.contributor)).toEqual([entity_id])
  })

  test('a contributor may not, and a caller has to be signed in', async () => {
    const body = { canonical_label: 'Mine', type_scope: 'structure' }
    for (const [who, status, expected] of [
      [app.contributor, 403, refused],
      [app.anon, 401, signInNeeded],
      [app.as('not-a-token'), 401, badToken],
    ] as const) {
      const reply = await withoutTrace(() => who.post(PATH, { body }))
      expect([reply.status, reply.body]).toEqual([status, expected])
    }
  })

  test.each<[string, unknown, number, unknown]>([
    ['nothing', {}, 400, { canonical_label: ['This field is required.'], type_scope: ['This field is required.'] }],
    [
      'malformed JSON',
      '{"canonical_label"',
      400,
      { detail: 'JSON parse error: the body is not valid JSON at line 1, column 19.' },
    ],
    ['a label that is a number', { canonical_label: 7 }, 400, { canonical_label: ['Not a valid text.'] }],
    [
      'an over-long label',
      { canonical_label: 'x'.repeat(501) },
      400,
      { canonical_label: ['Ensure this field has no more than 500 characters.'] },
    ],
    [
      'control characters',
      { canonical_label: 'a\u0000' },
      400,
      { canonical_label: ['Control characters are not allowed.'] },
    ],
    ['an unknown kind', { type_scope: 'spaceship' }, 400, wrongScope],
    ['a kind that is not reviewed', { type_scope: 'data_source' }, 400, wrongScope],
    ['a lock that is neither', { locked: 'maybe' }, 400, { locked: ['Give true or false.'] }],
    ['members that are no list', { members: 'all' }, 400, wrongMembers],
    ['a member without an id', { members: [{ entity_type: 'structure' }] }, 400, wrongId],
    ['a member with a fraction for an id', { members: [{ entity_type: 'structure', entity_id: 1.5 }] }, 400, wrongId],
    ['a member with text for an id', { members: [{ entity_type: 'structure', entity_id: 'x' }] }, 400, wrongId],
    [
      'a member of an unknown kind',
      { members: [{ entity_type: 'spaceship', entity_id: 1 }] },
      400,
      { members: { 0: { entity_type: ['There is no kind of this name.'] } } },
    ],
    [
      'a member that is not there',
      { members: [{ entity_type: 'structure', entity_id: 99_999 }] },
      400,
      { members: ['There is no architectural structure with one of these ids.'] },
    ],
    [
      'too many members',
      { members: Array.from({ length: 31 }, (_, i) => ({ entity_type: 'structure', entity_id: i + 1 })) },
      400,
      { members: ['A cluster gathers at most 30 records.'] },
    ],
    [
      'identifiers that are no object',
      { external_identifiers: 'Q1' },
      400,
      { external_identifiers: ['Give an object of identifiers.'] },
    ],
    [
      'an identifier that is a number',
      { external_identifiers: { a: 1 } },
      400,
      { external_identifiers: { a: ['Not a valid text.'] } },
    ],
    [
      'more than a megabyte',
      { note: 'y'.repeat(1_100_000) },
      413,
      { detail: 'The body is larger than 1048576 bytes.' },
    ],
  ])('%s is refused and leaves nothing', async (_what, sent, status, expected) => {
    const needed = { canonical_label: 'Good', type_scope: 'structure' }
    const empty = typeof sent === 'object' && sent !== null && Object.keys(sent).length === 0
    const body = typeof sent === 'string' || empty ? sent : { ...needed, ...(sent as object) }
    const reply = await withoutTrace(() => app.curator.post(PATH, { body }))
    expect([reply.status, reply.body]).toEqual([status, expected])
  })

  test('a record of another kind, one that the caller may not see, and a deleted one are no members', async () => {
    const person = await publish('Siddhi Lakshmi', {}, 'persons')
    const hidden = await propose('Not yet reviewed')
    const gone = await publish('Gone')
    expect((await app.staff.delete(`/cidoc/structures/${gone.id}/`)).status).toBe(204)
    for (const [who, it, type] of [
      [app.curator, person, 'person'],
      [app.curator, hidden, 'structure'],
      [app.curator, gone, 'structure'],
      [app.staff, gone, 'structure'],
    ] as const) {
      const body = { canonical_label: 'x', type_scope: 'structure', members: [member(it, type)] }
      const reply = await withoutTrace(() => who.post(PATH, { body }))
      expect([reply.status, reply.body]).toEqual([
        400,
        { members: ['There is no architectural structure with one of these ids.'] },
      ])
    }
  })

  test('a member that is deleted is shown to nobody, and comes back with the record', async () => {
    const one = await publish('Comes and goes')
    const { id } = await make({ members: [member(one)] })
    await app.staff.delete(`/cidoc/structures/${one.id}/`)
    for (const who of [app.anon, app.curator, app.staff]) expect(await membersOf(id, who)).toEqual([])
    await app.staff.post(`/cidoc/structures/${one.id}/restore/`)
    expect(await membersOf(id)).toEqual([one.id])
  })

  test('a record is in one cluster at most', async () => {
    const one = await publish('Taken')
    await make({ members: [member(one)] })
    const reply = await withoutTrace(() =>
      app.curator.post(PATH, { body: { canonical_label: 'Second', type_scope: 'structure', members: [member(one)] } }),
    )
    expect([reply.status, reply.body]).toEqual([400, { members: ['One of these records is in another cluster.'] }])
  })

  test('what the service keeps itself cannot be sent', async () => {
    const made = await make({ version: 9, merged_into: nobody, contributor: 'dev', public: false, id: nobody })
    expect(made).toMatchObject({ version: 1, merged_into: null, contributor: 'curator' })
    expect(made.id).not.toBe(nobody)
  })
})

describe('reading clusters', () => {
  test('the list is public, newest first, by kind and by lock, with exact counts', async () => {
    app.tick(10)
    const first = (await make({ type_scope: 'deity', canonical_label: 'Ganesh' })).id
    app.tick(10)
    const second = (await make({ type_scope: 'deity', canonical_label: 'Bhairab', locked: true })).id
    app.tick(10)
    const third = (await make({ type_scope: 'guthi', canonical_label: 'Si Guthi', locked: 'true' })).id
    expect(await idsIn({ type_scope: 'deity' })).toEqual([second, first])
    expect(await idsIn({ type_scope: 'deity', locked: 'true' })).toEqual([second])
    expect(await idsIn({ type_scope: 'deity', locked: 'false' })).toEqual([first])
    expect(await idsIn({ locked: '1' })).toEqual([third, second])
    expect(await idsIn({ type_scope: 'spaceship' })).toEqual([])
    expect(await idsIn({ type_scope: 'deity', locked: 'constructor' })).toEqual([second, first])
    expect(await idsIn({ search: 'bhair' })).toEqual([second])
    expect(await idsIn({ search: 'bhair', locked: 'false' })).toEqual([])
    expect(await idsIn({ search: 'guthi', locked: 'true', type_scope: 'guthi' })).toEqual([third])
    expect(await idsIn({ type_scope: 'deity', ordering: 'created_at' })).toEqual([first, second])
    expect((await idsIn({ limit: 100 })).slice(0, 3)).toEqual([third, second, first])
    const page = await app.anon.get(PATH, { query: { type_scope: 'deity', limit: 1 } })
    const next = await app.anon.get(page.body.next)
    expect([page.body.count, next.body.results.map((it: { id: string }) => it.id)]).toEqual([2, [first]])
  })

  test('members are shown to those who may see the record itself', async () => {
    const [open, waiting] = [await publish('Seen by all'), await propose('Seen by some')]
    const tier = await publish('Seen by members', { access_tier: 'community_only' })
    const { id } = await make({ members: [open, waiting, tier].map((it) => member(it)) }, app.staff)
    expect(await membersOf(id, app.anon)).toEqual([open.id])
    expect(await membersOf(id, app.other)).toEqual([open.id, tier.id])
    expect(await membersOf(id, app.contributor)).toEqual([open.id, waiting.id, tier.id])
  })

  test('an unknown id and one that is none are not found', async () => {
    for (const id of [nobody, '1', 'abc', '%00']) {
      for (const path of [`${PATH}${id}/`, `${PATH}${id}/members/`]) {
        const reply = await app.staff.get(path)
        expect([id, reply.status, reply.body]).toEqual([id, 404, notFound])
      }
    }
  })

  test('nobody deletes a cluster', async () => {
    const { id } = await make({})
    for (const who of [app.anon, app.contributor, app.curator, app.staff]) {
      const reply = await who.delete(`${PATH}${id}/`)
      expect([reply.status, reply.body]).toEqual([405, { detail: 'Method "DELETE" not allowed.' }])
      expect(reply.headers.allow).toBe('GET, PATCH, PUT')
    }
    expect((await app.anon.get(`${PATH}${id}/`)).status).toBe(200)
  })
})

describe('changing a cluster', () => {
  test('PATCH changes what it names and empties what is null; its number goes up', async () => {
    const made = await make({ note: 'goes', curated_aliases: 'One, Two', external_identifiers: { a: 'b' } })
    expect(made.curated_aliases).toEqual(['One', 'Two'])
    const reply = await app.curator.patch(`${PATH}${made.id}/`, {
      body: { canonical_label: 'Elsewhere', note: null, locked: true, expected_version: 1 },
    })
    const after = { canonical_label: 'Elsewhere', name: 'Elsewhere', note: '', locked: true, version: 2 }
    expect([reply.status, reply.body]).toEqual([200, { ...made, ...after, updated_at: reply.body.updated_at }])
    expect((await app.anon.get(`${PATH}${made.id}/`)).body).toEqual(reply.body)
    expect(await idsIn({ search: 'elsewhere' })).toEqual([made.id])
    expect(await idsIn({ search: 'somewhere', locked: 'true' })).toEqual([])
  })

  test('PUT states the whole cluster anew; its members stay unless it names them', async () => {
    const one = await publish('Stays')
    const made = await make({ note: 'goes', curated_aliases: 'One', members: [member(one)], locked: true })
    const reply = await app.staff.put(`${PATH}${made.id}/`, {
      body: { canonical_label: 'Anew', type_scope: 'structure' },
    })
    expect([reply.status, reply.body]).toEqual([
      200,
      {
        ...made,
        canonical_label: 'Anew',
        name: 'Anew',
        note: '',
        curated_aliases: [],
        locked: false,
        version: 2,
        updated_at: reply.body.updated_at,
      },
    ])
    expect(await membersOf(made.id)).toEqual([one.id])
    expect(
      (
        await app.staff.put(`${PATH}${made.id}/`, {
          body: { canonical_label: 'Anew', type_scope: 'structure', members: [] },
        })
      ).status,
    ).toBe(200)
    expect(await membersOf(made.id)).toEqual([])
  })

  test('a record that leaves one cluster can join another', async () => {
    const [one, two] = [await publish('Wanderer'), await publish('Resident')]
    const [from, to] = [await make({ members: [member(one), member(two)] }), await make({})]
    const early = await app.curator.patch(`${PATH}${to.id}/`, { body: { members: [member(one)] } })
    expect([early.status, early.body]).toEqual([400, { members: ['One of these records is in another cluster.'] }])
    expect((await app.curator.patch(`${PATH}${from.id}/`, { body: { members: [member(two)] } })).status).toBe(200)
    expect((await app.curator.patch(`${PATH}${to.id}/`, { body: { members: [member(one)] } })).status).toBe(200)
    expect([await membersOf(from.id), await membersOf(to.id)]).toEqual([[two.id], [one.id]])
  })

  test('members that the curator cannot see stay when the others are sent back', async () => {
    const [open, waiting] = [await publish('In the open'), await propose('In waiting')]
    const { id } = await make({ members: [member(open), member(waiting)] }, app.staff)
    expect(await membersOf(id, app.curator)).toEqual([open.id])
    expect((await app.curator.patch(`${PATH}${id}/`, { body: { members: [member(open)] } })).status).toBe(200)
    expect((await membersOf(id, app.staff)).sort()).toEqual([open.id, waiting.id].sort())
  })

  test('expert curators and staff change clusters; others may not, though they see them', async () => {
    const made = await make({}, app.community)
    const path = `${PATH}${made.id}/`
    const body = { canonical_label: 'Taken over', type_scope: 'structure' }
    for (const [who, status, expected] of [
      [app.anon, 401, signInNeeded],
      [app.as('not-a-token'), 401, badToken],
      [app.contributor, 403, refused],
      [app.community, 403, refused],
      [app.domain, 403, refused],
    ] as const) {
      for (const call of [who.put(path, { body }), who.patch(path, { body })]) {
        const reply = await call
        expect([reply.status, reply.body]).toEqual([status, expected])
      }
    }
    expect((await app.anon.get(path)).body).toEqual(made)
    expect((await app.staff.patch(path, { body })).status).toBe(200)
  })

  test.each<[string, unknown, number, unknown]>([
    [
      'an outdated version',
      { note: 'x', expected_version: 7 },
      400,
      { expected_version: ['The cluster has changed since: it is at version 1.'] },
    ],
    ['a version that is text', { expected_version: '1' }, 400, { expected_version: ['Give a whole number.'] }],
    ['another kind', { type_scope: 'deity' }, 400, { type_scope: ['What a cluster gathers cannot be changed.'] }],
    [
      'an unknown kind',
      { type_scope: 'spaceship' },
      400,
      { type_scope: ['What a cluster gathers cannot be changed.'] },
    ],
    ['a blank label', { canonical_label: ' ' }, 400, { canonical_label: ['This field may not be blank.'] }],
    ['a wrong type', { note: [{}] }, 400, { note: ['Not a valid text.'] }],
    ['members that are no list', { members: {} }, 400, wrongMembers],
    ['malformed JSON', '{', 400, { detail: 'JSON parse error: the body is not valid JSON at line 1, column 2.' }],
  ])('%s changes nothing', async (_what, body, status, expected) => {
    const made = await make({})
    const reply = await app.curator.patch(`${PATH}${made.id}/`, { body })
    expect([reply.status, reply.body]).toEqual([status, expected])
    expect((await app.anon.get(`${PATH}${made.id}/`)).body).toEqual(made)
  })

  test('what was sent for another version is not written', async () => {
    const { id } = await make({})
    const reply = await app.curator.patch(`${PATH}${id}/`, { body: { note: 'x' }, headers: { 'if-match': '"7"' } })
    expect(reply.status).toBe(412)
    const tagFor = async (who: Persona) => (await who.get(`${PATH}${id}/`)).headers.etag
    // Who may change it finds its version there; to others it tells of nothing but what they read.
    expect(await tagFor(app.curator)).toMatch(/^"1-[\w-]{12}"$/)
    expect(await tagFor(app.anon)).toMatch(/^"[\w-]{12}"$/)
    const current = { 'if-match': (await tagFor(app.curator)) ?? '' }
    const write = () => app.curator.patch(`${PATH}${id}/`, { body: { note: 'x' }, headers: current })
    expect([(await write()).status, (await write()).status]).toEqual([200, 412])
    expect(await tagFor(app.curator)).toMatch(/^"2-/)
  })

  test('an unknown cluster is not found, whoever asks', async () => {
    for (const who of [app.contributor, app.curator, app.staff]) {
      const reply = await who.patch(`${PATH}${nobody}/`, { body: {} })
      expect([reply.status, reply.body]).toEqual([404, notFound])
    }
  })
})

describe('suggesting duplicates', () => {
  const ask = (query: { [name: string]: string }, who: Persona = app.contributor) => who.get(SUGGEST, { query })
  const labels = (reply: Answer) => reply.body.results.map((it: { canonical_label: string }) => it.canonical_label)

  test('a record that is in no cluster is a result of its own', async () => {
    const made = await publish('Changu Narayan', { note: 'On a ridge', alternate_names: ['Champak Narayan'] })
    const candidate = {
      entity_type: 'architecturalstructure',
      entity_id: made.id,
      display_title: 'Changu Narayan',
      registry_key: 'structure',
      completeness_score: expect.any(Number),
      status: 'accepted',
    }
    const reply = await ask({ q: 'Changu Narayan', registry_key: 'structure', include_members: 'true' })
    expect([reply.status, reply.body]).toEqual([
      200,
      {
        results: [
          {
            id: made.cultural_entity_id,
            canonical_label: 'Changu Narayan',
            type_scope: 'architecturalstructure',
            registry_key: 'structure',
            curated_aliases: ['Champak Narayan'],
            external_identifiers: {},
            member_count: 1,
            canonical_member: candidate,
            members: [candidate],
            recommendation: 'edit_existing',
          },
        ],
        recommendation: 'edit_existing',
      },
    ])
    const { completeness_score } = reply.body.results[0].canonical_member
    expect(completeness_score).toBeGreaterThan(0)
    expect(completeness_score).toBeLessThan(0.5)
    expect((await ask({ q: 'Changu Narayan', registry_key: 'structure' })).body.results[0].members).toEqual([])
  })

  test('a cluster stands for its records, the fullest published one first', async () => {
    const bare = await publish('Kasthamandap')
    const full = await publish('Kastha Mandap', { note: 'One tree', construction_date: '1100', condition: 'Restored' })
    const { id } = await make({
      canonical_label: 'Kasthamandap of Kathmandu',
      curated_aliases: ['Maru Sattal'],
      external_identifiers: { wikidata: 'Q1' },
      members: [member(bare), member(full)],
    })
    for (const q of ['Kasthamandap', 'maru sattal', 'kasthamandap of kath']) {
      const { body } = await ask({ q, type_scope: 'architecturalstructure', include_members: '1' })
      expect(body.results).toHaveLength(1)
      expect(body.results[0]).toMatchObject({
        id,
        canonical_label: 'Kasthamandap of Kathmandu',
        curated_aliases: ['Maru Sattal'],
        external_identifiers: { wikidata: 'Q1' },
        member_count: 2,
        canonical_member: { entity_id: full.id },
        members: [{ entity_id: full.id }, { entity_id: bare.id }],
      })
    }
  })

  test('spelling, script and common words do not hide a likeness; a beginning is shown but recommends nothing', async () => {
    await publish('Pashupatinath Temple')
    for (const q of ['pashupatinath', 'Pasupatinath Mandir', 'पशुपतिनाथ', 'Pashupatinat']) {
      const { body } = await ask({ q, registry_key: 'structure' })
      expect([q, body.recommendation, body.results[0]?.canonical_label]).toEqual([
        q,
        'edit_existing',
        'Pashupatinath Temple',
      ])
    }
    const begun = await ask({ q: 'Pashup', registry_key: 'structure' })
    expect([labels(begun), begun.body.recommendation]).toEqual([['Pashupatinath Temple'], 'create_new'])
  })

  test('the very name comes first, and several of it ask for a merge', async () => {
    await publish('Dattatreya Mandir')
    await publish('Dattatreya')
    const reply = await ask({ q: 'Dattatreya', registry_key: 'structure' })
    expect(labels(reply)).toEqual(['Dattatreya', 'Dattatreya Mandir'])
    expect(reply.body.recommendation).toBe('review_merge')
    expect(reply.body.results.map((it: { recommendation: string }) => it.recommendation)).toEqual([
      'review_merge',
      'review_merge',
    ])
  })

  test('an empty cluster comes after a record of the same likeness', async () => {
    await publish('Taleju Bhawani of Kirtipur')
    await make({ canonical_label: 'Taleju Bhawani of Kirtipur' })
    const { body } = await ask({ q: 'Taleju Bhawani of Kirtipur', registry_key: 'structure' })
    expect(body.results.map((it: { member_count: number }) => it.member_count)).toEqual([1, 0])
  })

  test('a name that says only what sort of thing it is recommends nothing', async () => {
    await publish('Shiva Mandir')
    const reply = await ask({ q: 'Shiva Mandir', registry_key: 'structure' })
    expect([labels(reply), reply.body.recommendation]).toEqual([['Shiva Mandir'], 'create_new'])
  })

  test('without a kind all kinds are looked through; with one only that', async () => {
    await publish('Indra Jatra', {}, 'festivals')
    const reply = await ask({ q: 'Indra Jatra' })
    expect(reply.body.results.map((it: { registry_key: string }) => it.registry_key)).toEqual(['festival'])
    expect((await ask({ q: 'Indra Jatra', registry_key: 'structure' })).body).toEqual({
      results: [],
      recommendation: 'create_new',
    })
  })

  test('only what the caller may see is suggested', async () => {
    const waiting = await propose('Ranipokhari Temple')
    const query = { q: 'Ranipokhari Temple', registry_key: 'structure' }
    expect((await ask(query)).body.results[0].canonical_member).toMatchObject({
      entity_id: waiting.id,
      status: 'pending_review',
    })
    expect((await ask(query, app.other)).body).toEqual({ results: [], recommendation: 'create_new' })
    // A cluster is public; the record in it that waits for review does not show through it.
    const { id } = await make({ canonical_label: 'Quite another name', members: [member(waiting)] }, app.staff)
    expect((await ask(query)).body.results[0].id).toBe(id)
    expect((await ask(query, app.other)).body).toEqual({ results: [], recommendation: 'create_new' })
    const { body } = await ask({ q: 'Quite another name', registry_key: 'structure', include_members: '1' }, app.other)
    expect(body.results[0]).toMatchObject({ id, member_count: 0, canonical_member: null, members: [] })
  })

  test('deleted records are not suggested', async () => {
    const { id } = await publish('Short-lived Stupa')
    await app.staff.delete(`/cidoc/structures/${id}/`)
    expect((await ask({ q: 'Short-lived Stupa', registry_key: 'structure' }, app.staff)).body.results).toEqual([])
  })

  test.each<[string, { [name: string]: string }, unknown]>([
    ['nothing', {}, { q: ['Give at least 2 characters.'] }],
    ['one letter', { q: ' a ' }, { q: ['Give at least 2 characters.'] }],
    [
      'an unknown kind',
      { q: 'abc', registry_key: 'spaceship' },
      { registry_key: [expect.stringMatching(/^Not a valid choice/)] },
    ],
    [
      'an unknown scope',
      { q: 'abc', type_scope: 'spaceship' },
      { type_scope: [expect.stringMatching(/^Not a valid choice/)] },
    ],
  ])('asking for %s is refused', async (_what, query, expected) => {
    const reply = await ask(query)
    expect([reply.status, reply.body]).toEqual([400, expected])
  })

  test('signs without letters and very long texts find nothing and do no harm', async () => {
    for (const q of ['--', '\u0000\u0001', '#HEAD', '😀😀', 'x'.repeat(5000)]) {
      const reply = await ask({ q, registry_key: 'structure' })
      expect([reply.status, reply.body]).toEqual([200, { results: [], recommendation: 'create_new' }])
    }
  })

  test('a kind that has no clusters finds nothing', async () => {
    const reply = await ask({ q: 'anything', registry_key: 'data_source' })
    expect([reply.status, reply.body]).toEqual([200, { results: [], recommendation: 'create_new' }])
  })

  test('a caller has to be signed in', async () => {
    for (const who of [app.anon, app.as('not-a-token')]) {
      const reply = await ask({ q: 'Nyatapola' }, who)
      expect([reply.status, reply.body]).toEqual([401, who === app.anon ? signInNeeded : badToken])
    }
  })
})

describe('locking', () => {
  const lockAt = (who: Persona, id: string, what: 'lock' | 'unlock', body: object = {}) =>
    who.post(`${PATH}${id}/${what}/`, { body })

  test('is for curators, says why, and is undone by unlocking', async () => {
    const { id, version } = await make({ canonical_label: 'To be locked' })
    expect((await lockAt(app.anon, id, 'lock')).status).toBe(401)
    for (const who of [app.contributor, app.community, app.domain]) {
      const reply = await lockAt(who, id, 'lock', { reason: 'Mine.' })
      expect([reply.status, reply.body]).toEqual([403, refused])
    }
    const locked = await lockAt(app.curator, id, 'lock', { reason: 'Settled.', expected_version: version })
    expect([locked.status, locked.body]).toMatchObject([
      200,
      { id, locked: true, lock_reason: 'Settled.', version: version + 1 },
    ])
    expect((await idsIn({ locked: 'true', limit: 100 })).includes(id)).toBe(true)
    const unlocked = await lockAt(app.curator, id, 'unlock', {
      reason: 'More has come.',
      expected_version: version + 1,
    })
    expect([unlocked.status, unlocked.body]).toMatchObject([200, { locked: false, lock_reason: 'More has come.' }])
    expect((await idsIn({ locked: 'true', limit: 100 })).includes(id)).toBe(false)
  })

  test('of another version is refused, and so is locking twice', async () => {
    const { id, version } = await make({ canonical_label: 'Refused to be locked' })
    const other = await lockAt(app.curator, id, 'lock', { reason: '', expected_version: version + 1 })
    expect([other.status, other.body]).toEqual([
      409,
      { detail: `The cluster has changed since: it is at version ${version}.` },
    ])
    const open = await lockAt(app.curator, id, 'unlock', { expected_version: version })
    expect([open.status, open.body]).toEqual([409, { detail: 'The cluster is not locked.' }])
    expect((await lockAt(app.curator, id, 'lock')).status).toBe(200)
    const twice = await lockAt(app.curator, id, 'lock', { expected_version: null })
    expect([twice.status, twice.body]).toEqual([409, { detail: 'The cluster is locked.' }])
    const wrong = await lockAt(app.curator, id, 'unlock', { expected_version: 'two' })
    expect([wrong.status, wrong.body]).toEqual([400, { expected_version: ['Give a whole number.'] }])
    expect((await lockAt(app.curator, nobody, 'lock')).status).toBe(404)
  })
})
