import { createHash } from 'node:crypto'
import { readSync, writeSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newId } from '../../base/clock.ts'
import { type Source, windowedSource } from './formats/source.ts'

/** A file on the disk of the function: as large as it is, it takes no memory. */
export type Spool = { source: Source; sha256: string }

/**
 * Writes a stream to a temporary file, and gives it to `work` as a source that can be read at any place. The file is
 * gone when `work` ends. Undefined if more than `most` bytes come.
 */
export async function withSpool<T>(
  body: AsyncIterable<Uint8Array>,
  most: number,
  work: (spool: Spool) => Promise<T>,
): Promise<T | undefined> {
  const path = join(tmpdir(), `upload-${newId()}`)
  // The file loses its name while it is open, and is closed at the end of this function. So nothing stays, however it
  // ends.
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
  const source = windowedSource(size, (into, at) => readWhole(file.fd, into, at))
  return await work({ source, sha256: hash.digest('hex') })
}

function writeWhole(fd: number, block: Uint8Array): void {
  for (let done = 0; done < block.length; ) done += writeSync(fd, block, done)
}

function readWhole(fd: number, into: Buffer, at: number): void {
  for (let done = 0; done < into.length; ) {
    const read = readSync(fd, into, done, into.length - done, at + done)
    if (read === 0) throw new Error('the temporary file is shorter than it was')
    done += read
  }
}
