import type { Context } from 'aws-lambda'
import { decodeJwt } from 'jose'
import { makeByRank } from '../../deploy/stand-ins/people.ts'
import { groupOf } from '../../lib/platform/http/groups.ts'
import { canonicalPath } from '../../lib/platform/http/path.ts'
import type { HttpEvent, HttpResult } from '../../lib/platform/http/shell.ts'
import type { Rank } from '../../lib/platform/permissions.ts'
import { expectDocumented } from './documented.ts'
import { createTestBucket, createTestTable } from './emulator.ts'
import { serveLambda } from './lambda.ts'
import { expectSayable } from './said.ts'

export type Sent = { body?: unknown; query?: Record<string, string | number>; headers?: Record<string, string> }
export type Answer = {
  status: number
  headers: Record<string, string>
  cookies: string[]
  /** The parsed body if it is JSON, else undefined. */
  // biome-ignore lint/suspicious/noExplicitAny: each test states the shape that it expects
  body: any
  text: string
  bytes: Buffer
  /** The calls and the capacity units of the request, as its log line has them. */
  cost: Cost
}
type Cost = { calls: number; units: number }
type Call = (path: string, sent?: Sent) => Promise<Answer>
/** A caller of the service: a person, a key or an anonymous reader. */
export type Persona = {
  get: Call
  post: Call
  put: Call
  patch: Call
  delete: Call
  send: (method: string, path: string, sent?: Sent) => Promise<Answer>
}
/** The name of a member of `App` that is a caller. */
export type CallerName = { [K in keyof App]: App[K] extends Persona ? K : never }[keyof App]
export type App = {
  anon: Persona
  contributor: Persona
  other: Persona
  community: Persona
  domain: Persona
  curator: Persona
  /** A seeded person of each rank. */
  ofRank: Readonly<Record<Rank, Persona>>
  staff: Persona
  /** The caller with this access token. */
  as: (token: string) => Persona
  /** A caller who sends these headers with each request. */
  with: (headers: Record<string, string>) => Persona
  /** Moves the clock forward. */
  tick: (seconds: number) => void
  cost: (answer: Promise<Answer>) => Promise<Cost>
}

/**
 * Opens the service with its own table and bucket, the seeded people, and a clock that stands still at 2025-01-15T10:00:00Z until `tick`.
 * `env` is added to the environment.
 */
export async function openApp({ env = {} }: { env?: Record<string, string> } = {}): Promise<App> {
  // The configuration reads the environment when it is imported, so the environment is set before any import of the service.
  process.env.LAMBDA_ENDPOINT ??= await serveLambda()
  const own = `test-${process.pid}-${Date.now()}-${++tables}`
  Object.assign(process.env, settings, { TABLE_NAME: own, BUCKET_NAME: own }, env)
  await Promise.all([createTestTable(own), createTestBucket(own)])
  const { clock } = await import('../../lib/base/clock.ts')
  let time = Date.parse('2025-01-15T10:00:00.000Z')
  clock.now = () => new Date(time)
  const { seedUsers } = await import('../../deploy/stand-ins/users.ts')
  await seedUsers()
  // Each process does so before its first request.
  const { checkLayout } = await import('../../lib/platform/layout.ts')
  await checkLayout()

  const signedIn = (username: string) => persona(tokenHeaders(username, () => time / 1000))
  const ofRank = makeByRank(signedIn)
  return {
    anon: persona(() => ({})),
    contributor: signedIn('dev'),
    other: signedIn('other'),
    community: ofRank.community_reviewer,
    domain: ofRank.domain_expert,
    curator: ofRank.expert_curator,
    ofRank,
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

/** The headers of a seeded person, who signs in with the first request, and again when the token has expired. */
function tokenHeaders(username: string, seconds: () => number): Identity {
  let access: Promise<string> | undefined
  return async () => {
    const { exp = 0 } = access ? decodeJwt(await access) : {}
    if (exp <= seconds()) access = signIn(username)
    return { authorization: `Bearer ${await access}` }
  }
}

/** The password of each seeded person. */
const PASSWORD = 'heritage-local'

async function signIn(username: string): Promise<string> {
  const { status, text, body } = await answer('POST', '/api/token/', {}, { body: { username, password: PASSWORD } })
  if (status !== 200) throw new Error(`${username} of deploy/stand-ins/people.ts cannot sign in: ${text}`)
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

/** Sends a request whose body is bytes, as a client on the network does. */
export const call = (method: string, path: string, headers: Record<string, string>, body: Buffer): Promise<Answer> =>
  answer(method, path, {}, { headers, ...(body.length > 0 && { body }) })

async function answer(method: string, path: string, identity: Record<string, string>, sent: Sent): Promise<Answer> {
  const event = await eventOf(method, path, identity, sent)
  const { requestId } = event.requestContext
  const serve = await handlerOf(event.rawPath)
  const stop = awaitLogLine(requestId)
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

/** The time that the gateway gives a request, in milliseconds. */
let patience = 29_000
/** Changes that time, for tests of slow requests. */
export const waitFor = (milliseconds: number) => {
  patience = milliseconds
}

type Handler = (event: HttpEvent, context: Context) => Promise<HttpResult>

/** Imports the handler of the group of this path. tests/contract/routes.test.ts tests that the gateway calls the same one. */
async function handlerOf(rawPath: string): Promise<Handler> {
  const { handler }: { handler: Handler } = await import(`../../functions/${groupOf(canonicalPath(rawPath))}.ts`)
  return handler
}

let requests = 0

/** The event of a request as API Gateway sends it: payload format 2.0, the raw path, forms and bytes in base64. */
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

/** The payload of a body. An object becomes JSON, a form and bytes become bytes. A text stays as it is, with the type of JSON. */
async function payloadOf(body: unknown): Promise<{ type?: string; bytes?: Buffer; text?: string }> {
  if (body === undefined) return {}
  if (typeof body === 'string') return { type: 'application/json', text: body }
  if (body instanceof Uint8Array) return { type: 'application/octet-stream', bytes: Buffer.from(body) }
  if (body instanceof FormData) {
    const response = new Response(body)
    return { type: response.headers.get('content-type') ?? '', bytes: Buffer.from(await response.arrayBuffer()) }
  }
  return { type: 'application/json', text: JSON.stringify(body) }
}

/** Waits for the log line of a request. The returned function ends that, and returns the cost in the line. */
function awaitLogLine(requestId: string): () => Cost | undefined {
  waiting.set(requestId, undefined)
  return () => {
    const line = waiting.get(requestId)
    waiting.delete(requestId)
    return line
  }
}

const waiting = new Map<string, Cost | undefined>()

// Log lines of the service are read here and not printed, except errors.
const print = console.log
console.log = (...items: unknown[]) => {
  const line = lineOf(items)
  if (line === undefined) return print(...items)
  if (line.message === 'request' && waiting.has(line.request_id))
    waiting.set(line.request_id, { calls: line.calls, units: line.units })
  if (line.level === 'ERROR') print(...items)
}

function lineOf([text]: unknown[]): (Cost & { request_id: string; level: string; message: string }) | undefined {
  if (typeof text !== 'string' || !text.startsWith('{"level"')) return undefined
  return JSON.parse(text)
}
