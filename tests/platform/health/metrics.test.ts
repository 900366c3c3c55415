import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { operations } from '../../../deploy/operations.ts'
import { loadStage } from '../../../deploy/stages.ts'
import { measures } from '../../../lib/base/telemetry/emf.ts'
import { type App, openApp } from '../../harness/app.ts'
import { contribute, decide, sure } from '../../harness/make.ts'
import { START } from '../../harness/provider.ts'

type Metric = { Name: string; Unit: string }
type Directive = { Namespace: string; Dimensions: string[][]; Metrics: Metric[] }
type Line = Record<string, unknown> & { _aws?: { Timestamp: number; CloudWatchMetrics: Directive[] } }

let app: App
let lines: Line[] = []
beforeAll(async () => {
  // As deployed: then lines go to the output as they are, and metrics with them.
  app = await openApp({
    env: {
      STAGE: 'dev',
      ALLOWED_HOSTS: 'localhost',
      CORS_ORIGINS: '',
      SES_ENDPOINT: 'http://127.0.0.1:1/',
      IDP_CLIENT_ID: 'heritage-test',
      IDP_USERINFO_URL: 'http://127.0.0.1:1/userinfo',
    },
  })
  const print = process.stdout.write.bind(process.stdout)
  vi.spyOn(process.stdout, 'write').mockImplementation((text: string | Uint8Array) => {
    if (!String(text).startsWith('{"level"')) return print(text)
    lines.push(JSON.parse(String(text)))
    return true
  })
})
beforeEach(() => {
  lines = []
})

/** Metrics with their values: what CloudWatch takes out of a line. */
function taken(line: Line | undefined): Record<string, number> {
  const found: Record<string, number> = {}
  for (const { Namespace, Dimensions, Metrics } of line?._aws?.CloudWatchMetrics ?? []) {
    expect(Namespace).toBe('heritage/dev')
    expect(Metrics.length).toBeLessThanOrEqual(100)
    for (const dimensions of Dimensions)
      for (const { Name, Unit } of Metrics) {
        expect(Unit).toMatch(/^(Count|Milliseconds|Seconds)$/)
        for (const dimension of dimensions) expect(line?.[dimension]).toEqual(expect.any(String))
        expect([Name, typeof line?.[Name]]).toEqual([Name, 'number'])
        found[[...dimensions.map((it) => line?.[it]), Name].join(' ')] = Number(line?.[Name])
      }
  }
  return found
}

describe('a request', () => {
  test('is counted and timed', async () => {
    const before = Date.now()
    await app.anon.get('/cidoc/structures/')
    const [line, ...more] = lines
    expect(more).toEqual([])
    expect(line?._aws?.Timestamp).toBeGreaterThanOrEqual(before)
    expect(taken(line)).toEqual({
      ms: expect.any(Number),
      calls: 2,
      units: expect.any(Number),
      retries: 0,
      throttled: 0,
      cache_hits: 0,
      cache_misses: 1,
    })
    // For the saved queries, which tell routes apart.
    expect(line).toMatchObject({ route: 'GET /cidoc/{segment}/', faults: 0, refusals: 0 })
  })

  test('that is refused or unknown is a refusal, and unknown paths are one route', async () => {
    await app.anon.get('/data/user/me/')
    await app.anon.get('/wp-login.php')
    expect(lines.map((line) => [line.status, line.refusals, line.faults, line.route])).toEqual([
      [401, 1, 0, 'GET /data/user/me/'],
      [404, 1, 0, '-'],
    ])
  })

  test('that fails is a fault', async () => {
    const { db } = await import('../../../lib/engines/table/client.ts')
    const broken = vi.spyOn(db, 'send').mockRejectedValue(new TypeError('broken'))
    await app.anon.get('/data/cultural-entities/')
    broken.mockRestore()
    expect(lines.map((line) => [line.level, line.faults])).toEqual([['ERROR', 1]])
  })

  test('says how often the table had to be asked again', async () => {
    const { db } = await import('../../../lib/engines/table/client.ts')
    let busy = 2
    db.middlewareStack.add(
      (next) => async (args) => {
        if (busy-- > 0)
          throw Object.assign(new Error('busy'), { name: 'ThrottlingException', $retryable: { throttling: true } })
        return next(args)
      },
      { step: 'finalizeRequest', name: 'busy', priority: 'low' },
    )
    await app.anon.get('/data/user/by-username/dev/')
    db.middlewareStack.remove('busy')
    expect(lines[0]).toMatchObject({ status: 200, retries: 2 })
  })

  test('names the call of the function as Powertools does, and tells each call of the table if it is sampled', async () => {
    const { config } = await import('../../../lib/base/config.ts')
    const { runInvocation } = await import('../../../lib/base/telemetry/invocation.ts')
    const { log } = await import('../../../lib/base/telemetry/log.ts')
    const facts = { AWS_LAMBDA_FUNCTION_NAME: 'heritage-dev-records', AWS_LAMBDA_FUNCTION_VERSION: '12' }
    Object.assign(process.env, facts, { _X_AMZN_TRACE_ID: 'Root=1-5f84c7a5-0123456789abcdef01234567;Sampled=1' })
    runInvocation({ functionName: 'given', awsRequestId: 'of-lambda' }, () => log({ level: 'info', message: 'sweep' }))
    for (const name of [...Object.keys(facts), '_X_AMZN_TRACE_ID']) delete process.env[name]
    expect(lines[0]).toEqual({
      level: 'INFO',
      message: 'sweep',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      service: 'heritage',
      function_name: 'heritage-dev-records',
      function_version: '12',
      cold_start: false,
      function_request_id: 'of-lambda',
      xray_trace_id: '1-5f84c7a5-0123456789abcdef01234567',
    })
    lines = []
    await app.anon.get('/cidoc/structures/')
    expect(lines.map((line) => line.level)).toEqual(['INFO'])
    lines = []
    Object.assign(config, { LOG_SAMPLE_RATE: 1 })
    await app.anon.get('/cidoc/structures/')
    Object.assign(config, { LOG_SAMPLE_RATE: 0 })
    const calls = lines.filter((line) => line.level === 'DEBUG')
    expect(calls).toContainEqual(
      expect.objectContaining({
        message: 'call',
        dependency: 'table',
        operation: 'BatchGetItem',
        units: expect.any(Number),
        sampling_rate: 1,
      }),
    )
    expect(calls.every((line) => line.request_id === lines.at(-1)?.request_id && line._aws === undefined)).toBe(true)
  })

  test('says what a cache knew', async () => {
    const { measureCost, noteCache, currentMeter } = await import('../../../lib/base/telemetry/request-cost.ts')
    const { log } = await import('../../../lib/base/telemetry/log.ts')
    await measureCost(async () => {
      noteCache('cache_hits')
      noteCache('cache_hits')
      noteCache('cache_misses')
      const { cache_hits = 0, cache_misses = 0 } = currentMeter() ?? {}
      log({ level: 'info', message: 'request', cache_hits, cache_misses })
    })
    expect(taken(lines[0])).toEqual({ cache_hits: 2, cache_misses: 1 })
  })

  test('costs no metric of its own by route', async () => {
    await app.anon.get('/health/')
    expect(lines[0]?._aws?.CloudWatchMetrics.map(({ Dimensions }) => Dimensions)).toEqual([[[]]])
  })
})

describe('the id of a request', () => {
  test('is in its log line, its answer, all that it writes, and the notifications that come of it', async () => {
    const { handler } = await import('../../../functions/projector.ts')
    const { clock } = await import('../../../lib/base/clock.ts')
    const { queryAll, getMany } = await import('../../../lib/engines/table/read.ts')
    const made = await app.staff.post('/cidoc/structures/', { body: { name: 'Traced' } })
    const id = made.headers['x-request-id']
    expect(lines.find((line) => line.status === 201)?.request_id).toBe(id)
    const stored = await queryAll(`ENTITY#${made.body.cultural_entity_id}`, '')
    expect(stored.length).toBeGreaterThan(4)
    expect(stored.filter((item) => item.request_id !== id).map((item) => item.type)).toEqual([])
    // A flag on it is told to its contributor, by the projector.
    const flag = await app.community.post('/data/review-flags/', {
      body: { entity: made.body.cultural_entity_id, flag_type: 'questionable_source', reason: 'Which book?' },
    })
    sure(201, flag)
    const { marshall } = await import('@aws-sdk/util-dynamodb')
    const items = (await queryAll(`ENTITY#${made.body.cultural_entity_id}`, 'FLAG#')).map((item) => marshall(item))
    lines = []
    await handler({
      Records: items.map((NewImage, i) => ({
        dynamodb: {
          NewImage,
          SequenceNumber: String(i),
          ApproximateCreationDateTime: clock.now().getTime() / 1000 - 7,
        },
      })) as never,
    })
    expect(lines.map(taken)).toEqual([{ failures: 0, lag_ms: 7000 }])
    expect(lines[0]?.projected).toBe(1)
    const { loadUserByUsername } = await import('../../../lib/platform/users/users.ts')
    const staff = await loadUserByUsername('staff')
    const told = await queryAll(`NOTIFICATION#${staff?.id}`, '')
    expect(told.map((item) => item.request_id)).toEqual([flag.headers['x-request-id']])
    expect(await getMany([])).toEqual(new Map())
  })

  test('is in the line of a change that the projector cannot take in', async () => {
    const { handler } = await import('../../../functions/projector.ts')
    const NewImage = { type: { S: 'record' }, request_id: { S: 'request-of-the-change' } }
    const answer = await handler({
      Records: [{ dynamodb: { NewImage, SequenceNumber: '7', ApproximateCreationDateTime: START } }] as never,
    })
    // It is put aside, so that others go on.
    expect(answer.batchItemFailures).toEqual([])
    expect(lines.map((line) => [line.level, line.message, line.request_id, line.failures])).toEqual([
      ['ERROR', 'projection of a change', 'request-of-the-change', undefined],
      ['ERROR', 'projection', undefined, 1],
    ])
  })
})

describe('the queue', () => {
  test('is told of at each visit of the sweeper: its size, the oldest that nobody has claimed, and parked changes', async () => {
    const { handler } = await import('../../../functions/sweeper.ts')
    const state = async () => {
      lines = []
      await handler()
      return taken(lines.find((line) => line.message === 'queue'))
    }
    // Staff's own record of the test before has waited from the start on.
    const { waiting = 0, parked = 0 } = await state()
    const old = await contribute(app.contributor, 'structures', { name: 'Old' })
    app.tick(3600)
    const young = await contribute(app.contributor, 'structures', { name: 'Young' })
    app.tick(60)
    expect(await state()).toEqual({ waiting: waiting + 2, oldest_unclaimed_s: 3660, parked })
    for (const { entity_id } of (await app.community.get('/data/review-queue/', { query: { limit: 50 } })).body.results)
      if (entity_id !== young.cultural_entity_id)
        sure(200, await app.community.post(`/data/review-queue/${entity_id}/claim/`))
    expect(await state()).toEqual({ waiting: waiting + 2, oldest_unclaimed_s: 60, parked })
    // A claim that has run out holds nobody back.
    app.tick(1800)
    expect(await state()).toEqual({ waiting: waiting + 2, oldest_unclaimed_s: 5460, parked })
    expect(old.cultural_entity_id).not.toBe(young.cultural_entity_id)
  })
})

test('a run of the exporter tells how many records it has written', async () => {
  const { handler } = await import('../../../functions/exporter.ts')
  const published = sure(201, await app.staff.post('/cidoc/structures/', { body: { name: 'Exported' } }))
  sure(201, await decide(app.curator, published, { verdict: 'accept' }))
  lines = []
  await handler()
  expect(lines.filter((line) => line.message === 'export').map(taken)).toEqual([{ exported: 1 }])
})

describe('what an operator looks at', () => {
  /** Lines of each sort, as the functions write them. */
  let all: Line[]
  beforeAll(async () => {
    lines = []
    Object.assign(process.env, {
      _X_AMZN_TRACE_ID: 'Root=1-5f84c7a5-0123456789abcdef01234567;Sampled=1',
      AWS_LAMBDA_FUNCTION_NAME: 'heritage-dev-all',
      AWS_LAMBDA_FUNCTION_VERSION: '1',
    })
    for (let i = 0; i < 2; i += 1) await app.anon.get('/data/leaderboard/')
    await app.anon.get('/data/user/me/')
    const { config } = await import('../../../lib/base/config.ts')
    const { db } = await import('../../../lib/engines/table/client.ts')
    const broken = vi.spyOn(db, 'send').mockRejectedValue(new TypeError('broken'))
    await app.anon.get('/cidoc/structures/')
    broken.mockRestore()
    for (const name of ['sweeper', 'exporter']) await (await import(`../../../functions/${name}.ts`)).handler()
    const { handler: project } = await import('../../../functions/projector.ts')
    const NewImage = { type: { S: 'record' }, request_id: { S: 'of a change' } }
    await project({ Records: [{ dynamodb: { NewImage, SequenceNumber: '1' } }] as never })
    // Nobody listens there.
    Object.assign(config, { REVIEW_WEBHOOK_URL: 'http://127.0.0.1:1/' })
    const { announceReview } = await import('../../../lib/domain/projects/review-webhook.ts')
    const slug = sure(
      201,
      await app.contributor.post('/data/projects/', { body: { slug: 'told', title: 'Told' } }),
    ).slug
    const { id: project_id } = (await app.contributor.get(`/data/projects/${slug}/`)).body
    const what = { action: 'state_changed', payload: { to: 'in_review' }, actor_id: 'x', number: 1, version: 1 }
    await announceReview({ before: undefined, after: { ...what, id: 'x', project_id, created_at: '' } })
    const { handler: deliver } = await import('../../../functions/webhooks.ts')
    expect(await deliver()).toEqual({ delivered: 0, failed: 1, dead: 0 })
    // Nor for letters: neither the question whether an address is its owner's can go out, nor the one whether they want letters.
    const account = { username: 'letter-reader', password: 'correct horse battery', email: 'reader@example.org' }
    sure(201, await app.anon.post('/api/register/', { body: account }))
    const reader = app.as(sure(200, await app.anon.post('/api/token/', { body: account })).access)
    sure(200, await reader.put('/data/notifications/letters/', { body: { mode: 'at_once' } }))
    const { handler: send } = await import('../../../functions/letters.ts')
    expect(await send()).toEqual({ sent: 0, refused: 2, given_up: 0, unknown: 0 })
    // A provider to which nobody listens.
    sure(503, await app.as('ya29.opaque-token').get('/data/testme/'))
    all = lines
  })
  const watched = () => Object.entries(operations('heritage-dev', loadStage('dev')).Resources)
  const ofType = (type: string) => watched().flatMap(([, it]) => (it.Type === type ? [Object(it.Properties)] : []))
  const own = 'heritage/dev'

  const CALL =
    'name it in lib/base/telemetry/emf.ts and log.ts, and call its function in `what an operator looks at` of tests/platform/health/metrics.test.ts'

  test('alarms and the dashboard look at metrics that functions emit', () => {
    const emitted = new Set(all.flatMap((line) => Object.keys(taken(line))))
    const alarms = ofType('AWS::CloudWatch::Alarm').filter(({ Namespace }) => Namespace === own)
    expect(alarms.length).toBeGreaterThan(3)
    // The gateway's log is counted by a filter, and not by a function.
    const filtered = ofType('AWS::Logs::MetricFilter').map((it) => it.MetricTransformations[0].MetricName)
    for (const name of filtered) emitted.add(name)
    for (const { MetricName, Dimensions } of alarms)
      expect([MetricName, Dimensions, emitted.has(MetricName)], CALL).toEqual([MetricName, [], true])
    const [{ DashboardBody }] = ofType('AWS::CloudWatch::Dashboard')
    const panels: { properties: { metrics: [string, string, object][] } }[] = JSON.parse(
      DashboardBody['Fn::Sub'],
    ).widgets
    const shown = panels.flatMap(({ properties }) => properties.metrics).filter(([namespace]) => namespace === own)
    expect(shown.length).toBeGreaterThan(10)
    expect(shown.filter(([, name, options]) => !emitted.has(name) || typeof options !== 'object')).toEqual([])
  })

  test('saved queries name only what lines hold, and messages that are written', () => {
    const members = new Set(all.flatMap((line) => Object.keys(line)))
    const messages = new Set(all.map((line) => line.message))
    const queries: string[] = ofType('AWS::Logs::QueryDefinition').map(({ QueryString }) => QueryString)
    expect(queries.length).toBeGreaterThan(4)
    for (const query of queries) {
      for (const [, message] of query.matchAll(/message = '([^']+)'/g)) expect(messages).toContain(message)
      const made = [...query.matchAll(/\bas (\w+)|\?<(\w+)>/g)].map(([, name, parsed]) => name ?? parsed)
      const words = query.replace(/'[^']*'| \/(\\.|[^/])*\/ /g, '').match(/(?<![@\w])[a-z_]{2,}/g) ?? []
      const names = words.filter((word) => !made.includes(word) && !language.has(word))
      expect([query, names.filter((name) => !members.has(name))]).toEqual([query, []])
    }
  })
})

/** The words of the query language itself. */
const language = new Set([
  'filter',
  'parse',
  'stats',
  'fields',
  'sort',
  'limit',
  'by',
  'as',
  'and',
  'asc',
  'desc',
  'count',
  'sum',
  'avg',
  'max',
  'pct',
])

test('on one’s own machine lines go to the console without metrics', async () => {
  vi.resetModules()
  const before = process.env.STAGE
  process.env.STAGE = 'local'
  for (const name of ['_X_AMZN_TRACE_ID', 'AWS_LAMBDA_FUNCTION_NAME', 'AWS_LAMBDA_FUNCTION_VERSION'])
    delete process.env[name]
  const said = vi.spyOn(console, 'log').mockImplementation(() => {})
  const { log } = await import('../../../lib/base/telemetry/log.ts')
  log({ level: 'info', message: 'request', ms: 1 })
  process.env.STAGE = before
  expect(JSON.parse(String(said.mock.calls[0]?.[0]))).toEqual({
    level: 'INFO',
    message: 'request',
    timestamp: expect.any(String),
    service: 'heritage',
    ms: 1,
  })
})

test('every metric is a member that a line may hold', async () => {
  vi.resetModules()
  const { log } = await import('../../../lib/base/telemetry/log.ts')
  for (const [message, units] of Object.entries(measures)) {
    lines = []
    log({ level: 'info', message, ...Object.fromEntries(Object.keys(units).map((name) => [name, 1])) })
    expect(taken(lines[0])).toEqual(Object.fromEntries(Object.keys(units).map((name) => [name, 1])))
  }
})
