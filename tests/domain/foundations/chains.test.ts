import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { interleave } from '../../harness/interleave.ts'
import { atOnce, commandsOf, contribute, copies, decide, publish, sure } from '../../harness/make.ts'

/** What rests on a source through other things, for whom, and who decides on it. */

let app: App
let following: Following
beforeAll(async () => {
  app = await openApp()
  following = await followTable()
  // Signing in is a transaction, too: those who race have signed in before.
  for (const who of [app.domain, app.curator, app.staff]) sure(200, await who.get('/api/user/info'))
})

type Made = { id: number; cultural_entity_id: string }
type Row = { entity_id: string; property: string }
const register = async (name: string) =>
  sure(201, await app.contributor.post('/cidoc/data_sources/', { body: { name, source_type: 'book' } }))
const dependents = async (id: string, who: Persona = app.anon) => {
  await following.settled()
  return sure(200, await who.get(`/cidoc/data_sources/${id}/dependents/`, { query: { limit: 100 } }))
}
const restingOn = async (id: string, property: string, who?: Persona): Promise<string[]> =>
  (await dependents(id, who)).results.filter((it: Row) => it.property === property).map((it: Row) => it.entity_id)
let number = 0
/** A structure whose condition cites these words or this address alone. */
const told = (assertion: object, more: object = {}): Promise<Made> =>
  publish(app, 'structures', { name: `Chained ${++number}`, condition: 'Good', ...more, assertion })
const question = (id: string, standing: string, who: Persona = app.domain) =>
  who.post(`/cidoc/data_sources/${id}/question/`, { body: { standing, reason: 'It copied.' } })
const rule = (id: string, entity_ids: string[], who: Persona = app.staff, verdict = 'accept') =>
  who.post(`/cidoc/data_sources/${id}/question/decide/`, { body: { entity_ids, verdict } })

describe('a chain', () => {
  test('goes through a record of a document that bears the name of the source', async () => {
    const link = 'https://archive.example/mandala'
    const { id } = await register('Nepal Mandala')
    const by = await told({ source_type: 'book', source_url: link })
    expect(await restingOn(id, 'condition')).toEqual([])
    const document = await publish(app, 'sources', { name: 'Nepal Mandala', digital_link: link })
    expect(await restingOn(id, 'condition')).toEqual([by.cultural_entity_id])
    // The record itself may be asked as well.
    expect(await restingOn(document.cultural_entity_id, 'condition')).toEqual([by.cultural_entity_id])
  })

  test('goes through what is held to be the same, also after a merge of clusters, and ends with a split', async () => {
    const { id } = await register('Mandala, first edition')
    const [first, second, third] = [
      await publish(app, 'sources', { name: 'Mandala, first edition' }),
      await publish(app, 'sources', { name: 'Mandala, reprint' }),
      await publish(app, 'sources', { name: 'Mandala, Nepali' }),
    ]
    const [reprint, nepali] = [
      await told({ source_type: 'book', source_citation: 'Mandala, reprint' }),
      await told({ source_type: 'book', source_citation: 'Mandala, Nepali' }),
    ]
    const cluster = async (label: string, records: Made[]) => {
      const members = records.map((it) => ({ entity_type: 'source', entity_id: it.id }))
      const body = { canonical_label: label, type_scope: 'source', members }
      return sure(201, await app.curator.post('/cidoc/entity-clusters/', { body }))
    }
    expect(await restingOn(id, 'condition')).toEqual([])
    const into = await cluster('Mandala', [first, second])
    expect(await restingOn(id, 'condition')).toEqual([reprint.cultural_entity_id])
    const other = await cluster('Mandala in Nepali', [third])
    const act = async (what: string, body: object) =>
      sure(200, await app.curator.post(`/cidoc/entity-clusters/${into.id}/${what}/`, { body }))
    await act('merge', { source_cluster_id: other.id, reason: 'One book.', expected_version: 1 })
    expect((await restingOn(id, 'condition')).sort()).toEqual(
      [reprint.cultural_entity_id, nepali.cultural_entity_id].sort(),
    )
    const groups = [[first.id, second.id], [third.id]]
    await act('split', { groups, reason: 'Two books.', expected_version: 2 })
    expect(await restingOn(id, 'condition')).toEqual([reprint.cultural_entity_id])
  })
})

describe('what is hidden', () => {
  test('is neither listed nor counted for those from whom it is hidden', async () => {
    const { id } = await register('Read by some')
    const assertion = { source_type: 'book', source_citation: 'Read by some' }
    const open = await told(assertion)
    const restricted = await told(assertion, { access_tier: 'restricted' })
    const deleted = await told(assertion)
    sure(204, await app.staff.delete(`/cidoc/structures/${deleted.id}/`))
    await contribute(app.contributor, 'structures', { name: 'Waits for review', condition: 'Good', assertion })
    // A value that waits behind a published record, and one that was refused.
    app.tick(1)
    sure(200, await app.contributor.patch(`/cidoc/structures/${open.id}/`, { body: { note: 'Hidden.', assertion } }))
    // Name and condition of each, and the tier of the restricted one.
    for (const [who, seen, values] of [
      [app.anon, [open], 2],
      [app.other, [open, restricted], 5],
      [app.staff, [open, restricted], 5],
    ] as const) {
      const body = await dependents(id, who)
      const ids = body.results.map((it: Row) => it.entity_id)
      expect(new Set(ids)).toEqual(new Set(seen.map((it) => it.cultural_entity_id)))
      expect(body.count).toBe(values)
      expect(body.counts).toEqual([{ kind: 'structure', alone: values, supported: 0 }])
    }
  })

  test('is not named by a value that is a link to it', async () => {
    const { id } = await register('Names places')
    const assertion = { source_type: 'book', source_citation: 'Names places' }
    const place = await publish(app, 'locations', { name: 'Secret grove' })
    await told(assertion, { has_current_location: place.id, location_name: 'A grove' })
    const valuesFor = async (who: Persona) =>
      (await dependents(id, who)).results.map((it: Row & { value: string }) => [it.property, it.value])
    expect(await valuesFor(app.anon)).toContainEqual(['has_current_location', 'Secret grove'])
    sure(200, await app.staff.patch(`/cidoc/locations/${place.id}/`, { body: { access_tier: 'restricted' } }))
    sure(201, await decide(app.curator, place, { verdict: 'accept' }))
    expect(await valuesFor(app.anon)).toEqual([
      ['condition', 'Good'],
      ['location_name', 'A grove'],
      ['name', expect.stringMatching(/^Chained/)],
    ])
    expect(await valuesFor(app.other)).toContainEqual(['has_current_location', 'Secret grove'])
  })

  test('is no link of a chain: a restricted document stands for nothing to an anonymous reader', async () => {
    const { id } = await register('Kept in a monastery')
    const link = 'https://archive.example/kept'
    const more = { digital_link: link, access_tier: 'restricted' }
    await publish(app, 'sources', { name: 'Kept in a monastery', ...more })
    const by = await told({ source_type: 'book', source_url: link })
    expect(await restingOn(id, 'condition')).toEqual([])
    expect(await restingOn(id, 'condition', app.other)).toEqual([by.cultural_entity_id])
  })
})

describe('deciding on the batch', () => {
  test('of two at once, one decides and the other gets 409; so for the question itself', async () => {
    const { id } = await register('Raced for')
    const it = await told({ source_type: 'book', source_citation: 'Raced for' })
    await following.settled()
    const asked = await atOnce([app.domain, app.curator].map((who) => () => question(id, 'withdrawn', who)))
    expect(asked.map(({ status }) => status).sort()).toEqual([200, 409])
    const ruled = await atOnce([
      () => rule(id, [it.cultural_entity_id], app.domain),
      () => rule(id, [it.cultural_entity_id], app.staff, 'reject'),
    ])
    expect(ruled.map(({ status }) => status).sort()).toEqual([200, 409])
    expect((await rule(id, [it.cultural_entity_id])).status).toBe(409)
  })

  test('is for experts, not on work of the own, and all or nothing', async () => {
    const { id } = await register('Whose book')
    const cited = { source_type: 'book', source_citation: 'Whose book' }
    const [theirs, own] = [
      await told(cited),
      await publish(app, 'structures', { name: 'Own work', condition: 'Good', assertion: cited }, app.domain),
    ]
    const free = await told({ source_type: 'book', source_citation: 'Another book' })
    await following.settled()
    expect((await rule(id, [theirs.cultural_entity_id])).body).toEqual({ detail: 'This source is not in question.' })
    for (const who of [app.contributor, app.community]) expect((await question(id, 'withdrawn', who)).status).toBe(403)
    expect((await question(id, 'withdrawn', app.anon)).status).toBe(401)
    sure(200, await question(id, 'withdrawn'))
    expect(await rule(id, [theirs.cultural_entity_id, own.cultural_entity_id], app.domain)).toMatchObject({
      status: 403,
      body: { detail: 'Nobody decides on a contribution of their own.' },
    })
    expect(await rule(id, [theirs.cultural_entity_id, free.cultural_entity_id])).toMatchObject({
      status: 400,
      body: { entity_ids: ['Nothing here rests on this source alone.'] },
    })
    // Nothing of these was done.
    sure(200, await rule(id, [theirs.cultural_entity_id, own.cultural_entity_id]))
  })

  test('is of a source that stays until all of it is taken back: a deleted one would give nothing back', async () => {
    const { id } = await register('Deleted in question')
    sure(200, await question(id, 'withdrawn'))
    const gone = { status: 409, body: { detail: 'This source is in question. Let that be taken back first.' } }
    expect(await app.contributor.delete(`/cidoc/data_sources/${id}/`)).toMatchObject(gone)
    sure(200, await question(id, 'trusted'))
    expect(await app.contributor.delete(`/cidoc/data_sources/${id}/`)).toMatchObject(gone)
    const { restoreRulings } = await import('../../../lib/domain/foundations/restore.ts')
    await restoreRulings()
    sure(204, await app.contributor.delete(`/cidoc/data_sources/${id}/`))
  })

  test('is refused once the source is trusted again, however late that comes', async () => {
    const { restoreRulings } = await import('../../../lib/domain/foundations/restore.ts')
    const { id } = await register('Trusted meanwhile')
    const it = await told({ source_type: 'book', source_citation: 'Trusted meanwhile' })
    await following.settled()
    const trustAgain = async () => {
      sure(200, await question(id, 'trusted'))
      await restoreRulings()
    }
    let refused = 0
    for (let nth = 0, isLate = true; isLate; nth += 1) {
      sure(200, await question(id, 'withdrawn'))
      const { result, isHit } = await interleave(nth, () => rule(id, [it.cultural_entity_id]), trustAgain)
      expect([200, 409]).toContain(result.status)
      if (result.status === 409) refused += 1
      isLate = isHit
      if (!isHit) await trustAgain()
      const { condition } = sure(200, await app.anon.get(`/cidoc/structures/${it.id}/`))
      expect(condition, `trusted before call ${nth}`).toBe('Good')
    }
    expect(refused).toBeGreaterThan(2)
  })

  test('is taken back past records whose edits wait and past one that fails, and makes cached answers stale', async () => {
    const { restoreRulings } = await import('../../../lib/domain/foundations/restore.ts')
    const { sourceRuling } = await import('../../../lib/domain/foundations/items.ts')
    const { loadVersion } = await import('../../../lib/platform/cache/store.ts')
    const { put, walkTable } = await import('../../../lib/engines/table/index.ts')
    const { commitWrites } = await import('../../../lib/engines/table/immediate.ts')
    const { key } = await import('../../../lib/platform/table/keys.ts')
    const { addressOf, recordId } = await import('../../../lib/base/ids/address.ts')
    const { id } = await register('Taken back in part')
    const rest = { source_type: 'book', source_citation: 'Taken back in part' }
    const failing = await told({ source_type: 'web' })
    const waiting = await told({ source_type: 'web' })
    const ruled = await told(rest)
    const last = await told({ source_type: 'web' })
    await following.settled()
    sure(200, await question(id, 'withdrawn'))
    sure(200, await rule(id, [ruled.cultural_entity_id]))
    await copies(failing, 1, { public: false, status: 'rejected' })
    await copies(waiting, 55, { status: 'pending_revision' })
    await copies(last, 1)
    const code = addressOf(last.cultural_entity_id)?.kindCode ?? 0
    const rulingOn = (it: Made, i: number, verdict: 'accept' | 'reject') => {
      const values = [{ property: 'condition', before: crypto.randomUUID(), after: null }]
      const made = { decision: null, values, statuses: {}, by: 'staff', at: new Date().toISOString(), version: 1 }
      const entity_id = recordId(code, it.id * 1_000_000 + i)
      return put(sourceRuling, { source_id: id, entity_id, verdict, ...made }, undefined)
    }
    await commitWrites([
      rulingOn(failing, 0, 'accept'),
      ...Array.from({ length: 55 }, (_, i) => rulingOn(waiting, i, 'accept')),
      rulingOn(last, 0, 'reject'),
    ])
    sure(200, await question(id, 'trusted'))
    const before = await loadVersion('leaderboard')
    expect(await restoreRulings()).toBe(2)
    expect(await loadVersion('leaderboard')).toBeGreaterThan(before)
    const { pk } = key.sourceRuling(id, '')
    expect(await walkTable({ pk, forward: true, limit: 100 })).toHaveLength(56)
    // What is left is tried again, and the source is trusted for good only after that.
    expect(await restoreRulings()).toBe(0)
    expect((await question(id, 'withdrawn')).status).toBe(409)
  })

  test('is shown as long as one of the sources that share a reference is in question', async () => {
    const { restoreRulings } = await import('../../../lib/domain/foundations/restore.ts')
    const [first, second] = [(await register('Shared by two')).id, (await register('Shared by two')).id]
    const it = await told({ source_type: 'book', source_citation: 'Shared by two' })
    await following.settled()
    const fallsNow = async () => {
      const { falls } = sure(200, await app.domain.get(`/data/review-workspace/${it.cultural_entity_id}/`))
      return falls.map((fall: { source: { id: string } }) => fall.source.id).sort()
    }
    const trust = async (id: string) => {
      sure(200, await question(id, 'trusted'))
      await restoreRulings()
    }
    sure(200, await question(first, 'questioned'))
    expect(await fallsNow()).toEqual([first])
    sure(200, await question(second, 'withdrawn'))
    expect(await fallsNow()).toEqual([first, second].sort())
    await trust(first)
    expect(await fallsNow()).toEqual([second])
    sure(200, await question(first, 'questioned'))
    await trust(second)
    expect(await fallsNow()).toEqual([first])
    await trust(first)
    expect(await fallsNow()).toEqual([])
  })

  test('waits for an edit of the record, and says so', async () => {
    const { id } = await register('Edited meanwhile')
    const it = await told({ source_type: 'book', source_citation: 'Edited meanwhile' })
    await following.settled()
    sure(200, await question(id, 'withdrawn'))
    app.tick(1)
    sure(200, await app.staff.patch(`/cidoc/structures/${it.id}/`, { body: { note: 'n' } }))
    expect((await rule(id, [it.cultural_entity_id])).body).toEqual({
      detail: 'An edit of this record waits: that is decided first.',
    })
    sure(201, await decide(app.domain, it, { verdict: 'accept' }))
    sure(200, await rule(id, [it.cultural_entity_id]))
  })
})

test('a page costs the same however much rests on a source', async () => {
  const { dependent } = await import('../../../lib/domain/foundations/items.ts')
  const { citationReference } = await import('../../../lib/domain/records/source-references.ts')
  const { put } = await import('../../../lib/engines/table/item.ts')
  const { transact } = await import('../../../lib/engines/table/transact.ts')
  const { id } = await register('Cited by all')
  const it = await told({ source_type: 'book', source_citation: 'Cited by all' })
  await following.settled()
  const path = `/cidoc/data_sources/${id}/dependents/`
  const [reference = ''] = citationReference('Cited by all')
  const footing = { property: 'condition', claim: it.cultural_entity_id, value: 'Good', successors: [] }
  const addResting = (from: number, to: number) =>
    transact(
      Array.from({ length: to - from }, (_, i) => {
        const entity_id = `${it.cultural_entity_id.slice(0, 8)}-0000-4000-8000-${String(from + i).padStart(12, '0')}`
        const about = { reference, audience: 'published', support: 'alone', kind: 'structure', entity_id } as const
        return put(dependent, { ...about, values: [{ ...footing, references: [reference] }], version: 1 }, undefined)
      }),
    )
  const ask = (offset = 0) => app.anon.get(path, { query: { limit: 20, offset } })
  await addResting(0, 25)
  const first = await ask()
  for (let from = 25; from < 600; from += 25) await addResting(from, from + 25)
  const later = await ask()
  expect([sure(200, first).count, sure(200, later).count]).toEqual([27, 602])
  expect(later.cost.calls).toBe(first.cost.calls)
  expect(later.cost.units).toBeLessThan(100)
  expect((await ask(400)).cost.units).toBeLessThan(100)
})

test('following what records rest on takes a call for each, and one for all of them', async () => {
  const { followFootings } = await import('../../../lib/domain/foundations/follow.ts')
  const made = [await told({ source_type: 'book', source_citation: 'Followed' }), await told({ source_type: 'web' })]
  await following.settled()
  const ids = made.map((it) => it.cultural_entity_id)
  // A record that changed several times in a batch is followed once.
  expect((await commandsOf(() => followFootings([...ids, ...ids]))).sort()).toEqual([
    'BatchGetItemCommand',
    'QueryCommand',
    'QueryCommand',
  ])
})

test('a record that cannot be followed is parked, and the others of its batch are followed', async () => {
  const { PutCommand } = await import('@aws-sdk/lib-dynamodb')
  const { db } = await import('../../../lib/engines/table/client.ts')
  const { listParked } = await import('../../../lib/domain/effects/parked.ts')
  const { id } = await register('Half followed')
  const cited = { source_type: 'book', source_citation: 'Half followed' }
  const [broken, sound] = [await told(cited), await told(cited)]
  const Item = { pk: `FOOTINGS#${broken.cultural_entity_id}`, sk: 'HEAD', type: 'footings', values: 'none', version: 1 }
  await db.send(new PutCommand({ TableName: process.env.TABLE_NAME, Item }))
  expect(await restingOn(id, 'condition')).toEqual([sound.cultural_entity_id])
  expect((await listParked()).length).toBeGreaterThan(0)
})
