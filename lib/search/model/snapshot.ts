import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, readdirSync, rmSync, statSync } from 'node:fs'
import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'
import * as v from 'valibot'
import { newId, now } from '../../clock.ts'
import { config } from '../../config.ts'
import { isDone } from '../../errors.ts'
import * as blobs from '../../files/blobs.ts'
import { lettingGoOf, named, withFile } from '../../loose-files.ts'
import { defineItem, put } from '../../table/item.ts'
import { key } from '../../table/keys.ts'
import { get } from '../../table/read.ts'
import { transact } from '../../table/write.ts'
import type { Built } from '../index/build.ts'
import { trim } from '../log.ts'

/** A snapshot in the bucket: a compressed file and what must be true of it. */
export const Snapshot = v.object({
  id: v.string(),
  key: v.string(),
  /** Of the object, as it is stored. */
  sha256: v.string(),
  bytes: v.number(),
  /** The last entry of the change log that is in it, and how many changes there had been. */
  position: v.number(),
  changes: v.number(),
  documents: v.number(),
  made_at: v.string(),
})
export type Snapshot = v.InferOutput<typeof Snapshot>

/** Which snapshots there are: the one that counts and the one before it, should that be unreadable; and whether someone has found it so. */
const Pointer = v.object({
  current: Snapshot,
  previous: v.nullable(Snapshot),
  unreadable: v.optional(v.boolean(), false),
  version: v.number(),
})
export type Pointer = v.InferOutput<typeof Pointer>
const pointer = defineItem({ type: 'search-snapshot', schema: Pointer, key: () => key.searchSnapshot() })

export const loadPointer = (): Promise<Pointer | undefined> => get(pointer, {})

/** Notes that the snapshot that counts cannot be read, so that the next sweep makes another. What has changed meanwhile stays as it is. */
export async function markUnreadable(old: Pointer): Promise<void> {
  if (!old.unreadable) await transact([put(pointer, { ...old, unreadable: true, version: old.version + 1 }, old)])
}

/** By so many bytes at once: the sixteen thousand that are common cost three times the processor time. */
const large = { chunkSize: 2 ** 20 }

/** A snapshot is missing, or is not what was stored. */
export class Unreadable extends Error {}

/** Brings a snapshot to this machine, unless it is there already, and answers its path. Fails with `Unreadable`. */
export async function fetchSnapshot(it: Snapshot): Promise<string> {
  const path = pathOf(it.id)
  if (await isThere(path)) return path
  const object = (await blobs.streamObject(it.key))?.body
  if (!object) throw new Unreadable('missing')
  const hash = createHash('sha256')
  const partial = `${path}.${newId()}`
  try {
    object.on('data', (bytes: Uint8Array) => hash.update(bytes))
    await pipeline(object, createZstdDecompress(large), createWriteStream(partial))
    if (hash.digest('hex') !== it.sha256) throw new Unreadable('altered')
    // The name appears when all of it is there, so other processes may take it as it is.
    await rename(partial, path)
  } catch (error) {
    await rm(partial, { force: true })
    throw error instanceof Error && 'code' in error && String(error.code).startsWith('ZSTD')
      ? new Unreadable('damaged')
      : error
  }
  return path
}

/**
 * Makes a built file the snapshot that counts, if `old` still says which do: uploads it, turns the pointer in one conditional
 * write, then clears away what nobody starts from any more. Answers undefined when someone else was faster.
 */
export async function publish(
  id: string,
  built: Built,
  changes: number,
  old: Pointer | undefined,
): Promise<Snapshot | undefined> {
  const compressed = `${pathOf(id)}.zst`
  const hash = createHash('sha256')
  const file = createReadStream(pathOf(id), { highWaterMark: large.chunkSize })
  await pipeline(file, createZstdCompress(large), createWriteStream(compressed))
  for await (const bytes of createReadStream(compressed)) hash.update(bytes)
  const { size } = await stat(compressed)
  const current: Snapshot = {
    id,
    key: `search/${id}.sqlite.zst`,
    sha256: hash.digest('hex'),
    bytes: size,
    position: built.position,
    changes,
    documents: built.documents,
    made_at: now(),
  }
  // What cannot be read is no help to those who come after.
  const [kept, dropped] = old?.unreadable ? [old.previous, old.current] : [old?.current, old?.previous]
  const next: Pointer = { current, previous: kept ?? null, unreadable: false, version: (old?.version ?? 0) + 1 }
  const made = withFile(current.key, async (expected) => {
    await blobs.putFile(current.key, compressed, 'application/zstd')
    await rm(compressed, { force: true })
    await transact([put(pointer, next, old), named(expected), ...(dropped ? [lettingGoOf(dropped.key)] : [])])
  })
  if (!(await isDone(made))) return undefined
  // Else the sweeper does it.
  if (dropped) await blobs.deleteObject(dropped.key).catch(() => undefined)
  if (kept) await trim(kept.position)
  return current
}

/** Where a snapshot lies on this machine. Several processes share it: it is never changed. */
export const pathOf = (id: string): string => join(directory(), `${prefix()}${id}.sqlite`)

/** Where a file is built before it is a snapshot. */
export async function newPlace(): Promise<{ id: string; path: string }> {
  const id = newId()
  await mkdir(directory(), { recursive: true })
  return { id, path: pathOf(id) }
}

/** A file younger than this may be one that someone is still making. */
const MAKING_MS = 600_000

/** Removes snapshots of this service from this machine but some. Whoever has one open keeps it until it closes it. */
export function forgetOthers(kept: readonly string[], youngest = MAKING_MS): void {
  for (const file of readdirSync(directory())) {
    if (!file.startsWith(prefix()) || kept.some((id) => file.includes(id))) continue
    const path = join(directory(), file)
    const made = statSync(path, { throwIfNoEntry: false })
    if (made && Date.now() - made.mtimeMs >= youngest) rmSync(path, { force: true })
  }
}

const directory = () => tmpdir()
/** Services that run beside each other must not clear away each other's files. */
const prefix = () => {
  const service = [config.DYNAMODB_ENDPOINT, config.TABLE_NAME, config.S3_ENDPOINT, config.BUCKET_NAME].join(' ')
  return `heritage-search-${createHash('sha256').update(service).digest('hex').slice(0, 12)}-`
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )
