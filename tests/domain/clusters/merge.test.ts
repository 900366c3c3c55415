import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { atOnce, contribute, publish, sure } from '../../harness/make.ts'

let app: App
let following: Following
beforeAll(async () => {
  app = await openApp()
  following = await followTable()
})

const PATH = '/cidoc/entity-clusters/'
type Made = { id: number; cultural_entity_id: string }
type Cluster = { id: string; version: number; canonical_label: string; merged_into: string | null }

let made = 0
const structure = (more: object = {}): Promise<Made> =>
  publish(app, 'structures', { name: `Wall ${++made} of merges`, ...more })
async function cluster(label: string, records: readonly Made[], more: object = {}): Promise<Cluster> {
  const members = records.map(({ id }) => ({ entity_type: 'structure', entity_id: id }))
  return sure(
    201,
    await app.curator.post(PATH, { body: { canonical_label: label, type_scope: 'structure', members, ...more } }),
  )
}
const read = async ({ id }: { id: string }): Promise<Cluster> => sure(200, await app.anon.get(`${PATH}${id}/`))
const membersOf = async ({ id }: { id: string }, who: Persona = app.curator): Promise<number[]> =>
  sure(200, await who.get(`${PATH}${id}/members/`)).members.map((it: { entity_id: number }) => it.entity_id)
const claimsOf = async ({ id }: { id: string }): Promise<string[]> =>
  sure(200, await app.anon.get(`${PATH}${id}/members/`)).members.map(
    (it: { membership_assertion_id: string }) => it.membership_assertion_id,
  )
const merge = (into: Cluster, from: Cluster, more: object = {}, who: Persona = app.curator) =>
  who.post(`${PATH}${into.id}/merge/`, {
    body: { source_cluster_id: from.id, reason: 'One thing.', expected_version: into.version, ...more },
  })
const split = (it: Cluster, groups: unknown, more: object = {}, who: Persona = app.curator) =>
  who.post(`${PATH}${it.id}/split/`, { body: { groups, reason: 'Two things.', expected_version: it.version, ...more } })
const numbers = (records: readonly Made[]) => records.map(({ id }) => id)

describe('merging', () => {
  test('moves the members, and the old id says where they went', async () => {
    const [one, two] = [[await structure()], [await structure(), await structure()]]
    const [into, from] = [await cluster('Great wall', one), await cluster('Long wall', two)]
    const [claim] = await claimsOf(from)
    expect(sure(200, await merge(into, from))).toMatchObject({ id: into.id, version: 2, canonical_label: 'Great wall' })
    expect(await membersOf(into)).toEqual(numbers([...one, ...two]))
    expect(await membersOf(from)).toEqual([])
    expect(await read(from)).toMatchObject({ merged_into: into.id, canonical_label: 'Long wall' })
    expect((await app.curator.get(`/cidoc/assertions/${claim}/`)).body.reconciliation_status).toBe('superseded')
    await following.settled()
    for (const query of [{ search: 'Long wall' }, { limit: 100 }]) {
      const { results } = (await app.anon.get(PATH, { query })).body
      expect(results.map((it: Cluster) => it.id)).not.toContain(from.id)
    }
    const renamed = { body: { canonical_label: 'Other' } }
    expect((await app.curator.patch(`${PATH}${from.id}/`, renamed)).body).toEqual({
      non_field_errors: [`This cluster was merged into ${into.id}.`],
    })
  })

  test('refuses what cannot be merged, each with its reason', async () => {
    const into = await cluster('Into', [])
    const locked = await cluster('Locked', [], { locked: true })
    const gone = await cluster('Gone', [])
    sure(200, await merge(await cluster('Elsewhere', []), gone))
    const person = sure(201, await app.curator.post(PATH, { body: { canonical_label: 'P', type_scope: 'person' } }))
    const faults: [Cluster | { id: string }, string][] = [
      [into, 'A cluster cannot be merged into itself.'],
      [locked, 'It is locked.'],
      [gone, 'It was merged before.'],
      [person, 'It gathers records of another kind.'],
      [{ id: '00000000-0000-4000-8000-00000000ffff' }, 'There is no cluster with this id.'],
    ]
    for (const [from, fault] of faults)
      expect(await merge(into, from as Cluster)).toMatchObject({ status: 400, body: { source_cluster_id: [fault] } })
    const from = await cluster('From', [])
    expect(await merge(into, from, { expected_version: 7 })).toMatchObject({ status: 409 })
    expect(await merge(into, from, { reason: ' ' })).toMatchObject({
      status: 400,
      body: { reason: ['This field is required.'] },
    })
    expect((await merge(into, from, {}, app.domain)).status).toBe(403)
    expect((await merge(into, from, {}, app.anon)).status).toBe(401)
    expect((await merge(locked, from)).status).toBe(403)
    sure(200, await merge(locked, from, { lock_override: true }))
    const { results } = sure(200, await app.curator.get(`${PATH}${locked.id}/audit/`))
    expect(results[0]).toMatchObject({
      action: 'lock_override_merge',
      related_cluster_id: from.id,
      reason: 'One thing.',
    })
    const ofSource = sure(200, await app.curator.get(`${PATH}${from.id}/audit/`))
    expect(ofSource.results[0]).toMatchObject({ action: 'lock_override_merge', related_cluster_id: locked.id })
  })

  test('of two merges of one cluster at once, one is too late', async () => {
    const from = await cluster('Wanted', [await structure()])
    const [one, other] = [await cluster('One', []), await cluster('Other', [])]
    const replies = await atOnce([() => merge(one, from), () => merge(other, from)])
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409])
    expect((await membersOf(one)).length + (await membersOf(other)).length).toBe(1)
  })

  test('the check names values that contradict each other', async () => {
    const built = (year: string) => structure({ construction_date: year })
    const [one, other] = [await cluster('Old', [await built('1702')]), await cluster('New', [await built('1850')])]
    const query = { source_cluster_id: other.id }
    const checked = sure(200, await app.curator.get(`${PATH}${one.id}/conflict-check/`, { query }))
    expect(checked).toMatchObject({
      can_merge: true,
      conflicts: [{ property: 'construction_date', left: { value: '1702' }, right: { value: '1850' } }],
    })
    expect((await app.domain.get(`${PATH}${one.id}/conflict-check/`, { query })).status).toBe(403)
  })
})

describe('splitting', () => {
  test('takes a merge back: members, ids, labels and lists are as they were', async () => {
    const [one, two] = [[await structure(), await structure()], [await structure()]]
    const [into, from] = [await cluster('Kept', one), await cluster('Revived', two)]
    const merged = sure(200, await merge(into, from))
    const reply = sure(200, await split(merged, [numbers(one), numbers(two)]))
    expect(reply).toEqual({
      new_cluster_ids: [from.id],
      cluster_ids: [into.id, from.id],
      audit_event_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    expect([await membersOf(into), await membersOf(from)]).toEqual([numbers(one), numbers(two)])
    expect(await read(from)).toMatchObject({ merged_into: null, canonical_label: 'Revived' })
    await following.settled()
    const { results } = (await app.anon.get(PATH, { query: { search: 'Revived' } })).body
    expect(results.map((it: Cluster) => it.id)).toEqual([from.id])
    expect(await claimsOf(from)).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/)])
  })

  test('a merge takes a split back', async () => {
    const all = [await structure({ name: 'Wall A of splits' }), await structure({ name: 'Wall B of splits' })]
    const whole = await cluster('Whole', all)
    const reply = sure(200, await split(whole, [[all[0]?.id], [all[1]?.cultural_entity_id]]))
    const [part] = reply.new_cluster_ids
    expect(await read({ id: part })).toMatchObject({ canonical_label: 'Wall B of splits' })
    sure(200, await merge(await read(whole), await read({ id: part })))
    expect(await membersOf(whole)).toEqual(numbers(all))
  })

  test('any sequence of merges undone in reverse gives what was', async () => {
    for (let run = 0; run < 3; run++) {
      const sets = await Promise.all(
        Array.from({ length: 3 }, async (_, i) => [await structure(), ...(i === run ? [await structure()] : [])]),
      )
      const clusters = await Promise.all(sets.map((set, i) => cluster(`Set ${run} ${i}`, set)))
      const [a, b, c] = clusters as [Cluster, Cluster, Cluster]
      const first = sure(200, await merge(a, b))
      const second = sure(200, await merge(first, c))
      sure(200, await split(second, sets.map(numbers)))
      for (const [i, it] of clusters.entries()) {
        expect(await membersOf(it)).toEqual(numbers(sets[i] ?? []))
        expect(await read(it)).toMatchObject({ canonical_label: `Set ${run} ${i}`, merged_into: null })
      }
    }
  })

  test('refuses groups that are no partition, a locked cluster and another version', async () => {
    const [one, two, stranger] = [await structure(), await structure(), await structure()]
    const it = await cluster('Whole', [one, two])
    const partition = { groups: ['Name each member of the cluster in one group, and no other record.'] }
    for (const groups of [
      [[one.id], [stranger.id]],
      [[one.id], [one.id]],
      [[one.id], [two.id], [stranger.id]],
    ])
      expect(await split(it, groups)).toMatchObject({ status: 400, body: partition })
    for (const groups of [[], [[one.id, two.id]], [[one.id, two.id], []]])
      expect(await split(it, groups)).toMatchObject({
        status: 400,
        body: { groups: ['Give at least two groups, each with a record.'] },
      })
    expect((await split(it, [[one.id], [two.id]], { expected_version: 5 })).status).toBe(409)
    expect((await split(it, [[one.id], [two.id]], {}, app.domain)).status).toBe(403)
    const locked = await cluster('Locked', [stranger, await structure()], { locked: true })
    expect((await split(locked, [[stranger.id], [two.id]])).status).toBe(403)
  })
})

test('the log has a lock that was made or taken away by a change of the cluster, too', async () => {
  const it = await cluster('Changed', [await structure()])
  sure(200, await app.curator.patch(`${PATH}${it.id}/`, { body: { locked: true } }))
  const body = { canonical_label: 'Replaced', type_scope: 'structure' }
  expect(sure(200, await app.curator.put(`${PATH}${it.id}/`, { body }))).toMatchObject({
    locked: false,
    lock_reason: '',
  })
  sure(200, await app.curator.patch(`${PATH}${it.id}/`, { body: { note: 'No lock.' } }))
  const { results } = sure(200, await app.curator.get(`${PATH}${it.id}/audit/`))
  expect(results.map(({ action }: { action: string }) => action)).toEqual(['unlock', 'lock'])
})

test('a cluster that was split off is not named by a record that is not public', async () => {
  const [open, other] = [await structure({ name: 'Open half' }), await structure()]
  const hidden = await contribute(app.staff, 'structures', { name: 'Hidden half' })
  const records = [other, open, hidden].map(({ id }) => ({ entity_type: 'structure', entity_id: id }))
  const body = { canonical_label: 'Both halves', type_scope: 'structure', members: records }
  const it = sure(201, await app.staff.post(PATH, { body }))
  const { new_cluster_ids } = sure(200, await split(it, [[other.id], [open.id, hidden.id]], {}, app.staff))
  expect(await read({ id: new_cluster_ids[0] })).toMatchObject({ canonical_label: 'Open half' })
})

test('the log is for curators, newest first, without records that are gone', async () => {
  const [one, two] = [await structure(), await structure()]
  const it = await cluster('Logged', [one, two])
  const lock = { body: { reason: 'Settled.', expected_version: 1 } }
  sure(200, await app.curator.post(`${PATH}${it.id}/lock/`, lock))
  sure(200, await app.curator.post(`${PATH}${it.id}/unlock/`, { body: { reason: 'Open.', expected_version: 2 } }))
  sure(200, await split({ ...it, version: 3 }, [[one.id], [two.id]]))
  sure(204, await app.staff.delete(`/cidoc/structures/${two.id}/`))
  const { results } = sure(200, await app.curator.get(`${PATH}${it.id}/audit/`))
  expect(results.map(({ action }: { action: string }) => action)).toEqual(['split', 'unlock', 'lock'])
  expect(results[0]).toMatchObject({
    reason: 'Two things.',
    before_state: [{ id: it.id, version: 3, members: [one.cultural_entity_id] }],
    after_state: [
      { id: it.id, version: 4 },
      { canonical_label: expect.stringMatching(/^Wall/), members: [] },
    ],
  })
  const sent = JSON.stringify(results)
  expect(sent).not.toContain(two.cultural_entity_id)
  expect((await app.domain.get(`${PATH}${it.id}/audit/`)).status).toBe(403)
  expect((await app.anon.get(`${PATH}${it.id}/audit/`)).status).toBe(401)
  expect((await app.contributor.get(`${PATH}${it.id}/audit/`)).status).toBe(403)
})
