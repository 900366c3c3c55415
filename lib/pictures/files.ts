import { later, newId, now } from '../clock.ts'
import { commit, commitWithAnswer } from '../commit.ts'
import { conflict, gone, isDone } from '../errors.ts'
import { deleteObject } from '../files/blobs.ts'
import type { Actor } from '../permissions.ts'
import { amended, parse, put, remove as removal, type Write } from '../table/item.ts'
import { get, walk } from '../table/read.ts'
import { transact } from '../table/write.ts'
import { type Facts, objectKey, type PictureFile, pictureFile, UNNAMED } from './items.ts'

/** The largest file that is taken. */
export const LARGEST_PICTURE = 50 * 1024 * 1024
/** How long a file waits for a contribution that names it. */
const LIFETIME_S = 3 * 86_400
/** How long completing an upload may take before somebody else may try. */
const HOLD_S = 120

export type Announced = PictureFile['announced'] & { file_name: string }

/** Notes that a file is coming. `direct` files are put into the bucket by the client; the others have come with the request. */
export async function begin(
  actor: Actor,
  { file_name, ...announced }: Announced,
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
  await commit([put(pictureFile, made, undefined)])
  return made
}

/**
 * Notes that the service itself is about to put a file in place for a record. Answers the write that keeps it with the
 * record; without it, the file goes like any that no record names. Begun again, it waits anew. Fails with `conflict` while
 * the sweeper takes it away.
 */
export async function beginCopy(
  id: string,
  { facts, ...said }: Pick<PictureFile, 'uploaded_by' | 'file_name'> & { facts: Facts },
): Promise<Write[]> {
  const old = await load(id)
  if (old?.until === null) return []
  if (old?.held_until && old.held_until > now()) throw atWork()
  const { size, content_type, sha256 } = facts
  const announced = { size, content_type, sha256 }
  const fresh = { id, ...said, announced, facts, pending_key: null, held_until: null, created_at: now(), version: 1 }
  const next = old ? amended<PictureFile>(old, { until: later(LIFETIME_S) }) : { ...fresh, until: later(LIFETIME_S) }
  await transact([put(pictureFile, next, old)])
  return [kept(next)]
}

/** The write by which a record that names a file keeps it. */
export const kept = (it: PictureFile): Write => put(pictureFile, amended<PictureFile>(it, { until: null }), it)

/** The writes that let go of files that no record names any more: they go, like those that none has named in time. */
export async function lettingGo(ids: readonly string[]): Promise<Write[]> {
  const found = await Promise.all(ids.map(load))
  return found.flatMap((it) =>
    it?.until === null ? [put(pictureFile, amended<PictureFile>(it, { until: later(LIFETIME_S) }), it)] : [],
  )
}

/** One file; undefined when there is none. */
export const load = (id: string): Promise<PictureFile | undefined> => get(pictureFile, { id })

/** Takes a file to complete it. Fails with `gone` when it has expired, and with `conflict` while somebody else is at it. */
export async function take(old: PictureFile): Promise<PictureFile> {
  if (old.until !== null && old.until <= now()) throw gone('This upload has expired. Begin a new one.')
  if (old.held_until !== null && old.held_until > now()) throw atWork()
  const next = amended<PictureFile>(old, { held_until: later(HOLD_S) })
  await transact([put(pictureFile, next, old, atWork)])
  return next
}

const atWork = () => conflict('This upload is being completed right now.')

/** Lets go of one whose file was refused, so that another one can be sent. */
export async function release(old: PictureFile): Promise<void> {
  await transact([put(pictureFile, amended<PictureFile>(old, { held_until: null }), old)])
}

/** Notes that the file is there. Whoever was at it for too long fails with `conflict`. */
export async function complete(old: PictureFile, facts: Facts): Promise<PictureFile> {
  const next = amended<PictureFile>(old, { facts, held_until: null, pending_key: null })
  commitWithAnswer([put(pictureFile, next, old)])
  return next
}

/** Files in one visit of the sweeper. */
const MOST = 200

/**
 * Takes away the files that no record has named in time, objects first. What is named in the same moment stays: the mark
 * that it goes is a version of its own. Answers how many have gone; safe to run twice at once.
 */
export async function sweepPictures(): Promise<number> {
  const oldest = await walk({ index: 'gsi1', pk: UNNAMED, forward: true, limit: MOST })
  let cleared = 0
  for (const { id } of oldest.map((item) => parse(pictureFile, item))) if (await clear(id)) cleared += 1
  return cleared
}

async function clear(id: string): Promise<boolean> {
  const it = await load(id)
  // The index may be behind.
  if (it?.until == null || it.until > now() || (it.held_until !== null && it.held_until > now())) return false
  return isDone(takeAway(it))
}

async function takeAway(it: PictureFile): Promise<void> {
  const going = amended<PictureFile>(it, { held_until: later(HOLD_S) })
  await transact([put(pictureFile, going, it)])
  for (const key of [objectKey(it.id), ...(it.pending_key ? [it.pending_key] : [])]) await deleteObject(key)
  await transact([removal(pictureFile, going)])
}
