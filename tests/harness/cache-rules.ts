import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CacheName } from '../../lib/platform/cache/rules.ts'
import { type App, openApp } from './app.ts'
import { type Following, followTable } from './following.ts'
import { contribute, decide, flagsOf, publish, sure } from './make.ts'
import { openReader, type Reader } from './reader.ts'

type Kind = { url: () => Promise<string>; shared: boolean }

/** The rules of the specification, row by row: the cached answers that a change of an item makes stale. */
const rules = {
  submission: { leaderboard: true, 'queue-counts': false },
  record: { leaderboard: true, 'queue-counts': true },
  decision: { leaderboard: true, 'queue-counts': true },
  flag: { leaderboard: false, 'queue-counts': true },
  revision: { leaderboard: true, 'queue-counts': false },
} as const satisfies Record<string, Record<CacheName, boolean>>

const sorts = ['leaderboard', 'queue-counts'] as const
/** Whether an answer was computed. A cached one takes two calls at most: for the version, and for the answer. */
const made = (calls: number) => calls > 2

/** Tests that each kind of cache must pass. This process changes items, another one reads. */
export function cacheTests({ url, shared }: Kind): void {
  let app: App
  let following: Following
  let reader: Reader
  let CACHE_URL: string
  beforeAll(async () => {
    CACHE_URL = await url()
    app = await openApp({ env: { CACHE_URL, CACHE_KEY_PREFIX: `${process.pid}:` } })
    following = await followTable()
    reader = openReader()
  })
  afterAll(() => reader.stop())

  const outdate = async (type: string) => (await import('../../lib/platform/cache/cached.ts')).invalidate([type])
  const warm = async () => {
    for (const sort of sorts) await reader.read(sort)
    for (const sort of sorts) await kept(sort)
  }
  /** Reads from the cache. The service skips a cache that was slow for two seconds, so the read is repeated after that. */
  const kept = (sort: (typeof sorts)[number]) =>
    expect.poll(async () => (await reader.read(sort)).calls, { timeout: 10_000, interval: 200, message: sort }).toBe(1)

  describe.each(Object.entries(rules))('a change of a %s', (type, stale) => {
    test.each(Object.entries(stale))('makes %s stale for another process: %s', async (sort, isStale) => {
      if (sort !== 'leaderboard' && sort !== 'queue-counts') throw new Error(sort)
      await warm()
      await outdate(type)
      expect(made((await reader.read(sort)).calls)).toBe(isStale)
      // The newer entry stands, and the older one never replaces it.
      await kept(sort)
    })
  })

  test('a change of anything else makes nothing stale', async () => {
    await warm()
    for (const type of ['user', 'notification', 'claims', 'activity', 'entry']) await outdate(type)
    for (const sort of sorts) await kept(sort)
  })

  describe('after a change through the service another process reads', () => {
    const counts = async () => (await reader.read('queue-counts')).value
    const board = async () => {
      const { value } = await reader.read('leaderboard')
      const { results } = value as { results: { face: { username: string }; points: number }[] }
      return Object.fromEntries(results.map((it) => [it.face.username, it.points]))
    }
    let it: { id: number; cultural_entity_id: string }

    test('a contribution in the counts at once, and on the board when the projector has come by', async () => {
      expect([await counts(), await board()]).toEqual([
        { all: 0, new_claims: 0, conflicts: 0, flagged: 0, forks: 0, expiring: 0 },
        {},
      ])
      it = await contribute(app.contributor, 'structures', { name: 'Stone Spout' })
      expect(await counts()).toMatchObject({ all: 1, new_claims: 1 })
      await following.settled()
      expect(await board()).toEqual({ dev: 5 })
    })

    test('a flag, its resolution and its removal', async () => {
      const body = { entity: it.cultural_entity_id, flag_type: 'other', reason: 'Look.' }
      sure(201, await app.domain.post('/data/review-flags/', { body }))
      expect(await counts()).toMatchObject({ flagged: 1 })
      const [flag] = await flagsOf(it)
      sure(200, await app.community.post(`/data/review-flags/${flag?.id}/resolve/`))
      expect(await counts()).toMatchObject({ flagged: 0 })
      sure(204, await app.community.delete(`/data/review-flags/${flag?.id}/`))
      expect(await counts()).toMatchObject({ all: 1, flagged: 0 })
    })

    test('a revision', async () => {
      sure(200, await app.contributor.patch(`/cidoc/structures/${it.id}/`, { body: { note: 'Carved.' } }))
      await following.settled()
      expect(await board()).toEqual({ dev: 7 })
    })

    test('a decision', async () => {
      sure(201, await decide(app.community, it, { verdict: 'accept' }))
      expect(await counts()).toMatchObject({ all: 0 })
      await following.settled()
      expect(await board()).toEqual({ dev: 14, reviewer: 5 })
    })

    test('a deletion', async () => {
      sure(204, await app.staff.delete(`/cidoc/structures/${it.id}/`))
      await following.settled()
      expect(await board()).toEqual({ dev: 4, reviewer: 5 })
    })

    test('another name on the board', async () => {
      sure(200, await app.contributor.patch('/user/username/', { body: { username: 'renamed' } }))
      await following.settled()
      expect(await board()).toEqual({ renamed: 4, reviewer: 5 })
      sure(200, await app.contributor.patch('/user/username/', { body: { username: 'dev' } }))
    })
  })

  describe('an answer is kept', () => {
    test.each([
      ['leaderboard', 120],
      ['queue-counts', 30],
    ] as const)('of the %s, for %i seconds', async (sort, seconds) => {
      await outdate('record')
      await reader.read(sort)
      await reader.tick(seconds - 1)
      expect(made((await reader.read(sort)).calls)).toBe(false)
      await reader.tick(2)
      expect(made((await reader.read(sort)).calls)).toBe(true)
      await reader.tick(-seconds - 1)
    })

    test(shared ? 'for all processes with the same prefix' : 'for one process', async () => {
      await outdate('record')
      const [second, apart] = [openReader(), openReader({ CACHE_KEY_PREFIX: 'apart:' })]
      try {
        const { value } = await reader.read('leaderboard')
        const told = await second.read('leaderboard')
        expect(told.value).toEqual(value)
        expect(made(told.calls)).toBe(!shared)
        expect(made((await apart.read('leaderboard')).calls)).toBe(true)
      } finally {
        second.stop()
        apart.stop()
      }
    })
  })

  describe('in one process', () => {
    const cached = async (key: string, work: () => Promise<{ n: number }>) =>
      (await import('../../lib/platform/cache/cached.ts')).cacheAnswer('leaderboard', key, work)

    // On a busy machine the version may arrive too late and count as a miss. The test then runs again under another key.
    test('those who ask for the same at once share the work', { retry: 3 }, async () => {
      const key = crypto.randomUUID()
      let runs = 0
      const work = async () => {
        runs += 1
        await new Promise((done) => setTimeout(done, 50))
        return { n: runs }
      }
      const answers = await Promise.all(Array.from({ length: 10 }, () => cached(key, work)))
      expect(answers.map(({ value }) => value.n)).toEqual(Array(10).fill(1))
      expect(await cached(key, work)).toEqual({ value: { n: 1 }, hit: true })
      expect((await cached(`${key} another`, work)).value.n).toBe(2)
    })

    test('a failure is told to all who asked, and not kept', async () => {
      const failing = async () => Promise.reject(new Error('broken'))
      const answers = await Promise.allSettled([cached('failing', failing), cached('failing', failing)])
      expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
      expect(await cached('failing', async () => ({ n: 7 }))).toEqual({ value: { n: 7 }, hit: false })
    })

    test('what is begun before a change is not kept for those who ask after it', async () => {
      const gate = Promise.withResolvers<void>()
      const early = cached('race', async () => {
        await gate.promise
        return { n: 1 }
      })
      await new Promise((done) => setTimeout(done, 50))
      await outdate('record')
      const late = await cached('race', async () => ({ n: 2 }))
      gate.resolve()
      await early
      expect(late.value.n).toBe(2)
      expect(await cached('race', async () => ({ n: 3 }))).toEqual({ value: { n: 2 }, hit: true })
    })

    test('without the table that holds the versions it is as if nothing were kept', async () => {
      const { db } = await import('../../lib/engines/table/client.ts')
      db.middlewareStack.add(
        (next, context) => async (args) => {
          if (String(context.commandName).startsWith('BatchGet')) throw new Error('away')
          return next(args)
        },
        { step: 'initialize', name: 'away' },
      )
      try {
        expect(await cached('table away', async () => ({ n: 1 }))).toEqual({ value: { n: 1 }, hit: false })
        expect(await cached('table away', async () => ({ n: 2 }))).toEqual({ value: { n: 2 }, hit: false })
      } finally {
        db.middlewareStack.remove('away')
      }
    })
  })

  test('published work shows through the endpoint after every change', async () => {
    for (const n of [1, 2, 3]) {
      await publish(app, 'structures', { name: `Well ${n} ${'abc'[n]}` })
      await following.settled()
      const { body } = await app.anon.get('/data/leaderboard/?search=dev')
      expect(body.results[0].accepted_entities).toBe(n)
    }
  })
}
