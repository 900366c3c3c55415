import * as v from 'valibot'
import * as blobs from '../lib/blobs.ts'
import { config } from '../lib/config.ts'
import { endpoint } from '../lib/http/endpoint.ts'
import { content, Reply } from '../lib/http/reply.ts'
import { publicRoute, type Routes } from '../lib/http/route.ts'
import { metricsText } from '../lib/metrics.ts'
import * as table from '../lib/table/read.ts'
import build from '../package.json' with { type: 'json' }

const service = { service: 'heritage-knowledge-service', version: build.version }

/** Probes, metrics and the link index. Paths that no other function knows come here too, for their 404. */
export const routes = {
  'GET /health/': publicRoute({
    permission: 'service.read',
    cache: 'no-store',
    handle: async () => ({ status: 'healthy', ...service }),
  }),

  'GET /health/live/': publicRoute({
    permission: 'service.read',
    cache: 'no-store',
    handle: async () => ({ alive: true, service: service.service }),
  }),

  'GET /health/ready/': publicRoute({
    permission: 'service.read',
    cache: 'no-store',
    handle: async () => {
      const checks = await checkAll()
      const ready = isHealthy(checks)
      return new Reply(ready ? 200 : 503, { ready, checks })
    },
  }),

  'GET /health/detailed/': publicRoute({
    permission: 'service.read',
    cache: 'no-store',
    handle: async () => {
      const checks = await checkAll()
      const healthy = isHealthy(checks)
      return new Reply(healthy ? 200 : 503, { status: healthy ? 'healthy' : 'degraded', ...service, ...checks })
    },
  }),

  // The dashboard comes here with a query by accident; whatever it is, it must not fail.
  'GET /': publicRoute({
    permission: 'service.read',
    cache: 'no-store',
    query: v.object({ format: v.optional(v.string()) }),
    handle: async ({ query, request }) => (query.format === 'json' ? linksFrom(request.origin) : metrics()),
  }),

  'GET /metrics/': publicRoute({
    permission: 'service.read',
    cache: 'no-store',
    handle: async () => metrics(),
  }),
} satisfies Routes

export const handler = endpoint(routes)

const TIME_LIMIT_MS = 1000

type Check = { healthy: boolean; message: string }

async function checkAll(): Promise<{ database: Check; storage: Check }> {
  const [database, storage] = await Promise.all([check(table.ping), check(blobs.ping)])
  return { database, storage }
}

/** Why something does not answer is for the log of its own service, not for the public. */
const check = (ping: (signal: AbortSignal) => Promise<void>): Promise<Check> =>
  ping(AbortSignal.timeout(TIME_LIMIT_MS)).then(
    () => ({ healthy: true, message: 'It answers.' }),
    () => ({ healthy: false, message: 'It does not answer.' }),
  )

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
