import { later, newId, now } from '../../base/clock.ts'
import { conflict, goneForGood, isDone } from '../../base/errors.ts'
import { deleteObject } from '../../engines/bucket/index.ts'
import {
  commitWrites,
  get,
  parse,
  put,
  remove as removal,
  type UnitOfWork,
  type Write,
  walk,
  withNextVersion,
} from '../../engines/table/index.ts'

import type { Actor } from '../../platform/permissions.ts'
import { type Facts, objectKey, type PictureFile, pictureFile, UNNAMED } from './items.ts'

/** The largest file that is taken, in bytes. */
export const LARGEST_PICTURE = 50 * 1024 * 1024
/** How long a file waits for a contribution that names it, in seconds. */
const LIFETIME_S = 3 * 86_400
/** The lease on an upload while it is completed, in seconds. */
const HOLD_S = 120

export type UploadInput = PictureFile['announced'] & { file_name: string }

/** Announces a file. `direct`: the client will post it to the bucket. Otherwise it came with the request. */
export async function announceFile(
  unit: UnitOfWork,
  actor: Actor,
  { file_name, ...announced }: UploadInput,
  direct: boolean,
): Promise<PictureFile> {
  const id = newId()
  const made: PictureFile = {
    id,
    uploaded_by: actor.id,
    file_name,
    announced,
    pending_key: direct ? `uploads/pictures/${id}` : null,
    facts: null,
    held_until: direct ? null : later(HOLD_S),
    until: later(LIFETIME_S),
    created_at: now(),
    version: 1,
  }
  unit.add([put(pictureFile, made, undefined)])
  return made
}

/**
 * Announces a file that the service itself copies for a record. Returns the write that keeps the file; commit it with the
 * record, else the sweeper deletes the file. Safe to repeat. Fails with `conflict` while the sweeper deletes the file.
 */
export async function announceCopy(
  id: string,
  { facts, ...said }: Pick<PictureFile, 'uploaded_by' | 'file_name'> & { facts: Facts },
): Promise<Write[]> {
  const old = await loadFile(id)
  if (old?.until === null) return []
  if (old?.held_until && old.held_until > now()) throw uploadInProgress()
  const { size, content_type, sha256 } = facts
  const announced = { size, content_type, sha256 }
  const fresh = { id, ...said, announced, facts, pending_key: null, held_until: null, created_at: now(), version: 1 }
  const next = old
    ? withNextVersion<PictureFile>(old, { until: later(LIFETIME_S) })
    : { ...fresh, until: later(LIFETIME_S) }
  await commitWrites([put(pictureFile, next, old)])
  return [keepFile(next)]
}

/** The write that keeps a file for good, because a record names it. */
export const keepFile = (it: PictureFile): Write =>
  put(pictureFile, withNextVersion<PictureFile>(it, { until: null }), it)

/** The writes that hand files back to the sweeper, because no record names them any more. */
export async function planRelease(ids: readonly string[]): Promise<Write[]> {
  const found = await Promise.all(ids.map(loadFile))
  return found.flatMap((it) =>
    it?.until === null ? [put(pictureFile, withNextVersion<PictureFile>(it, { until: later(LIFETIME_S) }), it)] : [],
  )
}

export const loadFile = (id: string): Promise<PictureFile | undefined> => get(pictureFile, { id })

/** Takes the lease on an upload. Fails with `gone` when it has expired, and with `conflict` while somebody else has the lease. */
export function holdUpload(unit: UnitOfWork, old: PictureFile): PictureFile {
  if (old.until !== null && old.until <= now()) throw goneForGood('This upload has expired. Begin a new one.')
  if (old.held_until !== null && old.held_until > now()) throw uploadInProgress()
  const next = withNextVersion<PictureFile>(old, { held_until: later(HOLD_S) })
  unit.add([put(pictureFile, next, old, uploadInProgress)])
  return next
}

const uploadInProgress = () => conflict('This upload is being completed right now.')

/** Ends the lease on an upload whose file was refused, so that another file can be sent. */
export const releaseUpload = (unit: UnitOfWork, old: PictureFile): void =>
  unit.add([put(pictureFile, withNextVersion<PictureFile>(old, { held_until: null }), old)])

/** Notes that the file is stored, and ends the lease. Fails with `conflict` when the lease has passed to somebody else. */
export async function completeUpload(unit: UnitOfWork, old: PictureFile, facts: Facts): Promise<PictureFile> {
  const next = withNextVersion<PictureFile>(old, { facts, held_until: null, pending_key: null })
  unit.add([put(pictureFile, next, old)])
  return next
}

/** The most files that one visit of the sweeper looks at. */
const MOST = 200

/**
 * Deletes the files that no record has named in time. Returns how many it deleted. Safe to run twice at once.
 *
 * 1. It takes the lease, which raises the version. If a record names the file at the same time, the slower of both fails.
 * 2. It deletes the objects.
 * 3. It removes the item.
 */
export async function sweepPictures(): Promise<number> {
  const oldest = await walk({ index: 'gsi1', pk: UNNAMED, forward: true, limit: MOST })
  let cleared = 0
  for (const { id } of oldest.map((item) => parse(pictureFile, item))) if (await sweepFile(id)) cleared += 1
  return cleared
}

async function sweepFile(id: string): Promise<boolean> {
  const it = await loadFile(id)
  // The index may be behind: the item is read again.
  if (it?.until == null || it.until > now() || (it.held_until !== null && it.held_until > now())) return false
  return isDone(deleteFile(it))
}

async function deleteFile(it: PictureFile): Promise<void> {
  const going = withNextVersion<PictureFile>(it, { held_until: later(HOLD_S) })
  await commitWrites([put(pictureFile, going, it)])
  for (const key of [objectKey(it.id), ...(it.pending_key ? [it.pending_key] : [])]) await deleteObject(key)
  await commitWrites([removal(pictureFile, going)])
}
