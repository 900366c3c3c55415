import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, readdirSync, rmSync, statSync } from 'node:fs'
import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'
import * as v from 'valibot'
import { newId, now } from '../../../base/clock.ts'
import { config } from '../../../base/config.ts'
import { isDone } from '../../../base/errors.ts'
import { deleteObject, forgetLooseFile, markLoose, putFile, streamObject, withFile } from '../../bucket/index.ts'
import { commitWrites } from '../../table/immediate.ts'
import { defineItem, get, put } from '../../table/index.ts'
import type { BuildResult } from '../index/build.ts'
import { searchKey } from '../keys.ts'
import { trimLog } from '../log.ts'

/** A snapshot in the bucket: a compressed SQLite file. */
export const StoredSnapshot = v.object({
  id: v.string(),
  key: v.string(),
  /** Hash of the compressed object. */
  sha256: v.string(),
  /** Size of the compressed object. */
  bytes: v.number(),
  /** The last entry of the change log that the snapshot contains. */
  position: v.number(),
  /** The number of changes in the log up to that entry. */
  changes: v.number(),
  documents: v.number(),
  made_at: v.string(),
})
export type StoredSnapshot = v.InferOutput<typeof StoredSnapshot>

/**
 * The current snapshot, and the previous one, which is used if the current one cannot be read. `unreadable` is true if a process failed to
 * read the current snapshot.
 */
const Pointer = v.object({
  current: StoredSnapshot,
  previous: v.nullable(StoredSnapshot),
  unreadable: v.optional(v.boolean(), false),
  version: v.number(),
})
export type Pointer = v.InferOutput<typeof Pointer>
const pointer = defineItem({ type: 'search-snapshot', schema: Pointer, key: () => searchKey.searchSnapshot() })

export const loadPointer = (): Promise<Pointer | undefined> => get(pointer, {})

/**
 * Marks the current snapshot as unreadable, so that the next sweep makes another snapshot. Fails with `conflict` if the pointer has changed.
 */
export async function markUnreadable(old: Pointer): Promise<void> {
  if (!old.unreadable) await commitWrites([put(pointer, { ...old, unreadable: true, version: old.version + 1 }, old)])
}

/** Streams use chunks of 1 MiB: the default of 16 KB takes three times the processor time. */
const large = { chunkSize: 2 ** 20 }

/** A snapshot is missing in the bucket, or is not as it was stored. */
export class UnreadableSnapshot extends Error {}

/** Fetches a snapshot unless this machine has it, and returns its path. Fails with `UnreadableSnapshot` if the object is missing or altered. */
export async function fetchSnapshot(snapshot: StoredSnapshot): Promise<string> {
  const path = snapshotPath(snapshot.id)
  if (await exists(path)) return path
  const object = (await streamObject(snapshot.key))?.body
  if (!object) throw new UnreadableSnapshot('missing')
  const hash = createHash('sha256')
  const partial = `${path}.${newId()}`
  try {
    object.on('data', (bytes: Uint8Array) => hash.update(bytes))
    await pipeline(object, createZstdDecompress(large), createWriteStream(partial))
    if (hash.digest('hex') !== snapshot.sha256) throw new UnreadableSnapshot('altered')
    // The file gets its final name when it is complete, since other processes may open any file of that name.
    await rename(partial, path)
  } catch (error) {
    await rm(partial, { force: true })
    throw error instanceof Error && 'code' in error && String(error.code).startsWith('ZSTD')
      ? new UnreadableSnapshot('damaged')
      : error
  }
  return path
}

/**
 * Makes a built file the current snapshot, if `old` is still the pointer:
 *
 * 1. It uploads the file.
 * 2. It writes the pointer in one transaction.
 * 3. It deletes the snapshot that the pointer no longer names, and the entries of the log before the previous snapshot.
 *
 * Undefined if another process has written the pointer first.
 */
export async function publishSnapshot(
  id: string,
  built: BuildResult,
  changes: number,
  old: Pointer | undefined,
): Promise<StoredSnapshot | undefined> {
  const compressed = `${snapshotPath(id)}.zst`
  const hash = createHash('sha256')
  const file = createReadStream(snapshotPath(id), { highWaterMark: large.chunkSize })
  await pipeline(file, createZstdCompress(large), createWriteStream(compressed))
  for await (const bytes of createReadStream(compressed)) hash.update(bytes)
  const { size } = await stat(compressed)
  const current: StoredSnapshot = {
    id,
    key: `search/${id}.sqlite.zst`,
    sha256: hash.digest('hex'),
    bytes: size,
    position: built.position,
    changes,
    documents: built.documents,
    made_at: now(),
  }
  // An unreadable snapshot is not kept as the previous one.
  const [kept, dropped] = old?.unreadable ? [old.previous, old.current] : [old?.current, old?.previous]
  const next: Pointer = { current, previous: kept ?? null, unreadable: false, version: (old?.version ?? 0) + 1 }
  const made = withFile(current.key, async (expected) => {
    await putFile(current.key, compressed, 'application/zstd')
    await rm(compressed, { force: true })
    await commitWrites([
      put(pointer, next, old),
      forgetLooseFile(expected),
      ...(dropped ? [markLoose(dropped.key)] : []),
    ])
  })
  if (!(await isDone(made))) return undefined
  // If this fails, the sweeper deletes the object later.
  if (dropped) await deleteObject(dropped.key).catch(() => undefined)
  if (kept) await trimLog(kept.position)
  return current
}

/** The path of a snapshot on this machine. All processes share the file, since it never changes. */
export const snapshotPath = (id: string): string => join(directory(), `${prefix()}${id}.sqlite`)

/** Makes the id and the path of a new snapshot. */
export async function newSnapshotPath(): Promise<{ id: string; path: string }> {
  const id = newId()
  await mkdir(directory(), { recursive: true })
  return { id, path: snapshotPath(id) }
}

/** Age in milliseconds after which a file is complete. A younger file may be incomplete. */
const COMPLETE_AFTER_MS = 600_000

/**
 * Removes this service's other snapshots from this machine. A process that has opened such a file can still read it.
 */
export function removeOtherSnapshots(kept: readonly string[], youngest = COMPLETE_AFTER_MS): void {
  for (const file of readdirSync(directory())) {
    if (!file.startsWith(prefix()) || kept.some((id) => file.includes(id))) continue
    const path = join(directory(), file)
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats && Date.now() - stats.mtimeMs >= youngest) rmSync(path, { force: true })
  }
}

const directory = () => tmpdir()
/** Services on one machine must not remove each other's files. */
const prefix = () => {
  const service = [config.DYNAMODB_ENDPOINT, config.TABLE_NAME, config.S3_ENDPOINT, config.BUCKET_NAME].join(' ')
  return `search-snapshot-${createHash('sha256').update(service).digest('hex').slice(0, 12)}-`
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )
