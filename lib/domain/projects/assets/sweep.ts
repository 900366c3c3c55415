import { clock } from '../../../base/clock.ts'
import {
  get,
  getMany,
  itemAt,
  parse,
  put,
  queryAll,
  remove as removal,
  type Write,
  walk,
  withNextVersion,
} from '../../../engines/table/index.ts'
import { key } from '../../../platform/table/keys.ts'
import { inUnit } from '../../../platform/unit-of-work.ts'
import { type Asset, asset, project, WITH_FILES } from '../items.ts'
import { media } from './upload-items.ts'

/** Days for which a deleted project keeps its files. */
const KEPT_DAYS = 30
/** Projects in one visit, and assets of each. An asset takes up to two actions of the 100 in a transaction. */
const MOST_PROJECTS = 20
const MOST_ASSETS = 40

/**
 * Deletes the assets of projects that were deleted long ago; their objects follow as for any deleted asset. Returns how many. The
 * next visit continues. Safe to run twice at once.
 */
export async function sweepFiles(): Promise<number> {
  const oldest = await walk({ index: 'gsi1', pk: WITH_FILES, forward: true, limit: MOST_PROJECTS })
  const deleted = oldest.map((item) => parse(project, item)).filter(({ deleted_at }) => isDue(deleted_at))
  let cleared = 0
  for (const { id } of deleted) cleared += await clear(id)
  return cleared
}

const isDue = (deleted_at: string | null) =>
  deleted_at !== null && Date.parse(deleted_at) + KEPT_DAYS * 86_400_000 <= clock.now().getTime()

const clear = (id: string): Promise<number> =>
  inUnit(async (unit) => {
    unit.retryOn('conflict')
    const about = await get(project, { id })
    // The index may be older than the project.
    if (!about || about.merged_at !== null || !isDue(about.deleted_at)) return 0
    const { pk, sk } = key.asset(id, '')
    const all = (await queryAll(pk, sk)).map((item) => parse(asset, item))
    const some = all.slice(0, MOST_ASSETS)
    const next = withNextVersion(about, { asset_count: all.length - some.length })
    unit.add([put(project, next, about), ...(await removals(some))])
    return some.length
  })

/**
 * The writes that delete assets and the numbers of their files. A copy shares its original's number, so it leaves the number
 * alone.
 */
async function removals(assets: readonly Asset[]): Promise<Write[]> {
  const found = await getMany(assets.map((it) => key.media(it.media)))
  return assets.flatMap((it) => {
    const stored = itemAt(found, key.media(it.media))
    const pointer = stored && parse(media, stored)
    return [removal(asset, it), ...(pointer?.asset_id === it.id ? [removal(media, pointer)] : [])]
  })
}
