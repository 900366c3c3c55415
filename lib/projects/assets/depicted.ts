import { invalid } from '../../errors.ts'
import { kinds, type Picture } from '../../kinds/index.ts'
import { IMAGES, picturesIn } from '../../pictures/take.ts'
import type { RecordItem } from '../../records/items.ts'
import { get } from '../../table/read.ts'
import { type Asset, projectEntity } from '../items.ts'
import type { Whole } from '../projects.ts'

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
  if (it.media_type !== 'image' || it.width === null || it.height === null) return undefined
  const { id, caption, creator, licence, date, width, height, content_type } = it
  return {
    id,
    ...(caption && { caption }),
    ...(creator && { creator }),
    licence: licence || license,
    ...(date && { date }),
    // The fifth to the eighth orientation turn the image by a quarter.
    ...((it.orientation ?? 1) >= 5 ? { width: height, height: width } : { width, height }),
    media_type: content_type,
  }
}

/** So many pictures a record has at most. */
const MOST = 30

/** The pictures of a record with those of a project behind its own; undefined where none is to be added. */
export function withDepicted(it: RecordItem, depicting: readonly Depicting[]): Picture[] | undefined {
  if (!kinds[it.kind].fields[IMAGES]) return undefined
  const own = picturesIn(it.proposed ?? it.data)
  const added = depicting.map(({ picture }) => picture).filter(({ id }) => !own.some((one) => one.id === id))
  return added.length > 0 && own.length < MOST ? [...own, ...added].slice(0, MOST) : undefined
}
