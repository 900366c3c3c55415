import type { Context } from 'aws-lambda'
import { decodeJwt } from 'jose'
import { groupOf } from '../../lib/platform/http/groups.ts'
import { canonicalPath } from '../../lib/platform/http/path.ts'
import type { HttpEvent, HttpResult } from '../../lib/platform/http/shell.ts'
import { expectDocumented } from './documented.ts'
import { createTestBucket, createTestTable } from './emulator.ts'
import { serveLambda } from './lambda.ts'
import { expectSayable } from './said.ts'

export type Sent = { body?: unknown; query?: Record<string, string | number>; headers?: Record<string, string> }
export type Answer = {
  status: number
  headers: Record<string, string>
  cookies: string[]
  /** Parsed JSON, else undefined. */
  // biome-ignore lint/suspicious/noExplicitAny: what a test expects of an answer is the test's business
  body: any
  text: string
  bytes: Buffer
  /** What the request cost, as its log line says. */
  cost: Cost
}
type Cost = { calls: number; units: number }
type Call = (path: string, sent?: Sent) => Promise<Answer>
/** Someone who calls the service. */
export type Persona = {
  get: Call
  post: Call
  put: Call
  patch: Call
  delete: Call
  send: (method: string, path: string, sent?: Sent) => Promise<Answer>
}
export type App = {
  anon: Persona
  contributor: Persona
  other: Persona
  community: Persona
  domain: Persona
  curator: Persona
  staff: Persona
  /** Whoever has this access token. */
  as: (token: string) => Persona
  /** Whoever sends these headers. */
  with: (headers: Record<string, string>) => Persona
  /** Moves the clock. */
  tick: (seconds: number) => void
  cost: (answer: Promise<Answer>) => Promise<Cost>
}

/** The service with a table and a bucket of its own, the six seeded people, and a clock that stands still at 2025-01-15T10:00:00Z. */
export async function openApp({ env = {} }: { env?: Record<string, string> } = {}): Promise<App> {
  // The configuration is read when a module loads it, so this comes before every import of the service.
  process.env.LAMBDA_ENDPOINT ??= await serveLambda()
  const own = `test-${process.pid}-${Date.now()}-${++tables}`
  Object.assign(process.env, settings, { TABLE_NAME: own, BUCKET_NAME: own }, env)
  await Promise.all([createTestTable(own), createTestBucket(own)])
  const { clock } = await import('../../lib/base/clock.ts')
  let time = Date.parse('2025-01-15T10:00:00.000Z')
  clock.now = () => new Date(time)
  const { seedUsers } = await import('../../deploy/stand-ins/users.ts')
  await seedUsers()

  const signedIn = (username: string) => persona(ownToken(username, () => time / 1000))
  return {
    anon: persona(() => ({})),
    contributor: signedIn('dev'),
    other: signedIn('other'),
    community: signedIn('reviewer'),
    domain: signedIn('expert'),
    curator: signedIn('curator'),
    staff: signedIn('staff'),
    as: (token) => persona(() => ({ authorization: `Bearer ${token}` })),
    with: (headers) => persona(() => headers),
    tick: (seconds) => {
      time += seconds * 1000
    },
    cost: async (answer) => (await answer).cost,
  }
}

let tables = 0
const settings = {
  STAGE: 'local',
  DEBUG: 'true',
  SERVICE_DEV_AUTH: 'true',
  SECRET_KEY: 'test-only-secret-key-of-32-bytes-or-more',
  CORS_ORIGINS: 'http://localhost:3000',
  RATE_TOKEN: '10000/min',
  RATE_REGISTER: '10000/min',
  RATE_DEV_LOGIN: '10000/min',
  RATE_ASSISTANT: '10000/min',
  LETTERS_SENDER: 'Heritage <letters@heritage.test>',
  LOG_LEVEL: 'info',
}

type Identity = () => Record<string, string> | Promise<Record<string, string>>

/** The headers of one of the seeded people, who signs in with the first request, and again when the token is over. */
function ownToken(username: string, seconds: () => number): Identity {
  let access: Promise<string> | undefined
  return async () => {
    const { exp = 0 } = access ? decodeJwt(await access) : {}
    if (exp <= seconds()) access = signIn(username)
    return { authorization: `Bearer ${await access}` }
  }
}

/** Of all seeded people. */
const PASSWORD = 'heritage-local'

async function signIn(username: string): Promise<string> {
  const { status, text, body } = await answer('POST', '/api/token/', {}, { body: { username, password: PASSWORD } })
  if (status !== 200) throw new Error(`${username} cannot sign in: ${text}`)
  return body.access
}

function persona(identity: Identity): Persona {
  const send = async (method: string, path: string, sent: Sent = {}) => answer(method, path, await identity(), sent)
  return {
    get: (path, sent) => send('GET', path, sent),
    post: (path, sent) => send('POST', path, sent),
    put: (path, sent) => send('PUT', path, sent),
    patch: (path, sent) => send('PATCH', path, sent),
    delete: (path, sent) => send('DELETE', path, sent),
    send,
  }
}

/** A request with a body of bytes, as a client on the network sends it. */
export const call = (method: string, path: string, headers: Record<string, string>, body: Buffer): Promise<Answer> =>
  answer(method, path, {}, { headers, ...(body.length > 0 && { body }) })

async function answer(method: string, path: string, identity: Record<string, string>, sent: Sent): Promise<Answer> {
  const event = await eventOf(method, path, identity, sent)
  const { requestId } = event.requestContext
  const serve = await handlerOf(event.rawPath)
  const stop = listen(requestId)
  let result: HttpResult
  let line: Cost | undefined
  try {
    result = await serve(event, { awsRequestId: requestId, getRemainingTimeInMillis: () => patience } as Context)
  } finally {
    line = stop()
  }
  const bytes = Buffer.from(result.body ?? '', result.isBase64Encoded ? 'base64' : 'utf8')
  const headers = Object.fromEntries(
    Object.entries(result.headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]),
  )
  const status = result.statusCode ?? 200
  const text = result.isBase64Encoded ? '' : bytes.toString()
  const isJson = headers['content-type']?.includes('json') && text !== ''
  const body = isJson ? JSON.parse(text) : undefined
  expectDocumented({ method, path: event.rawPath, sent: sent.body, status, headers, bytes, body })
  expectSayable({ method, path: event.rawPath, status, body })
  return {
    status,
    headers,
    cookies: result.cookies ?? [],
    body,
    text,
    bytes,
    cost: line ?? { calls: 0, units: 0 },
  }
}

/** How long a request may take, in milliseconds; a gateway that waits for more has something else to measure. */
let patience = 29_000
export const waitFor = (milliseconds: number) => {
  patience = milliseconds
}

type Handler = (event: HttpEvent, context: Context) => Promise<HttpResult>

/** The handler of the group whose path it is; how the gateway gets it there is the matter of tests/contract/routes.test.ts. */
async function handlerOf(rawPath: string): Promise<Handler> {
  const { handler }: { handler: Handler } = await import(`../../functions/${groupOf(canonicalPath(rawPath))}.ts`)
  return handler
}

let requests = 0

/** A request as the gateway hands it over: payload 2.0, raw path, forms and bytes in base64. */
export async function eventOf(
  method: string,
  path: string,
  identity: Record<string, string>,
  sent: Sent,
): Promise<HttpEvent> {
  const url = new URL(path, 'http://localhost:8000')
  for (const [name, value] of Object.entries(sent.query ?? {})) url.searchParams.set(name, String(value))
  const { type, bytes, text } = await payloadOf(sent.body)
  const headers = Object.fromEntries(
    Object.entries({ host: 'localhost:8000', ...(type && { 'content-type': type }), ...identity, ...sent.headers }).map(
      ([name, value]) => [name.toLowerCase(), value],
    ),
  )
  const { cookie, ...others } = headers
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: url.pathname,
    rawQueryString: url.search.slice(1),
    ...(cookie && { cookies: cookie.split('; ') }),
    headers: others,
    requestContext: {
      accountId: '000000000000',
      apiId: 'test',
      domainName: 'localhost',
      domainPrefix: 'localhost',
      http: {
        method,
        path: url.pathname,
        protocol: 'HTTP/1.1',
        sourceIp: others['x-test-address'] ?? '192.0.2.1',
        userAgent: 'test',
      },
      requestId: `request-${++requests}`,
      routeKey: '$default',
      stage: '$default',
      time: '15/Jan/2025:10:00:00 +0000',
      timeEpoch: Date.parse('2025-01-15T10:00:00Z'),
    },
    ...(bytes ? { body: bytes.toString('base64') } : text !== undefined && { body: text }),
    isBase64Encoded: bytes !== undefined,
  }
}

/** Objects go as JSON, text as it is (JSON unless a header says otherwise), forms and bytes as bytes. */
async function payloadOf(body: unknown): Promise<{ type?: string; bytes?: Buffer; text?: string }> {
  if (body === undefined) return {}
  if (typeof body === 'string') return { type: 'application/json', text: body }
  if (body instanceof Uint8Array) return { type: 'application/octet-stream', bytes: Buffer.from(body) }
  if (body instanceof FormData) {
    const made = new Response(body)
    return { type: made.headers.get('content-type') ?? '', bytes: Buffer.from(await made.arrayBuffer()) }
  }
  return { type: 'application/json', text: JSON.stringify(body) }
}

/** Takes the log lines of the service out of the test's output; answers the cost in that of one request. */
function listen(requestId: string): () => Cost | undefined {
  waiting.set(requestId, undefined)
  return () => {
    const line = waiting.get(requestId)
    waiting.delete(requestId)
    return line
  }
}

const waiting = new Map<string, Cost | undefined>()
const print = console.log
console.log = (...items: unknown[]) => {
  const line = lineOf(items)
  if (line === undefined) return print(...items)
  if (line.message === 'request' && waiting.has(line.request_id))
    waiting.set(line.request_id, { calls: line.calls, units: line.units })
  if (line.level === 'error') print(...items)
}

function lineOf([text]: unknown[]): (Cost & { request_id: string; level: string; message: string }) | undefined {
  if (typeof text !== 'string' || !text.startsWith('{"time"')) return undefined
  return JSON.parse(text)
}
