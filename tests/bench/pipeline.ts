import type { Context } from 'aws-lambda'
import * as v from 'valibot'
import type { Routes } from '../../lib/platform/http/route.ts'
import type { HttpEvent } from '../../lib/platform/http/shell.ts'
import { print } from './tools/table.ts'

const ROUNDS = 20_000

/** CPU time of a request through the pipeline over that of a handler that only reads and answers JSON. */
export async function benchPipeline(): Promise<void> {
  process.env.LOG_LEVEL = 'silent'
  const { endpoint } = await import('../../lib/platform/http/endpoint.ts')
  const { ok } = await import('../../lib/platform/http/answer.ts')
  const { publicRoute } = await import('../../lib/platform/http/route.ts')
  const handle = async () => ({ answer: 42 })
  const routes = {
    'GET /health/': publicRoute({
      permission: 'service.read',
      summary: 'Answer',
      answer: ok(v.object({ answer: v.number() })),
      handle,
    }),
  } satisfies Routes
  const piped = endpoint(routes)
  const bare = async (event: HttpEvent) => ({
    statusCode: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(event.requestContext.http.method === 'GET' ? await handle() : {}),
  })
  const micros = { bare: await cpu((it) => bare(it)), piped: await cpu((it) => piped(it, {} as Context)) }
  print('CPU per request, microseconds', [
    { handler: 'bare', us: micros.bare.toFixed(1), ratio: '1.0' },
    { handler: 'through the pipeline', us: micros.piped.toFixed(1), ratio: (micros.piped / micros.bare).toFixed(1) },
  ])
}

async function cpu(serve: (event: HttpEvent) => Promise<unknown>): Promise<number> {
  for (let i = 0; i < ROUNDS / 4; i += 1) await serve(event(i))
  const before = process.cpuUsage()
  for (let i = 0; i < ROUNDS; i += 1) await serve(event(i))
  const { user, system } = process.cpuUsage(before)
  return (user + system) / ROUNDS
}

const event = (i: number): HttpEvent => ({
  version: '2.0',
  routeKey: '$default',
  rawPath: '/health/',
  rawQueryString: '',
  headers: {
    host: 'localhost:8000',
    accept: 'application/json',
    origin: 'http://localhost:3000',
    'user-agent': 'bench',
  },
  requestContext: {
    accountId: '',
    apiId: '',
    domainName: 'localhost',
    domainPrefix: '',
    http: { method: 'GET', path: '/health/', protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: 'bench' },
    requestId: String(i),
    routeKey: '$default',
    stage: '$default',
    time: '',
    timeEpoch: 0,
  },
  isBase64Encoded: false,
})
