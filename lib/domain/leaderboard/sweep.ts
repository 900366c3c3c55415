import * as v from 'valibot'
import { now } from '../../base/clock.ts'
import { commitWrites, defineItem, get, putAlways, walk } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { closeMonth, refreshFigures } from './keep.ts'
import { monthBefore, monthOf } from './score.ts'

/** People in one visit. The next visit continues after them. */
const MOST = 200
const AT_ONCE = 8

/** Where the sweeper is in the list of all people, oldest first. */
const cursor = defineItem({
  type: 'board_sweep',
  schema: v.object({ place: v.string(), version: v.number() }),
  key: () => key.boardSweep(),
})

/**
 * Closes last month, and updates the figures of the next people. In turn it reaches everyone. So an update that the projector
 * gave up is made up for. Returns how many people it looked at.
 */
export async function sweepBoards(): Promise<number> {
  await closeMonth(monthBefore(monthOf(now())))
  const at = await get(cursor, {})
  const { looked, place } = await refreshFrom(at?.place, MOST)
  await commitWrites([putAlways(cursor, { place: place ?? '', version: 1 })])
  return looked
}

/** Updates the figures of everyone, for `npm run recount`. Returns how many people it looked at. */
export async function recountAll(progress: (looked: number) => void = () => undefined): Promise<number> {
  await closeMonth(monthBefore(monthOf(now())))
  let looked = 0
  let place: string | undefined
  do {
    const some = await refreshFrom(place, MOST)
    looked += some.looked
    place = some.place
    progress(looked)
  } while (place !== undefined)
  return looked
}

/** Updates the figures of the next people. `place` is the sort key to continue from; undefined at the end. */
async function refreshFrom(
  beyond: string | undefined,
  limit: number,
): Promise<{ looked: number; place: string | undefined }> {
  const people = await walk({ index: 'gsi2', pk: 'USER', forward: true, limit, beyond: beyond || undefined })
  for (let start = 0; start < people.length; start += AT_ONCE) {
    await Promise.all(people.slice(start, start + AT_ONCE).map((it) => refreshFigures(String(it.id))))
  }
  const last = people.at(-1)
  return { looked: people.length, place: people.length < limit ? undefined : String(last?.gsi2_sk) }
}
