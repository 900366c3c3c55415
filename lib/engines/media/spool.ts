import { createHash } from 'node:crypto'
import { readSync, writeSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newId } from '../../base/clock.ts'
import { type Source, windowedSource } from './formats/source.ts'

/** A temporary file on the disk of the function, so that a large object takes no memory. */
export type Spool = { source: Source; sha256: string }

/**
 * Writes a stream to a temporary file and passes it to `work` as a source. Deletes the file when `work` ends. Undefined
 * if the stream has more than `most` bytes.
 */
export async function withSpool<T>(
  body: AsyncIterable<Uint8Array>,
  most: number,
  work: (spool: Spool) => Promise<T>,
): Promise<T | undefined> {
  const path = join(tmpdir(), `upload-${newId()}`)
  // The name is removed while the file is open, and the file is closed when this function ends. So it is always
  // deleted, also after an error.
  await using file = await open(path, 'wx+', 0o600)
  await rm(path)
  const hash = createHash('sha256')
  let size = 0
  for await (const block of body) {
    size += block.length
    if (size > most) return undefined
    hash.update(block)
    writeWhole(file.fd, block)
  }
  const source = windowedSource(size, (into, position) => readWhole(file.fd, into, position))
  return await work({ source, sha256: hash.digest('hex') })
}

function writeWhole(fd: number, block: Uint8Array): void {
  for (let done = 0; done < block.length; ) done += writeSync(fd, block, done)
}

function readWhole(fd: number, into: Buffer, position: number): void {
  for (let done = 0; done < into.length; ) {
    const read = readSync(fd, into, done, into.length - done, position + done)
    if (read === 0) throw new Error('the temporary file is shorter than it was')
    done += read
  }
}
