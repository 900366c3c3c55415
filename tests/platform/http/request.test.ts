import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { describe, expect, test } from 'vitest'
import { bodyReader, checkQueryText, JSON_BYTES, readRequest } from '../../../lib/platform/http/request.ts'

const event = (more: object = {}, method = 'POST'): APIGatewayProxyEventV2 => ({
  version: '2.0',
  routeKey: '$default',
  rawPath: '/x/',
  rawQueryString: '',
  headers: { host: 'localhost:8000', 'content-type': 'application/json' },
  isBase64Encoded: false,
  requestContext: {
    accountId: '0',
    apiId: 'a',
    domainName: 'd.example.org',
    domainPrefix: 'd',
    http: { method, path: '/x/', protocol: 'HTTP/1.1', sourceIp: '192.0.2.7', userAgent: 't' },
    requestId: 'r',
    routeKey: '$default',
    stage: '$default',
    time: '',
    timeEpoch: 0,
  },
  ...more,
})
const base64 = (text: string | Buffer) => ({ body: Buffer.from(text).toString('base64'), isBase64Encoded: true })
const typed = (type: string) => ({ headers: { 'Content-Type': type } })
const open = async (more: object, limits?: Parameters<typeof bodyReader>[1], method?: string) =>
  bodyReader(readRequest(event(more, method)), limits)()
const fault = async (work: () => Promise<unknown>) =>
  work().then(
    () => undefined,
    (error: { code: string; detail: string }) => [error.code, error.detail],
  )

describe('an event', () => {
  test('is read with headers in any case, path as sent, and the last of repeated members', () => {
    const it = readRequest(
      event({ rawPath: '/a%2Fb', rawQueryString: 'a=1&b=%20&a=2&c', headers: { HOST: 'h', 'X-Thing': 'y' } }),
    )
    expect(it).toMatchObject({
      id: 'r',
      method: 'POST',
      path: '/a%2Fb',
      query: { a: '2', b: ' ', c: '' },
      rawQuery: 'a=1&b=%20&a=2&c',
      headers: { host: 'h', 'x-thing': 'y' },
      address: '192.0.2.7',
    })
  })

  test.each([
    [{ host: 'localhost:8000' }, 'http://localhost:8000'],
    [{ host: '127.0.0.1:8000' }, 'http://127.0.0.1:8000'],
    [{ host: 'api.example.org' }, 'https://api.example.org'],
    [{ host: 'api.example.org', 'x-forwarded-proto': 'http' }, 'http://api.example.org'],
    [{}, 'https://d.example.org'],
  ])('with headers %j comes from %s', (headers, origin) => {
    expect(readRequest(event({ headers })).origin).toBe(origin)
  })

  test('has cookies from either place', () => {
    expect(readRequest(event({ cookies: ['a=1', 'b=x=y'] })).cookies).toEqual({ a: '1', b: 'x=y' })
    expect(readRequest(event({ headers: { cookie: 'a=1; b=2' } })).cookies).toEqual({ a: '1', b: '2' })
  })
})

describe('a JSON body', () => {
  test.each([
    [{ body: '{"a":"नेपाल"}' }, { a: 'नेपाल' }],
    [base64('{"a":"नेपाल"}'), { a: 'नेपाल' }],
    [{ body: '' }, {}],
    [{}, {}],
    [{ ...base64(''), headers: {} }, {}],
    [{ body: '{}', ...typed('application/json; charset=utf-8') }, {}],
    [{ body: '{}', ...typed('APPLICATION/JSON') }, {}],
    [{ body: '{}', ...typed('application/merge-patch+json') }, {}],
  ])('%j is %j', async (more, value) => {
    expect(await open(more)).toEqual(value)
  })

  test.each(['{', 'null', '[]', '"x"', '1', '\ufeff', 'undefined'])('%j is malformed', async (body) => {
    expect((await fault(() => open({ body })))?.[0]).toBe('malformed')
  })

  test('that is not UTF-8 is malformed', async () => {
    expect((await fault(() => open(base64(Buffer.from([0x7b, 0xff, 0x7d])))))?.[0]).toBe('malformed')
  })

  test.each(['text/plain', 'text/json', 'application/jsonx', 'application/x-www-form-urlencoded', ''])(
    'of type %j is not read',
    async (type) => {
      expect(await fault(() => open({ body: '{}', ...typed(type) }))).toEqual([
        'unsupported_media_type',
        'Unsupported media type. Send application/json.',
      ])
    },
  )

  test('is counted in bytes, and one too many is too large', async () => {
    const body = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`
    expect(await fault(() => open({ body: body(JSON_BYTES) }))).toBeUndefined()
    expect((await fault(() => open({ body: body(JSON_BYTES + 1) })))?.[0]).toBe('too_large')
    expect((await fault(() => open({ body: `{"a":"${'ने'.repeat(JSON_BYTES / 4)}"}` })))?.[0]).toBe('too_large')
    expect((await fault(() => open(base64(body(JSON_BYTES + 1)))))?.[0]).toBe('too_large')
  })

  test.each(['{"__proto__":{"is_staff":true}}', '{"a":[{"constructor":{"prototype":{"is_staff":true}}}]}'])(
    '%s, which could change a prototype, is malformed',
    async (body) => {
      expect((await fault(() => open({ body })))?.[0]).toBe('malformed')
      expect({}).not.toHaveProperty('is_staff')
    },
  )

  test.each(['GET', 'DELETE', 'HEAD'])('of a %s is not looked at', async (method) => {
    expect(await open({ body: '{', ...typed('text/plain') }, undefined, method)).toBeUndefined()
  })
})

describe('a form', () => {
  const limits = { bytes: 200_000 }
  const part = (boundary: string, name: string, value: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  const made = (parts: readonly [string, string][], boundary = 'edge') => ({
    ...base64(`${parts.map(([name, value]) => part(boundary, name, value)).join('')}--${boundary}--\r\n`),
    ...typed(`multipart/form-data; boundary=${boundary}`),
  })
  const many = (count: number) => Array.from({ length: count }, (_, i): [string, string] => [`n${i}`, 'x'])

  test('is read with its texts and files', async () => {
    const form = new FormData()
    form.set('caption', 'ढोका')
    form.set('file', new File([new Uint8Array([0, 255, 13, 10])], 'a.png', { type: 'image/png' }))
    const sent = new Response(form)
    const type = sent.headers.get('content-type') ?? ''
    const value: Record<string, unknown> = {
      ...(await open({ ...base64(Buffer.from(await sent.arrayBuffer())), ...typed(type) }, limits)),
    }
    expect(value.caption).toBe('ढोका')
    if (!(value.file instanceof File)) throw new Error('no file')
    expect([value.file.name, value.file.type, [...new Uint8Array(await value.file.arrayBuffer())]]).toEqual([
      'a.png',
      'image/png',
      [0, 255, 13, 10],
    ])
  })

  test.each([
    ['cut off', '--edge\r\nContent-Disposition: form-data; name="a"\r\n\r\nx'],
    ['without its boundary', 'a=1&b=2'],
    ['empty', ''],
    ['of another boundary', '--other\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n--other--\r\n'],
  ])('that is %s is malformed', async (_, body) => {
    expect(
      await fault(() => open({ ...base64(body), ...typed('multipart/form-data; boundary=edge') }, limits)),
    ).toEqual(['malformed', 'The multipart body cannot be read.'])
  })

  test('of a hundred parts is read, of more is not, and of ten thousand not even looked at', async () => {
    expect(await open(made(many(100)), limits).then((value) => Object.keys(value ?? {}).length)).toBe(100)
    for (const count of [101, 10_000]) {
      const started = performance.now()
      const told = await fault(() => open(made(many(count)), { bytes: 2_000_000 }))
      expect(told).toEqual(['malformed', 'The form has more than 100 parts.'])
      expect(performance.now() - started).toBeLessThan(2000)
    }
  })

  test('holds as many lines that look like boundaries as it likes', async () => {
    const text = '-- a signature\r\n'.repeat(500)
    expect(await open(made([['note', text]]), limits)).toEqual({ note: text })
  })

  test('is taken with its boundary in quotes', async () => {
    const sent = made(many(101))
    const type = typed('multipart/form-data; charset=utf-8; boundary="edge"')
    expect((await fault(() => open({ ...sent, ...type }, limits)))?.[1]).toBe('The form has more than 100 parts.')
  })

  test('larger than the route allows is too large', async () => {
    expect((await fault(() => open(made([['a', 'x'.repeat(1000)]]), { bytes: 500 })))?.[0]).toBe('too_large')
  })

  test('is not taken where JSON is meant, nor JSON where a form is meant, but both where both are', async () => {
    expect((await fault(() => open(made([['a', 'x']]))))?.[0]).toBe('unsupported_media_type')
    expect((await fault(() => open({ body: '{}' }, limits)))?.[0]).toBe('unsupported_media_type')
    expect(await open({ body: '{"a":1}' }, { ...limits, json: true })).toEqual({ a: 1 })
    expect(await open(made([['a', 'x']]), { ...limits, json: true })).toEqual({ a: 'x' })
  })
})

test('a query or an encoded form has 1000 members at most', async () => {
  const members = (many: number) => Array.from({ length: many }, (_, i) => `a${i}=1`).join('&')
  const query = (many: number) =>
    fault(async () => checkQueryText(readRequest(event({ rawQueryString: members(many) }))))
  const form = (many: number) =>
    fault(async () => {
      const sent = event({ ...typed('application/x-www-form-urlencoded'), ...base64(members(many)) })
      return bodyReader(readRequest(sent), undefined, true)()
    })
  expect([await query(1000), await form(1000)]).toEqual([undefined, undefined])
  expect(await query(1001)).toEqual(['malformed', 'The query has more than 1000 members.'])
  expect(await form(105_000)).toEqual(['malformed', 'The form has more than 1000 members.'])
})

describe('bytes that are not UTF-8', () => {
  const JSON_REFUSED = ['malformed', 'JSON parse error: the body is not UTF-8.']
  const FORM_REFUSED = ['malformed', 'The form is not UTF-8.']
  const URLENCODED = typed('application/x-www-form-urlencoded')
  const byForm = async (body: Buffer | string) =>
    fault(async () => bodyReader(readRequest(event({ ...URLENCODED, ...base64(body) })), undefined, true)())
  const part = (head: string, value: string) =>
    Buffer.from(`--x\r\ncontent-disposition: form-data; ${head}\r\n\r\n${value}\r\n--x--\r\n`, 'latin1')
  const byParts = async (body: Buffer) =>
    fault(() => open({ ...typed('multipart/form-data; boundary=x'), ...base64(body) }, { bytes: 1000 }))

  test('are refused in JSON, in base64 or decoded by the gateway', async () => {
    expect(await fault(() => open(base64(Buffer.from('{"a":"\xff"}', 'latin1'))))).toEqual(JSON_REFUSED)
    const decoded = (length: number) => ({ body: '{"a":"\ufffd"}', headers: { 'content-length': String(length) } })
    expect(
      await fault(() =>
        open({ ...decoded(9), headers: { ...typed('application/json').headers, ...decoded(9).headers } }),
      ),
    ).toEqual(JSON_REFUSED)
  })

  test('are told from the character U+FFFD, which a client may send', async () => {
    const body = '{"a":"\ufffd"}'
    const headers = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }
    expect(await open({ body, headers })).toEqual({ a: '\ufffd' })
    expect(await open(base64(body))).toEqual({ a: '\ufffd' })
  })

  test('are refused in an encoded form, written as bytes or as %FF', async () => {
    expect(await byForm(Buffer.from('a=\xff', 'latin1'))).toEqual(FORM_REFUSED)
    for (const body of ['a=%FF', 'a=%e0%a4', '%ED%A0%80=1']) expect(await byForm(body)).toEqual(FORM_REFUSED)
    for (const body of ['a=%E0%A4%85', 'a=100%', 'a=%zz', 'a=नेपाल']) expect(await byForm(body)).toBeUndefined()
  })

  test('are refused in the names and texts of a multipart form, and taken in its files', async () => {
    expect(await byParts(part('name="a"', '\xff'))).toEqual(FORM_REFUSED)
    expect(await byParts(part('name="\xff"', 'a'))).toEqual(FORM_REFUSED)
    expect(await byParts(part('name="a"; filename="\xff.png"', 'a'))).toEqual(FORM_REFUSED)
    expect(await byParts(part('name="a"; filename="a.png"', '\xff'))).toBeUndefined()
    expect(
      await byParts(Buffer.from(part('name="a"', 'x').toString().replace('x\r\n--x--', 'नेपाल\r\n--x--'))),
    ).toBeUndefined()
  })
})
