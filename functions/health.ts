import * as v from 'valibot'
import { config } from '../lib/base/config.ts'
import { phrase } from '../lib/base/language/phrase.ts'
import * as s from '../lib/base/shapes.ts'
import { countParked } from '../lib/domain/effects/parked.ts'
import { recordKinds } from '../lib/domain/kinds/index.ts'
import { activityLists } from '../lib/domain/records/items.ts'
import { pingBucket } from '../lib/engines/bucket/index.ts'
import { snapshotHealth } from '../lib/engines/search/maintenance.ts'
import { pingTable } from '../lib/engines/table/index.ts'
import { isCacheHealthy } from '../lib/platform/cache/cached.ts'
import { metricsText } from '../lib/platform/health/prometheus.ts'
import { measureLag } from '../lib/platform/health/stream-lag.ts'
import { askWithin } from '../lib/platform/health/within.ts'
import { bytes, ok } from '../lib/platform/http/answer.ts'
import { endpoint } from '../lib/platform/http/endpoint.ts'
import { knownText } from '../lib/platform/http/params.ts'
import { Reply, replyContent } from '../lib/platform/http/reply.ts'
import { probeRoute, type Routes } from '../lib/platform/http/route.ts'
import build from '../package.json' with { type: 'json' }

const service = { service: 'heritage-knowledge-service', version: build.version }

const checkShape = () => v.object({ healthy: v.boolean(), message: s.text })
const HealthView = s.shape('Health', () =>
  v.object({ status: s.oneOf(['healthy', 'degraded']), service: s.text, version: s.text }),
)
const LivenessView = s.shape('Liveness', () => v.object({ alive: v.boolean(), service: s.text }))
const ReadinessView = s.shape('Readiness', () =>
  v.object({ ready: v.boolean(), checks: v.object({ database: checkShape(), storage: checkShape() }) }),
)
const HealthDetailsView = s.shape('HealthDetails', () =>
  v.object({
    ...HealthView.entries,
    database: checkShape(),
    storage: checkShape(),
    stream: checkShape(),
    search: checkShape(),
    cache: checkShape(),
  }),
)
const LinksView = s.shape('Links', () =>
  v.object({
    service: s.text,
    version: s.text,
    admin: s.maybe(s.text),
    api_docs_swagger: s.maybe(s.text),
    api_docs_redoc: s.maybe(s.text),
    openapi_schema: s.maybe(s.text),
    health: s.text,
    health_detailed: s.text,
    health_ready: s.text,
    health_live: s.text,
    metrics: s.text,
    api_data_prefix: s.text,
    api_cidoc_prefix: s.text,
    registry: s.text,
  }),
)

/** Probes, metrics and the link index. Paths that no other function knows come here too, for their 404. */
export const routes = {
  'GET /health/': probeRoute({
    permission: 'service.read',
    summary: 'Ask whether it is there',
    answer: ok(HealthView),
    handle: async () => ({ status: 'healthy', ...service }),
  }),

  'GET /health/live/': probeRoute({
    permission: 'service.read',
    summary: 'Ask whether it lives',
    answer: ok(LivenessView),
    handle: async () => ({ alive: true, service: service.service }),
  }),

  'GET /health/ready/': probeRoute({
    permission: 'service.read',
    summary: 'Ask whether it is ready',
    answer: { 200: { shape: ReadinessView }, 503: { shape: ReadinessView } },
    says: ['checks.*.message'],
    handle: async () => {
      const checks = await checkAll(vital)
      const ready = isHealthy(checks)
      return new Reply(ready ? 200 : 503, { ready, checks })
    },
  }),

  'GET /health/detailed/': probeRoute({
    permission: 'service.read',
    summary: 'Ask what of it works',
    answer: { 200: { shape: HealthDetailsView }, 503: { shape: HealthDetailsView } },
    says: ['*.message'],
    handle: async () => {
      const checks = await checkAll({ ...vital, ...optional })
      const healthy = isHealthy(checks)
      return new Reply(healthy ? 200 : 503, { status: healthy ? 'healthy' : 'degraded', ...service, ...checks })
    },
  }),

  // The dashboard comes here with a query by accident; whatever it is, it must not fail.
  'GET /': probeRoute({
    permission: 'service.read',
    summary: 'Read the metrics, or with `?format=json` the link index',
    answer: { 200: { shape: LinksView, types: ['text/plain'] } },
    query: v.object({ format: knownText(['json', 'prometheus']) }),
    handle: async ({ query, request }) => (query.format === 'json' ? linksFrom(request.origin) : metrics()),
  }),

  'GET /metrics/': probeRoute({
    permission: 'service.read',
    summary: 'Read the metrics',
    answer: bytes('text/plain'),
    handle: async () => metrics(),
  }),
} satisfies Routes

export const handler = endpoint(routes)

const TIME_LIMIT_MS = 1000

type Check = { healthy: boolean; message: string }

type Ask = () => Promise<Check>

const answers: Check = { healthy: true, message: 'It answers.' }

/** What no request can do without. */
const vital = {
  database: () => pingTable().then(() => answers),
  storage: () => pingBucket().then(() => answers),
} satisfies Record<string, Ask>

/** Changes are looked for several times a second: who is less behind is up to date. */
const NOTICED_S = 0.5

/** What the service does without for a while, and should not. A new one is one line. */
const optional = {
  stream: async () => {
    const [{ late, seconds }, aside] = await Promise.all([measureLag(activityLists), countParked()])
    if (aside === 0)
      return { healthy: !late, message: seconds >= NOTICED_S ? `It is ${seconds} s behind.` : 'It is up to date.' }
    const many = aside === 100 ? phrase('100 or more') : aside
    const behind = `It is ${seconds} s behind. ${many} changes were put aside.`
    return {
      healthy: false,
      message: seconds >= NOTICED_S ? behind : `It is up to date. ${many} changes were put aside.`,
    }
  },
  search: snapshotHealth,
  cache: async () =>
    (await isCacheHealthy()) ? answers : { healthy: false, message: 'It keeps nothing: all is worked out anew.' },
} satisfies Record<string, Ask>

/** Asks all of them at once. Why one does not answer is for the log of its own service, not for the public. */
async function checkAll<Name extends string>(asked: Readonly<Record<Name, Ask>>): Promise<Record<string, Check>> {
  const found = Object.entries<Ask>(asked).map(async ([name, ask]): Promise<[string, Check]> => {
    const check = await askWithin(TIME_LIMIT_MS, ask)
    return [name, check ?? { healthy: false, message: 'It does not answer.' }]
  })
  return Object.fromEntries(await Promise.all(found))
}

const isHealthy = (checks: Readonly<Record<string, Check>>) => Object.values(checks).every((it) => it.healthy)

const metrics = async () =>
  replyContent(
    await metricsText({ version: service.version, stage: config.STAGE }, recordKinds),
    'text/plain; version=0.0.4; charset=utf-8',
  )

/** What there is to see; null stands for what this service does not have. */
const linksFrom = (origin: string) => ({
  ...service,
  admin: null,
  api_docs_swagger: `${origin}/docs/`,
  api_docs_redoc: null,
  openapi_schema: `${origin}/schema/`,
  health: `${origin}/health/`,
  health_detailed: `${origin}/health/detailed/`,
  health_ready: `${origin}/health/ready/`,
  health_live: `${origin}/health/live/`,
  metrics: `${origin}/metrics/`,
  api_data_prefix: `${origin}/api/v1/data/`,
  api_cidoc_prefix: `${origin}/api/v1/cidoc/`,
  registry: `${origin}/api/v1/cidoc/schema/registry/`,
})
