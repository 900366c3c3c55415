import { afterAll, describe, expect, test } from 'vitest'
import { type App, openApp } from '../../harness/app.ts'
import { type SearchServer, startSearchServer, switchBefore, whyNoServer } from '../../harness/opensearch.ts'
import { describeEngine } from '../../harness/search-contract.ts'

if (whyNoServer) {
  describe('OpenSearch', () => {
    test.skip(`is not asked: ${whyNoServer}`, () => undefined)
  })
} else {
  let app: App
  let server: SearchServer
  let before: Awaited<ReturnType<typeof switchBefore>>
  const entry = () => import('../../../lib/engines/search/index.ts')
  afterAll(async () => {
    before.stop()
    await server.stop()
  })

  describeEngine('OpenSearch', async () => {
    server = await startSearchServer()
    before = await switchBefore(server.url)
    app = await openApp({ env: { SEARCH_URL: `${before.url}/contract-${process.pid}` } })
    await import('../../../lib/domain/composition.ts')
    return entry()
  })

  describe('a server beside the service', () => {
    const everyone = { signedIn: false, everything: false, own: null }
    const count = async () => (await (await entry()).openSearchModel()).search({ text: '', scope: everyone, limit: 0 })
    const spout = { ...{ id: 'spout', resource: 'structures', object_pk: '1', title: 'Late Spout', names: [] } }
    const document = {
      ...{ ...spout, summary: '', text: '', location_hint: '', point: null, status: null, is_published: true },
      ...{ access_tier: 'public', contributor_id: null, popularity_score: 0, version: 1 },
      ...{ created_at: '2025-01-01T00:00:00.000Z', updated_at: '2025-01-01T00:00:00.000Z' },
    }

    test('goes back to the index before a rebuild, with all changes since', async () => {
      const { appendChanges, describeSearch, rollBackSearch } = await entry()
      // The last test of the contract has made an index of nothing.
      expect((await count()).count).toBe(0)
      await appendChanges([document])
      expect((await count()).count).toBe(1)
      expect(await rollBackSearch()).toMatch(/^questions go to contract-/)
      expect((await count()).count).toBeGreaterThan(400)
      const model = await (await entry()).openSearchModel()
      expect((await model.search({ text: 'late spout', scope: everyone, limit: 1 })).hits[0]?.id).toBe('spout')
      expect(await describeSearch()).toMatch(
        /^current: .*\nprevious: .*\nthe server is at entry (\d+) .* at entry \1$/s,
      )
    })

    test('takes search with it when it is away, and nothing else; the log catches up', async () => {
      const { appendChanges, checkSearch, compactIfDue } = await entry()
      const { count: found } = await count()
      before.isOn = false
      const { status, headers } = await app.anon.get('/data/search/?q=temple')
      expect([status, headers['retry-after']]).toEqual([503, '1'])
      expect((await app.anon.get('/cidoc/structures/')).status).toBe(200)
      const written = { name: 'Written Meanwhile', description: 'A gate.' }
      expect((await app.contributor.post('/cidoc/structures/', { body: written })).status).toBe(201)
      expect(await checkSearch()).toEqual({ healthy: false, message: 'The search server does not answer.' })
      await appendChanges([{ ...document, id: 'meanwhile' }])
      before.isOn = true
      expect((await count()).count).toBe(found)
      expect(await compactIfDue()).toBe(1)
      expect((await count()).count).toBe(found + 1)
      expect(await checkSearch()).toEqual({ healthy: true, message: 'The search server answers.' })
    })

    test('answers nothing once it has missed changes for good, and gets its index anew from the sweeper', async () => {
      const { appendChanges, compactIfDue, describeSearch } = await entry()
      const indexNow = async () => /^current: (\S+),/.exec(await describeSearch())?.[1]
      const old = await indexNow()
      const { loadLogEnd, trimLog } = await import('../../../lib/engines/search/log.ts')
      before.isOn = false
      await appendChanges([{ ...document, id: 'missed' }])
      await appendChanges([{ ...document, id: 'kept' }])
      const { number } = await loadLogEnd()
      await trimLog(number)
      before.isOn = true
      expect((await app.anon.get('/data/search/?q=temple')).status).toBe(503)
      await compactIfDue()
      expect(await indexNow()).not.toBe(old)
      expect((await app.anon.get('/data/search/?q=temple')).status).toBe(200)
    })

    test('holds no more changes beside it than fit, and fails rather than show what they hide', async () => {
      const { appendChanges, compactIfDue } = await entry()
      const { MOST_CHANGES } = await import('../../../lib/engines/search/opensearch/behind.ts')
      before.isOn = false
      await appendChanges(Array.from({ length: MOST_CHANGES + 1 }, (_, i) => ({ ...document, id: `many-${i}` })))
      before.isOn = true
      expect((await app.anon.get('/data/search/?q=temple')).status).toBe(503)
      expect(await compactIfDue()).toBe(MOST_CHANGES + 1)
      expect((await app.anon.get('/data/search/?q=temple')).status).toBe(200)
    })

    test('is written to by no question', async () => {
      const writes = before.calls.length
      await count()
      expect(before.calls.slice(writes).every((call) => call.endsWith('/_msearch'))).toBe(true)
    })
  })
}
