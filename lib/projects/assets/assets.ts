import { now } from '../../clock.ts'
import type { Rate } from '../../config.ts'
import { gone, invalid, invalidObject, notFound, Problem } from '../../errors.ts'
import { throttle } from '../../http/throttle.ts'
import { type Actor, mayVisit } from '../../permissions.ts'
import { amended, parse, put, remove as removal, says, type Write } from '../../table/item.ts'
import { key } from '../../table/keys.ts'
import { type PageRequest, readList } from '../../table/pages.ts'
import { get, getMany, itemIn } from '../../table/read.ts'
import { add } from '../../table/write.ts'
import { type PeopleById, peopleIn } from '../../users/people.ts'
import { keyOf } from '../../users/users.ts'
import { type Asset, asSubject, asset, isReadable, type Project, project, slugClaim, type Visited } from '../items.ts'
import { change, checkOpen } from '../projects.ts'
import { media, type Upload, type UploadInput, upload } from './upload-items.ts'

/** An asset as the subject of rules: it is seen and changed where its project is. */
export type Attached = Visited & { asset: Asset }

/** One asset with its project, in two calls; undefined when either is not there. */
export async function load(slug: string, id: string): Promise<Attached | undefined> {
  const claim = await get(slugClaim, { slug })
  if (!claim) return undefined
  const { about, one } = await pairOf(claim.project_id, id)
  return about && one && { ...asSubject(about), asset: one, version: one.edition }
}

/** A project and one of its assets, in one call. */
async function pairOf(project_id: string, id: string) {
  const found = await getMany([key.project(project_id), key.asset(project_id, id)], true)
  return { about: itemIn(found, project, { id: project_id }), one: itemIn(found, asset, { project_id, id }) }
}

/** One asset of a project by its ids. */
export const loadAsset = (project_id: string, id: string): Promise<Asset | undefined> => get(asset, { project_id, id })

/** One page of a project's assets, oldest first, with the people that they name: two calls. */
export async function list({ about }: Visited, place: PageRequest) {
  const { pk, sk } = key.asset(about.id, '')
  const { items, found, ...listed } = await readList(
    { partitions: [{ pk, prefix: sk }], counted: [], forward: true },
    place,
    (page) => page.map((item) => keyOf(parse(asset, item).uploaded_by)),
  )
  const people: PeopleById = peopleIn(found)
  return { ...listed, count: about.asset_count, results: items.map((item) => parse(asset, item)), people }
}

/** A project is read with all its assets, so there is an end to them. */
const MOST_ASSETS = 500
/** Fails with `invalid` when a project has as many assets as it may. */
export function checkRoom({ asset_count }: Project): void {
  if (asset_count >= MOST_ASSETS) throw invalidObject(`A project has no more than ${MOST_ASSETS} assets.`)
}

/** What lies in the bucket by now. */
export type Stored = Pick<
  Asset,
  'content_type' | 'media_type' | 'size' | 'sha256' | 'width' | 'height' | 'orientation' | 'object_key'
>

/**
 * Makes an asset of an upload whose file is in the bucket. Asset, the end of the upload, the project's count and the
 * activity are one transaction. Fails with `refused` while the project stands still, and with `gone` when the upload has
 * ended meanwhile.
 */
export async function attach(to: Visited, from: Upload, stored: Stored, reads: boolean): Promise<Attached> {
  const number = await add(key.sequence('media'))
  const { id, project_id, uploaded_by, file_name } = from
  const pointer = { media: number, project_id, asset_id: id, version: 1 as const }
  const made = assetOf({ id, project_id, media: number, uploaded_by, file_name, reads }, from, stored)
  return addTo(to, made, [
    { ...removal(upload, from), otherwise: () => gone('This upload has been completed, or has expired.') },
    put(media, pointer, undefined),
  ])
}

/**
 * What an older client means by the number of a file: an asset of a project that it sees. Fails with `invalid` when
 * there is none.
 */
export async function loadByMediaNumber(number: number, actor: Actor): Promise<Asset> {
  const pointer = await get(media, { media: number })
  const pair = pointer && (await pairOf(pointer.project_id, pointer.asset_id))
  if (!pair?.about || !pair.one || !mayVisit(actor, asSubject(pair.about)))
    throw invalid({ media: ['There is no file with this number.'] })
  return pair.one
}

/** The same file as an asset of another project, or once more of the same one. Its copy is in the bucket under `from`'s key. */
export const attachAgain = (to: Visited, from: Upload, original: Asset): Promise<Attached> => {
  const { id, project_id, uploaded_by } = from
  const object_key = from.object_keys.at(-1) ?? ''
  const made = assetOf(
    { id, project_id, media: original.media, uploaded_by, file_name: original.file_name, reads: false },
    from,
    { ...original, object_key },
  )
  return addTo(to, made, [{ ...removal(upload, from), otherwise: () => gone('This upload has expired.') }])
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

const addTo = async (to: Visited, made: Asset, writes: readonly Write[]): Promise<Attached> => {
  const { about } = await change(to, (it) => {
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

/** Changes what is said of an asset. Fails with `refused` while its project stands still. */
export async function amend(old: Attached, actor: Actor, changes: Changes): Promise<Attached> {
  const { about, result } = await change(old, async (it) => {
    checkOpen(it)
    const before = await latest(old)
    if (says(before, changes)) return { result: before }
    const next = amended<Asset>(before, { ...changes, edition: before.edition + 1, updated_at: now() })
    return {
      changes: { updated_at: next.updated_at },
      done: [{ actor_id: actor.id, action: 'updated', target_kind: 'asset', target_id: before.id }],
      writes: [put(asset, next, before)],
      result: next,
    }
  })
  return { ...about, asset: result, version: result.edition }
}

/** Takes an asset out of its project. Its object and thumbnail are cleared away after the commit. */
export async function remove(old: Attached, actor: Actor): Promise<void> {
  const pointer = await get(media, { media: old.asset.media })
  await change(old, async (it) => {
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

/** A thumbnail or a text may have been added since the asset was read: that is in nobody's way. */
async function latest({ asset: { project_id, id } }: Attached): Promise<Asset> {
  const found = await loadAsset(project_id, id)
  if (!found) throw notFound()
  return found
}

/**
 * Asks for the text of an image or a PDF; an asset whose text is being read stays as it is. Fails with `invalid` for other types,
 * with `refused` while the project stands still, and with `tooMany` when the project has used up its day.
 */
export async function askForText(old: Attached, actor: Actor, rate: Rate): Promise<Attached> {
  checkOpen(old.about)
  if (!isReadable(old.asset)) throw invalidObject('Text is read from images and PDFs only.')
  if (old.asset.ocr_since !== null) return old
  await throttle('ocr_run', old.about.id, rate)
  const { about, result } = await change(old, async (it) => {
    checkOpen(it)
    const before = await latest(old)
    if (before.ocr_since !== null) return { result: before }
    const at = now()
    const next = amended<Asset>(before, {
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

/** Whether the project has a run left today, taken when it has: a file is kept even when its text is not read at once. */
export async function mayRead(project_id: string, rate: Rate): Promise<boolean> {
  try {
    await throttle('ocr_run', project_id, rate)
    return true
  } catch (error) {
    if (error instanceof Problem && error.code === 'too_many') return false
    throw error
  }
}
