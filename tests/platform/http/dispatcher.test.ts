import type { Context } from 'aws-lambda'
import { beforeAll, describe, expect, test } from 'vitest'
import type { HttpEvent } from '../../../lib/platform/http/shell.ts'
import { openApp } from '../../harness/app.ts'

let handler: typeof import('../../../functions/dispatcher.ts').handler
beforeAll(async () => {
  await openApp({ env: { CORS_ORIGINS: 'http://localhost:3000' } })
  handler = (await import('../../../functions/dispatcher.ts')).handler
})

/** A request as the gateway hands it to `$default`. */
const dispatch = async (method: string, rawPath: string, headers: Record<string, string> = {}, body?: string) => {
  const event = {
    version: '2.0',
    rawPath,
    rawQueryString: '',
    headers: { host: 'localhost:8000', ...headers },
    requestContext: { requestId: 'r-1', http: { method, path: rawPath, sourceIp: '192.0.2.1' } },
    ...(body !== undefined && { body }),
    isBase64Encoded: false,
  } as unknown as HttpEvent
  const answer = await handler(event, { functionName: 'dispatcher', awsRequestId: 'd-1' } as Context)
  return { ...answer, body: JSON.parse(answer.body ?? 'null') }
}

describe('what fits no route of the gateway', () => {
  test.each([
    ['/data/api/projects/', { count: 0, results: [] }],
    ['/cidoc/structures', { results: expect.any(Array) }],
    ['/api/v1/cidoc/schema/registry', { classes: expect.any(Object) }],
  ])('%s is answered by its group', async (path, body) => {
    expect(await dispatch('GET', path)).toMatchObject({ statusCode: 200, body, headers: { 'x-request-id': 'r-1' } })
  })

  test('goes there whole: method, headers, body, and back with the status', async () => {
    const sent = { 'x-dev-user': 'dev@heritage.test', 'content-type': 'application/json' }
    const answer = await dispatch('POST', '/data/api/projects', sent, '{"slug":"dispatched","title":"Dispatched"}')
    expect(answer).toMatchObject({ statusCode: 201, body: { slug: 'dispatched' } })
    expect(await dispatch('POST', '/data/api/projects', { 'content-type': 'application/json' }, '{}')).toMatchObject({
      statusCode: 401,
    })
  })

  test('and has no group is 404, in the form and with the headers of every answer', async () => {
    const answer = await dispatch('GET', '/nothing', { origin: 'http://localhost:3000' })
    expect(answer).toMatchObject({
      statusCode: 404,
      body: { detail: 'Not found.' },
      headers: { 'access-control-allow-origin': 'http://localhost:3000' },
    })
  })
})

test('a group that fails is 503, told with CORS headers and without a word of why', async () => {
  const { config } = await import('../../../lib/base/config.ts')
  const { LambdaClient } = await import('@aws-sdk/client-lambda')
  const send = LambdaClient.prototype.send
  LambdaClient.prototype.send = async () => {
    throw new Error('Rate exceeded')
  }
  const answer = await dispatch('GET', '/cidoc/structures', { origin: config.CORS_ORIGINS[0] ?? '' })
  LambdaClient.prototype.send = send
  expect(answer).toMatchObject({
    statusCode: 503,
    body: { detail: 'Temporarily unavailable. Try again.' },
    headers: { 'retry-after': '1', 'access-control-allow-origin': 'http://localhost:3000', 'x-request-id': 'r-1' },
  })
})
