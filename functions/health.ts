import { createHash, timingSafeEqual } from 'node:crypto'
import * as v from 'valibot'
import { config } from '../lib/base/config.ts'
import { signInNeeded } from '../lib/base/errors.ts'
import { phrase } from '../lib/base/language/languages.ts'
import * as s from '../lib/base/shapes.ts'
import { countParked } from '../lib/domain/effects/parked.ts'
import { recordKinds } from '../lib/domain/kinds/index.ts'
import { activityLists } from '../lib/domain/records/items.ts'
import { areExportsGivenUp } from '../lib/doors/exports/run-state.ts'
import { pingBucket } from '../lib/engines/bucket/index.ts'
import { checkSearch } from '../lib/engines/search/index.ts'
import { pingTable } from '../lib/engines/table/index.ts'
import { isCacheHealthy } from '../lib/platform/cache/cached.ts'
import { metricsText } from '../lib/platform/health/prometheus.ts'
import { measureLag } from '../lib/platform/health/stream-lag.ts'
import { runWithin } from '../lib/platform/health/within.ts'
import { preferredType } from '../lib/platform/http/accept.ts'
import { bytes, ok } from '../lib/platform/http/answer.ts'
import { endpoint } from '../lib/platform/http/endpoint.ts'
import { HTML } from '../lib/platform/http/media.ts'
import { lenientChoice } from '../lib/platform/http/params.ts'
import { Reply, replyContent } from '../lib/platform/http/reply.ts'
import type { Request } from '../lib/platform/http/request.ts'
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
    exports: checkShape(),
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

/** Probes, metrics and the link index. Paths of no group are answered here, by 404. */
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
    translatedPaths: ['checks.*.message'],
    handle: async () => {
      const checks = await checkVitalParts()
      return isHealthy(checks) ? { ready: true, checks } : new Reply(503, { ready: false, checks })
    },
  }),

  'GET /health/detailed/': probeRoute({
    permission: 'service.read',
    summary: 'Ask what of it works',
    answer: { 200: { shape: HealthDetailsView }, 503: { shape: HealthDetailsView } },
    translatedPaths: ['*.message'],
    handle: async () => {
      const [vital, optional] = await Promise.all([checkVitalParts(), checkOptionalParts()])
      const checks = { ...vital, ...optional }
      return isHealthy(checks)
        ? { status: 'healthy', ...service, ...checks }
        : new Reply(503, { status: 'degraded', ...service, ...checks })
    },
  }),

  // The dashboard calls this with a query by mistake. No query may fail.
  'GET /': probeRoute({
    permission: 'service.read',
    summary: 'Read the metrics, with `?format=json` the link index, in a browser the first page',
    description:
      'Without the token of `GET /metrics/` it is the link index. `Accept: text/html` gives a page for people: search, what there is, the newest; `?lang=` chooses its language.',
    answer: { 200: { shape: LinksView, types: ['text/plain', HTML] } },
    query: v.object({ format: lenientChoice(['json', 'prometheus', 'html']), lang: lenientChoice(['en', 'ne']) }),
    handle: async ({ query, request }) => {
      if (wantsPage(query.format, request)) return firstPage(request, query.lang)
      return query.format === 'json' || !mayReadMetrics(request) ? linksFrom(request.origin) : metrics()
    },
  }),

  'GET /metrics/': probeRoute({
    permission: 'service.read',
    summary: 'Read the metrics',
    description: 'A stage in the cloud takes `METRICS_TOKEN` as a bearer token. Without it the answer is 401.',
    answer: bytes('text/plain'),
    errors: [401],
    handle: async ({ request }) => {
      if (mayReadMetrics(request)) return metrics()
      throw signInNeeded(request.headers.authorization === undefined ? 'none' : 'token')
    },
  }),
} satisfies Routes

export const handler = endpoint(routes, async (request, status) =>
  (await import('../lib/doors/pages/failure-page.ts')).failurePage(request, status),
)

type Check = { healthy: boolean; message: string }

const responds: Check = { healthy: true, message: 'It answers.' }

/** Checks the parts without which no request can be served. */
async function checkVitalParts() {
  const [database, storage] = await Promise.all([
    checkInTime(() => pingTable().then(() => responds)),
    checkInTime(() => pingBucket().then(() => responds)),
  ])
  return { database, storage }
}

/** Checks the parts without which the service still works, but less well. */
async function checkOptionalParts() {
  const [stream, search, cache, exports] = await Promise.all([
    checkInTime(checkStream),
    checkInTime(checkSearch),
    checkInTime(checkCache),
    checkInTime(checkExports),
  ])
  return { stream, search, cache, exports }
}

const TIME_LIMIT_MS = 1000

/** A failure is answered without its reason, which is not public. */
const checkInTime = async (check: () => Promise<Check>): Promise<Check> =>
  (await runWithin(TIME_LIMIT_MS, check)) ?? { healthy: false, message: 'It does not answer.' }

/** The stream is polled several times a second, so a smaller lag is not reported. */
const NOTICED_LAG_S = 0.5

/** The projector is healthy if it is not late and no change is parked. */
async function checkStream(): Promise<Check> {
  const [{ late, seconds }, { parked, isAll }] = await Promise.all([measureLag(activityLists), countParked()])
  const isBehind = seconds >= NOTICED_LAG_S
  if (parked === 0) return { healthy: !late, message: isBehind ? `It is ${seconds} s behind.` : 'It is up to date.' }
  const many = isAll ? parked : phrase(`${parked} or more`)
  return {
    healthy: false,
    message: isBehind
      ? `It is ${seconds} s behind. ${many} changes were put aside.`
      : `It is up to date. ${many} changes were put aside.`,
  }
}

const checkCache = async (): Promise<Check> =>
  (await isCacheHealthy()) ? responds : { healthy: false, message: 'It keeps nothing: all is worked out anew.' }

const checkExports = async (): Promise<Check> =>
  (await areExportsGivenUp())
    ? { healthy: false, message: 'The process that makes the exports ended three times. It waits for an operator.' }
    : { healthy: true, message: 'It works.' }

const isHealthy = (checks: Readonly<Record<string, Check>>) => Object.values(checks).every((check) => check.healthy)

/** Whether a request has the token for metrics. The stage `local` needs none. */
function mayReadMetrics({ headers }: Request): boolean {
  if (config.STAGE === 'local') return true
  const [, token = ''] = /^Bearer +(\S+)$/i.exec(headers.authorization?.trim() ?? '') ?? []
  return config.METRICS_TOKEN !== '' && timingSafeEqual(digest(token), digest(config.METRICS_TOKEN))
}
const digest = (text: string) => createHash('sha256').update(text).digest()

/** Whether the first page is asked for: by its name, or by an `Accept` header that prefers HTML, as browsers send it. */
const wantsPage = (format: string, { headers }: Request): boolean =>
  format === '' ? preferredType(headers.accept, ['application/json', 'text/plain', HTML]) === HTML : format === 'html'

/**
 * The first page for people. If the table does not answer in time, the page says what the service is, without what is read from the
 * table.
 */
async function firstPage(request: Request, lang: string) {
  const { pageContext, homePage, loadHome, pageHeaders } = await import('../lib/doors/pages/index.ts')
  const context = await pageContext(request, lang)
  const model = await runWithin(TIME_LIMIT_MS, loadHome)
  return replyContent(homePage(model, context), 'text/html; charset=utf-8', { ...pageHeaders, vary: BY_ACCEPT })
}
const BY_ACCEPT = 'Origin, Accept-Encoding, Accept'

const metrics = async () =>
  replyContent(
    await metricsText({ version: service.version, stage: config.STAGE }, recordKinds),
    'text/plain; version=0.0.4; charset=utf-8',
  )

/** The links of the index. Null stands for a part that this service does not have. */
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
