import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { withTornQueries } from '../../harness/faults.ts'
import { type Following, followTable } from '../../harness/following.ts'
import {
  atOnce,
  commandsOf,
  contribute,
  copies,
  decide,
  everyState,
  flagsOf,
  people,
  publish,
  type Reader,
  type State,
  sightings,
  sure,
} from '../../harness/make.ts'

let app: App
let following: Following
let sights: Awaited<ReturnType<typeof everyState>>
beforeAll(async () => {
  app = await openApp()
  // Some tests count what goes to the table, so the projector works only where search is waited for.
  following = await followTable()
  sights = await everyState(app, 'monuments')
  await following.settled()
})

const notFound = { detail: 'Not found.' }
const refused = { detail: 'You do not have permission to perform this action.' }
const isStale = { detail: 'This has changed since it was read. Read it again and retry.' }

describe('who sees a record', () => {
  test.each(sightings)('$state by $who: $sees', async ({ state, who, sees }) => {
    const reply = await app[who].get(`/cidoc/monuments/${sights[state].id}/`)
    expect(reply.status).toBe(sees ? 200 : 404)
    if (sees) expect(reply.body.name).toBe(`Sight ${state}`)
    else expect(reply.body).toEqual(notFound)
  })

  const withheld = ['pending', 'rejected', 'revising'] as const
  const lists: [string, Reader, readonly State[]][] = [
    ['', 'anon', ['published']],
    ...people.slice(1).map((who): [string, Reader, State[]] => ['', who, ['published', 'restricted']]),
    ['mine=1', 'contributor', ['published', 'restricted', ...withheld]],
    ['mine=1', 'other', []],
    ['all=1', 'anon', ['published']],
    ['all=1', 'other', ['published', 'restricted']],
    ['all=1', 'community', ['published', 'restricted']],
    ['all=1', 'staff', ['published', 'restricted', ...withheld]],
    ['status=accepted', 'anon', ['published']],
    ['status=accepted', 'other', ['published', 'restricted']],
    ...(['anon', 'other', 'community'] as const).map((who): [string, Reader, State[]] => [
      'status=pending_review',
      who,
      [],
    ]),
    ['status=pending_review', 'contributor', ['pending']],
    ['status=pending_review', 'staff', ['pending']],
    ['status=rejected', 'other', []],
    ['status=rejected', 'staff', ['rejected']],
    ['status=pending_revision', 'contributor', ['revising']],
    ['status=no-such-status', 'staff', []],
    ['search=sight', 'anon', ['published']],
    ['search=sight', 'other', ['published', 'restricted']],
    ['search=sight', 'community', ['published', 'restricted']],
    ['search=sight', 'contributor', ['published', 'restricted', ...withheld]],
    ['search=sight&all=1', 'staff', ['published', 'restricted', ...withheld]],
    ['search=sight&status=pending_review', 'other', []],
    ['search=sight&mine=1', 'other', []],
  ]
  test.each(lists)('a list with ?%s shows %s exactly what it may, and counts it', async (query, who, shown) => {
    const { body } = await app[who].get(`/cidoc/monuments/?${query}`)
    expect(body.results.map((it: { name: string }) => it.name).sort()).toEqual(
      shown.map((state) => `Sight ${state}`).sort(),
    )
    expect(body.count).toBe(shown.length)
  })

  test('another person is shown only the published records of a contributor', async () => {
    const id = (await app.contributor.get('/api/user/info')).body.id
    const { body } = await app.other.get('/cidoc/monuments/', { query: { contributor: id, all: 1 } })
    expect(body.results.map((it: { name: string }) => it.name)).toEqual(['Sight restricted', 'Sight published'])
    expect(body.count).toBe(2)
  })

  test('an edit that waits is not told by a search for what waits', async () => {
    const it = await publish(app, 'guthis', { name: 'Waiting Guthi' })
    sure(200, await app.contributor.patch(`/cidoc/guthis/${it.id}/`, { body: { note: 'New' } }))
    await following.settled()
    const { body } = await app.other.get('/cidoc/guthis/', { query: { search: 'Waiting', status: 'pending_review' } })
    expect(body).toEqual({ count: 0, next: null, previous: null, results: [] })
  })

  test.each(['community_only', 'sensitive_indigenous'])(
    'a %s place is shown to a tenth of a degree to who does not work on it',
    async (access_tier) => {
      const it = await publish(app, 'structures', { name: access_tier, coordinates: '27.6716, 85.4284', access_tier })
      const seen = async (who: Persona) => {
        const { body } = await who.get(`/cidoc/structures/${it.id}/`)
        const claim = body.assertions.find((one: { property: string }) => one.property === 'coordinates')
        return [body.coordinates, body.place_coordinates, body.latitude, body.longitude, claim.value]
      }
      expect(await seen(app.other)).toEqual(['27.7, 85.4', '27.7, 85.4', 27.7, 85.4, ''])
      const exact = ['27.6716, 85.4284', '27.6716, 85.4284', 27.6716, 85.4284, '27.6716, 85.4284']
      for (const who of [app.contributor, app.community, app.staff]) expect(await seen(who)).toEqual(exact)
      expect((await app.anon.get(`/cidoc/structures/${it.id}/`)).status).toBe(404)
    },
  )

  test('a form is told nothing of a record that waits', async () => {
    const values = { name: 'Vajrayogini of those who wait', condition: 'Poor' }
    await contribute(app.contributor, 'structures', values)
    const partial_payload = { name: values.name }
    const body = { ontology_class: 'structure', field_key: 'condition', partial_payload }
    const suggested = async (who: Persona) => sure(200, await who.post('/cidoc/assist/suggest-field/', { body }))
    expect(await suggested(app.contributor)).toMatchObject({ suggestion: 'Poor' })
    expect(await suggested(app.other)).toEqual({ suggestion: '', confidence: 0 })
  })

  test('a form is not told the exact place of a sensitive record', async () => {
    const body = { name: 'Hidden Spring', coordinates: '27.1234, 85.1234', access_tier: 'community_only' }
    await publish(app, 'structures', body)
    const question = {
      ontology_class: 'structure',
      field_key: 'coordinates',
      partial_payload: { name: 'Hidden Spring' },
    }
    expect((await app.other.post('/cidoc/assist/suggest-field/', { body: question })).body).toEqual({
      suggestion: '',
      confidence: 0,
    })
  })
})

describe('a contribution', () => {
  const body = {
    name: 'Nyatapola',
    note: 'Five tiers',
    structure_type: 'Temple',
    existence_status: 'Extant',
    condition: 'Good',
    construction_date: '1702',
    coordinates: '27.6714, 85.4293',
    assertion: {
      source_type: 'book',
      source_citation: 'Slusser 1982, 204',
      source_url: 'https://example.org/slusser',
      confidence: 'certain',
      data_quality_note: 'Checked on site.',
    },
  }

  test('waits for review, and says so', async () => {
    const made = await contribute(app.contributor, 'structures', body)
    expect(made).toMatchObject({
      id: expect.any(Number),
      cultural_entity_id: expect.stringMatching(/^08[0-9a-f]{6}-[0-9a-f]{4}-8/),
      name: 'Nyatapola',
      status: 'pending_review',
      contributor: 'dev',
      category: 'monument',
      access_tier: 'public',
      latitude: 27.6714,
      longitude: 85.4293,
      created_at: '2025-01-15T10:00:00.000Z',
      updated_at: '2025-01-15T10:00:00.000Z',
      linked_events: [],
      linked_deities: [],
      linked_guthis: [],
    })
    expect(made).not.toHaveProperty('entity_id')
    expect((await app.contributor.get(`/cidoc/structures/${made.id}/`)).body).toEqual(made)
  })

  test('every value has one assertion with source, author and time', async () => {
    const { assertions } = await contribute(app.contributor, 'structures', { ...body, name: 'Second Nyatapola' })
    const { assertion, ...values } = body
    const expected = Object.entries({ ...values, name: 'Second Nyatapola' }).map(([property, value]) => ({
      ...assertion,
      property,
      value,
      asserted_property: property,
      asserted_value: value,
      contributed_by: 'dev',
      reconciliation_status: 'pending',
      revision_number: 1,
      created_at: '2025-01-15T10:00:00.000Z',
    }))
    const byName = (a: { property: string }, b: { property: string }) => (a.property < b.property ? -1 : 1)
    expect(assertions.sort(byName)).toMatchObject(expected.sort(byName))
    expect(assertions).toHaveLength(7)
  })

  test('without a block of provenance its own citation is the source, and it is likely', async () => {
    const { assertions } = await contribute(app.contributor, 'structures', {
      name: 'Cited Pati',
      source_citation: 'Gutschow 2011',
      source_url: 'https://example.org/g',
    })
    for (const it of assertions) {
      expect(it).toMatchObject({
        source_citation: 'Gutschow 2011',
        source_url: 'https://example.org/g',
        source_type: '',
        confidence: 'likely',
      })
    }
    expect(assertions).toHaveLength(3)
  })

  const smuggled = {
    id: 999,
    entity_id: 'x',
    cultural_entity_id: 'x',
    status: 'accepted',
    public: true,
    contributor: 'staff',
    contributor_id: 'x',
    score: 9,
    version: 7,
    deleted_at: '2020-01-01',
    accepted_revision: 1,
    data: { name: 'Other' },
    assertions: [],
    reconciliation_status: 'accepted',
    nonsense: 1,
  }

  test.each(['POST', 'PUT', 'PATCH'])('members that are not of the kind are dropped by %s', async (method) => {
    const made = await contribute(app.contributor, 'locations', { name: `Smuggled ${method}` })
    const at = method === 'POST' ? '/cidoc/locations/' : `/cidoc/locations/${made.id}/`
    const sent = await app.contributor.send(method, at, { body: { ...smuggled, name: `Kept ${method}` } })
    const { body: stored } = await app.contributor.get(`/cidoc/locations/${sent.body.id}/`)
    expect(sent.status).toBe(method === 'POST' ? 201 : 200)
    expect(stored).toMatchObject({ name: `Kept ${method}`, status: 'pending_review', contributor: 'dev' })
    expect(stored.id).not.toBe(999)
    for (const it of stored.assertions) expect(it).toMatchObject({ property: 'name', contributed_by: 'dev' })
    for (const name of ['public', 'score', 'nonsense', 'version', 'data']) expect(stored).not.toHaveProperty(name)
    expect((await app.anon.get(`/cidoc/locations/${sent.body.id}/`)).status).toBe(404)
  })

  test('values that together do not fit are refused', async () => {
    const alternate_names = Array.from({ length: 200 }, (_, i) => `${i}${'क'.repeat(295)}`)
    const reply = await app.contributor.post('/cidoc/locations/', { body: { name: 'Too much', alternate_names } })
    expect(reply.status).toBe(400)
    expect(reply.body).toEqual({ non_field_errors: ['The values together are larger than 150000 bytes.'] })
    await following.settled()
    const { body } = await app.contributor.get('/cidoc/locations/', { query: { mine: 1, search: 'Too much' } })
    expect(body.count).toBe(0)
  })

  test('more new records than one transaction takes are refused, not half made', async () => {
    const many = (what: string) => Array.from({ length: 20 }, (_, i) => `${what} number ${i}`)
    const body = { name: 'Names many', invokes_deity: many('Deity'), managed_by_guthi: many('Guthi') }
    const reply = await app.contributor.post('/cidoc/rituals/', { body })
    expect(reply.status).toBe(400)
    expect(reply.body).toEqual({
      non_field_errors: [
        'Too many values, names and new records at once: they take 396 writes, and 100 are the most. Send them in parts.',
      ],
    })
    const inNepali = { body, headers: { 'accept-language': 'ne' } }
    expect((await app.contributor.post('/cidoc/rituals/', inNepali)).body.non_field_errors).toEqual([
      'एकै पटक धेरै मान, नाम र नयाँ अभिलेख भए: यसलाई ३९६ लेखाइ चाहिन्छ, बढीमा १०० हुन सक्छ। टुक्रा गरी पठाउनुहोस्।',
    ])
    await following.settled()
    const { body: listed } = await app.contributor.get('/cidoc/deities/', { query: { mine: 1, search: 'Deity' } })
    expect(listed.count).toBe(0)
  })

  test.each([8, 9, 10, 11, 12, 13, 14])(
    '%i new records of several kinds are made, or refused, never an error',
    async (many) => {
      const places = ['was_produced_by_event', 'destruction_event', 'has_current_location', 'dedicated_to']
      const more = ['participates_in_ritual', 'has_custody_event']
      const names = [...places, ...more].flatMap((field, i) =>
        Array.from({ length: 3 }, (_, j) => [field, `${field} ${many} ${i} ${j}`]),
      )
      const single = new Set(['was_produced_by_event', 'destruction_event', 'has_current_location'])
      const fields: Record<string, string[]> = {}
      for (const [field = '', name = ''] of names) {
        const known = fields[field] ?? []
        if (Object.values(fields).flat().length < many && (known.length === 0 || !single.has(field)))
          fields[field] = [...known, name]
      }
      const reply = await app.contributor.post('/cidoc/structures/', {
        body: { name: `Many kinds ${many}`, ...fields },
      })
      expect([201, 400]).toContain(reply.status)
    },
  )
})

describe('an edit', () => {
  const values = { name: 'Edited', note: 'As accepted', condition: 'Good', coordinates: '27.7, 85.3' }
  const edited = async (name: string) => publish(app, 'structures', { ...values, name })
  const read = async (who: Persona, it: { id: number }) => (await who.get(`/cidoc/structures/${it.id}/`)).body
  const form = async (it: { cultural_entity_id: string }) =>
    (await app.contributor.get(`/data/cultural-entities/${it.cultural_entity_id}/`)).body.form_data

  test('of a published record waits: everyone goes on reading the accepted values', async () => {
    const it = await edited('Waits One')
    const before = await read(app.anon, it)
    const reply = await app.contributor.patch(`/cidoc/structures/${it.id}/`, { body: { note: 'Hidden yet' } })
    expect(reply.status).toBe(200)
    for (const who of [app.anon, app.other, app.contributor, app.staff]) {
      expect(await read(who, it)).toMatchObject({ note: 'As accepted', status: 'accepted', condition: 'Good' })
    }
    const after = await read(app.anon, it)
    expect(after).toEqual({ ...before, updated_at: after.updated_at })
    expect(await form(it)).toMatchObject({ note: 'Hidden yet', condition: 'Good' })
  })

  test('builds on the one that waits, and acceptance publishes both', async () => {
    const it = await edited('Waits Two')
    sure(200, await app.contributor.patch(`/cidoc/structures/${it.id}/`, { body: { note: 'First' } }))
    sure(200, await app.contributor.patch(`/cidoc/structures/${it.id}/`, { body: { description: 'Second' } }))
    sure(201, await decide(app.community, it, { verdict: 'accept' }))
    expect(await read(app.anon, it)).toMatchObject({ note: 'First', description: 'Second', condition: 'Good' })
  })

  test('that is rejected leaves what was accepted, and the next edit builds on that', async () => {
    const it = await edited('Waits Three')
    sure(200, await app.contributor.patch(`/cidoc/structures/${it.id}/`, { body: { note: 'Refused text' } }))
    sure(201, await decide(app.community, it, { verdict: 'reject', feedback: 'No source.' }))
    expect(await read(app.anon, it)).toMatchObject({ note: 'As accepted', status: 'accepted' })
    sure(200, await app.contributor.patch(`/cidoc/structures/${it.id}/`, { body: { description: 'Later' } }))
    expect(await form(it)).toMatchObject({ note: 'As accepted', description: 'Later' })
  })

  test('that was refused shows its values to nobody but who works on the record', async () => {
    const it = await edited('Waits Four')
    sure(200, await app.contributor.patch(`/cidoc/structures/${it.id}/`, { body: { note: 'Slander' } }))
    sure(201, await decide(app.community, it, { verdict: 'reject', feedback: 'No.' }))
    for (const path of [
      `/cidoc/structures/${it.id}/`,
      `/data/cultural-entities/${it.cultural_entity_id}/`,
      `/cidoc/assertions/?cultural_entity_id=${it.cultural_entity_id}`,
      '/cidoc/assertions/?status=superseded',
      '/data/activities/',
    ]) {
      for (const who of [app.anon, app.other]) expect((await who.get(path)).text).not.toContain('Slander')
    }
  })

  test('of what is not published is saved in place', async () => {
    const it = await contribute(app.contributor, 'structures', { ...values, name: 'In place' })
    const reply = await app.contributor.patch(`/cidoc/structures/${it.id}/`, { body: { note: 'Better' } })
    expect(reply.body).toMatchObject({ name: 'In place', note: 'Better', condition: 'Good', status: 'pending_review' })
    expect(await read(app.contributor, it)).toMatchObject({ note: 'Better', status: 'pending_review' })
  })

  test('by PUT replaces every value, by PATCH only those it sends', async () => {
    const it = await contribute(app.contributor, 'structures', { ...values, name: 'Replaced' })
    sure(200, await app.contributor.put(`/cidoc/structures/${it.id}/`, { body: { name: 'Replaced', note: 'Only' } }))
    expect(await read(app.contributor, it)).toMatchObject({ note: 'Only', condition: '', coordinates: '' })
    sure(200, await app.contributor.patch(`/cidoc/structures/${it.id}/`, { body: { condition: 'Fair' } }))
    expect(await read(app.contributor, it)).toMatchObject({ note: 'Only', condition: 'Fair' })
  })

  test.each(['', null])('by PATCH empties what it sends as %j', async (nothing) => {
    const it = await contribute(app.contributor, 'structures', { ...values, name: `Emptied ${nothing}` })
    sure(200, await app.contributor.patch(`/cidoc/structures/${it.id}/`, { body: { note: nothing } }))
    expect(await read(app.contributor, it)).toMatchObject({ note: '', condition: 'Good' })
  })

  test('adds assertions for changed values only', async () => {
    const it = await edited('Claims')
    const sent = { ...values, name: 'Claims', note: 'Changed', assertion: { source_citation: 'Later work' } }
    sure(200, await app.contributor.patch(`/cidoc/structures/${it.id}/`, { body: sent }))
    const { assertions } = await read(app.contributor, it)
    expect(assertions).toHaveLength(5)
    expect(assertions.filter((one: { revision_number: number }) => one.revision_number === 2)).toMatchObject([
      { property: 'note', value: 'Changed', source_citation: 'Later work', reconciliation_status: 'pending' },
    ])
    sure(201, await decide(app.community, it, { verdict: 'accept' }))
    const standing = (await read(app.anon, it)).assertions
    expect(standing.map((one: { property: string; value: string }) => [one.property, one.value]).sort()).toEqual([
      ['condition', 'Good'],
      ['coordinates', '27.7, 85.3'],
      ['name', 'Claims'],
      ['note', 'Changed'],
    ])
  })

  test('that changes nothing writes nothing', async () => {
    const it = await edited('Unchanged')
    const seen = await commandsOf(() =>
      app.contributor.patch(`/cidoc/structures/${it.id}/`, { body: { note: 'As accepted' } }),
    )
    expect(seen).not.toContain('TransactWriteItemsCommand')
    expect(await read(app.contributor, it)).toMatchObject({ status: 'accepted' })
  })

  test('by someone else is refused where the record is seen, and not found where it is not', async () => {
    const open = await edited('Not yours')
    const hidden = await contribute(app.contributor, 'structures', { name: 'Not yours either' })
    for (const [method, body] of [
      ['PATCH', { note: 'x' }],
      ['PUT', { name: 'x' }],
      ['DELETE', undefined],
    ] as const) {
      const refusal = await app.other.send(method, `/cidoc/structures/${open.id}/`, { body })
      expect([refusal.status, refusal.body]).toEqual([403, refused])
      const absence = await app.other.send(method, `/cidoc/structures/${hidden.id}/`, { body })
      expect([absence.status, absence.body]).toEqual([404, notFound])
    }
  })
})

describe('a rejected contribution', () => {
  test('that is revised and accepted is published with an assertion for every value', async () => {
    const it = await contribute(app.contributor, 'structures', { name: 'Returned', note: 'Kept', condition: 'Good' })
    sure(201, await decide(app.community, it, { verdict: 'reject', feedback: 'Condition?' }))
    const at = `/data/cultural-entities/${it.cultural_entity_id}/create_revision/`
    sure(201, await app.contributor.post(at, { body: { condition: 'Fair' } }))
    sure(201, await decide(app.community, it, { verdict: 'accept' }))
    const { assertions } = (await app.anon.get(`/cidoc/structures/${it.id}/`)).body
    expect(assertions.map((one: { property: string; value: string }) => [one.property, one.value]).sort()).toEqual([
      ['condition', 'Fair'],
      ['name', 'Returned'],
      ['note', 'Kept'],
    ])
  })
})

describe('deleting', () => {
  test('one of their own that is not published is the right of its contributor', async () => {
    const it = await contribute(app.contributor, 'festivals', { name: 'Withdrawn Jatra' })
    expect((await app.contributor.delete(`/cidoc/festivals/${it.id}/`)).status).toBe(204)
    expect((await app.contributor.get(`/cidoc/festivals/${it.id}/`)).status).toBe(404)
    const { body } = await app.contributor.get('/cidoc/festivals/', { query: { mine: 1 } })
    expect(body.count).toBe(0)
  })

  test('a published record is for staff only', async () => {
    const it = await publish(app, 'festivals', { name: 'Standing Jatra' })
    for (const who of [app.contributor, app.other, app.community, app.domain, app.curator]) {
      const reply = await who.delete(`/cidoc/festivals/${it.id}/`)
      expect([reply.status, reply.body]).toEqual([403, refused])
    }
    expect((await app.staff.delete(`/cidoc/festivals/${it.id}/`)).status).toBe(204)
    expect((await app.anon.get(`/cidoc/festivals/${it.id}/`)).status).toBe(404)
  })

  test('is undone by staff, and by nobody else', async () => {
    const it = await publish(app, 'festivals', { name: 'Restored Jatra' })
    sure(204, await app.staff.delete(`/cidoc/festivals/${it.id}/`))
    const at = `/cidoc/festivals/${it.id}/restore/`
    for (const who of [app.contributor, app.curator]) expect((await who.post(at)).status).toBe(404)
    expect((await app.staff.post(at)).body).toMatchObject({ name: 'Restored Jatra', status: 'accepted' })
    await following.settled()
    expect((await app.anon.get('/cidoc/festivals/', { query: { search: 'Restored' } })).body.count).toBe(1)
    expect((await app.contributor.post(at)).status).toBe(403)
    const again = await app.staff.post(at)
    expect([again.status, again.body]).toEqual([409, { detail: 'This record is not deleted.' }])
  })

  test('leaves nothing that can be edited', async () => {
    const { id } = sights.deleted
    const reply = await app.staff.patch(`/cidoc/monuments/${id}/`, { body: { note: 'x' } })
    expect(reply.status).toBe(400)
    expect((await app.staff.get(`/cidoc/monuments/${id}/`)).body.note).toBe('A note that is deleted')
  })
})

describe('writers who meet', () => {
  test('of twin edits of one record one is saved, the other is told', async () => {
    const it = await contribute(app.contributor, 'traditions', { name: 'Twin' })
    const replies = await atOnce(
      ['a', 'b'].map((note) => () => app.contributor.patch(`/cidoc/traditions/${it.id}/`, { body: { note } })),
    )
    const [saved, told] = replies.sort((a, b) => a.status - b.status)
    expect([saved?.status, told?.status]).toEqual([200, 409])
    expect(told?.body).toEqual(isStale)
    const { body } = await app.contributor.get(`/cidoc/traditions/${it.id}/`)
    expect(body.note).toBe(saved?.body.note)
    expect(body.assertions).toHaveLength(2)
  })

  test('a lost update is noticed by If-Match', async () => {
    const it = await contribute(app.contributor, 'traditions', { name: 'Matched' })
    const at = `/cidoc/traditions/${it.id}/`
    const { etag = '' } = (await app.contributor.get(at)).headers
    expect(etag).toMatch(/^"1-[\w-]{12}"$/)
    sure(200, await app.contributor.patch(at, { body: { note: 'a' }, headers: { 'if-match': etag } }))
    const late = await app.contributor.patch(at, { body: { note: 'b' }, headers: { 'if-match': etag } })
    expect([late.status, late.body]).toEqual([412, { detail: 'This has changed since the version named in If-Match.' }])
    expect((await app.contributor.get(at)).body.note).toBe('a')
    expect((await app.contributor.patch(at, { body: { note: 'c' }, headers: { 'if-match': '*' } })).status).toBe(200)
  })

  test('who has the current version is answered 304', async () => {
    const at = `/cidoc/monuments/${sights.published.id}/`
    const { etag = '' } = (await app.anon.get(at)).headers
    const again = await app.anon.get(at, { headers: { 'if-none-match': etag } })
    expect([again.status, again.text, again.headers.etag]).toEqual([304, '', etag])
    expect((await app.anon.get(at, { headers: { 'if-none-match': '"0"' } })).status).toBe(200)
  })

  test('a version is no way to learn of a record that the caller may not see', async () => {
    const at = `/cidoc/monuments/${sights.pending.id}/`
    expect((await app.other.get(at, { headers: { 'if-none-match': '"1"' } })).status).toBe(404)
    expect((await app.other.patch(at, { body: { note: 'x' }, headers: { 'if-match': '"99"' } })).status).toBe(404)
    const seen = `/cidoc/monuments/${sights.published.id}/`
    expect((await app.other.patch(seen, { body: { note: 'x' }, headers: { 'if-match': '"99"' } })).status).toBe(403)
  })
})

describe('a relation', () => {
  const locations = async (search: string) => {
    await following.settled()
    return (await app.staff.get('/cidoc/locations/', { query: { search, all: 1 } })).body
  }

  test('by text means the record of that name, however it is spelt', async () => {
    const place = await publish(app, 'locations', { name: 'Bhaktapur' })
    for (const has_current_location of ['Bhaktapur', 'भक्तपुर', ' BHAKTAPUR ']) {
      const made = await contribute(app.contributor, 'structures', { name: 'In Bhaktapur', has_current_location })
      expect(made.has_current_location).toEqual({ id: place.id, name: 'Bhaktapur' })
    }
    expect((await locations('Bhaktapur')).count).toBe(1)
  })

  test('by text that nothing matches makes one stub that waits, in the same transaction', async () => {
    const seen = await commandsOf(async () => {
      const body = {
        name: 'In Sankhu',
        has_current_location: 'Sankhu',
        hypothesized_location: ['Sankhu', 'सांखु', 'SANKHU'],
      }
      await contribute(app.contributor, 'structures', body)
    })
    expect(seen.filter((name) => name.includes('Write'))).toEqual(['TransactWriteItemsCommand'])
    const { results, count } = await locations('Sankhu')
    expect(results).toMatchObject([{ name: 'Sankhu', status: 'pending_review', contributor: 'dev' }])
    expect(count).toBe(1)
  })

  test('by the same new text from two people at once makes a stub for each, since neither may see the other', async () => {
    const replies = await atOnce(
      [app.contributor, app.other].map(
        (who) => () =>
          who.post('/cidoc/structures/', { body: { name: 'In Khokana', has_current_location: 'Khokana' } }),
      ),
    )
    expect(replies.map((reply) => reply.status)).toEqual([201, 201])
    const { results } = await locations('Khokana')
    const ids = (all: readonly { id: number }[]) => all.map((it) => it.id).sort((a, b) => a - b)
    const seen = replies.map(({ body }) => body.has_current_location)
    expect(seen.map((it) => it.name)).toEqual(['Khokana', 'Khokana'])
    expect(ids(seen)).toEqual(ids(results))
    expect(new Set(ids(seen)).size).toBe(2)
  })

  test('that is being made is found as soon as all of it is in place', async () => {
    const body = { name: 'In Pharping', has_current_location: 'Pharping' }
    const first = sure(201, await app.contributor.post('/cidoc/structures/', { body }))
    // Its name is taken, and a query does not see it yet.
    const isLate = ({ pk, names }: Record<string, unknown>) =>
      String(pk).startsWith('NAME#') && String(names) === 'Pharping'
    await withTornQueries(3, isLate, async () => {
      const made = sure(201, await app.contributor.post('/cidoc/structures/', { body }))
      expect(made.has_current_location).toEqual(first.has_current_location)
    })
    expect((await locations('Pharping')).count).toBe(1)
  })

  test('is looked up only where nothing else is refused, so that no query is left when it is answered', async () => {
    const { db } = await import('../../../lib/engines/table/client.ts')
    let names = 0
    const count = (next: (args: { input: object }) => Promise<unknown>) => async (args: { input: object }) => {
      if (JSON.stringify(args.input).includes('NAME#')) names += 1
      return next(args)
    }
    db.middlewareStack.add(count as never, { step: 'initialize', name: 'count', priority: 'high' })
    const body = { name: 'Told apart by ids', has_current_location: 'Lele', has_provenance_assertion: 'words' }
    const refused = await app.contributor.post('/cidoc/structures/', { body })
    db.middlewareStack.remove('count')
    expect([refused.status, refused.body]).toEqual([
      400,
      { has_provenance_assertion: ['Choose an existing one by its id.'] },
    ])
    expect(names).toBe(0)
  })

  test('by the name of the same new data source from two people at once makes one', async () => {
    const replies = await atOnce(
      [app.contributor, app.other].map(
        (who) => () => who.post('/cidoc/persons/', { body: { name: 'Cited at once', source: 'Vajracharya 1973' } }),
      ),
    )
    expect(replies.map((reply) => reply.status)).toEqual([201, 201])
    const { count, results } = (await app.contributor.get('/cidoc/data_sources/?name=Vajracharya%201973')).body
    expect(count).toBe(1)
    for (const { body } of replies) expect(body.source).toEqual({ id: results[0].id, name: 'Vajracharya 1973' })
  })

  const hidden = () => sights.pending
  test.each([
    ['a number', () => 999_999],
    ['a list with one that is none', () => [sights.published.id, 999_999]],
    ['a UUID', () => '8b8b4b9e-3c5f-4d0e-9a51-0c7d8a5e2f10'],
    ['the identity of a record of another kind', () => sights.published.cultural_entity_id],
    ['an object', () => ({ id: 999_999, name: 'Sight published' })],
  ])('to an id that names nothing (%s) is refused', async (_, id) => {
    const reply = await app.contributor.post('/cidoc/events/', {
      body: { name: 'Dangling event', architectural_structures: id() },
    })
    expect([reply.status, reply.body]).toEqual([
      400,
      { architectural_structures: ['There is no architectural structure with one of these ids.'] },
    ])
  })

  test('to a record that the caller may not see is refused like one that is not there', async () => {
    const mine = await contribute(app.contributor, 'structures', { name: 'Only mine' })
    for (const id of [mine.id, mine.cultural_entity_id]) {
      const send = (who: Persona) =>
        who.post('/cidoc/events/', { body: { name: 'Seen?', architectural_structures: [id] } })
      expect((await send(app.other)).body).toEqual({
        architectural_structures: ['There is no architectural structure with one of these ids.'],
      })
      expect((await send(app.contributor)).status).toBe(201)
    }
    expect(hidden().id).toBeGreaterThan(0)
  })

  test('is taken as an id, an identity, a list of ids, an object, or text with ids', async () => {
    const [a, b] = [
      await publish(app, 'structures', { name: 'End A' }),
      await publish(app, 'structures', { name: 'End B' }),
    ]
    const both = [
      { id: a.id, name: 'End A' },
      { id: b.id, name: 'End B' },
    ]
    for (const sent of [
      [a.id, b.id],
      `${a.id}, ${b.id}`,
      [String(a.id), b.cultural_entity_id],
      [{ id: a.id }, { id: b.id, name: 'x' }],
    ]) {
      const made = await contribute(app.contributor, 'events', { name: 'Spelt', architectural_structures: sent })
      expect(made.architectural_structures).toEqual(both)
    }
  })
})

describe('a record that looks like another', () => {
  const flagged = async (segment: string, body: object) => {
    const made = await contribute(app.contributor, segment, body)
    return (await flagsOf(made)).map((it) => [it.flag_type, it.other_entity_id])
  }

  test('by name within a kilometre is flagged, naming the other', async () => {
    const one = await contribute(app.contributor, 'structures', {
      name: 'Jagannath Deval',
      coordinates: '27.7040, 85.3070',
    })
    expect(await flagged('structures', { name: 'जगन्नाथ देवल', coordinates: '27.7100, 85.3070' })).toEqual([
      ['suspected_duplicate', one.cultural_entity_id],
    ])
  })

  test('by name, but further away, is not', async () => {
    await contribute(app.contributor, 'structures', { name: 'Kumbheshwar', coordinates: '27.60, 85.30' })
    expect(await flagged('structures', { name: 'Kumbheshwar', coordinates: '27.70, 85.30' })).toEqual([])
  })

  test.each([
    ['the same name', 'Jhankeshwari Devi'],
    ['a close name', 'Jhankeshwary Dhevi'],
  ])('whose place is guarded is found by its name alone: %s', async (_, name) => {
    const guarded = { access_tier: 'sensitive_indigenous', coordinates: '27.6716, 85.4284' }
    await publish(app, 'structures', { name: 'Jhankeshwari Devi', ...guarded })
    const flags = async (coordinates: string) => {
      const made = await contribute(app.other, 'structures', { name, coordinates })
      return (await flagsOf(made)).filter((it) => it.reason.includes('Jhankeshwari')).length
    }
    expect(await flags('27.6717, 85.4284')).toBe(await flags('27.1, 85.9'))
  })

  test('by a close name within 150 metres is flagged', async () => {
    const one = await contribute(app.contributor, 'structures', {
      name: 'Chusya Bahal',
      coordinates: '27.7150, 85.3140',
    })
    expect(await flagged('structures', { name: 'Chhusyaa Bahal', coordinates: '27.7155, 85.3140' })).toEqual([
      ['suspected_duplicate', one.cultural_entity_id],
    ])
  })

  test('by a generic name alone is not', async () => {
    await contribute(app.contributor, 'structures', { name: 'Shiva Mandir' })
    expect(await flagged('structures', { name: 'Shiva Mandir' })).toEqual([])
  })

  test('but is of another kind, or deleted, is not', async () => {
    await contribute(app.contributor, 'structures', { name: 'Rudra Varna' })
    const gone = await contribute(app.contributor, 'guthis', { name: 'Rudra Varna' })
    sure(204, await app.contributor.delete(`/cidoc/guthis/${gone.id}/`))
    expect(await flagged('guthis', { name: 'Rudra Varna' })).toEqual([])
  })

  test('only after a change of its name is flagged then', async () => {
    const one = await contribute(app.contributor, 'guthis', { name: 'Sana Guthi' })
    const two = await contribute(app.contributor, 'guthis', { name: 'Dapha Khala' })
    sure(200, await app.contributor.patch(`/cidoc/guthis/${two.id}/`, { body: { name: 'Sana Guthi' } }))
    expect((await flagsOf(two)).map((it) => it.other_entity_id)).toEqual([one.cultural_entity_id])
  })
})

describe('a search', () => {
  test('finds a record by any of its names, in any script', async () => {
    const it = await publish(app, 'deities', {
      name: 'Pashupati',
      name_ne: 'पशुपति',
      alternate_names: ['Lord of Beasts'],
    })
    await following.settled()
    for (const search of ['pashu', 'Pasupati', 'पशुपति', 'lord of', 'LORD', 'beasts of', 'Pashupatti']) {
      const { body } = await app.anon.get('/cidoc/deities/', { query: { search } })
      expect(body.results.map((row: { id: number }) => row.id)).toEqual([it.id])
    }
  })

  test('goes by the accepted name while a new one waits', async () => {
    const it = await publish(app, 'deities', { name: 'Bungadyo' })
    sure(200, await app.contributor.patch(`/cidoc/deities/${it.id}/`, { body: { name: 'Karunamaya' } }))
    const count = async (search: string) => {
      await following.settled()
      return (await app.anon.get('/cidoc/deities/', { query: { search } })).body.count
    }
    expect([await count('Bungadyo'), await count('Karunamaya')]).toEqual([1, 0])
    sure(201, await decide(app.domain, it, { verdict: 'accept', conflict_handling: 'supersedes' }))
    expect([await count('Bungadyo'), await count('Karunamaya')]).toEqual([0, 1])
  })

  test('by identifier finds exactly that', async () => {
    const it = await publish(app, 'deities', { name: 'Identified', identifier: 'wd:Q10' })
    await publish(app, 'deities', { name: 'Identified too', identifier: 'wd:Q100' })
    const { body } = await app.anon.get('/cidoc/deities/', { query: { identifier: 'wd:Q10' } })
    expect(body.results.map((row: { id: number }) => row.id)).toEqual([it.id])
  })

  test('by identifier finds what its reader may see, however it is asked for', async () => {
    const named = (name: string) => ({ name, identifier: 'wd:Q11' })
    await publish(app, 'deities', { ...named('For those signed in'), access_tier: 'restricted' })
    await contribute(app.contributor, 'deities', named('That waits'))
    const find = async (who: Persona, query: object) => {
      const { body } = await who.get('/cidoc/deities/', { query: { identifier: 'wd:Q11', ...query } })
      return body.results.map((row: { name: string }) => row.name)
    }
    for (const query of [{}, { all: 1 }, { status: 'pending_review' }]) expect(await find(app.anon, query)).toEqual([])
    expect(await find(app.other, { all: 1 })).toEqual(['For those signed in'])
    expect(await find(app.other, { status: 'pending_review' })).toEqual([])
    for (const who of [app.contributor, app.staff])
      expect((await find(who, { all: 1 })).sort()).toEqual(['For those signed in', 'That waits'])
    expect(await find(app.contributor, { mine: true, status: 'rejected' })).toEqual([])
    expect(await find(app.contributor, { mine: true, status: 'pending_review' })).toEqual(['That waits'])
  })

  test('of their own gives none to whoever is not signed in, in any order', async () => {
    await publish(app, 'deities', { name: 'Of somebody' })
    for (const query of [{}, { status: 'accepted' }, { ordering: 'name' }])
      expect(sure(200, await app.anon.get('/cidoc/deities/', { query: { mine: 1, ...query } }))).toMatchObject({
        count: 0,
        results: [],
      })
  })
})

describe('what a request costs', () => {
  const body = {
    name: 'Costed',
    note: 'n',
    structure_type: 'Temple',
    existence_status: 'Extant',
    condition: 'Good',
    construction_date: '1702',
    location_name: 'Here',
    description: 'd',
  }
  const check = async (one: { id: number }, round: string) => {
    const { id } = one
    expect((await app.anon.get(`/cidoc/persons/${id}/`)).cost.calls).toBe(2)
    expect((await app.anon.get('/cidoc/persons/')).cost.calls).toBe(2)
    const writes = await commandsOf(() =>
      contribute(app.contributor, 'structures', { ...body, name: `Costed ${round}` }),
    )
    // One to know the caller, whose name is shown too, one for look-alikes by name, one to write, one that makes kept answers stale. Of twenty contributions one takes numbers for all of them, with a call more.
    expect(writes.filter((it) => it !== 'UpdateItemCommand')).toEqual([
      'BatchGetItemCommand',
      'QueryCommand',
      'TransactWriteItemsCommand',
    ])
    expect(writes.filter((it) => it === 'UpdateItemCommand').length).toBeLessThanOrEqual(2)
    return (await app.anon.get('/cidoc/persons/', { query: { limit: 1 } })).cost.units
  }

  test('a record two calls, a list two, a contribution one transaction; the same beside 1,000 more', async () => {
    const one = await publish(app, 'persons', { name: 'Malla' })
    const few = await check(one, 'few')
    await copies(one, 1000)
    expect((await app.anon.get('/cidoc/persons/')).body.count).toBe(1001)
    expect(await check(one, 'many')).toBe(few)
  })
})
