import { createServer } from 'node:net'
import { afterAll, describe, expect, test } from 'vitest'
import { cacheTests } from '../../harness/cache-rules.ts'
import { openReader } from '../../harness/reader.ts'
import { hasRedis, startRedis } from '../../harness/redis.ts'

describe.skipIf(!hasRedis)('a Redis server (skipped where there is no redis-server)', () => {
  let server: Awaited<ReturnType<typeof startRedis>>
  afterAll(() => server?.stop())
  cacheTests({
    url: async () => {
      server = await startRedis()
      return server.url
    },
    shared: true,
  })

  describe('that is lost', () => {
    test('is a miss, never an error, and is used again when it is back', async () => {
      const reader = openReader()
      try {
        const { value } = await reader.read('leaderboard')
        await server.stop()
        expect((await reader.read('leaderboard')).value).toEqual(value)
        expect((await reader.read('leaderboard')).value).toEqual(value)
        server = await startRedis({ port: Number(new URL(server.url).port) })
        const calls = async () => (await reader.read('leaderboard')).calls
        await expect.poll(calls, { timeout: 10_000, interval: 200 }).toBe(1)
      } finally {
        reader.stop()
      }
    })

    test('is not waited for when it never was there', async () => {
      const reader = openReader({ CACHE_URL: 'redis://127.0.0.1:1' })
      try {
        expect((await reader.read('leaderboard')).calls).toBeGreaterThan(1)
        expect((await reader.read('leaderboard')).calls).toBeGreaterThan(1)
      } finally {
        reader.stop()
      }
    })

    test('is left alone for a while when it does not answer in time', async () => {
      let connections = 0
      const silent = createServer(() => {
        connections += 1
      })
      await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done))
      const address = silent.address()
      const port = typeof address === 'object' ? address?.port : 0
      const reader = openReader({ CACHE_URL: `redis://127.0.0.1:${port}` })
      try {
        for (let i = 0; i < 3; i += 1) await reader.read('queue-counts')
        expect(connections).toBe(1)
      } finally {
        reader.stop()
        silent.close()
      }
    })
  })
})
