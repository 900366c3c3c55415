import { clock } from '../../clock.ts'
import { commitPlan } from '../../commit.ts'
import { amended, parse, put, remove as removal, type Write } from '../../table/item.ts'
import { key } from '../../table/keys.ts'
import { get, getMany, itemAt, queryAll, walk } from '../../table/read.ts'
import { type Asset, asset, project, WITH_FILES } from '../items.ts'
import { media } from './upload-items.ts'

/** Days for which a deleted project keeps its files. */
const KEPT_DAYS = 30
/** Projects in one visit, and assets of each: two actions each, of the 100 of a transaction. */
const MOST_PROJECTS = 20
const MOST_ASSETS = 40

/**
 * Takes the assets of projects that were deleted long ago out of the table; their objects go as those of any asset that
 * is taken away. Answers how many. The next visit goes on; safe to run twice at once.
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
  commitPlan(async () => {
    const about = await get(project, { id })
    // The index may be behind.
    if (!about || about.merged_at !== null || !isDue(about.deleted_at)) return { result: 0, writes: [] }
    const { pk, sk } = key.asset(id, '')
    const all = (await queryAll(pk, sk)).map((item) => parse(asset, item))
    const some = all.slice(0, MOST_ASSETS)
    const next = amended(about, { asset_count: all.length - some.length })
    return { result: some.length, writes: [put(project, next, about), ...(await removals(some))] }
  })

/** An asset, and the number that means it. A copy has the number of its original, which is not its own to take away. */
async function removals(assets: readonly Asset[]): Promise<Write[]> {
  const found = await getMany(assets.map((it) => key.media(it.media)))
  return assets.flatMap((it) => {
    const stored = itemAt(found, key.media(it.media))
    const pointer = stored && parse(media, stored)
    return [removal(asset, it), ...(pointer?.asset_id === it.id ? [removal(media, pointer)] : [])]
  })
}
