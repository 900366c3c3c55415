import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { lru } from '../lru.ts'

/** A file as it is shipped: packed, with a tag that changes with its content. */
export type Shipped = { packed: Uint8Array; tag: string }

/** A file that was built before the service and lies beside it. It is read when first asked for, then kept. */
export function loadShippedFile(name: string): Promise<Shipped> {
  const known = fileCache.get(name)
  if (known) return known
  const reading = readShippedFile(name)
  fileCache.set(name, reading)
  // A file that could not be read is tried again with the next call.
  reading.catch(() => fileCache.delete(name))
  return reading
}

/** The content of a file, for a client that takes nothing packed. */
export const unpackFile = ({ packed }: Shipped): Uint8Array => gunzipSync(packed)

/** Where the build puts them, below the working directory: the project's, and on Lambda the package's. */
export const FOLDER = '.build/documents'

const fileCache = lru<string, Promise<Shipped>>(20)

async function readShippedFile(name: string): Promise<Shipped> {
  const packed = new Uint8Array(await readFile(join(FOLDER, `${name}.gz`)))
  return { packed, tag: createHash('sha256').update(packed).digest('base64url').slice(0, 16) }
}
