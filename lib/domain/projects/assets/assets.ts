import { now } from '../../../base/clock.ts'
import { goneForGood, invalid, invalidObject, notFound } from '../../../base/errors.ts'
import { addToNumber } from '../../../engines/table/immediate.ts'
import {
  get,
  getMany,
  itemIn,
  type PageRequest,
  parse,
  put,
  readList,
  remove as removal,
  says,
  type UnitOfWork,
  type Write,
  withNextVersion,
} from '../../../engines/table/index.ts'
import { type Actor, mayVisit } from '../../../platform/permissions.ts'
import { key } from '../../../platform/table/keys.ts'
import { type PeopleById, peopleIn } from '../../../platform/users/people.ts'
import { keyOf } from '../../../platform/users/users.ts'
import { type Asset, asSubject, asset, isReadable, type Project, project, slugClaim, type Visited } from '../items.ts'
import { changeProject, checkOpen } from '../projects.ts'
import { media, type Upload, type UploadInput, upload } from './upload-items.ts'

/** An asset as the subject of permissions. Whoever may see or change the project may do so with the asset. */
export type Attached = Visited & { asset: Asset }

/** An asset with its project; undefined if either does not exist. Two calls. */
export async function loadAssetBySlug(slug: string, id: string): Promise<Attached | undefined> {
  const claim = await get(slugClaim, { slug })
  if (!claim) return undefined
  const { about, one } = await pairOf(claim.project_id, id)
  return about && one && { ...asSubject(about), asset: one, version: one.edition }
}

/** A project and one of its assets. One call. */
async function pairOf(project_id: string, id: string) {
  const found = await getMany([key.project(project_id), key.asset(project_id, id)], true)
  return { about: itemIn(found, project, { id: project_id }), one: itemIn(found, asset, { project_id, id }) }
}

/** An asset by the ids of its project and itself. */
export const loadAsset = (project_id: string, id: string): Promise<Asset | undefined> => get(asset, { project_id, id })

/** One page of a project's assets, oldest first, with the people who uploaded them. Two calls. */
export async function listAssets({ about }: Visited, place: PageRequest) {
  const { pk, sk } = key.asset(about.id, '')
  const { items, found, ...listed } = await readList(
    { partitions: [{ pk, prefix: sk }], counted: [], forward: true },
    place,
    (page) => page.map((item) => keyOf(parse(asset, item).uploaded_by)),
  )
  const people: PeopleById = peopleIn(found)
  return { ...listed, count: about.asset_count, results: items.map((item) => parse(asset, item)), people }
}

/** Assets of one project at most, since a project is read with all of them. */
const MOST_ASSETS = 500
/** Fails with `invalid` if a project has as many assets as it may have. */
export function checkRoom({ asset_count }: Project): void {
  if (asset_count >= MOST_ASSETS) throw invalidObject(`A project has no more than ${MOST_ASSETS} assets.`)
}

/** The facts of a file that is in the bucket. */
export type Stored = Pick<
  Asset,
  'content_type' | 'media_type' | 'size' | 'sha256' | 'width' | 'height' | 'orientation' | 'object_key'
>

/**
 * Makes an asset of an upload whose file is in the bucket. The asset, the end of the upload, the project's count and the activity
 * are one transaction. Fails with `refused` if the project is frozen, and with `gone` if the upload has ended meanwhile.
 */
export async function attachAsset(
  unit: UnitOfWork,
  to: Visited,
  from: Upload,
  stored: Stored,
  reads: boolean,
): Promise<Attached> {
  const number = await addToNumber(key.sequence('media'))
  const { id, project_id, uploaded_by, file_name } = from
  const pointer = { media: number, project_id, asset_id: id, version: 1 as const }
  const made = assetOf({ id, project_id, media: number, uploaded_by, file_name, reads }, from, stored)
  return addTo(unit, to, made, [
    { ...removal(upload, from), otherwise: () => goneForGood('This upload has been completed, or has expired.') },
    put(media, pointer, undefined),
  ])
}

/**
 * The asset that an older client names by its file's number, in a project that the caller sees. Fails with `invalid` without one.
 */
export async function loadByMediaNumber(number: number, actor: Actor): Promise<Asset> {
  const pointer = await get(media, { media: number })
  const pair = pointer && (await pairOf(pointer.project_id, pointer.asset_id))
  if (!pair?.about || !pair.one || !mayVisit(actor, asSubject(pair.about)))
    throw invalid({ media: ['There is no file with this number.'] })
  return pair.one
}

/** Makes a second asset of a file, in this or another project. The copy is in the bucket already, under the key of `from`. */
export const reattachAsset = (unit: UnitOfWork, to: Visited, from: Upload, original: Asset): Promise<Attached> => {
  const { id, project_id, uploaded_by } = from
  const object_key = from.object_keys.at(-1) ?? ''
  const made = assetOf(
    { id, project_id, media: original.media, uploaded_by, file_name: original.file_name, reads: false },
    from,
    { ...original, object_key },
  )
  return addTo(unit, to, made, [{ ...removal(upload, from), otherwise: () => goneForGood('This upload has expired.') }])
}

type New = Pick<Asset, 'id' | 'project_id' | 'media' | 'uploaded_by' | 'file_name'> & { reads: boolean }

function assetOf({ reads, ...own }: New, input: UploadInput, stored: Stored): Asset {
  const at = now()
  const { role, caption, version_label, source_institution, collection_name, language, ocr_language, copyright_note } =
    input
  const { depicts, creator, licence, date } = input
  const { content_type, media_type, size, sha256, width, height, orientation, object_key } = stored
  return {
    ...own,
    ...{ role, caption, version_label, source_institution, collection_name, language, ocr_language, copyright_note },
    ...{ depicts, creator, licence, date },
    ...{ content_type, media_type, size, sha256, width, height, orientation, object_key },
    thumbnail_key: null,
    ocr_status: !isReadable(stored) ? 'not_applicable' : reads ? 'pending' : 'not_started',
    ocr_text: '',
    ocr_error: '',
    ocr_since: isReadable(stored) && reads ? at : null,
    ocr_attempts: 0,
    edition: 1,
    entity_suggestions: [],
    created_at: at,
    updated_at: at,
    version: 1,
  }
}

const addTo = async (unit: UnitOfWork, to: Visited, made: Asset, writes: readonly Write[]): Promise<Attached> => {
  const { about } = await changeProject(unit, to, (it) => {
    checkOpen(it)
    checkRoom(it)
    return {
      changes: { asset_count: it.asset_count + 1, updated_at: made.created_at },
      done: [{ actor_id: made.uploaded_by, action: 'asset_added', target_kind: 'asset', target_id: made.id }],
      writes: [put(asset, made, undefined), ...writes],
      result: undefined,
    }
  })
  return { ...about, asset: made, version: made.edition }
}

export type Changes = Partial<UploadInput>

/** Changes the values of an asset. Fails with `refused` if its project is frozen. */
export async function amendAsset(unit: UnitOfWork, old: Attached, actor: Actor, changes: Changes): Promise<Attached> {
  const { about, result } = await changeProject(unit, old, async (it) => {
    checkOpen(it)
    const before = await latest(old)
    if (says(before, changes)) return { result: before }
    const next = withNextVersion<Asset>(before, { ...changes, edition: before.edition + 1, updated_at: now() })
    return {
      changes: { updated_at: next.updated_at },
      done: [{ actor_id: actor.id, action: 'updated', target_kind: 'asset', target_id: before.id }],
      writes: [put(asset, next, before)],
      result: next,
    }
  })
  return { ...about, asset: result, version: result.edition }
}

/** Takes an asset out of its project. Its file and thumbnail are deleted after the commit. */
export async function removeAsset(unit: UnitOfWork, old: Attached, actor: Actor): Promise<void> {
  const pointer = await get(media, { media: old.asset.media })
  await changeProject(unit, old, async (it) => {
    checkOpen(it)
    const before = await latest(old)
    return {
      changes: { asset_count: it.asset_count - 1, updated_at: now() },
      done: [{ actor_id: actor.id, action: 'asset_removed', target_kind: 'asset', target_id: before.id }],
      writes: [removal(asset, before), ...(pointer?.asset_id === before.id ? [removal(media, pointer)] : [])],
      result: undefined,
    }
  })
}

/** Reads the asset again. A thumbnail or a text added meanwhile is no conflict. */
async function latest({ asset: { project_id, id } }: Attached): Promise<Asset> {
  const found = await loadAsset(project_id, id)
  if (!found) throw notFound()
  return found
}

/** Whether a request for OCR begins a run: the asset can be read, and no run is going on. */
export const startsReading = ({ asset }: Attached): boolean => isReadable(asset) && asset.ocr_since === null

/**
 * Requests OCR of an image or a PDF; nothing happens if it is going on. Fails with `invalid` for other types, with `refused` if
 * the project is frozen.
 */
export async function askForText(unit: UnitOfWork, old: Attached, actor: Actor): Promise<Attached> {
  checkOpen(old.about)
  if (!isReadable(old.asset)) throw invalidObject('Text is read from images and PDFs only.')
  if (!startsReading(old)) return old
  const { about, result } = await changeProject(unit, old, async (it) => {
    checkOpen(it)
    const before = await latest(old)
    if (before.ocr_since !== null) return { result: before }
    const at = now()
    const next = withNextVersion<Asset>(before, {
      ocr_status: 'pending',
      ocr_error: '',
      ocr_since: at,
      ocr_attempts: 0,
      edition: before.edition + 1,
      updated_at: at,
    })
    return {
      changes: { updated_at: at },
      done: [{ actor_id: actor.id, action: 'updated', target_kind: 'asset', target_id: before.id }],
      writes: [put(asset, next, before)],
      result: next,
    }
  })
  return { ...about, asset: result, version: result.edition }
}
