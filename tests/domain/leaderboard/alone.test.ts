import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type App, openApp } from '../../harness/app.ts'
import { followTable } from '../../harness/following.ts'
import { publish, sure } from '../../harness/make.ts'

/** The boards while the bucket does not answer, so that no search model can be opened. */

let app: App
beforeAll(async () => {
  app = await openApp()
  const following = await followTable()
  await publish(app, 'structures', { name: 'Golden Gate' })
  await following.settled()
  const { s3 } = await (await import('../../../lib/engines/bucket/blobs.ts')).bucket()
  vi.spyOn(s3, 'send').mockImplementation(() => Promise.reject(new Error('no such bucket')))
})
afterAll(() => vi.restoreAllMocks())

const found = async (search: string) => {
  const { results } = sure(200, await app.anon.get('/data/leaderboard/', { query: { search } }))
  return results.map((it: { username: string }) => it.username)
}

test('people are found by the beginning of their names, and by nothing else', async () => {
  expect(await found('cur')).toEqual(['curator'])
  expect(await found('Heritage')).toEqual(['dev', 'curator'])
  expect(await found('urato')).toEqual([])
})

test('search itself says that it is unavailable', async () => {
  expect((await app.anon.get('/data/search/?q=golden')).status).toBe(503)
})
