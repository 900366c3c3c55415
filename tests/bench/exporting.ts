import { GetObjectCommand } from '@aws-sdk/client-s3'
import { watched } from './tools/watched.ts'

/** A process that makes the public exports once and nothing else, for measuring what that takes. It takes the table of its environment. */
const { handler } = await import('../../functions/exporter.ts')
const { loadListing } = await import('../../lib/doors/exports/listing.ts')
const { Bucket, bucket } = await import('../../lib/engines/bucket/blobs.ts')
const { s3 } = await bucket()
const { measureCost } = await import('../../lib/base/telemetry/request-cost.ts')
// Whatever is loaded or opened by the first call to the bucket is no part of a run.
await s3.send(new GetObjectCommand({ Bucket, Key: 'exports/none' })).catch(() => {})
const { value, ms, idle, peak } = await watched(() =>
  measureCost(async (meter) => {
    await handler()
    return { calls: meter.calls, units: meter.units }
  }),
)
const files = (await loadListing())?.files ?? []
const sum = (of: 'bytes' | 'rows') => files.reduce((total, file) => total + file[of], 0)
process.send?.({
  idle,
  peak,
  seconds: ms / 1000,
  ...value,
  files: files.length,
  bytes: sum('bytes'),
  rows: sum('rows'),
})
