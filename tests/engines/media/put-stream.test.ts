import { Readable } from 'node:stream'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { openApp } from '../../harness/app.ts'

beforeAll(() => openApp({ env: { LOG_LEVEL: 'silent' } }))

const bytes = Buffer.alloc(300_000, 'stream ')
const opened: Readable[] = []
const open = () => {
  const stream = Readable.from([bytes.subarray(0, 100_000), bytes.subarray(100_000)], { objectMode: false })
  opened.push(stream)
  return stream
}

/** So many calls find their connection gone, after some of the body was read. */
async function losing(times: number): Promise<void> {
  const { s3 } = await (await import('../../../lib/engines/bucket/blobs.ts')).bucket()
  let left = times
  s3.middlewareStack.add(
    (next) => async (args) => {
      if (left === 0) return next(args)
      left -= 1
      opened.at(-1)?.read(10)
      throw Object.assign(new Error('write EPIPE'), { name: 'TimeoutError' })
    },
    { step: 'finalizeRequest', name: 'lost', priority: 'low' },
  )
}
afterEach(async () => {
  const { s3 } = await (await import('../../../lib/engines/bucket/blobs.ts')).bucket()
  s3.middlewareStack.remove('lost')
  opened.length = 0
})

test('a stream whose connection was gone is sent anew, whole', async () => {
  const { getObject, putStream } = await import('../../../lib/engines/bucket/blobs.ts')
  await losing(2)
  await putStream('imports/again', open, bytes.length, 'text/csv')
  expect(opened.length).toBe(3)
  expect(Buffer.from((await getObject('imports/again'))?.bytes ?? []).equals(bytes)).toBe(true)
})

test('a bucket that stays away is told, after four attempts', async () => {
  const { putStream, objectSize } = await import('../../../lib/engines/bucket/blobs.ts')
  await losing(100)
  await expect(putStream('imports/never', open, bytes.length, 'text/csv')).rejects.toThrow('write EPIPE')
  expect(opened.length).toBe(4)
  const { s3 } = await (await import('../../../lib/engines/bucket/blobs.ts')).bucket()
  s3.middlewareStack.remove('lost')
  expect(await objectSize('imports/never')).toBeUndefined()
})
