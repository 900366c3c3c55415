import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { contribute, copies, decide, publish, sure } from '../../harness/make.ts'

let app: App
let following: Following
beforeAll(async () => {
  app = await openApp()
  following = await followTable()
})

const notFound = { detail: 'Not found.' }
type Row = { domain_key: string; results: { id: number; name: string }[] }
const related = async (who: Persona, domain: string, it: { id: number }, more: object = {}) =>
  (await who.get('/cidoc/related/', { query: { domain, id: it.id, ...more } })).body
/** Names by kind. */
const groups = async (who: Persona, domain: string, it: { id: number }) =>
  Object.fromEntries(
    (await related(who, domain, it)).groups.map((group: Row) => [
      group.domain_key,
      group.results.map((row) => row.name),
    ]),
  )
/** What is seen once the projector has come by. */
const then = async <T>(look: () => Promise<T>): Promise<T> => {
  await following.settled()
  return look()
}

describe('related records', () => {
  test('are shown from both ends, by kind, once they are published', async () => {
    const structure = await publish(app, 'structures', { name: 'Kasthamandap', description: 'A rest house.' })
    const event = await contribute(app.contributor, 'events', { name: 'Quake', architectural_structures: structure.id })
    await following.settled()
    expect(await groups(app.anon, 'structure', structure)).toEqual({})
    sure(201, await decide(app.curator, event, { verdict: 'accept' }))
    expect(await then(() => groups(app.anon, 'structure', structure))).toEqual({ event: ['Quake'] })
    expect(await related(app.anon, 'event', event)).toEqual({
      domain: 'event',
      entity_id: String(event.id),
      page: 1,
      page_size: 10,
      group: null,
      total_related: 1,
      groups: [
        {
          domain_key: 'structure',
          display_type: 'Architectural Structure',
          count: 1,
          page: 1,
          page_size: 10,
          has_more: false,
          results: [
            {
              id: structure.id,
              domain_key: 'structure',
              name: 'Kasthamandap',
              summary: 'A rest house.',
              display_type: 'Architectural Structure',
            },
          ],
        },
      ],
    })
  })

  test('follow an edit when it is accepted, not before', async () => {
    const [old, next] = [
      await publish(app, 'locations', { name: 'Old site' }),
      await publish(app, 'locations', { name: 'New site' }),
    ]
    const event = await publish(app, 'events', { name: 'Moved event', took_place_at: old.id })
    expect(await then(() => groups(app.anon, 'event', event))).toEqual({ location: ['Old site'] })
    sure(200, await app.contributor.patch(`/cidoc/events/${event.id}/`, { body: { took_place_at: next.id } }))
    await following.settled()
    expect(await groups(app.anon, 'event', event)).toEqual({ location: ['Old site'] })
    sure(201, await decide(app.curator, event, { verdict: 'accept', conflict_handling: 'supersedes' }))
    expect(await then(() => groups(app.anon, 'event', event))).toEqual({ location: ['New site'] })
    expect(await groups(app.anon, 'location', old)).toEqual({})
  })

  test('are gone with a deleted record, and back with a restored one', async () => {
    const structure = await publish(app, 'structures', { name: 'Stays' })
    const event = await publish(app, 'events', { name: 'Goes', architectural_structures: structure.id })
    expect(await then(() => groups(app.anon, 'structure', structure))).toEqual({ event: ['Goes'] })
    sure(204, await app.staff.delete(`/cidoc/events/${event.id}/`))
    expect(await then(async () => (await related(app.anon, 'structure', structure)).total_related)).toBe(0)
    sure(200, await app.staff.post(`/cidoc/events/${event.id}/restore/`))
    expect(await then(() => groups(app.anon, 'structure', structure))).toEqual({ event: ['Goes'] })
  })

  test('that a caller may not see are not named', async () => {
    const structure = await publish(app, 'structures', { name: 'Open' })
    await publish(app, 'events', { name: 'Closed', access_tier: 'restricted', architectural_structures: structure.id })
    expect(await then(() => groups(app.other, 'structure', structure))).toEqual({ event: ['Closed'] })
    expect(await groups(app.anon, 'structure', structure)).toEqual({})
  })

  test('of a record that the caller may not see are not found', async () => {
    const hidden = await contribute(app.contributor, 'structures', { name: 'Hidden' })
    const ask = (who: Persona, id: number) => who.get('/cidoc/related/', { query: { domain: 'structure', id } })
    for (const [who, id] of [
      [app.anon, hidden.id],
      [app.other, hidden.id],
      [app.staff, 999_999],
    ] as const) {
      const reply = await ask(who, id)
      expect([reply.status, reply.body]).toEqual([404, notFound])
    }
    expect((await ask(app.contributor, hidden.id)).status).toBe(200)
  })

  test('are paged within each group', async () => {
    const place = await publish(app, 'locations', { name: 'Crowded' })
    for (const i of [1, 2, 3]) await publish(app, 'events', { name: `Event ${i}`, took_place_at: place.id })
    expect(await then(async () => (await related(app.anon, 'location', place)).total_related)).toBe(3)
    const pages = []
    for (const page of [1, 2, 3]) {
      const {
        groups: [group],
      } = await related(app.anon, 'location', place, { group: 'event', page, page_size: 2 })
      pages.push([group.results.length, group.count, group.has_more])
    }
    expect(pages).toEqual([
      [2, 3, true],
      [1, 3, false],
      [0, 3, false],
    ])
  })

  test.each([
    [{ domain: 'structure' }, { id: ['This parameter is required.'] }],
    [{ id: 1 }, { domain: ['This parameter is required.'] }],
    [{ domain: 'structure', id: 'x' }, { id: ['A whole number from 1 is wanted.'] }],
    [{ domain: 'nothing', id: 1 }, { domain: ['There is no kind of this name.'] }],
    [{ domain: 'structure', id: 1, group: 'nothing' }, { group: ['There is no kind of this name.'] }],
    [{ domain: 'structure', id: 1, page: 0 }, { page: ['A whole number from 1 is wanted.'] }],
  ])('asked by %j are refused', async (query, body) => {
    const reply = await app.anon.get('/cidoc/related/', { query: { ...query } })
    expect([reply.status, reply.body]).toEqual([400, body])
  })
})

describe('what stands beside a record', () => {
  const linked = async (who: Persona, it: { id: number }) => {
    const { linked_events, linked_deities, linked_guthis } = (await who.get(`/cidoc/structures/${it.id}/`)).body
    return { linked_events, linked_deities, linked_guthis }
  }

  test('are the published events that name it, with their present names', async () => {
    const it = await publish(app, 'structures', { name: 'Produced' })
    const production = await publish(app, 'productions', { name: 'Building of it', produced_object: it.id })
    const card = { id: production.id, name: 'Building of it', type: 'production', relation: 'produced_object' }
    expect(await then(() => linked(app.anon, it))).toEqual({
      linked_events: [card],
      linked_deities: [],
      linked_guthis: [],
    })
    sure(200, await app.contributor.patch(`/cidoc/productions/${production.id}/`, { body: { name: 'Rebuilding' } }))
    await following.settled()
    expect((await linked(app.anon, it)).linked_events).toEqual([card])
    sure(201, await decide(app.curator, production, { verdict: 'accept', conflict_handling: 'supersedes' }))
    expect(await then(async () => (await linked(app.anon, it)).linked_events)).toEqual([
      { ...card, name: 'Rebuilding' },
    ])
  })

  test('are the deities and guthis that accepted events tie to it, each once, to who may see both', async () => {
    const temple = await publish(app, 'structures', { name: 'Tied temple' })
    const deity = await publish(app, 'deities', { name: 'Tied deity' })
    const guthi = await publish(app, 'guthis', { name: 'Tied guthi', access_tier: 'restricted' })
    const tie = { enshrined_in_structure: temple.id, enshrined_deity: deity.id }
    const waiting = await contribute(app.contributor, 'enshrinements', { name: 'First rite', ...tie })
    await publish(app, 'enshrinements', { name: 'Closed rite', access_tier: 'restricted', ...tie })
    const transfer = { transferred_object: temple.id, transferred_to_guthi: guthi.id }
    await publish(app, 'transfers_of_custody', { name: 'Handing over', ...transfer })
    const beside = (who: Persona) =>
      then(async () => {
        const { linked_deities, linked_guthis } = await linked(who, temple)
        return [linked_deities, linked_guthis]
      })
    const card = { id: deity.id, name: 'Tied deity', type: 'deity', relation: 'enshrined_deity' }
    const guthiCard = { id: guthi.id, name: 'Tied guthi', type: 'guthi', relation: 'transferred_to_guthi' }
    expect(await beside(app.anon)).toEqual([[], []])
    expect(await beside(app.other)).toEqual([[card], [guthiCard]])
    sure(201, await decide(app.curator, waiting, { verdict: 'accept' }))
    expect(await beside(app.anon)).toEqual([[card], []])
    sure(200, await app.contributor.patch(`/cidoc/deities/${deity.id}/`, { body: { name: 'Tied goddess' } }))
    sure(201, await decide(app.curator, deity, { verdict: 'accept', conflict_handling: 'supersedes' }))
    expect(await beside(app.anon)).toEqual([[{ ...card, name: 'Tied goddess' }], []])
    sure(204, await app.staff.delete(`/cidoc/deities/${deity.id}/`))
    expect(await beside(app.other)).toEqual([[], [guthiCard]])
  })

  test('is not told to who may not see it', async () => {
    const it = await publish(app, 'structures', { name: 'Half open' })
    await publish(app, 'productions', { name: 'Closed making', access_tier: 'restricted', produced_object: it.id })
    expect(await then(async () => (await linked(app.other, it)).linked_events.length)).toBe(1)
    expect((await linked(app.anon, it)).linked_events).toEqual([])
  })
})

test('an edge stands as long as one claim or value makes it, from both sides', async () => {
  const [from, to] = [
    await publish(app, 'structures', { name: 'Claimed twice' }),
    await publish(app, 'persons', { name: 'Twice a patron' }),
  ]
  const claims: { id: string }[] = []
  for (const who of [app.contributor, app.other]) {
    const body = {
      ...{ entity_type: 'structure', entity_id: `${from.id}`, asserted_property: 'relationship.commissioned_by' },
      ...{ object_entity_type: 'person', object_entity_id: `${to.id}` },
    }
    const claim = sure(201, await who.post('/cidoc/assertions/', { body }))
    claims.push(claim)
    sure(200, await settle(claim, 'accepted'))
  }
  const seen = () => then(async () => [await groups(app.anon, 'structure', from), await groups(app.anon, 'person', to)])
  const both = [{ person: ['Twice a patron'] }, { structure: ['Claimed twice'] }]
  expect(await seen()).toEqual(both)
  const [first = { id: '' }, second = { id: '' }] = claims
  sure(200, await settle(first, 'disputed'))
  expect(await seen()).toEqual(both)
  sure(200, await settle(second, 'disputed'))
  expect(await seen()).toEqual([{}, {}])
  sure(200, await settle(first, 'accepted'))
  expect(await seen()).toEqual(both)
})

const settle = (claim: { id: string }, reconciliation_status: string) =>
  app.domain.patch(`/cidoc/assertions/${claim.id}/`, { body: { reconciliation_status } })

test('a new username is shown on the records of who has taken it', async () => {
  const published = await publish(app, 'traditions', { name: 'Renamed one' }, app.other)
  const pending = await contribute(app.other, 'traditions', { name: 'Renamed two' })
  sure(200, await app.other.patch('/user/username/', { body: { username: 'another' } }))
  for (const it of [published, pending]) {
    expect(await then(async () => (await app.staff.get(`/cidoc/traditions/${it.id}/`)).body.contributor)).toBe(
      'another',
    )
  }
  sure(200, await app.other.patch('/user/username/', { body: { username: 'other' } }))
})

test('a change that is told twice has its effect once', async () => {
  const { handler } = await import('../../../functions/projector.ts')
  const structure = await publish(app, 'structures', { name: 'Told twice' })
  await publish(app, 'events', { name: 'Teller', architectural_structures: structure.id })
  await following.settled()
  expect(await handler({ Records: [...following.told] })).toEqual({ batchItemFailures: [] })
  expect(await related(app.anon, 'structure', structure)).toMatchObject({ total_related: 1, groups: [{ count: 1 }] })
})

test('a place of very many has a page for each of them, and hidden ones neither count nor end a page early', async () => {
  const { relatedLimits } = await import('../../../lib/domain/records/links.ts')
  expect(relatedLimits.counted).toBe(500)
  // Few records then cross the limit, and several reads of the index.
  relatedLimits.counted = 100
  const place = await publish(app, 'locations', { name: 'Valley of very many' })
  const body = { has_current_location: place.id }
  const hidden = await publish(app, 'structures', { ...body, name: 'Hidden among many', access_tier: 'restricted' })
  const one = await publish(app, 'structures', { ...body, name: 'One of very many' })
  await copies(hidden, 30)
  await copies(one, 120)
  await following.settled()
  const seen = new Set<number>()
  for (let page = 1, more = true; more; page += 1) {
    const of = await related(app.anon, 'location', place, { group: 'structure', page, page_size: 20 })
    const [{ results, has_more, count }] = of.groups
    for (const { id } of results) seen.add(id)
    more = has_more
    expect([page, results.length]).toEqual([page, more ? 20 : 1])
    expect(count).toBe(Math.min(121, Math.max(100, 20 * page + 1)))
  }
  expect(seen.size).toBe(121)
  expect(seen).not.toContain(hidden.id)
  relatedLimits.counted = 500
})
