import * as v from 'valibot'
import { now } from '../clock.ts'
import { defineItem, putAlways } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { get, walk } from '../table/read.ts'
import { transact } from '../table/write.ts'
import { closeMonth, refreshFigures } from './keep.ts'
import { monthBefore, monthOf } from './score.ts'

/** How many people are looked at in one visit; the next goes on behind them. */
const MOST = 200
const AT_ONCE = 8

/** Where the sweeper stands among all people, oldest first. */
const cursor = defineItem({
  type: 'board_sweep',
  schema: v.object({ place: v.string(), version: v.number() }),
  key: () => key.boardSweep(),
})

/**
 * Closes last month's ranks, and brings the figures of some people up to what their lists hold, in turn all of them: so
 * what the projector has given up on does not stay wrong. Answers how many were looked at.
 */
export async function sweepBoards(): Promise<number> {
  await closeMonth(monthBefore(monthOf(now())))
  const at = await get(cursor, {})
  const { looked, place } = await refreshFrom(at?.place, MOST)
  await transact([putAlways(cursor, { place: place ?? '', version: 1 })])
  return looked
}

/** Brings the figures of everyone up to what their lists hold; for operators. Answers how many were looked at. */
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

/** Refreshes the next people; `place` is where to go on, undefined when those were the last. */
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
