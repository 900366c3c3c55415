import type { APIGatewayProxyEvent } from 'aws-lambda'
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { type App, eventOf, openApp } from '../../harness/app.ts'
import { fileOf, form } from '../../harness/asset-world.ts'
import { atOnce, sure } from '../../harness/make.ts'
import { askForPart, headOf, restContext, storePart } from '../../harness/rest-parts.ts'

/** Parts that a REST API stores itself: it asks the function, as its authorizer, with the head of the request alone. */

const parts = '/api/v1/data/ocr-chunk-uploads/'
const MB = 1024 * 1024

let app: App
const tokens: Record<string, string> = {}
beforeAll(async () => {
  app = await openApp({ env: { RATE_SCANS: '1000/day' } })
  for (const username of ['dev', 'other']) {
    const { body } = await app.anon.post('/api/token/', { body: { username, password: 'heritage-local' } })
    tokens[username] = `Bearer ${body.access}`
  }
})

const handlerOfScans = async () => (await import('../../../functions/scans.ts')).handler

/** Asks for the next part, as the authorizer of the REST API does. */
async function ask(
  id: string,
  {
    who = 'dev',
    headers = {},
    query = {},
    type,
  }: { who?: string; headers?: Record<string, string>; query?: Record<string, string>; type?: string } = {},
) {
  const sent = { ...(type && { 'Content-Type': type }), ...(tokens[who] && { Authorization: tokens[who] }), ...headers }
  const { result, methodArn, ...told } = await askForPart(id, sent, query)
  const [statement] = result.policyDocument.Statement
  expect(statement).toEqual({ Action: 'execute-api:Invoke', Effect: 'Allow', Resource: methodArn })
  // AWS takes no more.
  expect(JSON.stringify(result).length).toBeLessThan(8192)
  return told
}

const begin = async (size: number, description = '') => {
  const body = { filename: 'पञ्जिका.png', byte_size: size, media_type: 'image', description }
  return sure(201, await app.contributor.post(parts, { body }))
}
const complete = (id: string) => app.contributor.post(`${parts}${id}/complete/`)
const picture = async (width: number) =>
  sharp({ create: { width, height: 40, channels: 3, background: 'white' } })
    .png({ compressionLevel: 0 })
    .toBuffer()

describe('a part that the REST API stores', () => {
  test('goes to a place of its own, and is put together with parts that came by the other gateway', async () => {
    const bytes = await picture(4000)
    const { id, ...begun } = await begin(bytes.length)
    const [a, b] = [100_000, 300_000]
    const first = await ask(id, { headers: { 'Content-Length': String(a + 200), Origin: 'http://localhost:3000' } })
    expect([first.status, first.key.startsWith(`parts/${id}/`)]).toEqual([200, true])
    expect(first.body).toEqual({ ...begun, id, bytes_written: expect.any(Number), max_chunk_bytes: 6 * MB })
    expect(first.rest).toMatchObject({
      access_control_allow_origin: 'http://localhost:3000',
      access_control_allow_credentials: 'true',
      cache_control: 'private, no-store',
    })
    await storePart(first.key, bytes.subarray(0, a), { offset: '0' })
    const second = await app.contributor.post(`${parts}${id}/append/`, {
      body: form({ chunk: fileOf(bytes.subarray(a, b), 'part.bin'), offset: String(a) }),
    })
    expect(sure(200, second).bytes_written).toBe(b)
    const third = await ask(id)
    expect([third.status, third.body.bytes_written]).toEqual([200, bytes.length])
    await storePart(third.key, bytes.subarray(b))
    const made = sure(201, await complete(id))
    const file = await app.contributor.get(`/data/ocr-documents/${made.uploaded_document_id}/asset/`)
    expect(file.bytes.equals(bytes)).toBe(true)
    expect((await ask(id)).body.detail).toMatch('This file is complete.')
  })

  test('counts as 6 MiB until it is measured, and not at all if it never came', async () => {
    const { id } = await begin(13 * MB, 'क'.repeat(2000))
    const lost = await ask(id)
    expect([lost.body.bytes_written, lost.body.description.length]).toEqual([6 * MB, 500])
    expect((await complete(id)).body.detail).toBe(`0 of ${13 * MB} bytes have been sent.`)
    const again = await ask(id)
    expect([again.status, again.body.bytes_written, again.key !== lost.key]).toEqual([200, 6 * MB, true])
    await storePart(again.key, Buffer.alloc(1000))
    // A sender that says where a part begins is told where the next one does.
    expect((await ask(id, { query: { offset: '0' } })).key).toBe('refused/refused/refused')
    const early = await ask(id, { query: { offset: '5' } })
    expect([early.status, early.body]).toEqual([400, { detail: 'The next part begins at byte 1000.' }])
    expect((await ask(id)).body.bytes_written).toBe(6 * MB + 1000)
  })

  test('that is sent again under its key goes to the same place', async () => {
    const { id } = await begin(13 * MB)
    const headers = { 'Idempotency-Key': `part-of-${id}` }
    const [one, two] = [await ask(id, { headers, type: 'multipart/form-data; boundary=1' }), await ask(id, { headers })]
    expect([two.status, two.key, two.body]).toEqual([200, one.key, one.body])
    expect(two.rest.idempotent_replayed).toBe('true')
  })

  test('is refused beyond the size that was announced, and without a form', async () => {
    const { id } = await begin(1000)
    const told = { detail: 'With this part the file would be larger than 1000 bytes.' }
    const large = await ask(id, { headers: { 'Content-Length': String(6 * MB) } })
    expect([large.status, large.key, large.body]).toEqual([400, 'refused/refused/refused', told])
    const first = await ask(id)
    await storePart(first.key, Buffer.alloc(1000))
    expect((await ask(id)).body).toEqual(told)
    expect((await ask(id, { type: 'application/json' })).status).toBe(415)
    const { id: other } = await begin(1000)
    const more = await ask(other)
    await storePart(more.key, Buffer.alloc(1001))
    expect((await complete(other)).body.detail).toBe('1001 of 1000 bytes have been sent.')
  })

  test('is its sender’s alone, and one at a time', async () => {
    const { id } = await begin(13 * MB)
    for (const [who, status] of [
      ['other', 404],
      ['nobody', 401],
    ] as const) {
      const refused = await ask(id, { who })
      expect([refused.status, refused.key]).toEqual([status, 'refused/refused/refused'])
    }
    expect((await ask('00000000-0000-4000-8000-000000000000')).status).toBe(404)
    const both = await atOnce([() => ask(id), () => ask(id)])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
  })
})

test('the REST API hands on what is no part, as the other gateway does', async () => {
  const send = async (method: string, path: string, body: string | null, headers: Record<string, string>) =>
    (await handlerOfScans())(
      { ...headOf(method, path, headers), body, isBase64Encoded: false } as unknown as APIGatewayProxyEvent,
      restContext,
    )
  const signed = { Authorization: tokens.dev ?? '', 'Content-Type': 'application/json' }
  const body = JSON.stringify({ filename: 'a.png', byte_size: 1000 })
  // With the path that the domain maps, or without it.
  for (const path of [parts, '/']) {
    const made = await send('POST', path, body, signed)
    expect([made.statusCode, JSON.parse(made.body).max_chunk_bytes]).toEqual([201, 6 * MB])
    expect(Object.keys(made).sort()).toEqual(['body', 'headers', 'isBase64Encoded', 'statusCode'])
  }
  const { id, max_chunk_bytes } = await begin(1000)
  expect(max_chunk_bytes).toBe(4_000_000)
  const early = await send('POST', `${parts}${id}/complete/`, null, signed)
  expect([early.statusCode, JSON.parse(early.body)]).toEqual([400, { detail: '0 of 1000 bytes have been sent.' }])
  const origin = { Origin: 'http://localhost:3000', 'Access-Control-Request-Method': 'POST' }
  const preflight = await send('OPTIONS', `${parts}${id}/append/`, null, origin)
  const event = await eventOf('OPTIONS', `${parts}${id}/append/`, {}, { headers: origin })
  const other = await (await handlerOfScans())(event, restContext)
  const shown = (headers: object | undefined) => ({ ...headers, 'x-request-id': '' })
  expect([preflight.statusCode, shown(preflight.headers)]).toEqual([204, shown(other.headers)])
})
