import { AsyncLocalStorage } from 'node:async_hooks'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Pump, startPump } from '../../../deploy/stand-ins/stream-pump.ts'
import { type App, openApp } from '../../harness/app.ts'
import { commandsOf, contribute, decide, publish, sure } from '../../harness/make.ts'

let app: App
let directory: string
let pump: Pump | undefined

type Deliver = (event: DynamoDBStreamEvent) => Promise<DynamoDBBatchResponse | undefined>

const follow = async (deliver?: Deliver, batchSize?: number): Promise<void> => {
  const { handler } = await import('../../../functions/projector.ts')
  const { DYNAMODB_ENDPOINT: endpoint = '', TABLE_NAME: table = '' } = process.env
  pump = startPump({ endpoint, table, directory, rest: 20, ...(batchSize && { batchSize }) }, deliver ?? handler)
}

beforeAll(async () => {
  app = await openApp({ env: { LOG_LEVEL: 'silent' } })
  directory = await mkdtemp(join(tmpdir(), 'heritage-search-test-'))
  await follow()
})
afterAll(async () => {
  await pump?.stop()
  await rm(directory, { recursive: true, force: true })
})

type Scope = { signedIn: boolean; everything: boolean; own: string | null }
const anyone: Scope = { signedIn: false, everything: false, own: null }
const all: Scope = { signedIn: true, everything: true, own: null }
const model = async () => (await import('../../../lib/engines/search/model/follower.ts')).processModel()
const titles = async (text: string, scope = anyone) =>
  (await (await model()).search({ text, scope, limit: 50 })).hits.map(({ title }) => title)

let marks = 0
/** Waits until what was written before has been projected: effects come in order. */
async function settled(timeout = 15_000): Promise<void> {
  const name = `Qzmark ${++marks} x${'abcdefghij'[marks % 10]}${marks}`
  const made = await contribute(app.other, 'historical_periods', { name })
  const it = made.cultural_entity_id
  // The record and its place in the queue may come in two batches.
  for (const id of [it, `review_queue/${it}`])
    await expect.poll(async () => (await model()).document(id, all), { timeout, interval: 20 }).toBeDefined()
}

/** What another process has: a model of its own, opened anew. */
const anotherProcess = async () => new (await import('../../../lib/engines/search/model/follower.ts')).ModelFollower()

/** Everything that a model answers, in one order. */
async function everythingIn(from = model()) {
  const { hits } = await (await from).search({ text: '', scope: all, sort: 'name', limit: 10_000 })
  return hits.map(({ score: _, ...hit }) => hit).sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** The same, made from the table alone. */
async function everythingStored() {
  const { scan } = await import('../../../lib/engines/table/scan.ts')
  const { documentOf, documentTypes } = await import('../../../lib/domain/effects/search-documents.ts')
  const { isGone } = await import('../../../lib/engines/search/document.ts')
  const documents = []
  for await (const page of scan(documentTypes)) {
    for (const stored of page) {
      const change = documentOf(stored)
      if (change && !isGone(change)) {
        const { version: _, text: __, ...rest } = change
        documents.push(rest)
      }
    }
  }
  return documents.sort((a, b) => (a.id < b.id ? -1 : 1))
}

describe('what reaches the model', () => {
  test('a record is found by its contributor while it waits, by everyone once it is accepted', async () => {
    const it = await contribute(app.contributor, 'structures', { name: 'Ghantaghar Tower' })
    await settled()
    const me = sure(200, await app.contributor.get('/api/user/info')).id
    const ask = { text: 'Ghantaghar', resources: ['structures'], limit: 10 }
    const found = async (scope: Scope) => (await (await model()).search({ ...ask, scope })).count
    expect([await found(anyone), await found({ signedIn: true, everything: false, own: null })]).toEqual([0, 0])
    expect([await found({ signedIn: true, everything: false, own: me }), await found(all)]).toEqual([1, 1])
    sure(201, await decide(app.curator, it, { verdict: 'accept' }))
    await settled()
    expect(await titles('Ghantaghar')).toEqual(['Ghantaghar Tower'])
  })

  test('a record of another tier than public is found by those who are signed in', async () => {
    await publish(app, 'structures', { name: 'Withdrawn Agam', access_tier: 'restricted' })
    await settled()
    expect(await titles('Withdrawn Agam')).toEqual([])
    expect(await titles('Withdrawn Agam', { signedIn: true, everything: false, own: null })).toEqual(['Withdrawn Agam'])
  })

  test('a new name replaces the old one', async () => {
    const it = await publish(app, 'deities', { name: 'Nasadyo' })
    sure(200, await app.contributor.patch(`/cidoc/deities/${it.id}/`, { body: { name: 'Padmanritya' } }))
    sure(201, await decide(app.curator, it, { verdict: 'accept', conflict_handling: 'supersedes' }))
    await settled()
    expect([await titles('Nasadyo'), await titles('Padmanritya')]).toEqual([[], ['Padmanritya']])
  })

  test('a deleted record is gone for everyone, and a restored one is back', async () => {
    const it = await publish(app, 'deities', { name: 'Bunyadyo' })
    sure(204, await app.staff.delete(`/cidoc/deities/${it.id}/`))
    await settled()
    expect([await titles('Bunyadyo'), await titles('Bunyadyo', all)]).toEqual([[], []])
    sure(200, await app.staff.post(`/cidoc/deities/${it.id}/restore/`))
    await settled()
    expect(await titles('Bunyadyo')).toEqual(['Bunyadyo'])
  })

  test('people are found by name and never by address', async () => {
    await settled()
    expect(await titles('curator')).toEqual(['Curator Heritage'])
    expect(await titles('heritage.test')).toEqual([])
  })

  test('data sources and clusters are found', async () => {
    sure(201, await app.contributor.post('/cidoc/data-sources/', { body: { name: 'Slusser Mandala Volume' } }))
    const it = await publish(app, 'structures', { name: 'Stone lion' })
    const cluster = {
      type_scope: 'structure',
      canonical_label: 'Kwathachen gate',
      members: [{ entity_type: 'structure', entity_id: it.id }],
    }
    const made = await app.curator.post('/cidoc/entity-clusters/', { body: cluster })
    expect(made.status, made.text).toBe(201)
    await settled()
    expect([await titles('Slusser Mandala'), await titles('Kwathachen gate')]).toEqual([
      ['Slusser Mandala Volume'],
      ['Kwathachen gate'],
    ])
  })
})

test('an edit that waits behind a published record changes no document', async () => {
  const it = await publish(app, 'structures', { name: 'Steady Sattal', description: 'As accepted.' })
  await settled()
  const shown = async () => JSON.stringify(await (await model()).document(it.cultural_entity_id, anyone))
  const before = await shown()
  app.tick(3600)
  sure(200, await app.contributor.patch(`/cidoc/structures/${it.id}/`, { body: { description: 'As proposed.' } }))
  await settled()
  expect(await shown()).toBe(before)
})

test('the model is a fold of the table', async () => {
  await settled()
  expect(await everythingIn()).toEqual(await everythingStored())
})

test('a look that finds nothing new costs one unit in one call', async () => {
  await settled()
  const { measureCost } = await import('../../../lib/base/telemetry/request-cost.ts')
  const cost = await measureCost(async (meter) => {
    await model()
    return meter
  })
  expect(cost).toMatchObject({ calls: 1, units: 1, operations: ['QueryCommand'] })
})

describe('the projector', () => {
  /** Makes a few changes of every sort, in a row. */
  async function changeThings(name: string) {
    const kept = await publish(app, 'structures', { name: `${name} kept` })
    const lost = await publish(app, 'structures', { name: `${name} lost` })
    sure(200, await app.contributor.patch(`/cidoc/structures/${kept.id}/`, { body: { name: `${name} renamed` } }))
    sure(201, await decide(app.curator, kept, { verdict: 'accept', conflict_handling: 'supersedes' }))
    sure(204, await app.staff.delete(`/cidoc/structures/${lost.id}/`))
    const hidden = { slug: name.toLowerCase(), title: `${name} project`, visibility: 'public' }
    sure(201, await app.contributor.post('/data/projects/', { body: hidden }))
    sure(200, await app.contributor.patch(`/data/projects/${hidden.slug}/`, { body: { visibility: 'private' } }))
  }

  test('killed at any call and started again, it loses nothing and doubles nothing', async () => {
    await settled()
    await pump?.stop()
    const { handler } = await import('../../../functions/projector.ts')
    const { db } = await import('../../../lib/engines/table/client.ts')
    // Each batch is first cut off before its first call, then after it, then before its second, and so on until it is through.
    let [calls, dies, after] = [0, 0, false]
    // Others ask the table meanwhile, and are not killed.
    const projecting = new AsyncLocalStorage<boolean>()
    db.middlewareStack.add(
      (next) => async (args) => {
        if (!projecting.getStore()) return next(args)
        calls += 1
        if (calls === dies && !after) throw new Error('killed before a call')
        const result = await next(args)
        if (calls === dies && after) throw new Error('killed after a call')
        return result
      },
      { step: 'initialize', name: 'killer' },
    )
    let kills = 0
    const deliver: Deliver = async (event) => {
      for (let step = 0; ; step += 1) {
        ;[calls, dies, after] = [0, (step >> 1) + 1, step % 2 === 1]
        const answer = await projecting.run(true, () => handler(event))
        if (calls < dies) return answer
        kills += 1
      }
    }
    try {
      await changeThings('Interrupted')
      // Each batch is applied twice for each of its calls: a smaller one is done in the time that there is.
      await follow(deliver, 50)
      await settled(60_000)
      await expect.poll(() => titles('Interrupted'), { timeout: 60_000 }).toEqual(['Interrupted renamed'])
      expect((await titles('Interrupted', all)).sort()).toEqual(['Interrupted project', 'Interrupted renamed'])
    } finally {
      db.middlewareStack.remove('killer')
      await pump?.stop()
      await follow()
    }
    expect(kills).toBeGreaterThan(10)
    await settled()
    expect(await everythingIn()).toEqual(await everythingStored())
  })

  test('told everything once more from the beginning of the stream, it changes nothing', async () => {
    await settled()
    const before = await everythingIn()
    const { handler } = await import('../../../functions/projector.ts')
    const { DYNAMODB_ENDPOINT: endpoint = '', TABLE_NAME: table = '' } = process.env
    const elsewhere = await mkdtemp(join(tmpdir(), 'heritage-search-again-'))
    let told = 0
    const again = startPump({ endpoint, table, directory: elsewhere, rest: 20 }, (event) => {
      told += event.Records.length
      return handler(event)
    })
    await expect.poll(() => told, { timeout: 15_000 }).toBeGreaterThan(100)
    await again.stop()
    await rm(elsewhere, { recursive: true })
    await settled()
    // What was written in the meantime is the mark alone, and that it waits.
    const marked = (it: { title: string }) => /^(Qz|kj)mark/.test(it.title)
    expect((await everythingIn()).filter((it) => !marked(it))).toEqual(before.filter((it) => !marked(it)))
  })

  test('several at once number their entries without a gap, and no change is lost', async () => {
    const { appendToLog: appendChanges, loadLogEnd, readLogAfter } = await import('../../../lib/engines/search/log.ts')
    const { number } = await loadLogEnd()
    const ids = Array.from({ length: 12 }, (_, i) => `0000000${i.toString(16)}-0000-4000-8000-00000000abcd`)
    await Promise.all(ids.map((id) => appendChanges([{ id, gone: true, version: 1 }])))
    const { entries, lost } = await readLogAfter(number)
    const ours = entries.filter(({ changes }) => changes.some(({ id }) => ids.includes(id)))
    expect(lost).toBe(false)
    expect(entries.map((it) => it.number)).toEqual(entries.map((_, i) => number + 1 + i))
    expect(ours.flatMap(({ changes }) => changes.map(({ id }) => id)).sort()).toEqual(ids)
  })
})

describe('snapshots', () => {
  const sweepNow = async () => {
    const { compactNow } = await import('../../../lib/engines/search/model/compact.ts')
    const { loadPointer } = await import('../../../lib/engines/search/model/snapshot.ts')
    const pointer = await loadPointer()
    if (!pointer) throw new Error('there is no snapshot')
    return compactNow(pointer)
  }
  const forgetFiles = async () => {
    const { removeOtherSnapshots } = await import('../../../lib/engines/search/model/snapshot.ts')
    removeOtherSnapshots([], 0)
  }

  test('a new one answers exactly as the old one with its log', async () => {
    await settled()
    const before = await everythingIn()
    const asked = ['Ghantaghar', 'steady satal', 'qzmark', 'temple', 'curator']
    const answers = async (from = model()) => {
      const it = await from
      return Promise.all(
        asked.map(async (text) => {
          const { state: _, ...found } = await it.search({ text, scope: anyone, limit: 20, facets: true })
          return found
        }),
      )
    }
    const old = await answers()
    expect((await sweepNow())?.documents).toBe(before.length)
    const other = await anotherProcess()
    expect(await everythingIn(other.model())).toEqual(before)
    expect(await answers(other.model())).toEqual(old)
    expect(other.health()).toMatchObject({ healthy: true, snapshot: 'current', documents: before.length })
  })

  test('the one before is kept, older ones and the log that led to them are removed', async () => {
    const { Bucket, bucket } = await import('../../../lib/engines/bucket/blobs.ts')
    const { s3 } = await bucket()
    const { ListObjectsV2Command } = await import('@aws-sdk/client-s3')
    const { loadPointer } = await import('../../../lib/engines/search/model/snapshot.ts')
    await publish(app, 'events', { name: 'First of three' })
    await settled()
    await sweepNow()
    await publish(app, 'events', { name: 'Second of three' })
    await settled()
    await sweepNow()
    const pointer = await loadPointer()
    const ours = [pointer?.current.key, pointer?.previous?.key]
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: 'search/' }))
    expect(Contents.map(({ Key }) => Key).filter((key) => ours.includes(key))).toHaveLength(2)
    const { readLogAfter } = await import('../../../lib/engines/search/log.ts')
    expect((await readLogAfter(0)).lost).toBe(true)
    expect((await readLogAfter(pointer?.previous?.position ?? 0)).lost).toBe(false)
  })

  test('a process that slept while the log was trimmed opens the new one', async () => {
    const sleeper = await anotherProcess()
    await sleeper.model()
    for (const name of ['Missed one', 'Missed two', 'Missed three']) {
      await publish(app, 'events', { name })
      await settled()
      await sweepNow()
    }
    expect(
      (await (await sleeper.model()).search({ text: 'Missed one', scope: anyone, limit: 5 })).count,
    ).toBeGreaterThan(0)
  })

  test('an altered one gives way to the one before it, and the health says so', async () => {
    const { loadPointer } = await import('../../../lib/engines/search/model/snapshot.ts')
    const { putObject, getObject } = await import('../../../lib/engines/bucket/blobs.ts')
    await settled()
    const before = await everythingIn()
    const key = (await loadPointer())?.current.key ?? ''
    const whole = await getObject(key)
    const bytes = Buffer.from(whole?.bytes ?? [])
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 255
    await putObject(key, bytes, 'application/zstd')
    await forgetFiles()
    const other = await anotherProcess()
    expect(await everythingIn(other.model())).toEqual(before)
    expect(other.health()).toMatchObject({ healthy: false, snapshot: 'previous' })
    expect(other.health().message).toContain('the previous one serves')
    // The next sweep mends it, due or not, and keeps what could be read.
    const [{ compactIfDue }, { snapshotHealth }] = [
      await import('../../../lib/engines/search/model/compact.ts'),
      await import('../../../lib/engines/search/model/snapshot-health.ts'),
    ]
    const marked = await loadPointer()
    expect([marked?.unreadable, (await snapshotHealth()).healthy]).toEqual([true, false])
    expect(await compactIfDue()).toBeDefined()
    const mended = await loadPointer()
    expect([mended?.unreadable, mended?.previous?.id]).toEqual([false, marked?.previous?.id])
    expect([await getObject(key), (await snapshotHealth()).healthy]).toEqual([undefined, true])
    expect(await compactIfDue()).toBeUndefined()
    const next = await anotherProcess()
    expect(await everythingIn(next.model())).toEqual(before)
    expect(next.health()).toMatchObject({ healthy: true, snapshot: 'current' })
    // Who started from the previous one looks for the new one a minute later.
    const later = performance.now() + 61_000
    vi.spyOn(performance, 'now').mockImplementation(() => later)
    try {
      expect(await everythingIn(other.model())).toEqual(before)
      expect(other.health()).toMatchObject({ healthy: true, snapshot: 'current' })
    } finally {
      vi.restoreAllMocks()
    }
  })

  test('if none can be read and a request cannot build one, the next sweep does', async () => {
    const { loadPointer } = await import('../../../lib/engines/search/model/snapshot.ts')
    const { compactIfDue } = await import('../../../lib/engines/search/model/compact.ts')
    const { withLock } = await import('../../../lib/engines/table/immediate.ts')
    const { searchKey } = await import('../../../lib/engines/search/keys.ts')
    const { deleteObject } = await import('../../../lib/engines/bucket/blobs.ts')
    await settled()
    const before = await everythingIn()
    const { current, previous } = (await loadPointer()) ?? {}
    for (const it of [current, previous]) if (it) await deleteObject(it.key)
    await forgetFiles()
    const other = await anotherProcess()
    await withLock(searchKey.searchRebuild(), 300, () =>
      expect(other.model()).rejects.toMatchObject({ code: 'unavailable' }),
    )
    expect(await loadPointer()).toMatchObject({ unreadable: true })
    expect(await compactIfDue()).toBeDefined()
    const next = await anotherProcess()
    expect(await everythingIn(next.model())).toEqual(before)
    expect(next.health()).toMatchObject({ healthy: true, snapshot: 'current' })
  })

  test('while the bucket does not answer, one try stands for all who ask, and the next waits a moment', async () => {
    const { s3 } = await (await import('../../../lib/engines/bucket/blobs.ts')).bucket()
    await forgetFiles()
    let tries = 0
    s3.middlewareStack.add(
      () => async () => {
        tries += 1
        throw new Error('the bucket does not answer')
      },
      { step: 'initialize', name: 'outage' },
    )
    const at = performance.now()
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => at)
    const other = await anotherProcess()
    const refused = () => expect(other.model()).rejects.toMatchObject({ code: 'unavailable' })
    try {
      for (let i = 0; i < 5; i += 1) await refused()
      expect(tries).toBe(1)
      clock.mockImplementation(() => at + 1600)
      await refused()
      expect(tries).toBe(2)
    } finally {
      s3.middlewareStack.remove('outage')
    }
    await refused()
    clock.mockImplementation(() => at + 3200)
    expect((await other.model()).state).not.toBe('')
    expect(other.health()).toMatchObject({ healthy: true, snapshot: 'current' })
    vi.restoreAllMocks()
  })

  test('killed at any call while one is made, the sweeper leaves one that can be read, and makes it the next time', async () => {
    const { s3 } = await (await import('../../../lib/engines/bucket/blobs.ts')).bucket()
    const { db } = await import('../../../lib/engines/table/client.ts')
    const { loadPointer } = await import('../../../lib/engines/search/model/snapshot.ts')
    await publish(app, 'events', { name: 'Before the sweeper died' })
    await settled()
    await pump?.stop()
    const before = await everythingIn()
    let [calls, dies, after] = [0, Number.POSITIVE_INFINITY, false]
    for (const { middlewareStack } of [db, s3] as unknown as (typeof db)[])
      middlewareStack.add(
        (next) => async (args) => {
          calls += 1
          if (calls === dies && !after) throw new Error('killed before a call')
          const result = await next(args)
          if (calls === dies && after) throw new Error('killed after a call')
          return result
        },
        { step: 'initialize', name: 'killer' },
      )
    let kills = 0
    try {
      for (let step = 0; ; step += 1) {
        const pointer = await loadPointer()
        ;[calls, dies, after] = [0, (step >> 1) + 1, step % 2 === 1]
        const died = await sweepNow().then(
          () => false,
          () => true,
        )
        const through = calls < dies
        dies = Number.POSITIVE_INFINITY
        const other = await anotherProcess()
        expect(await everythingIn(other.model())).toEqual(before)
        expect(other.health()).toMatchObject({ healthy: true, snapshot: 'current' })
        if (through) {
          expect([died, (await loadPointer())?.current.id === pointer?.current.id]).toEqual([false, false])
          break
        }
        kills += 1
      }
    } finally {
      db.middlewareStack.remove('killer')
      s3.middlewareStack.remove('killer')
      await follow()
    }
    expect(kills).toBeGreaterThan(6)
  })

  test('where none can be read it is built from the table, stored, and the health says so', async () => {
    const { loadPointer } = await import('../../../lib/engines/search/model/snapshot.ts')
    const { deleteObject } = await import('../../../lib/engines/bucket/blobs.ts')
    await settled()
    const before = await everythingIn()
    const pointer = await loadPointer()
    await deleteObject(pointer?.current.key ?? '')
    await deleteObject(pointer?.previous?.key ?? '')
    await forgetFiles()
    const other = await anotherProcess()
    expect(await everythingIn(other.model())).toEqual(before)
    expect(other.health()).toMatchObject({ healthy: true, snapshot: 'rebuilt' })
    const next = await anotherProcess()
    expect(await everythingIn(next.model())).toEqual(before)
    expect(next.health()).toMatchObject({ healthy: true, snapshot: 'current' })
  })

  test('of two that are made at once one counts, and nothing is left of the other', async () => {
    const { Bucket, bucket } = await import('../../../lib/engines/bucket/blobs.ts')
    const { s3 } = await bucket()
    const { ListObjectsV2Command } = await import('@aws-sdk/client-s3')
    await settled()
    const keys = async () =>
      (await s3.send(new ListObjectsV2Command({ Bucket, Prefix: 'search/' }))).Contents?.map(({ Key }) => Key) ?? []
    const before = await keys()
    const made = await Promise.all([sweepNow(), sweepNow()])
    expect(made.filter(Boolean)).toHaveLength(1)
    // The winner's object came, the one before the previous one went.
    expect((await keys()).length).toBeLessThanOrEqual(before.length + 1)
  })

  test('none is due before enough has changed, and looking costs two reads', async () => {
    const { compactIfDue } = await import('../../../lib/engines/search/model/compact.ts')
    await settled()
    expect(await commandsOf(compactIfDue)).toEqual(['GetItemCommand', 'GetItemCommand'])
    const { appendChanges } = await import('../../../lib/engines/search/index.ts')
    const uuid = (i: number) => `${i.toString(16).padStart(8, '0')}-0000-4000-8000-00000000beef`
    await appendChanges(Array.from({ length: 500 }, (_, i) => ({ id: uuid(i), gone: true as const, version: 1 })))
    expect(await compactIfDue()).toBeDefined()
    expect(await compactIfDue()).toBeUndefined()
  })

  test('a day after the last one any change is enough, and the sweeper comes for it', async () => {
    const { handler } = await import('../../../functions/sweeper.ts')
    for (const name of ['Of the first day', 'Of the second day', 'Of the third day']) {
      await publish(app, 'events', { name })
      await settled()
      expect((await handler()).packed).toBe(0)
      app.tick(90_000)
      // As on a machine where it has not been before.
      await forgetFiles()
      expect((await handler()).packed).toBeGreaterThan(0)
      expect((await handler()).packed).toBe(0)
    }
  })
})

test('no file of a torn transfer stays behind', async () => {
  const left = (await readdir(tmpdir())).filter((file) => /^search-snapshot-.*\.sqlite\../.test(file))
  expect(left.filter((file) => !file.endsWith('.zst'))).toEqual([])
})
