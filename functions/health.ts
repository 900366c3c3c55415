import * as v from 'valibot'
import { isCacheHealthy } from '../lib/cache/cached.ts'
import { config } from '../lib/config.ts'
import { countParked } from '../lib/effects/parked.ts'
import * as blobs from '../lib/files/blobs.ts'
import { metricsText } from '../lib/health/prometheus.ts'
import { lag } from '../lib/health/stream-lag.ts'
import { within } from '../lib/health/within.ts'
import { endpoint } from '../lib/http/endpoint.ts'
import { knownText } from '../lib/http/params.ts'
import { content, Reply } from '../lib/http/reply.ts'
import { probeRoute, type Routes } from '../lib/http/route.ts'
import { phrase } from '../lib/language/phrase.ts'
import { snapshotHealth } from '../lib/search/model/snapshot-health.ts'
import * as table from '../lib/table/read.ts'
import build from '../package.json' with { type: 'json' }

const service = { service: 'heritage-knowledge-service', version: build.version }

/** Probes, metrics and the link index. Paths that no other function knows come here too, for their 404. */
export const routes = {
  'GET /health/': probeRoute({
    permission: 'service.read',
    handle: async () => ({ status: 'healthy', ...service }),
  }),

  'GET /health/live/': probeRoute({
    permission: 'service.read',
    handle: async () => ({ alive: true, service: service.service }),
  }),

  'GET /health/ready/': probeRoute({
    permission: 'service.read',
    says: ['checks.*.message'],
    handle: async () => {
      const checks = await checkAll(vital)
      const ready = isHealthy(checks)
      return new Reply(ready ? 200 : 503, { ready, checks })
    },
  }),

  'GET /health/detailed/': probeRoute({
    permission: 'service.read',
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
    query: v.object({ format: knownText(['json', 'prometheus']) }),
    handle: async ({ query, request }) => (query.format === 'json' ? linksFrom(request.origin) : metrics()),
  }),

  'GET /metrics/': probeRoute({
    permission: 'service.read',
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
  database: () => table.ping().then(() => answers),
  storage: () => blobs.ping().then(() => answers),
} satisfies Record<string, Ask>

/** Changes are looked for several times a second: who is less behind is up to date. */
const NOTICED_S = 0.5

/** What the service does without for a while, and should not. A new one is one line. */
const optional = {
  stream: async () => {
    const [{ late, seconds }, aside] = await Promise.all([lag(), countParked()])
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
    const check = await within(TIME_LIMIT_MS, ask)
    return [name, check ?? { healthy: false, message: 'It does not answer.' }]
  })
  return Object.fromEntries(await Promise.all(found))
}

const isHealthy = (checks: Readonly<Record<string, Check>>) => Object.values(checks).every((it) => it.healthy)

const metrics = async () =>
  content(
    await metricsText({ version: service.version, stage: config.STAGE }),
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
