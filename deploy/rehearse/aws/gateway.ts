import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { listen, readBody } from '../../stand-ins/listening.ts'
import type { GatewayRoute, RestFacts } from '../template.ts'
import { type RestAnswer, serveRest } from './rest-api.ts'

/** A function's answer to the gateway, in payload format 2.0. */
type Result = {
  statusCode?: number
  headers?: { [name: string]: string }
  cookies?: string[]
  body?: string
  isBase64Encoded?: boolean
}
/** Invokes the function of a route. Fails if the function fails. */
type Invoke = (route: GatewayRoute, event: object) => Promise<unknown>
export type Gateway = { origin: string; stop: () => Promise<void> }

/** Limits of API Gateway and Lambda, in bytes and milliseconds. */
const MOST_IN = 10 << 20
const MOST_EVENT = 6 << 20
const MOST_OUT = 6 << 20
const PATIENCE_MS = 30_000

/**
 * Stands in for an HTTP API. It routes by the template alone, gives functions events in payload format 2.0, and has the gateway's limits
 * and error messages. Each request gets its own client address, as if it came from many clients. With `edgeSecret` the edge stands before it:
 * the gateway sees one address, and the edge tells the client's, over whatever the client told. REST APIs of the same domain take what lies below
 * their paths.
 */
export async function startGateway(
  routes: readonly GatewayRoute[],
  invoke: Invoke,
  reading: Reading,
  edgeSecret?: string,
  { apis, bucket }: RestBeside = { apis: [], bucket: '' },
): Promise<Gateway> {
  const choose = router(routes, reading)
  const beside = apis.map((api) => ({ ...api, serve: serveRest(api, { invoke, bucket, ...reading }) }))
  const { port, stop } = await listen(serve)
  return { origin: `http://localhost:${port}`, stop }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request)
    if (body.length > MOST_IN) return say(response, 413, 'Request Entity Too Large')
    const event = eventOf(request, body, edgeSecret)
    if (!event) return say(response, 400, 'Bad Request')
    const [path, query] = split(request.url ?? '/')
    const rest = beside.find(({ base }) => path === base || path.startsWith(`${base}/`))
    if (rest) {
      const { requestId: id, http } = event.requestContext
      const headers = { ...event.headers, ...(request.headers.cookie && { cookie: request.headers.cookie }) }
      const { method, sourceIp: address } = http
      return tell(
        response,
        await rest.serve({ method, path, query, headers, body, id, address }, path.slice(rest.base.length) || '/'),
      )
    }
    const route = choose(event.rawPath, event.requestContext.http.method)
    if (!route) return say(response, 404, 'Not Found')
    event.routeKey = event.requestContext.routeKey = route.key
    if (JSON.stringify(event).length > MOST_EVENT) return say(response, 413, 'Request Entity Too Large')
    const answer = await raceTimeout(PATIENCE_MS, invoke(route, event)).catch(() => 'failed' as const)
    if (answer === undefined) return say(response, 503, 'Service Unavailable')
    if (answer === 'failed' || JSON.stringify(answer).length > MOST_OUT)
      return say(response, 500, 'Internal Server Error')
    give(response, Object(answer))
  }
}

/** REST APIs of the same domain, and the address of the bucket into which they store. */
export type RestBeside = { apis: readonly RestFacts[]; bucket: string }

const tell = (response: ServerResponse, { status, headers, body }: RestAnswer) =>
  void response.writeHead(status, headers).end(body)

const say = (response: ServerResponse, status: number, message: string) =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ message }))

function give(
  response: ServerResponse,
  { statusCode = 200, headers = {}, cookies = [], body = '', isBase64Encoded }: Result,
) {
  response.writeHead(statusCode, { ...headers, ...(cookies.length > 0 && { 'set-cookie': cookies }) })
  response.end(Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'))
}

/** The result of `work`, or undefined if `work` takes longer than `milliseconds`. */
async function raceTimeout<T>(milliseconds: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((done) => {
    timer = setTimeout(() => done(undefined), milliseconds)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

/** Bodies of these types are given to the function as text, all others in base64. */
const asText = /^(text\/.*|application\/(json|xml|javascript))(;|$)/i

let address = 0

/** The event of a request. Undefined if the path is not percent-encoded UTF-8. */
function eventOf({ method = 'GET', url = '/', headers }: IncomingMessage, body: Buffer, edgeSecret?: string) {
  const [path = '/', query = ''] = split(url)
  const { cookie, ...others } = headers
  const rawPath = decodePath(path)
  if (rawPath === undefined) return undefined
  const text = asText.test(headers['content-type'] ?? '')
  address += 1
  const caller = `10.${(address >> 16) & 255}.${(address >> 8) & 255}.${address & 255}`
  const sourceIp = edgeSecret ? '130.176.0.1' : caller
  const byEdge = edgeSecret && { 'x-edge-secret': edgeSecret, 'cloudfront-viewer-address': `${caller}:46532` }
  // The gateway sets these itself, whatever the client sent.
  const forwarded = { 'x-forwarded-for': sourceIp, 'x-forwarded-port': '443', 'x-forwarded-proto': 'https' }
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath,
    rawQueryString: query,
    ...(cookie && { cookies: cookie.split('; ') }),
    headers: {
      ...Object.fromEntries(Object.entries(others).map(([name, value]) => [name, [value].flat().join(',')])),
      ...byEdge,
      ...forwarded,
    },
    requestContext: {
      accountId: '000000000000',
      apiId: 'HttpApi',
      domainName: 'localhost',
      domainPrefix: 'localhost',
      requestId: randomUUID(),
      routeKey: '$default',
      stage: '$default',
      time: new Date().toUTCString(),
      timeEpoch: Date.now(),
      http: {
        method,
        path: rawPath,
        protocol: 'HTTP/1.1',
        userAgent: String(headers['user-agent'] ?? ''),
        sourceIp,
      },
    },
    ...(body.length > 0 && { body: body.toString(text ? 'utf8' : 'base64') }),
    isBase64Encoded: body.length > 0 && !text,
  }
}

function decodePath(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}

const split = (url: string): [string, string] => {
  const at = url.indexOf('?')
  return at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)]
}

/**
 * AWS does not say whether `{proxy+}` takes an empty rest, as behind a last slash. The service may not depend on it, so there is a
 * gateway for each reading.
 */
export type Reading = { restMayBeEmpty: boolean }
export const readings: readonly Reading[] = [{ restMayBeEmpty: false }, { restMayBeEmpty: true }]

/**
 * Chooses the route of a path as an HTTP API does, part by part: a literal goes before a parameter, a parameter before `{proxy+}`.
 * `$default` comes last. A route for the method goes before one for ANY.
 */
export function router(
  routes: readonly GatewayRoute[],
  reading: Reading,
): (path: string, method: string) => GatewayRoute | undefined {
  const known = routes.map((route) => {
    const [method = '', path = ''] = route.key === '$default' ? ['ANY', '*'] : route.key.split(' ')
    return { route, method, wanted: path.split('/') }
  })
  return (path, method) => {
    const given = path.split('/')
    const fits = known.flatMap(({ route, method: own, wanted }) => {
      if (own !== 'ANY' && own !== method) return []
      const rank = route.key === '$default' ? '9' : rankOf(wanted, given, reading)
      return rank === undefined ? [] : [{ route, rank: `${rank}${own === 'ANY' ? 1 : 0}` }]
    })
    return fits.sort((a, b) => (a.rank < b.rank ? -1 : 1))[0]?.route
  }
}

function rankOf(wanted: readonly string[], given: readonly string[], { restMayBeEmpty }: Reading): string | undefined {
  const greedy = wanted.at(-1) === '{proxy+}'
  if (greedy ? given.length < wanted.length : given.length !== wanted.length) return undefined
  if (greedy && !restMayBeEmpty && given.slice(wanted.length - 1).join('/') === '') return undefined
  const ranks = wanted.map((part, i) => {
    if (part === '{proxy+}') return '2'
    if (part === given[i]) return '0'
    return part.startsWith('{') && given[i] !== '' ? '1' : undefined
  })
  return ranks.includes(undefined) ? undefined : ranks.join('')
}
