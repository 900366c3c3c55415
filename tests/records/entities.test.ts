import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp, type Persona } from '../harness/app.ts'
import { contribute, decide, everyState, publish, type Reader, type State, sightings, sure } from '../harness/make.ts'

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
    expect((await revise(app.staff, open, { note: 'x' })).status).toBe(201)
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
