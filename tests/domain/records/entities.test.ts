import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import {
  contribute,
  decide,
  everyState,
  publish,
  type Reader,
  type State,
  sightings,
  sure,
} from '../../harness/make.ts'

let app: App
let sights: Awaited<ReturnType<typeof everyState>>
beforeAll(async () => {
  app = await openApp()
  sights = await everyState(app, 'monuments')
})

const ENTITIES = '/data/cultural-entities/'
const notFound = { detail: 'Not found.' }
const at = (it: { cultural_entity_id: string }) => `${ENTITIES}${it.cultural_entity_id}/`
const entity = { name: 'Kumari Jatra', category: 'festival', description: 'A chariot festival.' }

describe('who sees a contribution', () => {
  test.each(sightings)('$state by $who: $sees', async ({ state, who, sees }) => {
    const reply = await app[who].get(at(sights[state]))
    expect(reply.status).toBe(sees ? 200 : 404)
    if (sees) expect(reply.body).toMatchObject({ name: `Sight ${state}`, kind: 'monument', cidoc_id: sights[state].id })
    else expect(reply.body).toEqual(notFound)
  })

  const all: State[] = ['published', 'restricted', 'pending', 'rejected', 'revising']
  const lists: [string, Reader, State[]][] = [
    ['', 'anon', ['published']],
    ['', 'contributor', ['published', 'restricted']],
    ['', 'staff', ['published', 'restricted']],
    ['mine=1', 'contributor', all],
    ['mine=1', 'other', []],
    ['all=1', 'staff', all],
    ['all=1', 'community', ['published', 'restricted']],
    ['status=rejected', 'contributor', ['rejected']],
    ['status=rejected', 'other', []],
    ['status=rejected', 'anon', []],
    ['status=accepted', 'anon', ['published']],
    ['category=monument', 'anon', ['published']],
    ['category=monument&mine=1', 'contributor', all],
    ['category=ritual&mine=1', 'contributor', []],
  ]
  test.each(lists)('a list with ?%s shows %s exactly what it may, and counts it', async (query, who, shown) => {
    const { body } = await app[who].get(`${ENTITIES}?${query}`)
    expect(body.results.map((it: { name: string }) => it.name).sort()).toEqual(shown.map((it) => `Sight ${it}`).sort())
    expect(body.count).toBe(shown.length)
  })

  test('every contribution of their own is listed for its contributor, and for nobody else', async () => {
    const mine = await app.contributor.get(`${ENTITIES}my_contributions/`)
    expect(mine.body.results.map((it: { name: string }) => it.name).sort()).toEqual(
      all.map((it) => `Sight ${it}`).sort(),
    )
    expect((await app.other.get(`${ENTITIES}my_contributions/`)).body.count).toBe(0)
    expect((await app.anon.get(`${ENTITIES}my_contributions/`)).status).toBe(401)
  })

  test('an identifier, which only lists of one kind take, is told to have no effect', async () => {
    const { body } = await app.anon.get(ENTITIES, { query: { identifier: 'x:1' } })
    expect(body.warnings).toEqual([expect.objectContaining({ member: 'identifier' })])
  })

  test.each(['community_only', 'sensitive_indigenous'])(
    'the exact %s place is in no part of what others are answered',
    async (access_tier) => {
      const body = { name: `Spring ${access_tier}`, coordinates: '27.6716, 85.4284', access_tier }
      const it = await publish(app, 'structures', body)
      for (const path of [at(it), ENTITIES, `${ENTITIES}?all=1`, '/cidoc/structures/', `/cidoc/structures/${it.id}/`]) {
        const reply = await app.other.get(path)
        expect(reply.status).toBe(200)
        expect(reply.text).toContain('27.7, 85.4')
        expect(reply.text).not.toContain('27.6716')
      }
      for (const who of [app.contributor, app.community, app.staff]) {
        expect((await who.get(at(it))).body.form_data.coordinates).toBe('27.6716, 85.4284')
      }
    },
  )

  test('email addresses of other people are shown to nobody here', async () => {
    for (const who of [app.anon, app.other, app.staff]) {
      for (const path of [ENTITIES, at(sights.published)]) expect((await who.get(path)).text).not.toContain('@')
    }
  })
})

describe('a cultural entity', () => {
  const make = async (body: object = entity) => sure(201, await app.contributor.post(ENTITIES, { body }))

  test('is answered in full, with its review identity', async () => {
    const made = await make()
    expect(made).toMatchObject({
      entity_id: expect.stringMatching(/^1b[0-9a-f]{6}-[0-9a-f]{4}-8/),
      ...entity,
      status: 'pending_review',
      canonical_status: 'pending_review',
      kind: 'entity',
      cidoc_id: null,
      contributor: { username: 'dev', email: '' },
      current_revision: { revision_number: 1, data: entity },
      form_data: entity,
      is_fork: false,
    })
    const { body } = await app.contributor.get(`${ENTITIES}${made.entity_id}/`)
    expect(body).toMatchObject({
      ...entity,
      revisions: [{ revision_number: 1 }],
      activities: [{ activity_type: 'submitted' }],
    })
  })

  test('is taken flat, in form_data, or in both', async () => {
    for (const body of [{ form_data: entity }, { data: entity }, { ...entity, form_data: entity }]) {
      expect(await make(body)).toMatchObject(entity)
    }
  })

  test.each(['form_data', 'data'])('is no list in %s', async (name) => {
    const { entity_id } = await make()
    for (const list of [[], [null], [entity]]) {
      const refused = await app.contributor.patch(`${ENTITIES}${entity_id}/`, { body: { [name]: list } })
      expect([refused.status, refused.body]).toEqual([400, { [name]: ['Give an object.'] }])
    }
  })

  test.each(['form_data', 'data'])('loses nothing of %s in silence', async (name) => {
    const { entity_id } = await make()
    const body = `{"${name}": {"constructor": "Malla kings"}}`
    const refused = await app.contributor.patch(`${ENTITIES}${entity_id}/`, { body: JSON.parse(body) })
    const said = { [name]: ['A member cannot be called constructor or prototype.'] }
    expect([refused.status, refused.body]).toEqual([400, said])
  })

  test('cannot be smuggled past review', async () => {
    const made = await make({
      ...entity,
      status: 'accepted',
      public: true,
      contributor: 'staff',
      form_data: { status: 'accepted' },
    })
    expect(made).toMatchObject({ status: 'pending_review', contributor: { username: 'dev' } })
    expect((await app.anon.get(`${ENTITIES}${made.entity_id}/`)).status).toBe(404)
  })

  test('is changed by its contributor and by staff only', async () => {
    const { entity_id } = await make()
    const path = `${ENTITIES}${entity_id}/`
    const body = { description: 'Changed.' }
    expect((await app.other.patch(path, { body })).status).toBe(404)
    expect((await app.community.patch(path, { body })).status).toBe(404)
    expect((await app.anon.patch(path, { body })).status).toBe(401)
    expect((await app.contributor.patch(path, { body })).body).toMatchObject({ ...entity, description: 'Changed.' })
    expect((await app.staff.put(path, { body: entity })).body).toMatchObject(entity)
  })

  test('is deleted by its contributor until it is published', async () => {
    const { entity_id } = await make()
    expect((await app.other.delete(`${ENTITIES}${entity_id}/`)).status).toBe(404)
    expect((await app.contributor.delete(`${ENTITIES}${entity_id}/`)).status).toBe(204)
    const { entity_id: kept } = await make()
    sure(201, await decide(app.community, { cultural_entity_id: kept }, { verdict: 'accept' }))
    expect((await app.contributor.delete(`${ENTITIES}${kept}/`)).status).toBe(403)
    expect((await app.staff.delete(`${ENTITIES}${kept}/`)).status).toBe(204)
  })
})

describe('a revision', () => {
  const revise = (who: Persona, it: { cultural_entity_id: string }, body: object) =>
    who.post(`${at(it)}create_revision/`, { body })

  test('of what was rejected waits again', async () => {
    const it = await contribute(app.contributor, 'structures', { name: 'Reworked', note: 'a' })
    sure(201, await decide(app.community, it, { verdict: 'reject', feedback: 'No.' }))
    const reply = await revise(app.contributor, it, { note: 'b' })
    expect([reply.status, reply.body]).toMatchObject([
      201,
      { entity: it.cultural_entity_id, revision_number: 2, data: { name: 'Reworked', note: 'b' } },
    ])
    expect((await app.contributor.get(at(it))).body).toMatchObject({
      status: 'pending_revision',
      canonical_status: 'pending_review',
      current_revision: { revision_number: 2, data: { note: 'b' } },
    })
  })

  test('is for the contributor and staff', async () => {
    const open = await publish(app, 'structures', { name: 'Not to revise' })
    expect((await revise(app.other, open, { note: 'x' })).status).toBe(403)
    expect((await revise(app.community, open, { note: 'x' })).status).toBe(403)
    const refused = await revise(app.staff, open, { note: 'x' })
    expect([refused.status, refused.body]).toEqual([
      400,
      { non_field_errors: ['A contribution that is accepted cannot be revised.'] },
    ])
    const waiting = await contribute(app.contributor, 'structures', { name: 'To revise' })
    expect((await revise(app.staff, waiting, { note: 'x' })).status).toBe(201)
  })

  test('that waits is not listed for what is published, unless what waits is asked for', async () => {
    const it = await publish(app, 'structures', { name: 'Listed as it stands', note: 'old' })
    app.tick(5)
    sure(200, await app.contributor.patch(at(it), { body: { note: 'new' } }))
    const rowFor = async (who: Persona, query: Record<string, string>) => {
      const { results } = sure(200, await who.get('/data/cultural-entities/', { query: { ...query, limit: 100 } }))
      return results.find((row: { entity_id: string }) => row.entity_id === it.cultural_entity_id)
    }
    const asked: Record<string, string>[] = [{}, { status: 'accepted' }, { category: 'monument' }]
    for (const query of asked) {
      const row = await rowFor(app.anon, query)
      expect(row).toMatchObject({ status: 'accepted', current_revision: { revision_number: 1, data: { note: 'old' } } })
      for (const who of [app.contributor, app.community, app.staff]) expect(await rowFor(who, query)).toEqual(row)
    }
    expect(await rowFor(app.contributor, { mine: '1' })).toMatchObject({
      status: 'pending_review',
      current_revision: { revision_number: 2, data: { note: 'new' } },
    })
  })

  test('that waits behind a published record is shown to those who work on it', async () => {
    const it = await publish(app, 'structures', { name: 'Shown to few', note: 'old' })
    sure(200, await app.contributor.patch(at(it), { body: { note: 'new' } }))
    for (const who of [app.contributor, app.community, app.staff]) {
      const { body } = await who.get(at(it))
      expect(body).toMatchObject({
        status: 'pending_review',
        form_data: { note: 'new' },
        current_revision: { revision_number: 2 },
      })
      expect(body.revisions.map((each: { revision_number: number }) => each.revision_number)).toEqual([2, 1])
    }
    for (const who of [app.anon, app.other]) {
      const { body } = await who.get(at(it))
      expect(body).toMatchObject({
        status: 'accepted',
        form_data: { note: 'old' },
        current_revision: { revision_number: 1 },
      })
      expect(body.revisions.map((each: { revision_number: number }) => each.revision_number)).toEqual([1])
      expect(body.activities).toEqual([])
    }
  })

  test('that waits has its dates shown to those who work on it', async () => {
    const it = await publish(app, 'structures', { name: 'Dated for few', construction_date: '1702' })
    sure(200, await app.contributor.patch(at(it), { body: { construction_date: '1703' } }))
    const words = async (who: Persona) =>
      sure(200, await who.get(at(it), { query: { calendar: 'bs' } })).dates.construction_date.words
    expect([await words(app.contributor), await words(app.community)]).toEqual(['1703', '1703'])
    expect([await words(app.anon), await words(app.other)]).toEqual(['1702', '1702'])
  })

  test('that was refused is no longer the current one', async () => {
    const it = await publish(app, 'structures', { name: 'Current', note: 'old' })
    const accepted = (await app.anon.get(at(it))).body.current_revision
    sure(200, await app.contributor.patch(at(it), { body: { note: 'new' } }))
    sure(201, await decide(app.community, it, { verdict: 'reject', feedback: 'No.' }))
    const { body } = await app.contributor.get(at(it))
    expect(body.current_revision).toMatchObject({
      revision_id: accepted.revision_id,
      revision_number: 1,
      data: { note: 'old' },
    })
    expect(body.status).toBe('accepted')
  })

  test('is submitted for review from a draft only', async () => {
    const reply = await app.contributor.post(`${at(sights.pending)}submit_for_review/`)
    expect([reply.status, reply.body]).toEqual([400, { non_field_errors: ['Only drafts can be submitted.'] }])
    expect((await app.other.post(`${at(sights.published)}submit_for_review/`)).status).toBe(403)
    expect((await app.other.post(`${at(sights.pending)}submit_for_review/`)).status).toBe(404)
  })
})

describe('an answer to a contribution', () => {
  test('has its first revision and that it was submitted, as a reading has', async () => {
    const body = { name: 'Answered whole', category: 'other', description: 'd' }
    const made = sure(201, await app.contributor.post('/data/cultural-entities/', { body }))
    expect(made.revisions).toMatchObject([{ revision_number: 1, data: body, created_by: { username: 'dev' } }])
    expect(made.activities).toMatchObject([{ activity_type: 'submitted', user: { username: 'dev' } }])
    const read = sure(200, await app.contributor.get(`/data/cultural-entities/${made.entity_id}/`))
    expect(made).toEqual(read)
  })

  test('has its values in the order of the fields, at each reading and in each difference', async () => {
    const { kinds } = await import('../../../lib/domain/kinds/index.ts')
    const values = { condition: 'Good', note: 'n', description: 'd', existence_status: 'Extant', name: 'In order' }
    const it = await publish(app, 'structures', { ...values, identifier: 'x:1', construction_date: '1702' })
    const order = Object.keys(kinds.structure.fields)
    const inOrder = (names: string[]) => names.toSorted((a, b) => order.indexOf(a) - order.indexOf(b))
    const read = sure(200, await app.anon.get(at(it)))
    expect(Object.keys(read.form_data)).toEqual(inOrder(Object.keys(read.form_data)))
    expect(Object.keys(read.form_data).length).toBe(7)
    const tags = new Set<string | undefined>()
    for (let i = 0; i < 5; i += 1) tags.add((await app.anon.get(at(it))).headers.etag)
    expect(tags.size).toBe(1)
    const edit = { note: 'm', identifier: 'x:2', condition: 'Poor', description: 'e' }
    sure(200, await app.contributor.patch(at(it), { body: edit }))
    const workspace = sure(200, await app.domain.get(`/data/review-workspace/${it.cultural_entity_id}/`))
    const changed = workspace.difference.map((row: { field: string }) => row.field)
    expect(changed).toEqual(inOrder(Object.keys(edit)))
  })
})

describe('what is deleted', () => {
  test('is marked as such for staff and restored by them, whatever its address', async () => {
    const body = { name: 'To be restored', category: 'other', description: 'd' }
    const entity = sure(201, await app.contributor.post('/data/cultural-entities/', { body })).entity_id
    const structure = await contribute(app.contributor, 'structures', { name: 'Also to be restored' })
    const source = sure(201, await app.contributor.post('/cidoc/data_sources/', { body: { name: 'Restored source' } }))
    const paths = [
      `/data/cultural-entities/${entity}/`,
      at(structure),
      `/cidoc/structures/${structure.id}/`,
      `/cidoc/data_sources/${source.id}/`,
    ]
    for (const path of paths) {
      expect((await app.contributor.get(path)).body).not.toHaveProperty('is_deleted')
      sure(204, await app.contributor.delete(path))
      expect((await app.contributor.get(path)).status).toBe(404)
      expect((await app.contributor.post(`${path}restore/`)).status).toBe(404)
      expect(sure(200, await app.staff.get(path))).toMatchObject({ deleted_at: expect.any(String), is_deleted: true })
      expect(sure(200, await app.staff.post(`${path}restore/`))).not.toHaveProperty('is_deleted')
      expect((await app.contributor.get(path)).status).toBe(200)
      expect((await app.staff.post(`${path}restore/`)).status).toBe(409)
    }
  })
})
