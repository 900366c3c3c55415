import { expect, test } from 'vitest'
import { dependencyAway } from '../../../lib/base/dependency.ts'
import type { HttpResult } from '../../../lib/platform/http/shell.ts'
import { eventOf } from '../../harness/app.ts'

/** Table and bucket at an address where nothing listens. */
const NOWHERE = 'http://127.0.0.1:1'
const settings = {
  STAGE: 'local',
  DEBUG: 'true',
  SERVICE_DEV_AUTH: 'true',
  SECRET_KEY: 'test-only-secret-key-of-32-bytes-or-more',
  TABLE_NAME: 'nowhere',
  BUCKET_NAME: 'nowhere',
  DYNAMODB_ENDPOINT: NOWHERE,
  S3_ENDPOINT: NOWHERE,
  LAMBDA_ENDPOINT: NOWHERE,
  LOG_LEVEL: 'info',
}

test('a table that cannot be reached is 503, and an error of the log that names it', async () => {
  Object.assign(process.env, settings)
  const { handler } = await import('../../../functions/records.ts')
  const lines: { message: string; level: string; dependency?: string }[] = []
  const print = console.log
  console.log = (line: string) => lines.push(JSON.parse(line))
  const context = { getRemainingTimeInMillis: () => 29_000 } as never
  const reply: HttpResult = await handler(await eventOf('GET', '/cidoc/structures/', {}, {}), context)
  console.log = print
  expect([reply.statusCode, reply.body]).toEqual([503, '{"detail":"Temporarily unavailable. Try again."}'])
  expect(reply.headers?.['retry-after']).toBe('1')
  expect(lines.find((it) => it.message === 'request')).toMatchObject({ level: 'ERROR', dependency: 'table' })
})

test('a bucket that cannot be reached is known as such, too', async () => {
  Object.assign(process.env, settings)
  const { bucket } = await import('../../../lib/engines/bucket/blobs.ts')
  const { s3, HeadBucketCommand } = await bucket()
  const error: unknown = await s3.send(new HeadBucketCommand({ Bucket: 'nowhere' })).catch((it: unknown) => it)
  expect(dependencyAway(error)).toBe('bucket')
})

test('a fault of ours is none of a dependency', () => {
  for (const error of [new Error('ours'), Object.assign(new Error(), { code: 'ECONNREFUSED' }), undefined, 'text'])
    expect(dependencyAway(error)).toBeUndefined()
})
