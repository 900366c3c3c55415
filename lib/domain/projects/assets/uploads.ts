import { clock, later, newId, now } from '../../../base/clock.ts'
import { mapAtOnce } from '../../../base/concurrency.ts'
import { conflict, goneForGood, isDone } from '../../../base/errors.ts'
import { runUnit } from '../../../engines/table/immediate.ts'
import {
  get,
  holdItem,
  isHeld,
  parse,
  put,
  releaseItem,
  remove as removal,
  type UnitOfWork,
  walk,
} from '../../../engines/table/index.ts'
import type { Actor } from '../../../platform/permissions.ts'
import { loadUser, mayActFor } from '../../../platform/users/users.ts'
import type { Project } from '../items.ts'
import { checkOpen } from '../projects.ts'
import { checkAssetCount } from './assets.ts'
import { type AssetUpload, type AssetUploadInput, upload } from './upload-items.ts'

/** Bytes of the largest file. */
export const LARGEST_UPLOAD = 50 * 1024 * 1024
/** Seconds from the beginning of an upload to its end. */
const LIFETIME_S = 24 * 3600
/** Seconds of the lease to complete an upload. */
const LEASE_S = 120
/** The most attempts to complete an upload. Each may leave an object in the bucket until the upload ends. */
const MAX_ATTEMPTS = 20

export type AnnouncedUpload = AssetUploadInput & {
  file_name: string
  size: number
  content_type: string
  sha256: string | null
  run_ocr: boolean
}

/**
 * Announces a file for a project. If `direct`, the client posts it to the bucket. Else it came with the request. Fails with
 * `refused` if the project is frozen, and with `invalid` if it has `MAX_ASSETS` assets.
 */
export async function beginUpload(
  unit: UnitOfWork,
  about: Project,
  actor: Actor,
  announced: AnnouncedUpload,
  direct: boolean,
): Promise<AssetUpload> {
  checkOpen(about)
  checkAssetCount(about)
  const id = orderedId()
  const begun: AssetUpload = {
    ...announced,
    id,
    project_id: about.id,
    uploaded_by: actor.id,
    ownership: actor.ownership ?? 1,
    pending_key: direct ? `uploads/${about.id}/${id}` : null,
    object_keys: direct ? [] : [objectKey(about.id, id)],
    held_until: null,
    until: later(LIFETIME_S),
    created_at: now(),
    version: 1,
  }
  unit.add([put(upload, begun, undefined)])
  return begun
}

/** Loads an upload of a project by its id. Undefined if absent. */
export const loadUpload = (project_id: string, id: string): Promise<AssetUpload | undefined> =>
  get(upload, { project_id, id })

/** Fails with `gone` if the account that announced the upload has another owner by now. One call. */
export async function checkUploader(it: AssetUpload): Promise<void> {
  if (!mayActFor(await loadUser(it.uploaded_by), it)) throw hasExpired()
}
const hasExpired = () => goneForGood('This upload has expired. Begin a new one.')

/**
 * Takes the lease of an upload to complete it, with an object key for this attempt alone. Fails with `gone` if the upload has
 * expired, and with `conflict` while another request completes it.
 */
export function holdAssetUpload(unit: UnitOfWork, old: AssetUpload): AssetUpload {
  if (old.until <= now() || old.object_keys.length >= MAX_ATTEMPTS) throw hasExpired()
  const object_keys = [...old.object_keys, objectKey(old.project_id, old.id)]
  return holdItem(unit, upload, old, LEASE_S, uploadInProgress, { object_keys })
}

const uploadInProgress = () => conflict('This upload is being completed right now.')

/** Gives the lease back after a file was refused, so that another file can be sent. */
export const releaseAssetUpload = (unit: UnitOfWork, held: AssetUpload): void => releaseItem(unit, upload, held)

/** Ends an upload. Its objects are deleted after the commit. */
export const endUpload = (unit: UnitOfWork, old: AssetUpload): void => unit.add([removal(upload, old)])

/** The most uploads that one run ends. The next run continues. */
const MOST_ENDED = 500
const ENDED_AT_ONCE = 8

/** Ends the uploads that have expired. Returns their number. Safe to run twice at once. */
export async function sweepUploads(): Promise<number> {
  const oldest = await walk({ index: 'gsi1', pk: 'UPLOAD', forward: true, limit: MOST_ENDED })
  const expired = oldest.map((item) => parse(upload, item)).filter((it) => it.until <= now())
  const results = await mapAtOnce(expired, ENDED_AT_ONCE, endIfExpired)
  return results.filter((isEnded) => isEnded).length
}

/** The index may still list an upload that has ended or become an asset, so the upload itself is read. */
async function endIfExpired({ project_id, id }: AssetUpload): Promise<boolean> {
  const latest = await loadUpload(project_id, id)
  // A request that completes the upload keeps it until the lease ends.
  if (!latest || isHeld(latest)) return false
  return isDone(runUnit((unit) => endUpload(unit, latest)))
}

/** The key names the project, the upload and the attempt, so no two attempts share an object. */
const objectKey = (project: string, id: string) => `assets/${project}/${id}/${newId()}`

/** A UUID of version 7. It begins with the time, so a list by id is a list by age. */
function orderedId(): string {
  const time = clock.now().getTime().toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${newId().slice(15)}`
}
