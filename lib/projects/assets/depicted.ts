import { invalid } from '../../errors.ts'
import { kinds, type Picture } from '../../kinds/index.ts'
import { beginCopy } from '../../pictures/files.ts'
import { objectKey } from '../../pictures/items.ts'
import { IMAGES, picturesIn } from '../../pictures/values.ts'
import type { RecordItem } from '../../records/items.ts'
import type { Write } from '../../table/item.ts'
import { get } from '../../table/read.ts'
import { type Asset, projectEntity, uprightSize } from '../items.ts'
import { inTurns } from '../merge-work.ts'
import type { Whole } from '../projects.ts'
import type { Bucket } from '../snapshots.ts'

/** Fails with `invalid` where an asset is to show a record that its project is not about. */
export async function checkDepicted(project_id: string, entity_id: string | null | undefined): Promise<void> {
  if (!entity_id || (await get(projectEntity, { project_id, entity_id }))) return
  throw invalid({ depicts: ['The project is not about this record. Link it first.'] })
}

/** A picture that a merge adds to a record, with the asset that it is made of. */
export type Depicting = { picture: Picture; asset: Asset }

/** The pictures that a project's images become, by the record that they show, the oldest first. */
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

/** So many pictures a record has at most. */
const MOST = 30

/** What a project adds to the pictures of a record: the images, and all of its pictures with them. */
export type Addition = { added: readonly Depicting[]; pictures: Picture[] }

/** The pictures of a project behind those of a record; undefined where none is to be added. */
export function additionTo(it: RecordItem, depicting: readonly Depicting[] = []): Addition | undefined {
  if (!kinds[it.kind].fields[IMAGES]) return undefined
  const own = picturesIn(it.proposed ?? it.data)
  const added = depicting
    .filter(({ picture }) => !own.some(({ id }) => id === picture.id))
    .slice(0, Math.max(0, MOST - own.length))
  return added.length === 0 ? undefined : { added, pictures: [...own, ...added.map(({ picture }) => picture)] }
}

/**
 * Gives pictures files of their own: what becomes of the project's later is no matter of the record's. Answers the writes
 * that keep them with the record; a file that is not kept goes like any that no record names.
 */
export async function putInPlace(added: readonly Depicting[], bucket: Bucket, until: number): Promise<Write[]> {
  const writes: Write[] = []
  await inTurns(added, until, async ({ asset }) => {
    const { uploaded_by, file_name, size, content_type, sha256 } = asset
    const { width, height } = uprightSize(asset) ?? { width: 0, height: 0 }
    const facts = { content_type, width, height, size, sha256 }
    writes.push(...(await beginCopy(asset.id, { uploaded_by, file_name, facts })))
    await bucket.copy(asset.object_key, objectKey(asset.id))
  })
  return writes
}
