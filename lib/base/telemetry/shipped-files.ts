import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { lru } from '../lru.ts'

/** A file of the package: compressed, with a tag that changes with its content. */
export type Shipped = { packed: Uint8Array; tag: string }

/** Loads a file that was built with the service. It is read at the first call, and cached. */
export function loadShippedFile(name: string): Promise<Shipped> {
  const cached = fileCache.get(name)
  if (cached) return cached
  const reading = readShippedFile(name)
  fileCache.set(name, reading)
  // After a failure, the next call reads the file again.
  reading.catch(() => fileCache.delete(name))
  return reading
}

/** The content of a file, for a client that does not accept compression. */
export const unpackFile = ({ packed }: Shipped): Uint8Array => gunzipSync(packed)

/** The folder of these files, below the working directory: the folder of the project, or of the package on Lambda. */
export const FOLDER = '.build/documents'

const fileCache = lru<string, Promise<Shipped>>(20)

async function readShippedFile(name: string): Promise<Shipped> {
  const packed = new Uint8Array(await readFile(join(FOLDER, `${name}.gz`)))
  return { packed, tag: createHash('sha256').update(packed).digest('base64url').slice(0, 16) }
}
