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
import { type Asset, asset, DELETED_WITH_FILES, project } from '../items.ts'
import { mediaNumber } from './upload-items.ts'

/** Days for which a deleted project keeps its files. */
const FILES_LIFETIME_DAYS = 30
/** The most projects of one visit. */
const PROJECTS_PER_VISIT = 20
/** The most assets of a project in one visit. An asset takes up to two of the 100 actions in a transaction. */
const ASSETS_PER_VISIT = 40

/**
 * Deletes the assets of projects that were deleted 30 days ago. Their objects are deleted after the commit, as for any asset.
 * Returns the number of assets. The next visit continues. Safe to run twice at once.
 */
export async function sweepFiles(): Promise<number> {
  const oldest = await walk({ index: 'gsi1', pk: DELETED_WITH_FILES, forward: true, limit: PROJECTS_PER_VISIT })
  const deleted = oldest.map((item) => parse(project, item)).filter(({ deleted_at }) => isDue(deleted_at))
  let cleared = 0
  for (const { id } of deleted) cleared += await deleteAssets(id)
  return cleared
}

const isDue = (deleted_at: string | null) =>
  deleted_at !== null && Date.parse(deleted_at) + FILES_LIFETIME_DAYS * 86_400_000 <= clock.now().getTime()

const deleteAssets = (id: string): Promise<number> =>
  inUnit(async (unit) => {
    unit.retryOn('conflict')
    const about = await get(project, { id })
    // The index may be older than the project.
    if (!about || about.merged_at !== null || !isDue(about.deleted_at)) return 0
    const { pk, sk } = key.asset(id, '')
    const assets = (await queryAll(pk, sk)).map((item) => parse(asset, item))
    const deleted = assets.slice(0, ASSETS_PER_VISIT)
    const next = withNextVersion(about, { asset_count: assets.length - deleted.length })
    unit.add([put(project, next, about), ...(await removals(deleted))])
    return deleted.length
  })

/**
 * Returns the writes that delete assets and the numbers of their files. A copy shares its original's number, which stays with the
 * original.
 */
async function removals(assets: readonly Asset[]): Promise<Write[]> {
  const items = await getMany(assets.map((it) => key.media(it.media)))
  return assets.flatMap((it) => {
    const stored = itemAt(items, key.media(it.media))
    const pointer = stored && parse(mediaNumber, stored)
    return [removal(asset, it), ...(pointer?.asset_id === it.id ? [removal(mediaNumber, pointer)] : [])]
  })
}
