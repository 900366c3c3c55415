import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers'
import { gunzipSync } from 'node:zlib'
import type { Context } from 'aws-lambda'
import * as v from 'valibot'
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { HttpEvent, HttpResult } from '../../../lib/platform/http/shell.ts'

const SECRET = 'hunter2-very-secret'
let serve: (event: HttpEvent, context: Context) => Promise<HttpResult>
let lines: Record<string, unknown>[] = []

beforeAll(async () => {
  Object.assign(process.env, {
    ALLOWED_HOSTS: 'api.example.org,.example.net,localhost',
    CORS_ORIGINS: 'https://app.example.org',
    LOG_LEVEL: 'info',
    DEBUG: '',
    SECURE_SSL_REDIRECT: 'true',
  })
  const { endpoint } = await import('../../../lib/platform/http/endpoint.ts')
  const { ok } = await import('../../../lib/platform/http/answer.ts')
  const { replyContent, Reply } = await import('../../../lib/platform/http/reply.ts')
  const { actorRoute, publicRoute, readRoute } = await import('../../../lib/platform/http/route.ts')
  const { badGateway, conflict } = await import('../../../lib/base/errors.ts')
  const { notePending } = await import('../../../lib/base/telemetry/request-cost.ts')
  const documented = { summary: 'Try something', answer: ok(v.unknown()) }
  const open = { ...documented, permission: 'service.read' } as const
  serve = endpoint({
    'GET /small/': publicRoute({ ...open, handle: async () => ({ a: 1 }) }),
    'POST /small/': publicRoute({ ...open, handle: async () => ({ a: 1 }) }),
    'GET /large/': publicRoute({ ...open, handle: async () => ({ text: 'नेपाल'.repeat(3000) }) }),
    'GET /page/': publicRoute({ ...open, handle: async () => replyContent('<p>', 'text/html; charset=utf-8') }),
    'GET /bytes/': publicRoute({ ...open, handle: async () => replyContent(new Uint8Array([0, 255]), 'image/png') }),
    'GET /public/': publicRoute({
      ...documented,
      permission: 'service.read',
      cache: { control: 'public, max-age=60' },
      handle: async () => 1,
    }),
    'GET /cookie/': publicRoute({
      ...open,
      handle: async () => new Reply(204, undefined, {}, ['session=x; HttpOnly']),
    }),
    'GET /conflict/': publicRoute({ ...open, handle: async () => Promise.reject(conflict()) }),
    'GET /broken/': publicRoute({
      ...open,
      handle: async () => Promise.reject(new TypeError(`cannot read ${SECRET}`)),
    }),
    'GET /not-even-an-error/': publicRoute({ ...open, handle: async () => Promise.reject(SECRET) }),
    'GET /no-room/': publicRoute({
      ...open,
      handle: async () => Promise.reject(Object.assign(new Error('Rate exceeded'), { name: 'ThrottlingException' })),
    }),
    'GET /held/': publicRoute({
      ...open,
      handle: async () =>
        Promise.reject(Object.assign(new Error('It is held'), { name: 'TransactionConflictException' })),
    }),
    'GET /endless/': publicRoute({ ...open, handle: untilTimeIsOver }),
    'GET /model/': publicRoute({ ...open, handle: async () => Promise.reject(badGateway('No.', 'language model')) }),
    'GET /waiting/': publicRoute({ ...open, handle: () => notePending('bucket', untilTimeIsOver) }),
    'GET /closed/': actorRoute({ ...documented, permission: 'account.read', handle: async () => 1 }),
    'GET /thing/': readRoute({
      ...documented,
      permission: 'record.read',

      subject: async () => ({ contributor_id: null, public: true, version: 7 }),
      handle: async () => 1,
    }),
  })
  vi.spyOn(console, 'log').mockImplementation((text: string) => {
    lines.push(JSON.parse(text))
  })
})
beforeEach(() => {
  lines = []
})

/** The timers that were set, in milliseconds. The time of the last one is over when a handler says so. */
const set: { ms: number | undefined; end: () => void }[] = []
const endTime = () => set.at(-1)?.end()
const untilTimeIsOver = () => new Promise<never>(() => setImmediate(endTime))

/** Sends a request to a function that has so many milliseconds left. No time passes. Returns also the timers that were set. */
async function sendWithin(remaining: number, path: string) {
  set.length = 0
  const { setTimeout: real } = timers
  const noted = (end: () => void, ms?: number) => {
    set.push({ ms, end })
    return real(() => undefined, 0)
  }
  timers.setTimeout = noted as never
  syncBuiltinESMExports()
  try {
    const reply = await send(path, { context: { getRemainingTimeInMillis: () => remaining } })
    return { ...reply, timers: set.map(({ ms }) => ms) }
  } finally {
    timers.setTimeout = real
    syncBuiltinESMExports()
  }
}

type Sent = {
  method?: string
  headers?: Record<string, string>
  query?: string
  body?: string
  /** What of the Lambda context is looked at. */
  context?: Partial<Context>
}
async function send(rawPath: string, { method = 'GET', headers = {}, query = '', body, context = {} }: Sent = {}) {
  const event: HttpEvent = {
    version: '2.0',
    routeKey: '$default',
    rawPath,
    rawQueryString: query,
    headers: { host: 'api.example.org', ...headers },
    ...(body !== undefined && { body }),
    isBase64Encoded: false,
    requestContext: {
      accountId: '0',
      apiId: 'a',
      domainName: 'd.example.org',
      domainPrefix: 'd',
      http: { method, path: rawPath, protocol: 'HTTP/1.1', sourceIp: '192.0.2.7', userAgent: 't' },
      requestId: 'request-id-1',
      routeKey: '$default',
      stage: '$default',
      time: '',
      timeEpoch: 0,
    },
  }
  const reply = await serve(event, context as Context)
  const { statusCode, headers: got = {}, body: text, isBase64Encoded, cookies } = reply
  return { status: statusCode, headers: got, text, base64: isBase64Encoded, cookies }
}
const origin = 'https://app.example.org'

describe('a preflight', () => {
  test('is answered on every path, known or not, without a look at who asks', async () => {
    for (const path of ['/small/', '/closed/', '/nowhere/']) {
      const reply = await send(path, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'PATCH',
          'access-control-request-headers': 'authorization',
        },
      })
      expect(reply).toMatchObject({ status: 204, text: '' })
      expect(reply.headers).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-allow-credentials': 'true',
        'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE, OPTIONS',
        'access-control-allow-headers': expect.stringMatching(/authorization, content-type.*idempotency-key/),
        'access-control-max-age': '600',
        vary: expect.stringContaining('Origin'),
      })
    }
  })

  test.each(['https://evil.example.org', 'null', 'https://app.example.org.evil.net', 'http://app.example.org', '*'])(
    'allows %s to read as nobody, and nothing else',
    async (other) => {
      const reply = await send('/small/', { method: 'OPTIONS', headers: { origin: other } })
      expect(reply.headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET, HEAD, OPTIONS',
        'access-control-allow-headers': 'accept, content-type, if-none-match, prefer',
      })
      expect(reply.headers).not.toHaveProperty('access-control-allow-credentials')
    },
  )
})

describe('every answer', () => {
  const paths = [
    ['/small/', 200],
    ['/closed/', 401],
    ['/nowhere/', 404],
    ['/conflict/', 409],
    ['/broken/', 500],
    ['/thing/', 200],
  ] as const
  test.each(paths)(
    'of %s (%i) names an allowed origin; any other may read it without credentials',
    async (path, status) => {
      const known = await send(path, { headers: { origin } })
      expect(known.status).toBe(status)
      expect(known.headers).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-allow-credentials': 'true',
      })
      expect(known.headers['access-control-expose-headers']).toContain('Retry-After')
      const other = { origin: 'https://other.example.org' }
      const read = await send(path, { headers: other })
      expect(read.headers).toMatchObject({
        'access-control-allow-origin': '*',
        vary: expect.stringContaining('Origin'),
      })
      expect(read.headers).not.toHaveProperty('access-control-allow-credentials')
      const credentials = [
        { authorization: 'Bearer x' },
        { 'x-dev-user': 'dev@heritage.test' },
        { cookie: 'session=x' },
      ]
      for (const headers of [{}, ...credentials.map((it) => ({ ...other, ...it }))]) {
        const unknown = await send(path, { headers })
        expect(Object.keys(unknown.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
        expect(unknown.headers.vary).toContain('Origin')
      }
    },
  )

  test.each(paths)('of %s (%i) carries its id, and nothing for caches to keep', async (path) => {
    expect((await send(path)).headers).toMatchObject({
      'x-request-id': 'request-id-1',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'private, no-store',
      'content-type': 'application/json',
    })
  })

  test('that is the same for everyone says so', async () => {
    expect((await send('/public/')).headers['cache-control']).toBe('public, max-age=60')
  })

  test('keeps type, bytes and cookies of its own', async () => {
    expect(await send('/page/')).toMatchObject({
      text: '<p>',
      base64: false,
      headers: { 'content-type': 'text/html; charset=utf-8' },
    })
    expect(await send('/bytes/')).toMatchObject({
      text: 'AP8=',
      base64: true,
      headers: { 'content-type': 'image/png' },
    })
    expect(await send('/cookie/')).toMatchObject({ status: 204, text: '', cookies: ['session=x; HttpOnly'] })
  })
})

describe('a failure', () => {
  test.each(['/broken/', '/not-even-an-error/'])('that is ours says nothing of itself: %s', async (path) => {
    expect(await send(path)).toMatchObject({ status: 500, text: '{"detail":"Internal server error."}' })
    expect(JSON.stringify(lines)).not.toContain(SECRET)
  })

  test.each(['/no-room/', '/held/'])('of a table that cannot at the moment asks to come again: %s', async (path) => {
    expect(await send(path)).toMatchObject({
      status: 503,
      text: '{"detail":"Temporarily unavailable. Try again."}',
      headers: { 'retry-after': '1' },
    })
  })

  test('of what takes longer than the function may asks to come again, a quarter of a second before its end', async () => {
    expect(await sendWithin(270, '/endless/')).toMatchObject({
      timers: [20],
      status: 503,
      text: '{"detail":"Temporarily unavailable. Try again."}',
      headers: { 'retry-after': '1', 'x-request-id': 'request-id-1' },
    })
    expect(await sendWithin(270, '/small/')).toMatchObject({ timers: [20], status: 200 })
  })

  test('that is no fault of the caller is an error in the log, which names the dependency', async () => {
    await send('/model/')
    await sendWithin(270, '/waiting/')
    expect(lines).toMatchObject([
      { level: 'ERROR', status: 502, dependency: 'language model', error: 'bad_gateway' },
      { level: 'ERROR', status: 503, dependency: 'bucket', error: 'unavailable', faults: 1 },
    ])
    lines = []
    await send('/conflict/')
    expect(lines).toMatchObject([{ level: 'INFO', status: 409 }])
    expect(lines[0]).not.toHaveProperty('error')
  })

  test('of the method tells which there are', async () => {
    const reply = await send('/small/', { method: 'DELETE' })
    expect(reply).toMatchObject({
      status: 405,
      text: '{"detail":"Method \\"DELETE\\" not allowed."}',
      headers: { allow: 'GET, POST' },
    })
  })

  test('to sign in says how', async () => {
    expect(await send('/closed/')).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } })
  })
})

describe('HEAD', () => {
  test('is GET without the body', async () => {
    expect(await send('/small/', { method: 'HEAD' })).toMatchObject({
      status: 200,
      text: '',
      headers: { 'content-type': 'application/json' },
    })
    expect((await send('/nowhere/', { method: 'HEAD' })).status).toBe(404)
  })
})

describe('packing', () => {
  const packs = async (path: string, accept?: string) => {
    const reply = await send(path, accept === undefined ? {} : { headers: { 'accept-encoding': accept } })
    return reply.headers['content-encoding'] === 'gzip'
  }
  test.each(['gzip', 'gzip, deflate, br', 'br;q=1.0, gzip;q=0.8', 'deflate,gzip', 'GZIP', 'gzip;q=0.001'])(
    'is done where it is asked for: %s',
    async (accept) => {
      expect(await packs('/large/', accept)).toBe(true)
    },
  )

  test.each([undefined, '', 'br', 'identity', 'gzip;q=0', 'gzip; q=0.0', 'br, gzip;q=0, deflate', 'xgzip', 'gzipped'])(
    'is not done where it is not: %j',
    async (accept) => {
      expect(await packs('/large/', accept)).toBe(false)
    },
  )

  test('gives the same text, and is not worth it for little', async () => {
    const plain = await send('/large/')
    const packed = await send('/large/', { headers: { 'accept-encoding': 'gzip' } })
    expect(gunzipSync(Buffer.from(packed.text ?? '', 'base64')).toString()).toBe(plain.text)
    expect(packed.text?.length).toBeLessThan(1000)
    expect(packed.headers.vary).toContain('Accept-Encoding')
    expect(await packs('/small/', 'gzip')).toBe(false)
    expect(await packs('/bytes/', 'gzip')).toBe(false)
  })
})

describe('the host', () => {
  test.each([
    'api.example.org',
    'API.example.org',
    'api.example.org:443',
    'a.example.net',
    'example.net',
    'localhost:8000',
  ])('%s is served', async (host) => {
    expect((await send('/small/', { headers: { host } })).status).toBe(200)
  })

  test.each([
    'evil.org',
    'api.example.org.evil.org',
    'notexample.net',
    'xapi.example.org',
    '',
    'api.example.org@evil.org',
  ])('%j is not', async (host) => {
    expect(await send('/small/', { headers: { host } })).toMatchObject({
      status: 400,
      text: '{"detail":"This host is not served here."}',
    })
  })
})

describe('plain http', () => {
  test('that a proxy marks is sent to https, and only that', async () => {
    const headers = { 'x-forwarded-proto': 'http' }
    expect(await send('/small/', { headers, query: 'a=1&b=x%20y' })).toMatchObject({
      status: 301,
      headers: { location: 'https://api.example.org/small/?a=1&b=x+y' },
    })
    expect((await send('/small/', { headers: { ...headers, host: 'evil.org' } })).status).toBe(400)
    expect((await send('/small/', { headers: { 'x-forwarded-proto': 'https' } })).status).toBe(200)
    expect((await send('/small/')).status).toBe(200)
  })
})

describe('a version', () => {
  // A digest of what this caller sees of it, who may not change it: here of the body `1`.
  const etag = '"a4ayc_80_OGd"'

  test.each([etag, `W/${etag}`, `"1", ${etag}`, '*', ` ${etag} `])(
    '%j that the client has is not sent again',
    async (known) => {
      expect(await send('/thing/', { headers: { 'if-none-match': known } })).toMatchObject({
        status: 304,
        text: '',
        headers: { etag, 'cache-control': 'private, no-store' },
      })
    },
  )

  test.each(['"7"', '"7-0"', '7', '"77"', ''])('%j that it has not is', async (known) => {
    expect(await send('/thing/', { headers: { 'if-none-match': known } })).toMatchObject({ status: 200, text: '1' })
  })
})

describe('the log', () => {
  const allowed = [
    'level',
    'message',
    'timestamp',
    'service',
    'cold_start',
    'request_id',
    'method',
    'route',
    'status',
    'ms',
    'caller',
    'calls',
    'units',
    'retries',
    'faults',
    'refusals',
    'throttled',
    'error',
    'stack',
  ]

  test('has one line for each request, of allowed members', async () => {
    const paths = ['/small/', '/nowhere/', '/closed/', '/conflict/', '/broken/', '/not-even-an-error/']
    for (const path of paths) await send(path)
    await send('/small/', { method: 'OPTIONS' })
    expect(lines.map((line) => line.status)).toEqual([200, 404, 401, 409, 500, 500, 204])
    for (const line of lines) expect(Object.keys(line).filter((name) => !allowed.includes(name))).toEqual([])
    expect(lines[0]).toMatchObject({
      level: 'INFO',
      message: 'request',
      request_id: 'request-id-1',
      method: 'GET',
      route: 'GET /small/',
      caller: 'anonymous',
      calls: 0,
    })
    expect(lines.map((line) => line.level)).toEqual(['INFO', 'INFO', 'INFO', 'INFO', 'ERROR', 'ERROR', 'INFO'])
    expect(lines.map((line) => line.faults)).toEqual([0, 0, 0, 0, 1, 1, 0])
    expect(lines.map((line) => line.refusals)).toEqual([0, 1, 1, 1, 0, 0, 0])
  })

  test('holds nothing that the client sent', async () => {
    await send('/small/', {
      method: 'POST',
      query: `token=${SECRET}`,
      body: `{"password":"${SECRET}"}`,
      headers: {
        authorization: `Bearer ${SECRET}`,
        'content-type': 'application/json',
        cookie: `session=${SECRET}`,
        origin: SECRET,
      },
    })
    await send(`/${SECRET}/`)
    await send('/broken/', { headers: { authorization: `Bearer ${SECRET}` } })
    expect(lines).toHaveLength(3)
    expect(JSON.stringify(lines)).not.toContain(SECRET)
  })

  test('says where an error came from, not what it said', async () => {
    await send('/broken/')
    expect(lines[0]).toMatchObject({ error: 'TypeError', stack: expect.stringContaining('shell.test.ts') })
  })
})
