import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { atOnce, contribute, flagsOf, publish, sure } from '../../harness/make.ts'

let app: App
let following: Following
beforeAll(async () => {
  app = await openApp()
  following = await followTable()
})

const CANDIDATES = '/api/v1/cidoc/identity-candidates/'
const CLUSTERS = '/cidoc/entity-clusters/'
type Made = { id: number; cultural_entity_id: string }

let lane = 0
const deities = [
  'Mahadev',
  'Bhimsen',
  'Kumari',
  'Saraswati',
  'Narayan',
  'Bhairav',
  'Tara',
  'Taleju',
  'Vajrayogini',
  'Hanuman',
]
/** Two structures that look alike, and the candidate that the service has made of them. */
async function twins(more: object = {}): Promise<{ left: Made; right: Made; id: string }> {
  lane += 1
  const body = { name: `${deities[lane]} Dyochhen`, coordinates: `27.${lane}, 85.3`, ...more }
  const [left, right] = [await publish(app, 'structures', body), await publish(app, 'structures', body)]
  await following.settled()
  const { results } = sure(200, await app.community.get(CANDIDATES, { query: { status: 'open' } }))
  const numbers = [left.id, right.id]
  const found = results.find((it: { left: { entity_id: number } }) => numbers.includes(it.left.entity_id))
  expect(found, 'no candidate').toBeDefined()
  return { left, right, id: found.id }
}
const newCluster = async (body: object = {}) =>
  sure(201, await app.curator.post(CLUSTERS, { body: { canonical_label: 'Twins', type_scope: 'structure', ...body } }))
const summaryOf = async ({ id }: Made, who: Persona = app.anon) =>
  sure(
    200,
    await who.get('/api/v1/cidoc/identity-summary/', {
      query: { entity_type: 'architecturalstructure', entity_id: id },
    }),
  )
const resolve = (id: string, body: object, who: Persona = app.community) =>
  who.post(`${CANDIDATES}${id}/resolve/`, { body })

describe('candidates', () => {
  test('two records that look alike become a question with what they have in common', async () => {
    const { left, right, id } = await twins()
    const { body } = await app.community.get(`${CANDIDATES}${id}/`)
    expect(new Set([body.left.entity_id, body.right.entity_id])).toEqual(new Set([left.id, right.id]))
    expect(body).toMatchObject({
      status: 'open',
      notes: '',
      left: { entity_type: 'architecturalstructure', title: expect.stringMatching(/Dyochhen$/) },
      signal_scores: {
        same_normalized_name: { model: 'architecturalstructure', normalized: expect.stringMatching(/dyo/) },
        distance: { metres: 0 },
      },
    })
  })

  test('accepting puts both into the cluster, each by a claim, and resolves the flag', async () => {
    const { left, right, id } = await twins()
    const cluster = await newCluster()
    const done = sure(
      200,
      await resolve(id, { resolution: 'accept', notes: 'Seen both.', target_cluster_id: cluster.id }),
    )
    expect(done.candidate).toMatchObject({ id, status: 'accepted', notes: 'Seen both.' })
    expect(done.created_assertion_ids).toHaveLength(2)
    const claim = sure(200, await app.anon.get(`/cidoc/assertions/${done.created_assertion_ids[0]}/`))
    expect(claim).toMatchObject({
      asserted_property: 'identity.same_referent',
      asserted_value: cluster.id,
      reconciliation_status: 'accepted',
      contributed_by: 'reviewer',
    })
    const open = [...(await flagsOf(left)), ...(await flagsOf(right))].filter(
      (it) => it.flag_type === 'suspected_duplicate' && !it.is_resolved,
    )
    expect(open).toEqual([])
    const summary = await summaryOf(right)
    expect(summary).toMatchObject({ competing: false, canonical_label: 'Twins', primary_cluster_id: cluster.id })
    expect(
      new Set(summary.clusters[0].members.map((it: { membership_assertion_id: string }) => it.membership_assertion_id)),
    ).toEqual(new Set(done.created_assertion_ids))
    expect(await resolve(id, { resolution: 'reject' })).toMatchObject({
      status: 400,
      body: { detail: 'This candidate is accepted already.' },
    })
  })

  test('a record that is in another cluster moves, and explain says what held before', async () => {
    const { left, right, id } = await twins()
    const old = await newCluster({ members: [{ entity_type: 'structure', entity_id: left.id }] })
    const cluster = await newCluster()
    sure(200, await resolve(id, { resolution: 'accept', target_cluster_id: cluster.id }))
    expect((await app.anon.get(`${CLUSTERS}${old.id}/members/`)).body.members).toEqual([])
    expect((await app.anon.get(`${CLUSTERS}${cluster.id}/members/`)).body.members).toHaveLength(2)
    const query = { cultural_entity_id: left.cultural_entity_id, asserted_property: 'identity.same_referent' }
    const { results } = sure(200, await app.curator.get('/cidoc/assertions/', { query }))
    expect(
      results.map((it: { reconciliation_status: string; asserted_value: string }) => [
        it.reconciliation_status,
        it.asserted_value,
      ]),
    ).toEqual([
      ['accepted', cluster.id],
      ['superseded', old.id],
    ])
    const explained = sure(200, await app.anon.get(`/data/entities/${left.cultural_entity_id}/explain/`))
    expect(explained.properties.map((it: { property: string }) => it.property)).toContain('identity.same_referent')
    expect(right.id).toBeGreaterThan(left.id)
  })

  test('what does not fit is refused with the member', async () => {
    const { id } = await twins()
    const person = sure(201, await app.curator.post(CLUSTERS, { body: { canonical_label: 'P', type_scope: 'person' } }))
    expect((await resolve(id, { resolution: 'accept' })).body).toEqual({
      target_cluster_id: ['Accepting takes the cluster that is to hold both.'],
    })
    expect((await resolve(id, { resolution: 'accept', target_cluster_id: person.id })).body).toEqual({
      target_cluster_id: ['It gathers records of another kind.'],
    })
    expect((await resolve(id, { resolution: 'perhaps' })).body).toEqual({
      resolution: ['Not a valid choice. Choose one of: accept, reject, defer.'],
    })
    const locked = await newCluster({ locked: true })
    expect((await resolve(id, { resolution: 'accept', target_cluster_id: locked.id })).status).toBe(409)
    expect((await app.community.get(`${CANDIDATES}${id}/`)).body.status).toBe('open')
  })

  test('a deferred one is taken up later, and a rejected pair is never asked again', async () => {
    const { left, right, id } = await twins()
    sure(200, await resolve(id, { resolution: 'defer', notes: 'Ask the priest.' }))
    expect((await resolve(id, { resolution: 'defer' })).status).toBe(400)
    sure(200, await resolve(id, { resolution: 'reject', notes: 'Two shrines.' }))
    const edit = { note: 'Seen again', alternate_names: ['Twin of twins'] }
    sure(200, await app.contributor.patch(`/cidoc/structures/${right.id}/`, { body: edit }))
    await following.settled()
    const flags = (await flagsOf(right)).filter((it) => it.flag_type === 'suspected_duplicate' && !it.is_resolved)
    expect(flags.map((it) => it.other_entity_id)).not.toContain(left.cultural_entity_id)
    expect((await app.community.get(`${CANDIDATES}${id}/`)).body).toMatchObject({
      status: 'rejected',
      notes: 'Two shrines.',
    })
  })

  test('of two deciders one is too late', async () => {
    const { id } = await twins()
    const statuses = (
      await atOnce([
        () => resolve(id, { resolution: 'reject' }, app.community),
        () => resolve(id, { resolution: 'reject' }, app.domain),
      ])
    ).map(({ status }) => status)
    expect(statuses.sort()).toEqual([200, expect.toBeOneOf([400, 409])])
  })

  test('nobody decides on a record of their own, and only reviewers decide', async () => {
    lane += 1
    const body = { name: 'Ganesh Dyochhen', coordinates: '28.7, 85.3' }
    const one = await contribute(app.community, 'structures', body)
    await contribute(app.contributor, 'structures', body)
    await following.settled()
    const { results } = sure(200, await app.community.get(CANDIDATES))
    const { id } = results.find((it: { left: { entity_id: number }; right: { entity_id: number } }) =>
      [it.left.entity_id, it.right.entity_id].includes(one.id),
    )
    expect((await resolve(id, { resolution: 'reject' })).body).toEqual({
      detail: 'Nobody decides on a contribution of their own.',
    })
    expect((await resolve(id, { resolution: 'reject' }, app.contributor)).status).toBe(404)
    expect((await resolve(id, { resolution: 'reject' }, app.anon)).status).toBe(401)
    expect((await app.contributor.get(CANDIDATES)).status).toBe(403)
  })

  test('a record that is deleted takes its candidate from the list', async () => {
    const { left, id } = await twins()
    sure(204, await app.staff.delete(`/cidoc/structures/${left.id}/`))
    const listed = async (who: Persona) =>
      (await who.get(CANDIDATES, { query: { limit: 100 } })).body.results.map((it: { id: string }) => it.id)
    expect(await listed(app.community)).not.toContain(id)
    expect((await app.community.get(`${CANDIDATES}${id}/`)).status).toBe(404)
  })
})

describe('the summary', () => {
  test('of a record in no cluster is empty, and so is that of a record that is hidden or unknown', async () => {
    const hidden = await contribute(app.contributor, 'structures', { name: 'Hidden stupa' })
    const open = await publish(app, 'structures', { name: 'Lonely stupa' })
    const empty = {
      competing: false,
      canonical_label: null,
      primary_cluster_id: null,
      alias_titles: [],
      membership_assertion_ids: [],
      source_type_order: ['inscription', 'archival', 'published', 'field_survey', 'oral_history', 'web'],
      clusters: [],
    }
    for (const id of [hidden.id, open.id, 999_999])
      expect(await summaryOf({ ...open, id })).toMatchObject({
        entity_type: 'architecturalstructure',
        entity_id: id,
        ...empty,
      })
  })

  test('leaves out members that the reader may not see', async () => {
    const seen = await publish(app, 'structures', { name: 'Open pati' })
    const hidden = await publish(app, 'structures', { name: 'Secret pati', access_tier: 'restricted' })
    const members = [seen, hidden].map(({ id }) => ({ entity_type: 'structure', entity_id: id }))
    await newCluster({ canonical_label: 'Pati', members })
    const [anonymous, reader] = [await summaryOf(seen), await summaryOf(seen, app.other)]
    expect(anonymous.clusters[0].members.map((it: { display_title: string }) => it.display_title)).toEqual([
      'Open pati',
    ])
    expect(anonymous).toMatchObject({ alias_titles: ['Open pati'], clusters: [{ evidence_count: 1 }] })
    expect(reader).toMatchObject({ alias_titles: ['Open pati', 'Secret pati'], clusters: [{ evidence_count: 2 }] })
    expect((await summaryOf(hidden)).clusters).toEqual([])
  })

  test('an open candidate against a record of another cluster competes, for those who see both', async () => {
    const { left, right } = await twins({ access_tier: 'restricted' })
    await newCluster({ canonical_label: 'One', members: [{ entity_type: 'structure', entity_id: left.id }] })
    await newCluster({ canonical_label: 'Other', members: [{ entity_type: 'structure', entity_id: right.id }] })
    const summary = await summaryOf(left, app.other)
    expect(summary).toMatchObject({
      competing: true,
      canonical_label: null,
      primary_cluster_id: null,
      alias_titles: [],
    })
    expect(summary.clusters.map((it: { canonical_label: string }) => it.canonical_label)).toEqual(['One', 'Other'])
    expect((await summaryOf(left)).competing).toBe(false)
  })

  test('an unknown type is 404, a missing or malformed number 400', async () => {
    const path = '/cidoc/identity-summary/'
    expect((await app.anon.get(path, { query: { entity_type: 'dragon', entity_id: 1 } })).status).toBe(404)
    const detail = 'Give entity_type, and entity_id as a whole number.'
    for (const query of [{ entity_type: 'structure' }, { entity_id: 4 }, { entity_type: 'structure', entity_id: 'x' }])
      expect(await app.anon.get(path, { query })).toMatchObject({ status: 400, body: { detail } })
  })
})
