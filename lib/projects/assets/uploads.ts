import { clock, later, newId, now } from '../../clock.ts'
import { commit } from '../../commit.ts'
import { conflict, gone, isDone } from '../../errors.ts'
import type { Actor } from '../../permissions.ts'
import { amended, parse, put, remove as removal } from '../../table/item.ts'
import { get, walk } from '../../table/read.ts'
import { transact } from '../../table/write.ts'
import type { Project } from '../items.ts'
import { checkOpen } from '../projects.ts'
import { checkRoom } from './assets.ts'
import { type Upload, type UploadInput, upload } from './upload-items.ts'

/** The largest file that is taken. */
export const LARGEST_UPLOAD = 50 * 1024 * 1024
/** How long an upload may take from its beginning to its completion. */
const LIFETIME = 24 * 3600
/** How long completing one may take before somebody else may try. */
const HOLD = 120
/** Tries beyond these are refused: each may leave an object behind until the upload ends. */
const MOST_TRIES = 20

export type Announced = UploadInput & {
  file_name: string
  size: number
  content_type: string
  sha256: string | null
  run_ocr: boolean
}

/**
 * Notes that a file is coming for a project. `direct` files are put into the bucket by the client; the others have come
 * with the request. Fails with `refused` while the project stands still, and with `invalid` when it is full.
 */
export async function begin(about: Project, actor: Actor, announced: Announced, direct: boolean): Promise<Upload> {
  checkOpen(about)
  checkRoom(about)
  const id = orderedId()
  const made: Upload = {
    ...announced,
    id,
    project_id: about.id,
    uploaded_by: actor.id,
    pending_key: direct ? `uploads/${about.id}/${id}` : null,
    object_keys: direct ? [] : [objectKey(about.id, id)],
    held_until: null,
    until: later(LIFETIME),
    created_at: now(),
    version: 1,
  }
  await commit([put(upload, made, undefined)])
  return made
}

/** The upload of a project with this id. */
export const loadUpload = (project_id: string, id: string): Promise<Upload | undefined> =>
  get(upload, { project_id, id })

/**
 * Takes an upload to complete it, under an object key of this try alone. Fails with `gone` when it has expired, and with
 * `conflict` while somebody else is at it.
 */
export async function take(old: Upload): Promise<Upload> {
  if (old.until <= now() || old.object_keys.length >= MOST_TRIES)
    throw gone('This upload has expired. Begin a new one.')
  if (old.held_until !== null && old.held_until > now()) throw atWork()
  const object_keys = [...old.object_keys, objectKey(old.project_id, old.id)]
  const next = amended<Upload>(old, { object_keys, held_until: later(HOLD) })
  await transact([put(upload, next, old, atWork)])
  return next
}

const atWork = () => conflict('This upload is being completed right now.')

/** Lets go of an upload whose file was refused, so that another one can be sent. */
export async function release(old: Upload): Promise<void> {
  await transact([put(upload, amended<Upload>(old, { held_until: null }), old)])
}

/** Ends an upload. What lies in the bucket for it is cleared away after the commit. */
export async function end(old: Upload): Promise<void> {
  await transact([removal(upload, old)])
}

/** At most this many are ended in one visit, and this many at once; the next visit goes on. */
const MOST = 500
const AT_ONCE = 8

/** Ends the uploads that have expired; answers how many. Safe to run twice at once. */
export async function sweepUploads(): Promise<number> {
  const oldest = await walk({ index: 'gsi1', pk: 'UPLOAD', forward: true, limit: MOST })
  const expired = oldest.map((item) => parse(upload, item)).filter((it) => it.until <= now())
  let ended = 0
  for (let start = 0; start < expired.length; start += AT_ONCE) {
    const done = await Promise.all(expired.slice(start, start + AT_ONCE).map(endIfStill))
    ended += done.filter(Boolean).length
  }
  return ended
}

/** The index may be behind: what has been ended or completed meanwhile is none of ours. */
async function endIfStill({ project_id, id }: Upload): Promise<boolean> {
  const latest = await loadUpload(project_id, id)
  // Whoever completes it at the last moment comes to an end first.
  if (!latest || (latest.held_until !== null && latest.held_until > now())) return false
  return isDone(end(latest))
}

/** An object is named by what it belongs to and by the try that has made it, so no two tries ever share one. */
const objectKey = (project: string, id: string) => `assets/${project}/${id}/${newId()}`

/** A UUID (version 7) that begins with the time, so that what is listed by id is listed by age. */
function orderedId(): string {
  const time = clock.now().getTime().toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${newId().slice(15)}`
}
