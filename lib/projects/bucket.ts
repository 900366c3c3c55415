import { getObject, putObject } from '../files/blobs.ts'
import type { Bucket } from './snapshots.ts'

/** Where the states of projects before their merges are kept. */
export const bucket: Bucket = {
  keep: (name, bytes) => putObject(name, bytes, 'application/gzip'),
  read: async (name) => (await getObject(name))?.bytes,
}
