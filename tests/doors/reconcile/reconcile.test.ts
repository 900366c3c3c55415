import { Ajv2020 } from 'ajv/dist/2020.js'
import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp } from '../../harness/app.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { contribute, everyState, publish, sure } from '../../harness/make.ts'
import * as schemas from './schemas.ts'

let app: App
let following: Following
let made: { id: number; cultural_entity_id: string }
let place: typeof made
let state: Awaited<ReturnType<typeof everyState>>
beforeAll(async () => {
  app = await openApp()
  following = await followTable()
  place = await publish(app, 'locations', { name: 'Bhaktapur Durbar Square', coordinates: '27.6722, 85.4279' })
  const body = { name: 'Nyatapola', name_ne: 'न्यातपोल', construction_date: '1702-03-04', note: 'Five roofs' }
  made = await publish(app, 'structures', { ...body, existence_status: 'Extant', has_current_location: place.id })
  await publish(app, 'structures', { name: 'Dattatreya', note: 'Another one' })
  await publish(app, 'persons', { name: 'Bhupatindra Malla' })
  state = await everyState(app, 'structures')
  await following.settled()
})

const ajv = new Ajv2020({ strict: false, formats: { uri: (it: string) => URL.canParse(it) } })
/** An answer that is as the specification says. */
function valid<T>(schema: object, answer: T): T {
  expect(ajv.validate(schema, answer), JSON.stringify(ajv.errors)).toBe(true)
  return answer
}

/** What OpenRefine sends: a form with JSON in a member. */
const form = (member: string, value: unknown) => ({
  body: new URLSearchParams({ [member]: typeof value === 'string' ? value : JSON.stringify(value) }).toString(),
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
})
const root = '/data/reconcile/'
const match = async (queries: Record<string, object>, who = app.anon) =>
  valid(schemas.results, sure(200, await who.post(root, form('queries', queries))))

describe('as OpenRefine speaks it', () => {
  test('it learns what the service is, and where everything lies', async () => {
    const manifest = valid(schemas.manifest, sure(200, await app.anon.get(root)))
    const view = manifest.view.url.replace('{{id}}', made.cultural_entity_id)
    sure(200, await app.anon.get(new URL(view).pathname))
    for (const what of ['entity', 'property', 'type']) {
      const { service_url, service_path } = manifest.suggest[what]
      const found = await app.anon.get(new URL(service_url + service_path).pathname, { query: { prefix: 'n' } })
      valid(schemas.suggestions, sure(200, found))
    }
  })

  test('a column is guessed, matched and judged', async () => {
    const { q0, q1, q2 } = await match({
      q0: { query: 'Nyatapola', type: 'structure', type_strict: 'should', limit: 3 },
      q1: { query: 'nyātapola' },
      q2: { query: 'Nothing of this name zzzqqq' },
    })
    const best = q0.result[0]
    expect(best).toMatchObject({ id: made.cultural_entity_id, name: 'Nyatapola', match: true, score: 100 })
    expect(best.type).toEqual([{ id: 'structure', name: expect.any(String) }])
    expect(q1.result[0]).toMatchObject({ id: made.cultural_entity_id, match: true })
    expect(q2.result).toEqual([])
  })

  test('a type narrows, and one that there is not finds nothing', async () => {
    const { q0, q1, q2 } = await match({
      q0: { query: 'Bhupatindra Malla', type: 'structure' },
      q1: { query: 'Bhupatindra Malla', type: ['structure', 'person'] },
      q2: { query: 'Bhupatindra Malla', type: 'nothing' },
    })
    expect(q0.result.filter(({ match: is }: { match: boolean }) => is)).toEqual([])
    expect(q1.result[0].name).toBe('Bhupatindra Malla')
    expect(q2.result).toEqual([])
  })

  test('of two of one name the other columns decide', async () => {
    const [near, far] = [
      await publish(app, 'structures', { name: 'Narayan Mandir', location_name: 'Patan' }),
      await publish(app, 'structures', { name: 'Narayan Mandir', location_name: 'Bhaktapur' }),
    ]
    await following.settled()
    const asked = (town: string) => ({ query: 'Narayan Mandir', properties: [{ pid: 'location_name', v: town }] })
    const { q0, q1, q2 } = await match({ q0: asked('Patan'), q1: asked('Bhaktapur'), q2: { query: 'Narayan Mandir' } })
    expect(q0.result[0]).toMatchObject({ id: near.cultural_entity_id, match: true })
    expect(q1.result[0]).toMatchObject({ id: far.cultural_entity_id, match: true })
    // Without them nobody can say which one it is.
    expect(q2.result.some(({ match: is }: { match: boolean }) => is)).toBe(false)
  })

  test('a new column is filled', async () => {
    const extend = {
      ids: [made.cultural_entity_id, 'no-such-id'],
      properties: ['construction_date', 'has_current_location', 'name_ne', 'nothing'].map((id) => ({ id })),
    }
    const { meta, rows } = valid(schemas.extension, sure(200, await app.anon.post(root, form('extend', extend))))
    expect(meta.map(({ id, type }: { id: string; type?: { id: string } }) => [id, type?.id])).toEqual([
      ['construction_date', undefined],
      ['has_current_location', 'location'],
      ['name_ne', undefined],
      ['nothing', undefined],
    ])
    expect(rows).toEqual({
      [made.cultural_entity_id]: {
        construction_date: [{ date: '1702-03-04' }],
        has_current_location: [{ id: place.cultural_entity_id, name: 'Bhaktapur Durbar Square' }],
        name_ne: [{ str: 'न्यातपोल' }],
        nothing: [],
      },
      'no-such-id': { construction_date: [], has_current_location: [], name_ne: [], nothing: [] },
    })
  })

  test('properties are proposed, things are suggested and shown in a frame', async () => {
    const proposed = sure(200, await app.anon.get(`${root}properties/`, { query: { type: 'structure' } }))
    expect(valid(schemas.proposed, proposed).properties).toContainEqual({
      id: 'construction_date',
      name: expect.any(String),
    })
    const { result } = sure(200, await app.anon.get(`${root}suggest/entity/`, { query: { prefix: 'nyata' } }))
    expect(result[0]).toMatchObject({ id: made.cultural_entity_id, name: 'Nyatapola' })
    const preview = await app.anon.get(`${root}preview/${made.cultural_entity_id}/`)
    expect(preview.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(preview.headers['content-security-policy']).toBe("default-src 'none'; style-src 'unsafe-inline'")
    expect(preview.text).toContain('Nyatapola')
    expect(preview.text).toContain('Five roofs')
  })

  test('by a query and by JSON as well', async () => {
    const queries = { q: { query: 'Nyatapola' } }
    const answers = [
      await app.anon.get(root, { query: { queries: JSON.stringify(queries) } }),
      await app.anon.post(root, { body: { queries } }),
    ]
    for (const answer of answers) expect(sure(200, answer).q.result[0].id).toBe(made.cultural_entity_id)
  })
})

describe('what is hidden', () => {
  test('is neither matched, suggested, extended nor shown', async () => {
    const hidden = [state.restricted, state.pending, state.rejected, state.revising, state.deleted]
    const ids = hidden.map((it) => it.cultural_entity_id)
    const { q } = await match({ q: { query: 'Sight', limit: 25 } })
    const suggested = sure(200, await app.anon.get(`${root}suggest/entity/`, { query: { prefix: 'Sight' } }))
    const found = [...q.result, ...suggested.result].map(({ id }: { id: string }) => id)
    expect(found).toContain(state.published.cultural_entity_id)
    expect(found.filter((id: string) => ids.includes(id))).toEqual([])
    const extend = { ids, properties: [{ id: 'note' }] }
    const { rows } = sure(200, await app.anon.post(root, form('extend', extend)))
    expect(Object.values(rows)).toEqual(ids.map(() => ({ note: [] })))
    for (const id of ids) sure(404, await app.anon.get(`${root}preview/${id}/`))
  })

  test('is not matched for staff or its author either, but a restricted one for whoever is signed in', async () => {
    const wanted = async (who: typeof app.anon) => {
      const { q } = await match({ q: { query: 'Sight', limit: 25 } }, who)
      return new Set(q.result.map(({ id }: { id: string }) => id))
    }
    for (const who of [app.staff, app.contributor]) {
      const found = await wanted(who)
      expect(found.has(state.pending.cultural_entity_id)).toBe(false)
      expect(found.has(state.restricted.cultural_entity_id)).toBe(true)
    }
  })

  test('what a contributor wrote runs nowhere', async () => {
    const it = await publish(app, 'structures', { name: '<script>alert(1)</script>"' })
    const { text } = await app.anon.get(`${root}preview/${it.cultural_entity_id}/`)
    expect(text).not.toContain('<script')
    expect(text).toContain('&lt;script&gt;')
  })
})

describe('bad input', () => {
  const refused = async (member: string, value: unknown) => sure(400, await app.anon.post(root, form(member, value)))

  test('is refused by member', async () => {
    expect(await refused('queries', '{')).toEqual({ queries: ['This is not JSON.'] })
    expect(await refused('queries', '[1]')).toMatchObject({ queries: expect.anything() })
    expect(await refused('queries', { q: { query: 5 } })).toEqual({ queries: { q: { query: ['query is a text.'] } } })
    expect(await refused('queries', { q: { query: 'x', limit: 0 } })).toEqual({
      queries: { q: { limit: ['limit is 1 or more.'] } },
    })
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`q${i}`, { query: 'x' }]))
    expect(await refused('queries', many)).toEqual({ queries: ['There are more than 100 queries.'] })
    expect(await refused('extend', { ids: ['x'] })).toMatchObject({ extend: { properties: expect.anything() } })
    expect(await refused('nothing', 'x')).toEqual({ queries: ['Send queries or extend.'] })
  })
  test('an id that is none shows nothing', async () => {
    sure(404, await app.anon.get(`${root}preview/x/`))
  })
})

test('a record that waits is not matched before it is accepted', async () => {
  await contribute(app.contributor, 'structures', { name: 'Waiting Mandap' })
  await following.settled()
  const { q } = await match({ q: { query: 'Waiting Mandap' } })
  expect(q.result.filter(({ name }: { name: string }) => name === 'Waiting Mandap')).toEqual([])
})

describe('a page of any origin', () => {
  const origin = 'https://openrefine.example.org'

  test.each([
    ['/data/reconcile/', {}],
    ['/data/reconcile/', { queries: '{"q0":{"query":"Nyatapola"}}' }],
    ['/data/reconcile/suggest/entity/', { prefix: 'nya' }],
    ['/data/reconcile/suggest/type/', { prefix: 'str' }],
    ['/data/reconcile/properties/', { type: 'structure' }],
  ])('loads %s %j as a script that calls its function with the same answer', async (path, query) => {
    const json = sure(200, await app.anon.get(path, { query }))
    const { status, text, headers } = await app.anon.get(path, { query: { ...query, callback: 'page.take_1' } })
    expect([status, headers['content-type']]).toEqual([200, 'text/javascript'])
    const [, given = ''] = /^page\.take_1\((.*)\);$/s.exec(text) ?? []
    expect(JSON.parse(given)).toEqual(json)
  })

  test('hears of a fault by a script, too, since no other script is run', async () => {
    const { status, text } = await app.anon.get('/data/reconcile/', { query: { queries: '{', callback: 'take' } })
    expect([status, text]).toEqual([200, 'take({"queries":["This is not JSON."]});'])
  })

  test('hears 404 of an address that is not there', async () => {
    const { status, headers } = await app.anon.get('/data/reconcile/suggest/nothing/', { query: { callback: 'take' } })
    expect([status, headers['content-type']]).toEqual([404, 'application/json'])
  })

  test('names a function and nothing else', async () => {
    for (const callback of ['alert(1)//', 'a b', '1a', 'a..b', '<script>', 'x'.repeat(101)])
      expect(await app.anon.get('/data/reconcile/', { query: { callback } })).toMatchObject({
        status: 400,
        body: { callback: ['callback is the name of a function.'] },
      })
  })

  test('gets by a script only what everybody may read, whoever asks', async () => {
    const extend = { ids: [state.restricted.cultural_entity_id], properties: [{ id: 'note' }] }
    const query = { extend: JSON.stringify(extend) }
    expect((await app.staff.get(root, { query })).text).toContain('A note that is restricted')
    const script = await app.staff.get(root, { query: { ...query, callback: 'take' } })
    expect(script.text).toBe((await app.anon.get(root, { query: { ...query, callback: 'take' } })).text)
    expect(script.text).not.toContain('A note that is restricted')
  })

  test('may send questions by a form, and read the answers and faults', async () => {
    for (const [value, status] of [
      ['{"q0":{"query":"Nyatapola"}}', 200],
      ['{', 400],
    ] as const) {
      const { body, headers } = form('queries', value)
      const reply = await app.anon.post(root, { body, headers: { ...headers, origin } })
      expect([reply.status, reply.headers['access-control-allow-origin']]).toEqual([status, '*'])
    }
    const other = await app.anon.post('/api/token/', { body: {}, headers: { origin } })
    expect(other.headers['access-control-allow-origin']).toBeUndefined()
  })

  test('completes a beginning in Devanagari', async () => {
    const { result } = sure(200, await app.anon.get('/data/reconcile/suggest/entity/', { query: { prefix: 'न्यात' } }))
    expect(result.map((it: { name: string }) => it.name)).toContain('Nyatapola')
  })
})
