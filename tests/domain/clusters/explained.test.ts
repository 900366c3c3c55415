import * as fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { atOnce, lookAlikes, publish, sure } from '../../harness/make.ts'

/** That a record is about the same thing as others is a claim: explained like any value, and undone without a loss. */

let app: App
let source: string
beforeAll(async () => {
  app = await openApp()
  for (const who of [app.curator, app.staff]) sure(200, await who.get('/api/user/info'))
  const body = { name: 'Survey of walls', source_type: 'field_survey' }
  source = sure(201, await app.other.post('/cidoc/data_sources/', { body })).id
})

const PATH = '/cidoc/entity-clusters/'
const IDENTITY = 'identity.same_referent'
type Made = { id: number; cultural_entity_id: string }
type Cluster = { id: string; version: number }

let made = 0
const structure = (): Promise<Made> => publish(app, 'structures', { name: `Wall ${++made} explained` })
async function cluster(label: string, records: readonly Made[], who: Persona = app.curator): Promise<Cluster> {
  const members = records.map(({ id }) => ({ entity_type: 'structure', entity_id: id }))
  const body = { canonical_label: label, type_scope: 'structure', members }
  return sure(201, await who.post(PATH, { body }))
}
const read = async (id: string) => sure(200, await app.anon.get(`${PATH}${id}/`))
const membersOf = async (id: string) => sure(200, await app.anon.get(`${PATH}${id}/members/`)).members
const merge = async (into: string, from: string, who: Persona = app.curator) =>
  who.post(`${PATH}${into}/merge/`, {
    body: { source_cluster_id: from, reason: 'One wall.', expected_version: (await read(into)).version },
  })
const split = async (id: string, groups: unknown, who: Persona = app.curator) =>
  who.post(`${PATH}${id}/split/`, {
    body: { groups, reason: 'Two walls.', expected_version: (await read(id)).version },
  })
async function explain({ cultural_entity_id }: Made, who: Persona = app.anon, at?: string) {
  const query = { property: IDENTITY, ...(at && { at }) }
  const { properties } = sure(200, await who.get(`/data/entities/${cultural_entity_id}/explain/`, { query }))
  return properties[0]
}

/** Two records that a proposal of `dev` has made one, by a source; an expert approved it. */
async function proposed(label: string) {
  const records = [await structure(), await structure()]
  const anchor_records = records.map(({ id }) => ({ entity_type: 'architecturalstructure', entity_id: id }))
  const body = { canonical_label: label, type_scope: 'architecturalstructure', anchor_records }
  const more = { supporting_source_ids: [source], contributor_note: 'Drawn as one.' }
  const { id } = sure(201, await app.contributor.post('/data/entity-proposals/', { body: { ...body, ...more } }))
  sure(200, await app.contributor.post(`/data/entity-proposals/${id}/submit/`))
  const verdict = { comment: 'So it is.' }
  const done = sure(200, await app.domain.post(`/data/entity-proposals/${id}/approve/`, { body: verdict }))
  return { records, id: String(done.materialized_cluster) }
}

describe('the membership of a record is explained', () => {
  test('with source, confidence, author and decision, for every reader', async () => {
    const { records, id } = await proposed('Proposed wall')
    const [one] = records as [Made, Made]
    const [{ membership_assertion_id }] = await membersOf(id)
    for (const who of [app.anon, app.other, app.staff])
      expect(await explain(one, who)).toMatchObject({
        property: IDENTITY,
        value: 'Proposed wall',
        rule: 'joined',
        why: 'A reviewer put the record into this cluster: all its records are about one thing.',
        standing: {
          id: membership_assertion_id,
          source,
          source_type: 'field_survey',
          confidence: 'likely',
          contributed_by: 'dev',
          justification_note: 'Drawn as one.',
        },
        settled: { by: { username: 'expert' }, way: 'proposal', at: '2025-01-15T10:00:00.000Z' },
        rivals: [],
      })
    // What the expert wrote is for those who work on the record.
    expect((await explain(one, app.staff)).settled.reason).toBe('So it is.')
    expect((await explain(one)).settled).not.toHaveProperty('reason')
  })

  test('by a reviewer who makes a cluster or answers a question; a record in none has none', async () => {
    const [one, two] = [await structure(), await structure()]
    await cluster('By a reviewer', [one], app.community)
    expect(await explain(one)).toMatchObject({ settled: { by: { username: 'reviewer' }, way: 'cluster' } })
    const path = `/data/entities/${two.cultural_entity_id}/explain/`
    expect(await app.anon.get(path, { query: { property: IDENTITY } })).toMatchObject({ status: 400 })
    const { id, records } = await lookAlikes(app)
    const into = await cluster('Answered', [])
    const body = { resolution: 'accept', notes: 'The same lane.', target_cluster_id: into.id }
    sure(200, await app.domain.post(`/cidoc/identity-candidates/${id}/resolve/`, { body }))
    expect(await explain(records[0], app.staff)).toMatchObject({
      value: 'Answered',
      settled: { by: { username: 'expert' }, way: 'candidate', reason: 'The same lane.' },
    })
  })

  test('after a merge by who merged, with the sources that it rested on; the former claim is for those who work on it', async () => {
    const { records, id } = await proposed('Merged wall')
    const into = await cluster('Great wall', [await structure()])
    app.tick(60)
    sure(200, await merge(into.id, id))
    const [one] = records as [Made, Made]
    const now = await explain(one)
    expect(now).toMatchObject({
      value: 'Great wall',
      standing: { source, confidence: 'likely', contributed_by: 'curator' },
      settled: { by: { username: 'curator' }, way: 'merge' },
      rivals: [],
    })
    expect((await explain(one, app.staff)).rivals).toMatchObject([
      { assertion_content: 'Merged wall', reconciliation_status: 'superseded' },
    ])
    // As it was told before the merge.
    const before = new Date(Date.parse(now.settled.at) - 30_000).toISOString()
    expect(await explain(one, app.anon, before)).toMatchObject({
      value: 'Merged wall',
      standing: { contributed_by: 'dev' },
    })
  })
})

describe('a split', () => {
  test('lets the claims of a merged cluster hold again: their author, source and note', async () => {
    const { records, id } = await proposed('Undone wall')
    const first = await structure()
    const into = await cluster('Kept wall', [first])
    sure(200, await merge(into.id, id))
    sure(200, await split(into.id, [[first.id], records.map((it) => it.id)]))
    expect(await explain(records[0] as Made)).toMatchObject({
      value: 'Undone wall',
      standing: { source, contributed_by: 'dev', justification_note: 'Drawn as one.' },
      settled: { by: { username: 'curator' }, way: 'split' },
    })
  })

  test('undoes any merges: clusters, labels, members and what their memberships rest on are as they were', async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 2 }), { minLength: 2, maxLength: 3 })
    await fc.assert(
      fc.asyncProperty(sizes, fc.array(fc.nat(), { minLength: 1, maxLength: 2 }), async (counts, picks) => {
        const clusters: { id: string; records: Made[] }[] = []
        for (const count of counts) {
          const records = await Promise.all(Array.from({ length: count }, () => structure()))
          clusters.push({ records, ...(await cluster(`Any ${++made}`, records)) })
        }
        const state = async () => {
          const all = await Promise.all(
            clusters.map(async ({ id }) => {
              const { canonical_label, merged_into } = await read(id)
              const members = (await membersOf(id)).map(({ entity_id }: { entity_id: number }) => entity_id)
              return { canonical_label, merged_into, members }
            }),
          )
          const claims = await Promise.all(clusters.flatMap(({ records }) => records).map((it) => explain(it)))
          return { all, claims: claims.map(({ value, standing }) => [value, standing.contributed_by, standing.source]) }
        }
        const before = await state()
        // Each merge takes one of those that are left into another one. The ids of those that went say where.
        const left = clusters.map(({ id }) => id)
        const merges: { into: string; stayed: number[]; went: number[] }[] = []
        const memberIds = async (id: string) =>
          (await membersOf(id)).map(({ entity_id }: { entity_id: number }) => entity_id)
        for (const pick of picks) {
          if (left.length < 2) break
          const [from] = left.splice(pick % left.length, 1)
          const into = left[pick % left.length]
          if (!from || !into) throw new Error('there are two')
          const [stayed, went] = [await memberIds(into), await memberIds(from)]
          sure(200, await merge(into, from))
          expect(await read(from)).toMatchObject({ id: from, merged_into: into })
          merges.push({ into, stayed, went })
        }
        for (const { into, stayed, went } of merges.toReversed()) sure(200, await split(into, [stayed, went]))
        expect(await state()).toEqual(before)
      }),
      { numRuns: 4 },
    )
  })

  test('and a merge at once: one of two curators gets 409', async () => {
    const [one, two] = [await structure(), await structure()]
    const [into, other] = [await cluster('Both want it', [one, two]), await cluster('Comes to it', [])]
    const replies = await atOnce([
      async () => split(into.id, [[one.id], [two.id]]),
      async () => merge(into.id, other.id, app.staff),
    ])
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409])
  })
})
