import { later, newId, now } from '../../base/clock.ts'
import { conflict, goneForGood, isDone } from '../../base/errors.ts'
import { deleteObject } from '../../engines/bucket/index.ts'
import { commitWrites } from '../../engines/table/immediate.ts'
import {
  get,
  heldFor,
  holdItem,
  isHeld,
  parse,
  put,
  releaseItem,
  remove,
  type UnitOfWork,
  type Write,
  walk,
  withNextVersion,
} from '../../engines/table/index.ts'
import type { Actor } from '../../platform/permissions.ts'
import { type ImageFacts, type PictureFile, pictureFile, pictureObjectKey, UNNAMED } from './items.ts'

/** The largest accepted file, in bytes. */
export const MAX_PICTURE_BYTES = 50 * 1024 * 1024
/** Seconds that a file waits for a contribution that names it. */
const LIFETIME_S = 3 * 86_400
/** Seconds of the lease to complete an upload, or to delete a file. */
const LEASE_S = 120

export type PictureUploadInput = PictureFile['announced'] & { file_name: string }

/**
 * Stores the announcement of a file. If `direct`, the client will post the file to the bucket. Else the file came with the request,
 * and this request holds the lease to complete the upload.
 */
export async function announceFile(
  unit: UnitOfWork,
  actor: Actor,
  { file_name, ...announced }: PictureUploadInput,
  direct: boolean,
): Promise<PictureFile> {
  const id = newId()
  const file: PictureFile = {
    id,
    uploaded_by: actor.id,
    ownership: actor.ownership ?? 1,
    file_name,
    announced,
    pending_key: direct ? `uploads/pictures/${id}` : null,
    facts: null,
    held_until: direct ? null : heldFor(LEASE_S),
    until: later(LIFETIME_S),
    created_at: now(),
    version: 1,
  }
  unit.add([put(pictureFile, file, undefined)])
  return file
}

/**
 * Announces a file that the service itself copies for a record. Returns the write that keeps the file; commit it with the
 * record, else the sweeper deletes the file. Safe to repeat. Fails with `conflict` while the sweeper deletes the file.
 */
export async function announceCopy(
  id: string,
  { uploaded_by, file_name, facts }: Pick<PictureFile, 'uploaded_by' | 'file_name'> & { facts: ImageFacts },
): Promise<Write[]> {
  const old = await loadPictureFile(id)
  if (old?.until === null) return []
  if (old && isHeld(old)) throw uploadInProgress()
  const until = later(LIFETIME_S)
  const next: PictureFile = old
    ? withNextVersion<PictureFile>(old, { until })
    : {
        id,
        uploaded_by,
        ownership: 1,
        file_name,
        announced: { size: facts.size, content_type: facts.content_type, sha256: facts.sha256 },
        pending_key: null,
        facts,
        held_until: null,
        until,
        created_at: now(),
        version: 1,
      }
  await commitWrites([put(pictureFile, next, old)])
  return [keepFile(next)]
}

/** The write that keeps a file for good. A contribution that names the file commits it. */
export const keepFile = (file: PictureFile): Write =>
  put(pictureFile, withNextVersion<PictureFile>(file, { until: null }), file)

/** The writes that hand files back to the sweeper, because no record names them any more. */
export async function planRelease(ids: readonly string[]): Promise<Write[]> {
  const files = await Promise.all(ids.map(loadPictureFile))
  return files.flatMap((file) =>
    file?.until === null
      ? [put(pictureFile, withNextVersion<PictureFile>(file, { until: later(LIFETIME_S) }), file)]
      : [],
  )
}

export const loadPictureFile = (id: string): Promise<PictureFile | undefined> => get(pictureFile, { id })

/**
 * Takes the lease to complete an upload. Fails with `gone` if the upload has expired or was announced by an earlier owner of the account.
 * Fails with `conflict` while another request has the lease.
 */
export function holdPictureUpload(unit: UnitOfWork, old: PictureFile, actor: Actor): PictureFile {
  if ((old.until !== null && old.until <= now()) || old.ownership !== (actor.ownership ?? 1))
    throw goneForGood('This upload has expired. Begin a new one.')
  return holdItem(unit, pictureFile, old, LEASE_S, uploadInProgress)
}

const uploadInProgress = () => conflict('This upload is being completed right now.')

/** Ends the lease on an upload whose file was refused, so that another file can be sent. */
export const releasePictureUpload = (unit: UnitOfWork, held: PictureFile): void => releaseItem(unit, pictureFile, held)

/** Stores the facts of the stored file, and ends the lease. Fails with `conflict` if another request has the lease by now. */
export async function completeUpload(unit: UnitOfWork, old: PictureFile, facts: ImageFacts): Promise<PictureFile> {
  const next = withNextVersion<PictureFile>(old, { facts, held_until: null, pending_key: null })
  unit.add([put(pictureFile, next, old)])
  return next
}

/** Files that one visit of the sweeper looks at. */
const FILES_PER_VISIT = 200

/**
 * Deletes the files that no record has named in time. Returns their number. Safe to run twice at once.
 *
 * 1. It takes the lease, which raises the version. If a record names the file at the same time, one of the two writes fails.
 * 2. It deletes the objects.
 * 3. It removes the item.
 */
export async function sweepPictures(): Promise<number> {
  const oldest = await walk({ index: 'gsi1', pk: UNNAMED, forward: true, limit: FILES_PER_VISIT })
  let deleted = 0
  for (const { id } of oldest.map((item) => parse(pictureFile, item))) if (await sweepFile(id)) deleted += 1
  return deleted
}

async function sweepFile(id: string): Promise<boolean> {
  // The index may lag, so the item is read again.
  const file = await loadPictureFile(id)
  if (file?.until == null || file.until > now() || isHeld(file)) return false
  return isDone(deleteFile(file))
}

async function deleteFile(file: PictureFile): Promise<void> {
  const held = withNextVersion<PictureFile>(file, { held_until: heldFor(LEASE_S) })
  await commitWrites([put(pictureFile, held, file)])
  await deleteObject(pictureObjectKey(file.id))
  if (file.pending_key) await deleteObject(file.pending_key)
  await commitWrites([remove(pictureFile, held)])
}
