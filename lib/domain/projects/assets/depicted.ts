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
import type { Whole } from '../projects.ts'

/** Fails with `invalid` if an asset is to show a record that does not belong to the project. */
export async function checkDepicted(project_id: string, entity_id: string | null | undefined): Promise<void> {
  if (!entity_id || (await get(projectEntity, { project_id, entity_id }))) return
  throw invalid({ depicts: ['The project is not about this record. Link it first.'] })
}

/** A picture that a merge adds to a record, and the asset that it comes from. */
export type Depicting = { picture: Picture; asset: Asset }

/** The pictures that a project's images become, by record, oldest first. */
export function depictedBy({ about, assets }: Pick<Whole, 'about' | 'assets'>): ReadonlyMap<string, Depicting[]> {
  const found = assets.flatMap((asset) => {
    const picture = pictureOf(asset, about.license)
    return picture && asset.depicts ? [{ picture, asset, of: asset.depicts }] : []
  })
  return Map.groupBy(found, ({ of }) => of)
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

/** Pictures of one record at most. */
const MOST = 30

/** What a project adds to the pictures of a record: `added` are the new ones, `pictures` all of them. */
export type Addition = { added: readonly Depicting[]; pictures: Picture[] }

/** The pictures to add after those of a record; undefined if there are none. */
export function additionTo(it: RecordItem, depicting: readonly Depicting[] = []): Addition | undefined {
  if (!kinds[it.kind].fields[IMAGES]) return undefined
  const own = picturesIn(it.proposed ?? it.data)
  const added = depicting
    .filter(({ picture }) => !own.some(({ id }) => id === picture.id))
    .slice(0, Math.max(0, MOST - own.length))
  return added.length === 0 ? undefined : { added, pictures: [...own, ...added.map(({ picture }) => picture)] }
}

/**
 * Copies files for pictures, so that a picture does not depend on the project's asset. Returns the writes that keep the copies
 * with the record. The sweeper deletes a copy whose writes are not committed.
 */
export async function copyPictures(added: readonly Depicting[], until: number): Promise<Write[]> {
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
