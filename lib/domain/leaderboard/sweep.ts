import * as v from 'valibot'
import { now } from '../../base/clock.ts'
import { mapAtOnce } from '../../base/concurrency.ts'
import { commitWrites } from '../../engines/table/immediate.ts'
import { defineItem, get, putAlways, walk } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { closeMonth, refreshFigures } from './keep.ts'
import { monthBefore, monthOf } from './score.ts'

/** People of one run. The next run continues after them. */
const PEOPLE_IN_RUN = 200
const UPDATED_AT_ONCE = 8

/** The sweeper's position in the list of all people, oldest first. */
const cursor = defineItem({
  type: 'board_sweep',
  schema: v.object({ place: v.string(), version: v.number() }),
  key: () => key.boardSweep(),
})

/**
 * Closes last month, and updates the figures of the next people. Its runs reach everyone in turn, so they repair an update that the
 * projector has parked. Returns the number of people.
 */
export async function sweepBoards(): Promise<number> {
  await closeMonth(monthBefore(monthOf(now())))
  const at = await get(cursor, {})
  const { count, place } = await refreshFrom(at?.place, PEOPLE_IN_RUN)
  await commitWrites([putAlways(cursor, { place: place ?? '', version: 1 })])
  return count
}

/** Updates the figures of everyone, for `npm run recount`. Reports and returns the number of people. */
export async function recountAll(progress: (count: number) => void = () => undefined): Promise<number> {
  await closeMonth(monthBefore(monthOf(now())))
  let count = 0
  let place: string | undefined
  do {
    const batch = await refreshFrom(place, PEOPLE_IN_RUN)
    count += batch.count
    place = batch.place
    progress(count)
  } while (place !== undefined)
  return count
}

/** Updates the figures of the next people. `place` is the sort key to continue from; undefined at the end. */
async function refreshFrom(
  beyond: string | undefined,
  limit: number,
): Promise<{ count: number; place: string | undefined }> {
  const people = await walk({ index: 'gsi2', pk: 'USER', forward: true, limit, beyond: beyond || undefined })
  await mapAtOnce(people, UPDATED_AT_ONCE, ({ id }) => refreshFigures(String(id)))
  const last = people.at(-1)
  return { count: people.length, place: people.length < limit ? undefined : String(last?.gsi2_sk) }
}
