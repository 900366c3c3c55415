import { copyObject, getObject, putObject } from '../../engines/bucket/index.ts'
import type { Bucket } from './snapshots.ts'

/** The bucket, as snapshots of merges and files of pictures need it. */
export const bucket: Bucket = {
  keep: (name, bytes) => putObject(name, bytes, 'application/gzip'),
  copy: (from, to) => copyObject(from, to),
  read: async (name) => (await getObject(name))?.bytes,
}
