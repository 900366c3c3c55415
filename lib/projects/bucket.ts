import { copyObject, getObject, putObject } from '../files/blobs.ts'
import type { Bucket } from './snapshots.ts'

/** Where the states of projects before their merges are kept, and the files of pictures. */
export const bucket: Bucket = {
  keep: (name, bytes) => putObject(name, bytes, 'application/gzip'),
  copy: (from, to) => copyObject(from, to),
  read: async (name) => (await getObject(name))?.bytes,
}
