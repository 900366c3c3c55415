import { gzipSync } from 'node:zlib'
import type { MiddlewareObj } from '@middy/core'
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda'
import { config } from '../../base/config.ts'
import { dependencyBehind } from '../../base/dependency.ts'
import { Problem } from '../../base/errors.ts'
import { log } from '../../base/telemetry/log.ts'
import { currentMeter, pendingDependency } from '../../base/telemetry/request-cost.ts'
import { isThrottle } from '../../engines/table/index.ts'
import { failureReply } from './failure.ts'
import { canonicalPath } from './path.ts'
import { Reply } from './reply.ts'
import { type Request, readRequest } from './request.ts'
import { translateReply } from './translate-reply.ts'

export type HttpEvent = APIGatewayProxyEventV2
export type HttpResult = APIGatewayProxyStructuredResultV2
/** The Lambda context with the parsed request, and when its work began. */
export type RequestContext = Context & { request: Request; started: number }

/** Makes the reply to a failure in another form than JSON. If it returns undefined, the reply is JSON. */
export type FailurePage = (request: Request, status: number) => Promise<Reply | undefined>

/** The middleware around every request: it parses the event, answers preflights and errors, adds headers, and writes one log line. */
export function httpShell(
  failurePage?: FailurePage,
): MiddlewareObj<HttpEvent, HttpResult | Reply, Error, RequestContext> {
  return {
    before: ({ event, context }) => {
      Object.assign(context, { request: readRequest(event), started: performance.now() })
      return context.request.method === 'OPTIONS'
        ? httpResult(context.request, preflight(context.request), context.started)
        : undefined
    },
    after: (call) => {
      call.response = httpResult(call.context.request, call.response as Reply, call.context.started)
    },
    onError: async (call) => {
      // A request that could not be parsed has neither an origin nor a route.
      if (!call.context.request) {
        call.response = { statusCode: 400, body: '{"detail":"The request cannot be read."}' }
        return
      }
      const { request, started } = call.context
      const failure = failureReply(call.error)
      const reply = await translateReply((await failurePage?.(request, failure.status)) ?? failure, request)
      call.response = httpResult(request, reply, started, call.error ?? undefined)
    },
  }
}

const preflight = ({ headers: { origin } }: Request) =>
  new Reply(204, undefined, {
    ...(isKnownOrigin(origin) ? allowed.known : allowed.others),
    'access-control-max-age': '600',
  })

const isKnownOrigin = (origin = '') => config.CORS_ORIGINS.includes(origin)
/**
 * What a preflight allows. Pages of configured origins (`known`) may read and write. Pages of other origins (`others`) may only read,
 * without credentials. A form to the reconciliation service needs no preflight.
 */
const allowed = {
  known: {
    'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE, OPTIONS',
    'access-control-allow-headers':
      'authorization, content-type, accept, idempotency-key, if-match, if-none-match, prefer, x-dev-user',
  },
  others: {
    'access-control-allow-methods': 'GET, HEAD, OPTIONS',
    'access-control-allow-headers': 'accept, content-type, if-none-match, prefer',
  },
}

const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  ...(config.secure && { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }),
}

function httpResult(request: Request, reply: Reply, started: number, error?: Error): HttpResult {
  logRequest(request, reply, started, error)
  const { payload, type, binary, packed } = encode(reply, takesGzip(request))
  const headers = {
    'cache-control': 'private, no-store',
    ...(type && { 'content-type': type }),
    ...(packed && { 'content-encoding': 'gzip' }),
    ...securityHeaders,
    ...corsHeaders(request),
    ...reply.headers,
    ...varyHeader(reply),
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
/** A cache must keep a translated answer apart from the same answer in another language. */
const varyHeader = ({ headers }: Reply) =>
  headers['content-language'] === undefined ? {} : { vary: `${headers.vary ?? VARY}, Accept-Language` }

/** A shorter text is not compressed: it would cost more time than it saves. The gateway compresses nothing, and Lambda refuses answers over 6 MB. */
const COMPRESSED_FROM = 8192

/** Whether `Accept-Encoding` names gzip with a weight above zero. */
export const takesGzip = ({ headers }: Pick<Request, 'headers'>): boolean =>
  (headers['accept-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .some((coding) => {
      const [name, weight] = coding.split(';', 2).map((part) => part.trim())
      return name === 'gzip' && !/^q=0(\.0*)?$/.test(weight ?? '')
    })

/** The body of a Lambda result. `packed` is set if it is compressed. */
type Encoded = { payload: string; type?: string; binary: boolean; packed?: true }
function encode({ body }: Reply, compresses: boolean): Encoded {
  if (body === undefined) return { payload: '', binary: false }
  if (body instanceof Uint8Array) return { payload: Buffer.from(body).toString('base64'), binary: true }
  const isText = typeof body === 'string'
  const text = isText ? body : JSON.stringify(body)
  const type = isText ? {} : { type: 'application/json' }
  if (!compresses || text.length < COMPRESSED_FROM) return { payload: text, binary: false, ...type }
  return { payload: gzipSync(text, { level: 4 }).toString('base64'), binary: true, packed: true, ...type }
}

/** Configured origins may read every answer, and may send credentials. Pages of any other origin may read what everybody may read. */
function corsHeaders(request: Request): Record<string, string> {
  const { origin } = request.headers
  if (origin === undefined) return { vary: VARY }
  if (isKnownOrigin(origin))
    return {
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
      'access-control-expose-headers': EXPOSED,
      vary: VARY,
    }
  if (!isPublicRead(request)) return { vary: VARY }
  return { 'access-control-allow-origin': '*', 'access-control-expose-headers': EXPOSED, vary: VARY }
}

const EXPOSED =
  'Retry-After, ETag, X-Request-Id, X-Cache, Idempotent-Replayed, Preference-Applied, Warning, Link, Memento-Datetime'
/** The address at which questions of reconciliation are sent as a form. */
const RECONCILE = '/data/reconcile/'

/** Whether the caller sent no credentials, and either reads or asks the reconciliation service. */
function isPublicRead({ method, path, headers, cookies }: Request): boolean {
  if (headers.authorization !== undefined || headers['x-dev-user'] !== undefined || Object.keys(cookies).length > 0)
    return false
  return ['GET', 'HEAD', 'OPTIONS'].includes(method) || (method === 'POST' && canonicalPath(path) === RECONCILE)
}

function logRequest(request: Request, reply: Reply, started: number, error?: Error): void {
  const spent = currentMeter()
  const isFault = reply.status >= 500
  // If the error names no dependency, one with a call under way is logged: the request may have run out of time there.
  const dependency = isFault && (dependencyBehind(error, isThrottle(error)) ?? (spent && pendingDependency(spent)))
  log({
    level: isFault || isUnexpected(error) ? 'error' : 'info',
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
    faults: isFault ? 1 : 0,
    refusals: reply.status >= 400 && reply.status < 500 ? 1 : 0,
    throttled: reply.status === 429 ? 1 : 0,
    ...(spent &&
      spent.cache_hits + spent.cache_misses > 0 && { cache_hits: spent.cache_hits, cache_misses: spent.cache_misses }),
    ...(dependency && { dependency }),
    ...(isFault && error instanceof Problem && { error: error.code }),
    ...(isUnexpected(error) && { error: error.name, stack: stackFrames(error) }),
  })
}

const isUnexpected = (error: Error | undefined): error is Error => error !== undefined && !(error instanceof Problem)

/** The stack of an error without its message, which may contain what the caller sent. */
const stackFrames = (error: Error) =>
  (error.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 8)
    .join('\n')
