import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { faults, strideOf, withFault } from '../../harness/faults.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { checkTable, csv, done, rowsIn, sendTable, work } from '../../harness/imports.ts'
import { decide, publish, sure } from '../../harness/make.ts'
import { changeRank, createUser, signInAs } from '../../harness/people.ts'

let app: App
/** One for all tests: each of its own would have the projector work through the whole file again. */
let following: Following
beforeAll(async () => {
  app = await openApp({ env: { RATE_IMPORTS: '1000/day', RATE_IMPORT_ROWS: '1000000/day' } })
  following = await followTable()
})

let tables = 0
/** So many rows that nothing else looks like; each tenth names a place that is not known. */
const rowsOf = (many: number) => {
  tables += 1
  return [
    ['Name', 'Condition', 'Year built', 'Stands in', 'Remarks'],
    ...Array.from({ length: many }, (_, i) => [
      `Shrine ${crypto.randomUUID()}`,
      ['Excellent', 'Fair', 'Poor'][i % 3] ?? '',
      1600 + i,
      i % 10 === 0 ? `Square ${tables} of ${crypto.randomUUID().slice(0, 8)}` : '',
      `Row ${i}`,
    ]),
  ]
}

/** A digest of all that readers of every sort find. */
async function seen(): Promise<Record<string, string>> {
  const digest = (it: unknown) => createHash('sha256').update(JSON.stringify(it)).digest('hex')
  const all = { limit: 100, all: 1 }
  const lists = ['/cidoc/structures/', '/cidoc/locations/', '/data/cultural-entities/', '/data/review-queue/']
  const whole: Record<string, string> = {}
  for (const who of ['anon', 'contributor', 'curator'] as const)
    for (const path of [...lists, '/data/review-queue/queue_counts/', '/cidoc/assertions/']) {
      const { status, body } = await app[who].get(path, { query: path.includes('counts') ? {} : all })
      whole[`${who} ${path}`] = digest([status, body])
    }
  for (const { id } of sure(200, await app.contributor.get('/cidoc/structures/', { query: all })).results)
    for (const who of ['anon', 'staff'] as const) {
      const { status, body } = await app[who].get(`/cidoc/structures/${id}/`)
      whole[`${who} ${id}`] = digest([status, status === 404 ? '' : body])
    }
  return whole
}

test('a batch that is accepted and taken back leaves what was before, by its digests', async () => {
  for (let i = 0; i < 6; i += 1)
    await publish(app, 'structures', { name: `Kept ${crypto.randomUUID()}`, note: 'As it was', condition: 'Fair' })
  await following.settled()
  const before = await seen()
  const open = async () => sure(200, await app.anon.get('/cidoc/structures/')).count
  expect(await open()).toBe(6)
  // New ones.
  const fresh = await checkTable(app.contributor, 'structures.csv', csv(rowsOf(120)))
  expect(await done(app.contributor, fresh.id, 'run')).toMatchObject({ made: { created: 120, failed: 0 } })
  // And changes of what was there, by a table that comes back.
  const { parse } = await import('csv-parse/sync')
  const answer = await app.contributor.get('/cidoc/structures/', {
    query: { mine: 1, format: 'csv', columns: 'name,note' },
  })
  const [head = [], ...rows]: string[][] = parse(answer.bytes, { bom: true })
  const kept = rows.filter(([, , name]) => name?.startsWith('Kept'))
  const back = csv([head, ...kept.map(([id = '', revision = '', name = '']) => [id, revision, name, 'Changed'])])
  const changed = await checkTable(app.contributor, 'back.csv', back)
  expect(await done(app.contributor, changed.id, 'run')).toMatchObject({ made: { amended: 6, failed: 0 } })
  for (const { id } of [fresh, changed])
    expect(await done(app.curator, id, 'decide', { verdict: 'accept' })).toMatchObject({ waiting: 0 })
  await following.settled()
  expect(await open()).toBe(6 + 120)
  for (const { id } of [changed, fresh])
    expect(await done(app.staff, id, 'take-back')).toMatchObject({ state: 'taken_back', kept: [] })
  await following.settled()
  expect(await seen()).toEqual(before)
}, 240_000)

test('a row costs no more calls and units than the same contribution by itself', async () => {
  const { measureCost } = await import('../../../lib/base/telemetry/request-cost.ts')
  const spentOn = async (many: number) => {
    const rows = rowsOf(many).map((row) => row.filter((_, i) => i !== 3))
    const it = await checkTable(app.contributor, 'structures.csv', csv(rows))
    sure(200, await app.contributor.post(`/data/imports/${it.id}/run/`, { body: {} }))
    return measureCost(async (meter) => {
      await work()
      return meter
    })
  }
  // What a visit of the worker costs by itself is the same for few rows and for many.
  const [few, many] = [await spentOn(8), await spentOn(48)]
  const body = () => ({ name: `Alone ${crypto.randomUUID()}`, condition: 'Fair', construction_date: '1601', note: 'x' })
  await app.other.post('/cidoc/structures/', { body: body() })
  const alone = { calls: 0, units: 0 }
  for (let i = 0; i < 40; i += 1) {
    const { calls, units } = await app.cost(app.other.post('/cidoc/structures/', { body: body() }))
    alone.calls += calls
    alone.units += units
  }
  expect(many.calls - few.calls).toBeLessThanOrEqual(alone.calls)
  expect(many.units - few.units).toBeLessThanOrEqual(alone.units)
})

test('one visit of a worker takes all that waits, and further tasks that are ordered meanwhile', async () => {
  const { continueImports } = await import('../../../lib/domain/imports/work.ts')
  await work()
  const sent = await Promise.all(
    ['a.csv', 'b.csv', 'c.csv'].map(async (name) => sure(201, await sendTable(app.contributor, name, csv(rowsOf(2))))),
  )
  const visit = continueImports(performance.now() + 30_000, 2_000)
  const [first = ''] = sent.map(({ id }) => id)
  const state = async () => sure(200, await app.contributor.get(`/data/imports/${first}/`))
  while ((await state()).progress) await new Promise((over) => setTimeout(over, 20))
  sure(200, await app.contributor.post(`/data/imports/${first}/check/`))
  expect(await visit).toEqual({ ended: 4, running: 0 })
  expect(await state()).toMatchObject({ state: 'checked', progress: null, failed: null })
})

test('a verdict on a batch is dropped if its reviewer lost the role meanwhile', async () => {
  const reviewer = await createUser({ username: 'leaving', email: 'leaving@heritage.test' })
  const order = async (id: string) =>
    sure(
      200,
      await app.as(await signInAs(reviewer)).post(`/data/imports/${id}/decide/`, { body: { verdict: 'accept' } }),
    )
  const { id } = await checkTable(app.contributor, 'structures.csv', csv(rowsOf(2)))
  await done(app.contributor, id, 'run')
  await changeRank(reviewer.id, 'community_reviewer')
  await order(id)
  await changeRank(reviewer.id, null)
  await work()
  const left = sure(200, await app.contributor.get(`/data/imports/${id}/`))
  expect(left).toMatchObject({ state: 'done', failed: 'You do not have permission to perform this action.' })
  expect(left.waiting).toBeGreaterThan(0)
  await changeRank(reviewer.id, 'community_reviewer')
  await order(id)
  await work()
  expect(sure(200, await app.contributor.get(`/data/imports/${id}/`)).waiting).toBe(0)
})

describe('people are told of a batch as a whole, and of a record by itself', () => {
  const messages = async (who: Persona, entity_id: string): Promise<string[]> =>
    sure(200, await who.get('/data/notifications/', { query: { limit: 100 } }))
      .results.filter((it: { entity_id: string | null }) => it.entity_id === entity_id)
      .map((it: { message: string }) => it.message)
  const ranTable = async (many: number) => {
    const { id } = await checkTable(app.contributor, 'structures.csv', csv(rowsOf(many)))
    await done(app.contributor, id, 'run')
    const rows: { record: { id: number }; entity_id: string; name: string }[] = await rowsIn(app.contributor, id)
    return { id, rows }
  }

  test.each([
    { verdict: 'accept' },
    { verdict: 'reject', feedback: 'Another list has these' },
    { verdict: 'request_changes', feedback: 'Name the source' },
  ])('no row has a notice of its own, when it is made or when the batch hears $verdict', async (words) => {
    const { id, rows } = await ranTable(2)
    await following.settled()
    await done(app.curator, id, 'decide', words)
    await following.settled()
    for (const { entity_id } of rows)
      expect([await messages(app.contributor, entity_id), await messages(app.domain, entity_id)]).toEqual([[], []])
  })

  test('nor has a row that looks like a record; what a person says of a row is told', async () => {
    const run = crypto.randomUUID().slice(0, 8)
    const coordinates = '27.7123, 85.3456'
    await publish(app, 'structures', { name: `Temple of the Nine ${run}`, coordinates }, app.other)
    const table = csv([
      ['Name', 'Coordinates'],
      [`Temple of Nine ${run}`, coordinates],
    ])
    const { id, counts } = await checkTable(app.contributor, 'structures.csv', table)
    expect(counts).toMatchObject({ doubtful: 1 })
    await done(app.contributor, id, 'run')
    const [{ entity_id, name }] = await rowsIn(app.contributor, id)
    const flags = async () =>
      sure(200, await app.curator.get('/data/review-flags/', { query: { entity: entity_id } })).results
    expect((await flags()).map((it: { flag_type: string }) => it.flag_type)).toEqual(['suspected_duplicate'])
    await following.settled()
    expect(await messages(app.contributor, entity_id)).toEqual([])

    const body = { entity: entity_id, flag_type: 'questionable_source', reason: 'Who says so?' }
    sure(201, await app.curator.post('/data/review-flags/', { body }))
    await following.settled()
    expect(await messages(app.contributor, entity_id)).toEqual([
      `A record of yours was flagged as questionable source: ${name}`,
    ])
  })

  test('a row that is accepted by itself has', async () => {
    const { rows } = await ranTable(2)
    const [{ entity_id, name } = { entity_id: '', name: '' }] = rows
    sure(201, await decide(app.curator, { cultural_entity_id: entity_id }, { verdict: 'accept' }))
    await following.settled()
    expect(await messages(app.contributor, entity_id)).toEqual([`Your contribution was accepted: ${name}`])
  })

  test('and so has a later edit by hand, with its receipt and its acceptance', async () => {
    const { id, rows } = await ranTable(2)
    await done(app.curator, id, 'decide', { verdict: 'accept' })
    await following.settled()
    const [{ record, entity_id, name } = { record: { id: 0 }, entity_id: '', name: '' }] = rows
    sure(200, await app.contributor.patch(`/cidoc/structures/${record.id}/`, { body: { note: 'By hand' } }))
    await following.settled()
    expect(await messages(app.contributor, entity_id)).toEqual([`Your contribution waits for review: ${name}`])
    expect(await messages(app.domain, entity_id)).toEqual([`A contribution waits for review: ${name}`])
    sure(
      201,
      await decide(
        app.curator,
        { cultural_entity_id: entity_id },
        { verdict: 'accept', conflict_handling: 'supersedes' },
      ),
    )
    await following.settled()
    expect(await messages(app.contributor, entity_id)).toContain(`Your contribution was accepted: ${name}`)
  })
})

describe('a worker that dies in the middle', () => {
  const mine = async () => sure(200, await app.contributor.get('/cidoc/structures/', { query: { mine: 1 } })).count
  /** The next worker comes by when the lease is over. */
  const goOn = async (id: string) => {
    for (let visit = 0; visit < 4; visit += 1) {
      app.tick(121)
      await work()
      const it = sure(200, await app.contributor.get(`/data/imports/${id}/`))
      if (it.progress !== null) continue
      expect(it.failed).toBeNull()
      return it
    }
    throw new Error(`the import ${id} does not come to an end`)
  }
  const dies = async (nth: number, { fault, hits }: (typeof faults)[number]) => {
    const { handler } = await import('../../../functions/importer.ts')
    return withFault(nth, fault, () => handler(), hits)
  }

  test.each(faults)(
    'and is $fault at $hits of the run goes on, and makes nothing twice',
    async (how) => {
      let deaths = 0
      for (let nth = 0, hit = true; hit; nth += strideOf(how.hits === 'every call' ? 3 : 1)) {
        const it = await checkTable(app.contributor, 'structures.csv', csv(rowsOf(3)))
        const before = await mine()
        sure(200, await app.contributor.post(`/data/imports/${it.id}/run/`, { body: {} }))
        hit = await dies(nth, how)
        const after = await goOn(it.id)
        expect([nth, after.state, after.made, after.waiting]).toEqual([
          nth,
          'done',
          { created: 3, amended: 0, left: 0, failed: 0 },
          4,
        ])
        expect([nth, await mine()]).toEqual([nth, before + 3])
        const entities = (await rowsIn(app.contributor, it.id)).map((row: { record: { id: number } }) => row.record.id)
        expect(new Set(entities).size).toBe(3)
        if (hit) deaths += 1
      }
      expect(deaths).toBeGreaterThan(4)
    },
    300_000,
  )

  test.each(faults)(
    'and is $fault at $hits of a verdict and of taking back ends where it would have',
    async (how) => {
      let deaths = 0
      for (let nth = 0, hit = true; hit; nth += strideOf(how.hits === 'every call' ? 4 : 2)) {
        const it = await checkTable(app.contributor, 'structures.csv', csv(rowsOf(2)))
        const before = await mine()
        await done(app.contributor, it.id, 'run')
        sure(200, await app.curator.post(`/data/imports/${it.id}/decide/`, { body: { verdict: 'accept' } }))
        hit = await dies(nth, how)
        expect([nth, (await goOn(it.id)).waiting]).toEqual([nth, 0])
        for (const row of await rowsIn(app.contributor, it.id))
          expect([nth, (await app.anon.get(`/cidoc/structures/${row.record.id}/`)).status]).toEqual([nth, 200])
        sure(200, await app.staff.post(`/data/imports/${it.id}/take-back/`))
        hit = (await dies(nth, how)) || hit
        const after = await goOn(it.id)
        expect([nth, after.state, after.kept, await mine()]).toEqual([nth, 'taken_back', [], before])
        if (hit) deaths += 1
      }
      expect(deaths).toBeGreaterThan(3)
    },
    300_000,
  )
})
