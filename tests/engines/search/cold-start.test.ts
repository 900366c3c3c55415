import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { resolveParameters } from '../../../lib/base/secrets.ts'
import { type App, openApp } from '../../harness/app.ts'
import { publish } from '../../harness/make.ts'

/** So many functions start at the same moment. */
const STARTS = 50

/** Is told of a call before it is made. */
type Before = (command: string) => Promise<void>
type Start = { disk: string; calls: Record<string, number>; before: Before | undefined }

/** Which of the functions that start is at work: each has the disk of a machine of its own. */
const starts = await vi.hoisted(async () => {
  const { AsyncLocalStorage } = await import('node:async_hooks')
  return new AsyncLocalStorage<Start>()
})
vi.mock('node:os', async (original) => {
  const os: typeof import('node:os') = await original()
  return { ...os, tmpdir: () => starts.getStore()?.disk ?? os.tmpdir() }
})

let app: App
beforeAll(async () => {
  app = await openApp({ env: { LOG_LEVEL: 'silent' } })
  for (const name of ['Akash Bhairav', 'Bagh Bhairav', 'Swet Bhairav']) await publish(app, 'deities', { name })
  await countCalls()
})

const all = <T>(work: () => Promise<T>) => Promise.allSettled(Array.from({ length: STARTS }, work))

/** Counts each call for whose start it is. */
async function countCalls(): Promise<void> {
  const [{ db }, { s3 }] = await Promise.all([
    import('../../../lib/engines/table/client.ts'),
    import('../../../lib/engines/bucket/blobs.ts').then((it) => it.bucket()),
  ])
  const count =
    (next: (args: never) => Promise<unknown>, { commandName = '' }: { commandName?: string }) =>
    async (args: never): Promise<unknown> => {
      const start = starts.getStore()
      if (start) start.calls[commandName] = (start.calls[commandName] ?? 0) + 1
      await start?.before?.(commandName)
      return next(args)
    }
  // The SDK tells the clients' types apart; what is used of them is the same.
  db.middlewareStack.add(count as never, { step: 'initialize' })
  s3.middlewareStack.add(count as never, { step: 'initialize' })
}

/** A parameter store that lets so many calls through at once and so many more in each second, as the real one does by default. */
async function parameterStore(rate: number) {
  let [left, at, calls] = [rate, performance.now(), 0]
  const server = createServer(async (request, response) => {
    const { Names }: { Names: string[] } = JSON.parse((await request.toArray()).join(''))
    calls += 1
    left = Math.min(rate, left + ((performance.now() - at) / 1000) * rate)
    at = performance.now()
    if (left < 1) return void response.writeHead(400).end(JSON.stringify({ __type: 'ThrottlingException' }))
    left -= 1
    response.end(JSON.stringify({ Parameters: Names.map((Name) => ({ Name, Value: 'value' })) }))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    calls: () => calls,
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => new Promise((done) => server.close(done)),
  }
}

describe(`${STARTS} functions that start at once`, () => {
  test.each([40, 10])('all read their parameters where %d calls a second are let through', async (rate) => {
    const store = await parameterStore(rate)
    const environment = { AWS_ENDPOINT_URL_SSM: store.address, A: 'ssm:/a', B: 'ssm:/b' }
    const read = await all(() => resolveParameters(environment))
    expect(read.filter((it) => it.status === 'fulfilled')).toHaveLength(STARTS)
    // Those that are throttled come back spread out, not all together again and again.
    expect(store.calls()).toBeLessThanOrEqual((STARTS * STARTS) / rate + 2 * STARTS)
    await store.stop()
  })

  test('answer at once where there is a snapshot, each for what it costs one', async () => {
    const { appendChanges } = await import('../../../lib/engines/search/index.ts')
    await cold(1)
    await appendChanges([{ id: nobody, gone: true, version: 1 }])
    const [alone] = await cold(1)
    expect(alone).toEqual({ found: BHAIRAVS, calls: { GetItemCommand: 1, GetObjectCommand: 1, QueryCommand: 1 } })
    expect(await cold(STARTS)).toEqual(Array.from({ length: STARTS }, () => alone))
  })

  test('make one model where there is none, and the others wait for it: each answers, none looks often', async () => {
    await forget()
    const [alone] = await cold(1)
    await forget()
    const started = await cold(STARTS)
    expect(started.map(({ found }) => found)).toEqual(started.map(() => BHAIRAVS))
    expectOneMaker(started, alone)
  })

  test('do not wait for another where there is none, and the table has no room to build from', async () => {
    const { unavailable } = await import('../../../lib/base/errors.ts')
    await forget()
    const [alone] = await cold(1, async (command) => {
      if (command === 'ScanCommand') throw unavailable(undefined, 'table')
    })
    expect(alone?.found).toBe('unavailable')
    // The pointer is read before the lease is taken and after it, and nobody looks again and again.
    expect(alone?.calls.GetItemCommand).toBeLessThanOrEqual(3)
  })

  test('make no second model where one was made since they looked', async () => {
    await forget()
    const [alone] = await cold(1)
    await forget()
    let made: Promise<Started[]> | undefined
    // The others have looked, and come on when the first one is done and has given the lease back.
    const late = cold(STARTS - 1, async (command) => {
      if (command !== 'PutItemCommand') return
      made ??= cold(1)
      await made
    })
    const started = [...(await late), ...((await made) ?? [])]
    expect(started).toHaveLength(STARTS)
    expect(started.map(({ found }) => found)).toEqual(started.map(() => BHAIRAVS))
    expectOneMaker(started, alone)
  })

  test('make one model where no snapshot can be read, and the others say that there is none yet', async () => {
    const { loadPointer } = await import('../../../lib/engines/search/model/snapshot.ts')
    const { deleteObject } = await import('../../../lib/engines/bucket/blobs.ts')
    const pointer = await loadPointer()
    for (const it of [pointer?.current, pointer?.previous]) if (it) await deleteObject(it.key)
    const started = await cold(STARTS)
    expect(started.some(({ found }) => found === BHAIRAVS)).toBe(true)
    expect(new Set(started.map(({ found }) => found))).toEqual(new Set([BHAIRAVS, 'unavailable']))
    expectOneMaker(started)
    // Whoever comes now finds it.
    expect((await cold(STARTS)).map(({ found }) => found)).toEqual(started.map(() => BHAIRAVS))
  })

  test('make the next snapshot once, if all of them come by for it', async () => {
    const { handler } = await import('../../../functions/sweeper.ts')
    const { appendChanges } = await import('../../../lib/engines/search/index.ts')
    await cold(1)
    await appendChanges([{ id: nobody, gone: true, version: 2 }])
    app.tick(90_000)
    const visits = await inStarts(STARTS, async () => Number((await handler({ chores: 'seldom' })).packed ?? 0))
    expect(visits.filter(({ found }) => found > 0)).toHaveLength(1)
    expect(sum(visits, 'PutObjectCommand')).toBe(1)
    // Who finds somebody at it has asked for the lease and for how long the queue is, and nothing of search.
    const turned = visits.filter(({ calls }) => calls.PutObjectCommand === undefined)
    expect(Math.max(...turned.map(({ calls }) => calls.GetObjectCommand ?? 0))).toBe(0)
  })
})

/** What all can find. */
const BHAIRAVS = 3
const nobody = '00000000-0000-4000-8000-00000000beef'

/** So many calls whoever waits for another makes at most: the first look, the lease, and looks that become rarer. */
const MOST_WAITING = 14

/** One has read the table and stored a snapshot, and no more than it takes one alone; nobody else has, or has asked often. */
function expectOneMaker(started: readonly Started[], alone?: Started): void {
  const makers = started.filter(({ calls }) => calls.ScanCommand)
  expect(makers).toHaveLength(1)
  expect(sum(started, 'PutObjectCommand')).toBe(1)
  if (alone) expect(makers[0]?.calls.ScanCommand).toBe(alone.calls.ScanCommand)
  const others = started.filter((it) => !makers.includes(it))
  for (const { calls } of others) expect(sum([{ calls }])).toBeLessThanOrEqual(MOST_WAITING)
}

const sum = (all: readonly Pick<Started, 'calls'>[], command?: string) =>
  all
    .flatMap(({ calls }) => Object.entries(calls))
    .reduce((total, [name, n]) => total + (command === undefined || name === command ? n : 0), 0)

/** What a start came to, and how often it sent which command to the table or the bucket. */
type Started<T = unknown> = { found: T; calls: Record<string, number> }

/** Functions that start cold at the same moment and are asked something: each with a model and a disk of its own. */
const cold = (many: number, before?: Before): Promise<Started[]> =>
  inStarts(
    many,
    async () => {
      const { ModelFollower } = await import('../../../lib/engines/search/model/follower.ts')
      const scope = { signedIn: false, everything: false, own: null }
      try {
        return (await (await new ModelFollower().model()).search({ text: 'bhairav', scope, limit: 10 })).count
      } catch (error) {
        return Object(error).code
      }
    },
    before,
  )

/** Does some work so many times at once, each on a disk of its own, and counts the calls of each. */
async function inStarts<T>(many: number, work: () => Promise<T>, before?: Before): Promise<Started<T>[]> {
  const disks = await Promise.all(Array.from({ length: many }, () => mkdtemp(join(tmpdir(), 'heritage-cold-'))))
  try {
    return await Promise.all(
      disks.map(async (disk) => {
        const calls: Record<string, number> = {}
        const found = await starts.run({ disk, calls, before }, work)
        return { found, calls }
      }),
    )
  } finally {
    for (const disk of disks) await rm(disk, { recursive: true, force: true })
  }
}

/** As it is before anyone has searched: there is no pointer to a snapshot. */
async function forget(): Promise<void> {
  const { removeItems } = await import('../../../lib/engines/table/write.ts')
  const { searchKey: key } = await import('../../../lib/engines/search/keys.ts')
  await removeItems([key.searchSnapshot()])
}
