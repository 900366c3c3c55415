import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { type App, openApp } from '../../harness/app.ts'
import { parseExposition } from '../../harness/prometheus.ts'

let app: App
beforeAll(async () => {
  app = await openApp()
  // Whoever asks while the table is away has signed in before.
  await app.staff.get('/health/')
})

const service = { service: 'heritage-knowledge-service', version: '0.2.0' }
const good = { healthy: true, message: 'It answers.' }
const current = { healthy: true, message: 'It is up to date.' }
const unpacked = { healthy: true, message: 'There is no snapshot yet: whoever searches reads the table.' }
const working = { healthy: true, message: 'It works.' }
const bad = { healthy: false, message: 'It does not answer.' }
const PLAIN = 'text/plain; version=0.0.4; charset=utf-8'

describe('probes', () => {
  test.each([
    ['/health/', { status: 'healthy', ...service }],
    ['/health/live/', { alive: true, service: service.service }],
    ['/health/ready/', { ready: true, checks: { database: good, storage: good } }],
    [
      '/health/detailed/',
      {
        status: 'healthy',
        ...service,
        database: good,
        storage: good,
        stream: current,
        search: unpacked,
        cache: good,
        exports: working,
      },
    ],
  ])('%s answers anyone, with and without the last slash, and is never stored', async (path, expected) => {
    for (const it of [path, path.slice(0, -1)]) {
      for (const who of [app.anon, app.contributor, app.as('not-a-token')]) {
        const reply = await who.get(it)
        expect([reply.status, reply.body]).toEqual([200, expected])
        expect(reply.headers['cache-control']).toBe('private, no-store')
      }
      const head = await app.anon.send('HEAD', it)
      expect([head.status, head.text]).toEqual([200, ''])
    }
  })

  test('living costs no call to the table, being ready costs one', async () => {
    expect((await app.anon.get('/health/')).cost.calls).toBe(0)
    expect((await app.anon.get('/health/live/')).cost.calls).toBe(0)
    expect((await app.anon.get('/health/ready/')).cost.calls).toBe(1)
  })
})

describe('when something does not answer', () => {
  afterEach(() => vi.restoreAllMocks())

  const both = async (checks: object, further: object = { stream: current, search: unpacked, exports: working }) => {
    const ready = await app.anon.get('/health/ready/')
    expect([ready.status, ready.body]).toEqual([503, { ready: false, checks }])
    // A probe answers where it cannot be found out who asks.
    expect((await app.staff.get('/health/ready/')).body).toEqual(ready.body)
    const detailed = await app.anon.get('/health/detailed/')
    const expected = { status: 'degraded', ...service, ...checks, ...further, cache: good }
    expect([detailed.status, detailed.body]).toEqual([503, expected])
    expect((await app.anon.get('/health/live/')).status).toBe(200)
    expect((await app.anon.get('/health/')).status).toBe(200)
  }

  test('a table that fails is told of, and nothing of why', async () => {
    const { db } = await import('../../../lib/engines/table/client.ts')
    vi.spyOn(db, 'send').mockRejectedValue(new Error('connect ECONNREFUSED 10.0.0.7'))
    await both({ database: bad, storage: good }, { stream: bad, search: bad, exports: bad })
  })

  test('a bucket that fails is told of', async () => {
    const { s3 } = await (await import('../../../lib/engines/bucket/blobs.ts')).bucket()
    vi.spyOn(s3, 'send').mockRejectedValue(new Error('AccessDenied') as never)
    await both({ database: good, storage: bad })
  })

  test('a projector that stays behind for over a minute degrades the service, and it is ready all the same', async () => {
    const { noteProgress } = await import('../../../lib/platform/health/stream-lag.ts')
    const detailed = async () => {
      const { status, body } = await app.anon.get('/health/detailed/')
      return [status, body.status, body.stream]
    }
    await app.contributor.post('/cidoc/structures/', { body: { name: 'Not projected' } })
    app.tick(60)
    expect(await detailed()).toEqual([200, 'healthy', { healthy: true, message: 'It is 60 s behind.' }])
    app.tick(1)
    expect(await detailed()).toEqual([503, 'degraded', { healthy: false, message: 'It is 61 s behind.' }])
    expect((await app.anon.get('/health/ready/')).status).toBe(200)
    await noteProgress(Date.parse('2025-01-15T10:00:30.000Z'))
    expect(await detailed()).toEqual([200, 'healthy', current])
    // What came earlier and is heard of late does not take it back.
    await noteProgress(Date.parse('2025-01-15T09:00:00.000Z'))
    expect(await detailed()).toEqual([200, 'healthy', current])
    await app.staff.delete(`/cidoc/structures/1/`)
  })

  test('a snapshot of search that is lost degrades the service', async () => {
    const { rebuildSnapshot } = await import('../../../lib/engines/search/model/rebuild.ts')
    const { deleteObject } = await import('../../../lib/engines/bucket/blobs.ts')
    const { snapshot } = await rebuildSnapshot()
    const detailed = async () => {
      const { status, body } = await app.anon.get('/health/detailed/')
      return [status, body.search.healthy]
    }
    expect(await detailed()).toEqual([200, true])
    await deleteObject(snapshot?.key ?? '')
    expect(await detailed()).toEqual([503, false])
    await rebuildSnapshot()
    expect(await detailed()).toEqual([200, true])
  })

  test.for([
    ['/health/ready/', 503],
    ['/health/detailed/', 503],
    ['/metrics/', 200],
  ] as const)('%s gives up after a second what hangs, and leaves no call behind', async ([path, status]) => {
    const { db } = await import('../../../lib/engines/table/client.ts')
    app.tick(11)
    let underWay = 0
    // A call that ends with its signal and not before, as one to a server that never answers.
    const hang = (_: unknown, { abortSignal }: { abortSignal?: AbortSignal } = {}) => {
      underWay += 1
      return new Promise((_, reject) => {
        abortSignal?.addEventListener('abort', () => {
          underWay -= 1
          reject(Object.assign(new Error('Request aborted'), { name: 'AbortError' }))
        })
      })
    }
    const { requestHandler } = db.config
    vi.spyOn(requestHandler, 'handle').mockImplementation(hang as never)
    const started = performance.now()
    const reply = await app.staff.get(path)
    expect(performance.now() - started).toBeLessThan(1900)
    expect([reply.status, underWay]).toEqual([status, 0])
    expect(vi.mocked(requestHandler.handle).mock.calls.length).toBeGreaterThan(0)
    if (path === '/health/ready/')
      expect(reply.body).toEqual({ ready: false, checks: { database: bad, storage: good } })
  })

  test('metrics tell of the process alone, and recover at once', async () => {
    const { db } = await import('../../../lib/engines/table/client.ts')
    app.tick(11)
    vi.spyOn(db, 'send').mockRejectedValue(new Error('down'))
    const down = await app.anon.get('/metrics/')
    expect(down.status).toBe(200)
    const figures = samples(down.text)
    expect(figures.get('heritage_table_up')).toBe(0)
    expect(figures.has('heritage_users')).toBe(false)
    expect(figures.get('process_resident_memory_bytes')).toBeGreaterThan(1e6)
    vi.restoreAllMocks()
    expect(samples((await app.anon.get('/metrics/')).text).get('heritage_users')).toBe(6)
  })
})

describe('metrics', () => {
  test('every line is a comment or a sample, and each family is declared once', async () => {
    const { text, headers, status } = await app.anon.get('/metrics')
    expect([status, headers['content-type']]).toEqual([200, PLAIN])
    const families = parseExposition(text)
    expect([...families.keys()].filter((name) => !/^(heritage|process)_/.test(name))).toEqual([])
    for (const [name, { help, samples }] of families)
      expect([name, help.length > 0, samples.length > 0]).toEqual([name, true, true])
    // Of what everyone may read there is none yet, and that is said of each kind.
    const { recordKinds } = await import('../../../lib/domain/kinds/index.ts')
    expect(families.get('heritage_records')?.samples).toEqual(
      recordKinds.toSorted().map((kind) => ({ labels: { kind, standing: 'published', access: 'public' }, value: 0 })),
    )
    for (const [name, { type }] of families)
      expect([name, type]).toEqual([name, name.endsWith('_total') ? 'counter' : 'gauge'])
  })

  test('the reader that says so refuses what a scraper would', () => {
    const family = '# HELP a_b What.\n# TYPE a_b gauge\n'
    expect(parseExposition(`${family}a_b{x="\\\\ \\" \\n",} 1e-3\n`).get('a_b')?.samples).toEqual([
      { labels: { x: '\\ " \n' }, value: 0.001 },
    ])
    for (const wrong of [
      `${family}a_b 1`,
      'a_b 1\n',
      `${family}a_b one\n`,
      `${family}a_b 1 2 3\n`,
      `${family}a_b{x=1} 1\n`,
      `${family}a_b{x="\\t"} 1\n`,
      `${family}a_b{x="1" y="2"} 1\n`,
      `${family}a_b{x="1",x="2"} 1\n`,
      `${family}a_b{x="1",y="2"} 1\na_b{y="2",x="1"} 2\n`,
      `${family}a_b 1\n${family}`,
      `${family}a_b 1\n\n`,
      '# TYPE a_b gauge\na_b 1\n',
      '# HELP a_b What.\n# TYPE a_b count\na_b 1\n',
      '# HELP a_b What.\n# TYPE a_b counter\na_b -1\n',
    ])
      expect(() => parseExposition(wrong), wrong).toThrow()
  })

  test('they count users, records, sources and clusters exactly, and ask the table once in ten seconds', async () => {
    app.tick(11)
    const before = samples((await app.anon.get('/metrics/')).text)
    const made = await app.contributor.post('/cidoc/structures/', { body: { name: 'Counted' } })
    const restricted = await app.contributor.post('/cidoc/structures/', {
      body: { name: 'Counted apart', access_tier: 'community_only' },
    })
    for (const { body } of [made, restricted])
      await app.community.post(`/data/review-workspace/${body.cultural_entity_id}/decide/`, {
        body: { verdict: 'accept' },
      })
    await app.contributor.post('/cidoc/structures/', { body: { name: 'Waiting' } })
    await app.contributor.post('/cidoc/data_sources/', { body: { name: 'A source' } })
    await app.contributor.post('/cidoc/data_sources/', { body: { name: 'A hidden source', access_tier: 'org_only' } })
    await app.curator.post('/cidoc/entity-clusters/', {
      body: { canonical_label: 'A cluster', type_scope: 'structure' },
    })

    const kept = await app.anon.get('/metrics/')
    expect(kept.cost.calls).toBe(0)
    expect(census(samples(kept.text))).toEqual(census(before))
    app.tick(11)
    const after = await app.anon.get('/')
    expect(after.cost.calls).toBeGreaterThan(0)
    expect(census(samples(after.text))).toEqual({
      heritage_users: 6,
      'heritage_records{kind="structure",standing="published",access="public"}': 1,
      'heritage_data_sources{access="public"}': 1,
      heritage_entity_clusters: 1,
    })
  })

  test('scrapes that come together ask once', async () => {
    app.tick(11)
    const replies = await Promise.all([1, 2, 3, 4].map(() => app.anon.get('/metrics/')))
    expect(replies.filter((it) => it.cost.calls > 0)).toHaveLength(1)
    expect(replies.every((it) => samples(it.text).get('heritage_table_up') === 1)).toBe(true)
  })

  test('they name nobody', async () => {
    const { text } = await app.staff.get('/metrics/')
    expect(text).not.toMatch(/@|heritage\.test|[0-9a-f]{8}-[0-9a-f]{4}/)
  })
})

describe('the root', () => {
  test('it gives metrics, whatever stray query comes with it', async () => {
    for (const path of ['/', '/?search=nyatapola', '/?format=xml', '/?format=', '/?%E0%A4%A', '/?a[]=1&a[]=2']) {
      const reply = await app.anon.get(path, { headers: { origin: 'http://localhost:3000' } })
      expect([path, reply.status, reply.headers['content-type']]).toEqual([path, 200, PLAIN])
      expect(reply.headers['access-control-allow-origin']).toBe('http://localhost:3000')
    }
  })

  test('it gives the link index on demand, and every link answers', async () => {
    const { status, body } = await app.anon.get('/?format=json')
    expect([status, body]).toEqual([
      200,
      {
        ...service,
        admin: null,
        api_docs_swagger: 'http://localhost:8000/docs/',
        api_docs_redoc: null,
        openapi_schema: 'http://localhost:8000/schema/',
        health: 'http://localhost:8000/health/',
        health_detailed: 'http://localhost:8000/health/detailed/',
        health_ready: 'http://localhost:8000/health/ready/',
        health_live: 'http://localhost:8000/health/live/',
        metrics: 'http://localhost:8000/metrics/',
        api_data_prefix: 'http://localhost:8000/api/v1/data/',
        api_cidoc_prefix: 'http://localhost:8000/api/v1/cidoc/',
        registry: 'http://localhost:8000/api/v1/cidoc/schema/registry/',
      },
    ])
    for (const name of [
      'api_docs_swagger',
      'openapi_schema',
      'health',
      'health_detailed',
      'health_ready',
      'health_live',
      'metrics',
      'registry',
    ])
      expect([name, (await app.anon.get(body[name])).status]).toEqual([name, 200])
  })
})

describe('paths that nothing knows', () => {
  test.each(['/nowhere/', '/api/v2/data/activities/', '/health/none/', '/metrics/more/', '/%00', '/wp-login.php'])(
    '%s is not found, as JSON',
    async (path) => {
      const reply = await app.anon.get(path, { headers: { origin: 'http://localhost:3000' } })
      expect([reply.status, reply.body]).toEqual([404, { detail: 'Not found.' }])
      expect(reply.headers['content-type']).toBe('application/json')
      expect(reply.headers['access-control-allow-origin']).toBe('http://localhost:3000')
    },
  )

  test('probes are read only', async () => {
    for (const path of ['/', '/health/', '/health/ready/', '/metrics/']) {
      const reply = await app.staff.post(path, { body: {} })
      expect([path, reply.status, reply.headers.allow]).toEqual([path, 405, 'GET'])
    }
  })
})

/** Samples by name and labels. */
function samples(text: string): Map<string, number> {
  return new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  )
}

/** What the table told. */
const census = (all: Map<string, number>) =>
  Object.fromEntries(
    [...all].filter(([name, n]) => /^heritage_(records|users|data_sources|entity_clusters)/.test(name) && n > 0),
  )

const streamHealth = async () => {
  const { status, body } = await app.anon.get('/health/detailed/')
  return [status, body.stream]
}

describe('how far behind the projector is', () => {
  test('is the age of the oldest change that it has not taken in, however new the newest is', async () => {
    const { noteProgress } = await import('../../../lib/platform/health/stream-lag.ts')
    const { clock } = await import('../../../lib/base/clock.ts')
    await noteProgress(clock.now().getTime())
    app.tick(2)
    await app.contributor.post('/cidoc/structures/', { body: { name: 'Waits for long' } })
    app.tick(720)
    await app.contributor.post('/cidoc/structures/', { body: { name: 'Has just come' } })
    app.tick(3)
    expect(await streamHealth()).toEqual([503, { healthy: false, message: 'It is 723 s behind.' }])
    await noteProgress(clock.now().getTime() - 10_000)
    expect(await streamHealth()).toEqual([200, { healthy: true, message: 'It is 3 s behind.' }])
    await noteProgress(clock.now().getTime())
    expect(await streamHealth()).toEqual([200, { healthy: true, message: 'It is up to date.' }])
  })

  test('is told by a part of the stream that is late, though another is further', async () => {
    const { noteProgress, noteLateness } = await import('../../../lib/platform/health/stream-lag.ts')
    const { clock } = await import('../../../lib/base/clock.ts')
    await noteProgress(clock.now().getTime())
    await noteLateness(clock.now().getTime() - 9000, 'ENTITY#young', 'given')
    expect(await streamHealth()).toEqual([200, { healthy: true, message: 'It is up to date.' }])
    await noteLateness(clock.now().getTime() - 90_000, 'ENTITY#old', 'given')
    expect(await streamHealth()).toEqual([503, { healthy: false, message: 'It is 90 s behind.' }])
    // Who is late is heard of again; who is not heard of has caught up.
    app.tick(121)
    await noteProgress(clock.now().getTime())
    expect(await streamHealth()).toEqual([200, { healthy: true, message: 'It is up to date.' }])
  })

  test('is over soon after what was late is applied, unless there is more', async () => {
    const { noteProgress, noteLateness } = await import('../../../lib/platform/health/stream-lag.ts')
    const { clock } = await import('../../../lib/base/clock.ts')
    const tell = (state: 'given' | 'applied') => noteLateness(clock.now().getTime() - 90_000, 'ENTITY#old', state)
    await tell('given')
    await tell('applied')
    await noteProgress(clock.now().getTime())
    expect(await streamHealth()).toEqual([503, { healthy: false, message: 'It is 90 s behind.' }])
    app.tick(5)
    await tell('given')
    app.tick(15)
    expect((await streamHealth())[0]).toBe(503)
    await tell('applied')
    app.tick(11)
    await noteProgress(clock.now().getTime())
    expect(await streamHealth()).toEqual([200, { healthy: true, message: 'It is up to date.' }])
  })
})
