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
import { keyOf } from '../../../platform/users/users.ts'
import {
  type Asset,
  asSubject,
  asset,
  isReadable,
  type Project,
  type ProjectSubject,
  project,
  slugClaim,
} from '../items.ts'
import { changeProject, checkOpen } from '../projects.ts'
import { referencedIn } from '../referenced.ts'
import { withholdTexts } from './texts.ts'
import { type AssetUpload, type AssetUploadInput, mediaNumber, upload } from './upload-items.ts'

/** An asset as the subject of permissions. A caller may see and change it as they may see and change its project. */
export type AssetSubject = ProjectSubject & { asset: Asset }

/** Loads an asset with its project. Undefined if either is absent. Makes two DynamoDB calls. */
export async function loadAssetBySlug(slug: string, id: string): Promise<AssetSubject | undefined> {
  const claim = await get(slugClaim, { slug })
  if (!claim) return undefined
  const { about, one } = await loadPair(claim.project_id, id)
  return about && one && { ...asSubject(about), asset: one, version: one.edition }
}

/** Loads a project and one of its assets with one DynamoDB call. Each is undefined if absent. */
async function loadPair(project_id: string, id: string) {
  const found = await getMany([key.project(project_id), key.asset(project_id, id)], true)
  return { about: itemIn(found, project, { id: project_id }), one: itemIn(found, asset, { project_id, id }) }
}

/** Loads an asset, strongly consistent. Undefined if absent. One call. */
export const loadAsset = (project_id: string, id: string): Promise<Asset | undefined> => get(asset, { project_id, id })

/** Lists one page of a project's assets, oldest first, with what their views look up. Makes two DynamoDB calls. */
export async function listAssets({ about }: ProjectSubject, place: PageRequest) {
  const { pk, sk } = key.asset(about.id, '')
  const { items, found, ...listed } = await readList(
    { partitions: [{ pk, prefix: sk }], counted: [], forward: true },
    place,
    (page) =>
      page.flatMap((item) => {
        const { uploaded_by, depicts } = parse(asset, item)
        return [keyOf(uploaded_by), ...(depicts ? [key.head(depicts)] : [])]
      }),
  )
  const results = items.map((item) => parse(asset, item))
  return { ...listed, count: about.asset_count, results, ...referencedIn(found) }
}

/** The most assets of a project, since a project is read with all of them. */
const MAX_ASSETS = 500
/** Fails with `invalid` if a project has `MAX_ASSETS` assets. */
export function checkAssetCount({ asset_count }: Project): void {
  if (asset_count >= MAX_ASSETS) throw invalidObject(`A project has no more than ${MAX_ASSETS} assets.`)
}

/** The facts of a file that is in the bucket. */
export type FileFacts = Pick<
  Asset,
  'content_type' | 'media_type' | 'size' | 'sha256' | 'width' | 'height' | 'orientation' | 'object_key'
>

/**
 * Makes an asset of an upload whose file is in the bucket. The asset, the end of the upload, the project's count and the activity
 * are one transaction. If `reads`, OCR begins. Fails with `refused` if the project is frozen, and with `gone` if the upload has ended.
 */
export async function attachAsset(
  unit: UnitOfWork,
  to: ProjectSubject,
  from: AssetUpload,
  stored: FileFacts,
  reads: boolean,
): Promise<AssetSubject> {
  const number = await addToNumber(key.sequence('media'))
  const { id, project_id, uploaded_by, file_name } = from
  const pointer = { media: number, project_id, asset_id: id, version: 1 as const }
  const made = buildAsset({ id, project_id, media: number, uploaded_by, file_name, reads }, from, stored)
  return addAsset(unit, to, made, [
    { ...removal(upload, from), otherwise: () => goneForGood('This upload has been completed, or has expired.') },
    put(mediaNumber, pointer, undefined),
  ])
}

/**
 * Loads an asset by its file's number, as older clients name it. Fails with `invalid` if it is absent, or if the caller may not see
 * its project.
 */
export async function loadByMediaNumber(number: number, actor: Actor): Promise<Asset> {
  const pointer = await get(mediaNumber, { media: number })
  const pair = pointer && (await loadPair(pointer.project_id, pointer.asset_id))
  if (!pair?.about || !pair.one || !mayVisit(actor, asSubject(pair.about)))
    throw invalid({ media: ['There is no file with this number.'] })
  return pair.one
}

/** Makes a second asset of a file, in this or another project. The copy is in the bucket already, under the key of `from`. */
export const reattachAsset = (
  unit: UnitOfWork,
  to: ProjectSubject,
  from: AssetUpload,
  original: Asset,
): Promise<AssetSubject> => {
  const { id, project_id, uploaded_by } = from
  const object_key = from.object_keys.at(-1) ?? ''
  const made = buildAsset(
    { id, project_id, media: original.media, uploaded_by, file_name: original.file_name, reads: false },
    from,
    { ...original, object_key },
  )
  return addAsset(unit, to, made, [
    { ...removal(upload, from), otherwise: () => goneForGood('This upload has expired.') },
  ])
}

type NewAsset = Pick<Asset, 'id' | 'project_id' | 'media' | 'uploaded_by' | 'file_name'> & { reads: boolean }

function buildAsset({ reads, ...own }: NewAsset, input: AssetUploadInput, stored: FileFacts): Asset {
  const at = now()
  const { role, caption, version_label, source_institution, collection_name, language, ocr_language, copyright_note } =
    input
  const { depicts, creator, licence, date } = input
  const { content_type, media_type, size, sha256, width, height, orientation, object_key } = stored
  return {
    ...own,
    role,
    caption,
    version_label,
    source_institution,
    collection_name,
    language,
    ocr_language,
    copyright_note,
    depicts,
    creator,
    licence,
    date,
    content_type,
    media_type,
    size,
    sha256,
    width,
    height,
    orientation,
    object_key,
    thumbnail_key: null,
    thumbnail_takes: 0,
    thumbnail_error: '',
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

const addAsset = async (
  unit: UnitOfWork,
  to: ProjectSubject,
  made: Asset,
  writes: readonly Write[],
): Promise<AssetSubject> => {
  const { about } = await changeProject(unit, to, (it) => {
    checkOpen(it)
    checkAssetCount(it)
    return {
      changes: { asset_count: it.asset_count + 1, updated_at: made.created_at },
      activities: [{ actor_id: made.uploaded_by, action: 'asset_added', target_kind: 'asset', target_id: made.id }],
      writes: [put(asset, made, undefined), ...writes],
      result: undefined,
    }
  })
  return { ...about, asset: made, version: made.edition }
}

export type AssetChanges = Partial<AssetUploadInput>

/** Changes the values of an asset. Fails with `refused` if its project is frozen. */
export async function amendAsset(
  unit: UnitOfWork,
  old: AssetSubject,
  actor: Actor,
  changes: AssetChanges,
): Promise<AssetSubject> {
  const { about, result } = await changeProject(unit, old, async (it) => {
    checkOpen(it)
    const before = await reloadAsset(old)
    if (says(before, changes)) return { result: before }
    const next = withNextVersion<Asset>(before, { ...changes, edition: before.edition + 1, updated_at: now() })
    return {
      changes: { updated_at: next.updated_at },
      activities: [{ actor_id: actor.id, action: 'updated', target_kind: 'asset', target_id: before.id }],
      writes: [put(asset, next, before)],
      result: next,
    }
  })
  return { ...about, asset: result, version: result.edition }
}

/** Deletes an asset. Its file and thumbnail are deleted after the commit. Fails with `refused` if its project is frozen. */
export async function removeAsset(unit: UnitOfWork, old: AssetSubject, actor: Actor): Promise<void> {
  const pointer = await get(mediaNumber, { media: old.asset.media })
  const { about } = await changeProject(unit, old, async (it) => {
    checkOpen(it)
    const before = await reloadAsset(old)
    return {
      changes: { asset_count: it.asset_count - 1, updated_at: now() },
      activities: [{ actor_id: actor.id, action: 'asset_removed', target_kind: 'asset', target_id: before.id }],
      writes: [removal(asset, before), ...(pointer?.asset_id === before.id ? [removal(mediaNumber, pointer)] : [])],
      result: undefined,
    }
  })
  unit.afterCommit(() => withholdTexts(about.about, old.asset.id))
}

/** Reads the asset again, so that a thumbnail or text that a worker has added meanwhile causes no conflict. Fails with `notFound` if absent. */
async function reloadAsset({ asset: { project_id, id } }: AssetSubject): Promise<Asset> {
  const current = await loadAsset(project_id, id)
  if (!current) throw notFound()
  return current
}

/** Whether a request for OCR starts a run: text can be read from the asset, and no run is in progress. */
export const startsOcr = ({ asset }: AssetSubject): boolean => isReadable(asset) && asset.ocr_since === null

/**
 * Requests OCR of an image or a PDF. Does nothing while a run is in progress. Fails with `invalid` for other types, and with
 * `refused` if the project is frozen.
 */
export async function requestOcr(unit: UnitOfWork, old: AssetSubject, actor: Actor): Promise<AssetSubject> {
  checkOpen(old.about)
  if (!isReadable(old.asset)) throw invalidObject('Text is read from images and PDFs only.')
  if (!startsOcr(old)) return old
  const { about, result } = await changeProject(unit, old, async (it) => {
    checkOpen(it)
    const before = await reloadAsset(old)
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
      activities: [{ actor_id: actor.id, action: 'updated', target_kind: 'asset', target_id: before.id }],
      writes: [put(asset, next, before)],
      result: next,
    }
  })
  return { ...about, asset: result, version: result.edition }
}
