import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { lru } from '../lru.ts'

/** A file as it is shipped: packed, with a tag that changes with its content. */
export type Shipped = { packed: Uint8Array; tag: string }

/** A file that was built before the service and lies beside it. Read when it is first asked for, then kept. */
export function shipped(name: string): Promise<Shipped> {
  const known = kept.get(name)
  if (known) return known
  const reading = read(name)
  kept.set(name, reading)
  // What failed once is tried again.
  reading.catch(() => kept.delete(name))
  return reading
}

/** What a file says, for a client that takes nothing packed. */
export const unpacked = ({ packed }: Shipped): Uint8Array => gunzipSync(packed)

/** Where the build puts them, below the working directory: the project's, and on Lambda the package's. */
export const FOLDER = '.build/documents'

const kept = lru<string, Promise<Shipped>>(20)

async function read(name: string): Promise<Shipped> {
  const packed = new Uint8Array(await readFile(join(FOLDER, `${name}.gz`)))
  return { packed, tag: createHash('sha256').update(packed).digest('base64url').slice(0, 16) }
}
