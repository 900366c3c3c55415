import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeAll, describe, expect, test } from 'vitest'
import { revealed } from '../../lib/secrets.ts'
import { type App, openApp } from '../harness/app.ts'
import { publish } from '../harness/make.ts'

/** So many functions start at the same moment. */
const FUNCTIONS = 50

let app: App
beforeAll(async () => {
  app = await openApp({ env: { LOG_LEVEL: 'silent' } })
  for (const name of ['Akash Bhairav', 'Bagh Bhairav', 'Swet Bhairav']) await publish(app, 'deities', { name })
})

const all = <T>(work: () => Promise<T>) => Promise.allSettled(Array.from({ length: FUNCTIONS }, work))

/** How often each command was sent to the table or the bucket meanwhile. */
async function counted(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const [{ db }, { s3 }] = await Promise.all([
    import('../../lib/table/client.ts'),
    import('../../lib/files/blobs.ts').then((it) => it.bucket()),
  ])
  const counts: Record<string, number> = {}
  const count =
    (next: (args: never) => Promise<unknown>, { commandName = '' }: { commandName?: string }) =>
    (args: never): Promise<unknown> => {
      counts[commandName] = (counts[commandName] ?? 0) + 1
      return next(args)
    }
  // The SDK tells the clients' types apart; what is used of them is the same.
  const options = { step: 'initialize', name: 'counted' } as const
  db.middlewareStack.add(count as never, options)
  s3.middlewareStack.add(count as never, options)
  try {
    await work()
  } finally {
    for (const client of [db, s3]) client.middlewareStack.remove('counted')
  }
  return counts
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

describe(`${FUNCTIONS} functions that start at once`, () => {
  test.each([40, 10])('all read their parameters where %d calls a second are let through', async (rate) => {
    const store = await parameterStore(rate)
    const environment = { AWS_ENDPOINT_URL_SSM: store.address, A: 'ssm:/a', B: 'ssm:/b' }
    const read = await all(() => revealed(environment))
    expect(read.filter((it) => it.status === 'fulfilled')).toHaveLength(FUNCTIONS)
    // Those that are throttled come back spread out, not all together again and again.
    expect(store.calls()).toBeLessThanOrEqual((FUNCTIONS * FUNCTIONS) / rate + 2 * FUNCTIONS)
    await store.stop()
  })

  test('make one model where there is none, and the others wait for it', async () => {
    const { follower } = await import('../../lib/search/model/follower.ts')
    const one = await counted(async () => {
      await forget()
      await follower().model()
    })
    await forget()
    let opened: PromiseSettledResult<unknown>[] = []
    const counts = await counted(async () => {
      opened = await all(() => follower().model())
    })
    expect(opened.filter((it) => it.status === 'fulfilled')).toHaveLength(FUNCTIONS)
    expect({ scans: counts.ScanCommand, stored: counts.PutObjectCommand }).toEqual({
      scans: one.ScanCommand,
      stored: one.PutObjectCommand,
    })
  })

  test('each fetch the snapshot that there is once, and ask the table twice', async () => {
    const { follower } = await import('../../lib/search/model/follower.ts')
    const { forgetOthers } = await import('../../lib/search/model/snapshot.ts')
    await follower().model()
    await forgetOthers([], 0)
    const counts = await counted(() => all(() => follower().model()))
    expect(counts.GetObjectCommand).toBeLessThanOrEqual(FUNCTIONS)
    expect({ pointer: counts.GetItemCommand, log: counts.QueryCommand }).toEqual({ pointer: FUNCTIONS, log: FUNCTIONS })
    expect(counts.ScanCommand).toBeUndefined()
  })

  test('make one model where no snapshot can be read, and the others say that there is none yet', async () => {
    const { follower } = await import('../../lib/search/model/follower.ts')
    const { forgetOthers, loadPointer } = await import('../../lib/search/model/snapshot.ts')
    const { deleteObject } = await import('../../lib/files/blobs.ts')
    const pointer = await loadPointer()
    for (const it of [pointer?.current, pointer?.previous]) if (it) await deleteObject(it.key)
    await forgetOthers([], 0)
    let opened: PromiseSettledResult<unknown>[] = []
    const counts = await counted(async () => {
      opened = await all(() => follower().model())
    })
    const failed = opened.flatMap((it) => (it.status === 'rejected' ? [it.reason] : []))
    expect(failed.length).toBeLessThan(FUNCTIONS)
    expect(failed.every((it) => it.code === 'unavailable')).toBe(true)
    expect(counts.PutObjectCommand).toBe(1)
  })
})

/** As it is before anyone has searched: no pointer, no file on this machine. */
async function forget(): Promise<void> {
  const { forgetOthers } = await import('../../lib/search/model/snapshot.ts')
  const { removeAll } = await import('../../lib/table/write.ts')
  const { key } = await import('../../lib/table/keys.ts')
  await removeAll([key.searchSnapshot()])
  await forgetOthers([], 0)
}
