import { gzipSync } from 'node:zlib'
import type { MiddlewareObj } from '@middy/core'
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda'
import { config } from '../../base/config.ts'
import { Problem } from '../../base/errors.ts'
import { log } from '../../base/telemetry/log.ts'
import { currentMeter } from '../../base/telemetry/request-cost.ts'
import { failure } from './failure.ts'
import { Reply } from './reply.ts'
import { type Request, read } from './request.ts'
import { translateReply } from './spoken.ts'

export type Event = APIGatewayProxyEventV2
export type Result = APIGatewayProxyStructuredResultV2
/** The Lambda context with the request as we read it. */
export type RequestContext = Context & { request: Request; started: number }

/** Around every request: reading the event, preflight, CORS, security headers, errors, and one log line. */
export function shell(): MiddlewareObj<Event, Result | Reply, Error, RequestContext> {
  return {
    before: ({ event, context }) => {
      Object.assign(context, { request: read(event), started: performance.now() })
      return context.request.method === 'OPTIONS' ? result(context.request, preflight(), context.started) : undefined
    },
    after: (it) => {
      it.response = result(it.context.request, it.response as Reply, it.context.started)
    },
    onError: async (it) => {
      // A request that could not even be read has no CORS answer and no route.
      if (!it.context.request) {
        it.response = { statusCode: 400, body: '{"detail":"The request cannot be read."}' }
        return
      }
      const { request, started } = it.context
      it.response = result(request, await translateReply(failure(it.error), request), started, it.error ?? undefined)
    },
  }
}

const preflight = () =>
  new Reply(204, undefined, {
    'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE, OPTIONS',
    'access-control-allow-headers':
      'authorization, content-type, accept, idempotency-key, if-match, if-none-match, prefer, x-dev-user',
    'access-control-max-age': '600',
  })

const security = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  ...(config.secure && { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }),
}

function result(request: Request, reply: Reply, started: number, error?: Error): Result {
  writeLine(request, reply, started, error)
  const { payload, type, binary, packed } = encode(reply, takesGzip(request))
  const headers = {
    'cache-control': 'private, no-store',
    ...(type && { 'content-type': type }),
    ...(packed && { 'content-encoding': 'gzip' }),
    ...security,
    ...cors(request.headers.origin),
    ...reply.headers,
    ...varying(reply),
    ...(request.strict && { 'preference-applied': 'handling=strict' }),
    'x-request-id': request.id,
  }
  return {
    statusCode: reply.status,
    headers,
    ...(reply.cookies.length > 0 && { cookies: reply.cookies }),
    body: request.method === 'HEAD' ? '' : payload,
    isBase64Encoded: binary,
  }
}

const VARY = 'Origin, Accept-Encoding'
/** What is said in a language is kept by caches for those who ask for the same. */
const varying = ({ headers }: Reply) =>
  headers['content-language'] === undefined ? {} : { vary: `${headers.vary ?? VARY}, Accept-Language` }

/** Below this, packing costs more than it saves. The gateway does not pack, and Lambda's answers end at 6 MB. */
const WORTH_PACKING = 8192

/** Whether the client takes gzip: asked for, and not with a weight of nothing. */
export const takesGzip = ({ headers }: Pick<Request, 'headers'>): boolean =>
  /(^|[,\s])gzip\s*(?!\s*;\s*q=0(\.0*)?\s*(,|$))(;|,|$)/i.test(headers['accept-encoding'] ?? '')

type Encoded = { payload: string; type?: string; binary: boolean; packed?: true }
function encode({ body }: Reply, packs: boolean): Encoded {
  if (body === undefined) return { payload: '', binary: false }
  if (body instanceof Uint8Array) return { payload: Buffer.from(body).toString('base64'), binary: true }
  const isText = typeof body === 'string'
  const text = isText ? body : JSON.stringify(body)
  const type = isText ? {} : { type: 'application/json' }
  if (!packs || text.length < WORTH_PACKING) return { payload: text, binary: false, ...type }
  return { payload: gzipSync(text, { level: 4 }).toString('base64'), binary: true, packed: true, ...type }
}

/** Explicit origins only, since credentials are allowed. */
function cors(origin: string | undefined): Record<string, string> {
  if (origin === undefined || !config.CORS_ORIGINS.includes(origin)) return { vary: VARY }
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
    'access-control-expose-headers':
      'Retry-After, ETag, X-Request-Id, X-Cache, Idempotent-Replayed, Preference-Applied, Warning',
    vary: VARY,
  }
}

function writeLine(request: Request, reply: Reply, started: number, error?: Error): void {
  const expected = error === undefined || error instanceof Problem
  const spent = currentMeter()
  log({
    level: expected ? 'info' : 'error',
    message: 'request',
    request_id: request.id,
    method: request.method,
    route: request.route ?? '-',
    status: reply.status,
    ms: Math.round((performance.now() - started) * 10) / 10,
    caller: request.caller ?? 'anonymous',
    calls: spent?.calls ?? 0,
    units: spent?.units ?? 0,
    retries: spent?.retries ?? 0,
    faults: reply.status >= 500 ? 1 : 0,
    refusals: reply.status >= 400 && reply.status < 500 ? 1 : 0,
    throttled: reply.status === 429 ? 1 : 0,
    ...(spent &&
      spent.cache_hits + spent.cache_misses > 0 && { cache_hits: spent.cache_hits, cache_misses: spent.cache_misses }),
    ...(!expected && { error: error.name, stack: frames(error) }),
  })
}

/** Where it happened, without the message, which may hold what the caller sent. */
const frames = (error: Error) =>
  (error.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 8)
    .join('\n')
