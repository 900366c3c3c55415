import { invalid } from '../../../base/errors.ts'
import { copyObject } from '../../../engines/bucket/index.ts'
import type { Write } from '../../../engines/table/index.ts'
import { get } from '../../../engines/table/index.ts'
import { kinds, type Picture } from '../../kinds/index.ts'
import { announceCopy } from '../../pictures/files.ts'
import { IMAGES, pictureObjectKey, picturesIn } from '../../pictures/items.ts'
import type { RecordItem } from '../../records/items.ts'
import { type Asset, projectEntity, uprightSize } from '../items.ts'
import { forEachWithin } from '../merge-work.ts'
import type { WholeProject } from '../projects.ts'

/** Fails with `invalid` if the record that an asset shows is not linked to the project. */
export async function checkDepicted(project_id: string, entity_id: string | null | undefined): Promise<void> {
  if (!entity_id || (await get(projectEntity, { project_id, entity_id }))) return
  throw invalid({ depicts: ['The project is not about this record. Link it first.'] })
}

/** A picture that a merge adds to a record, and the asset that it comes from. */
export type AssetPicture = { picture: Picture; asset: Asset }

/** The pictures that a merge makes of a project's images, by record, oldest first. */
export function picturesByRecord({
  about,
  assets,
}: Pick<WholeProject, 'about' | 'assets'>): ReadonlyMap<string, AssetPicture[]> {
  const pictures = assets.flatMap((asset) => {
    const picture = pictureOf(asset, about.license)
    return picture && asset.depicts ? [{ picture, asset, of: asset.depicts }] : []
  })
  return Map.groupBy(pictures, ({ of }) => of)
}

function pictureOf(it: Asset, license: string): Picture | undefined {
  const size = uprightSize(it)
  if (!size) return undefined
  const { id, caption, creator, licence, date, content_type } = it
  return {
    id,
    ...(caption && { caption }),
    ...(creator && { creator }),
    licence: licence || license,
    ...(date && { date }),
    ...size,
    media_type: content_type,
  }
}

/** The most pictures of one record. */
const MAX_PICTURES = 30

/** The pictures that a merge adds to a record: `added` are the new pictures, `pictures` are all of them. */
export type PictureAddition = { added: readonly AssetPicture[]; pictures: Picture[] }

/** Returns the pictures that a merge adds after a record's own. Undefined if none are new, or if its kind has no pictures. */
export function planAddition(it: RecordItem, depicting: readonly AssetPicture[] = []): PictureAddition | undefined {
  if (!kinds[it.kind].fields[IMAGES]) return undefined
  const own = picturesIn(it.proposed ?? it.data)
  const added = depicting
    .filter(({ picture }) => !own.some(({ id }) => id === picture.id))
    .slice(0, Math.max(0, MAX_PICTURES - own.length))
  return added.length === 0 ? undefined : { added, pictures: [...own, ...added.map(({ picture }) => picture)] }
}

/**
 * Copies the files of pictures, so that a picture does not depend on the project's asset. Returns the writes that keep the copies.
 * Commit them with the record, else the sweeper deletes the copies. Fails with `TimeOver` when `until` has passed.
 */
export async function copyPictures(added: readonly AssetPicture[], until: number): Promise<Write[]> {
  const writes: Write[] = []
  await forEachWithin(added, until, async ({ asset }) => {
    const { uploaded_by, file_name, size, content_type, sha256 } = asset
    const { width, height } = uprightSize(asset) ?? { width: 0, height: 0 }
    const facts = { content_type, width, height, size, sha256 }
    writes.push(...(await announceCopy(asset.id, { uploaded_by, file_name, facts })))
    await copyObject(asset.object_key, pictureObjectKey(asset.id))
  })
  return writes
}
