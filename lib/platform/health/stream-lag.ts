import { clock, nowSeconds } from '../../base/clock.ts'
import { putItem, raiseNumber } from '../../engines/table/immediate.ts'
import { queryAll, type Stored, walk } from '../../engines/table/index.ts'
import { key } from '../table/keys.ts'

/** Milliseconds that a change may wait before the projector counts as late. The stream itself takes a second or two. */
const LATE_MS = 60_000

/** Stores that the projector has applied every change up to a time, in milliseconds since 1970. */
export const noteProgress = (through: number): Promise<void> => raiseNumber(key.progress(), through)

/** The age in milliseconds at which the time of a waiting change is stored. */
const OLD_MS = 10_000
/**
 * Seconds for which a note is valid. The stream delivers a failing change again within two minutes. After an applied change the next change
 * comes soon.
 */
const NOTE_SECONDS = { given: 120, applied: 10 }
/**
 * The most notes at once. Several calls of the projector read parts of the stream at the same time, and none may overwrite the notes of
 * another.
 */
const SLOTS = 16

/**
 * Stores the time of a change that the projector works on, if the change is more than 10 seconds old. `made` is in milliseconds since 1970.
 * Call it before the change is applied (`given`), so that a failing change is seen, and afterwards (`applied`). The second note expires
 * sooner.
 */
export async function noteLateness(made: number, pk: string, state: keyof typeof NOTE_SECONDS): Promise<void> {
  if (clock.now().getTime() - made < OLD_MS) return
  const seconds = nowSeconds()
  const note = { made, told_at: seconds, expires_at: seconds + NOTE_SECONDS[state], type: 'lateness' }
  await putItem(key.lateness(slotOf(pk)), note)
}

const slotOf = (pk: string) =>
  [...pk].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 65_521, 7) % SLOTS

/** The lag of the projector, to a tenth of a second. */
export type Lag = { late: boolean; seconds: number }

/**
 * Measures the lag of the projector: the age of the oldest change that it has not applied. That is the first activity after its progress, or
 * the oldest note of `noteLateness`. Makes one query for each activity list and one more.
 * `activityLists` are the partition keys of the activities in `gsi2`.
 */
export async function measureLag(activityLists: readonly string[]): Promise<Lag> {
  const { pk } = key.progress()
  const items = await queryAll(pk, '')
  const through = Number(items.find((it) => it.sk === key.progress().sk)?.n ?? 0)
  // The stream gives times in whole seconds, so all activities within the second of `through` count as applied.
  const next = new Date((Math.floor(through / 1000) + 1) * 1000).toISOString()
  const waiting = await Promise.all(
    activityLists.map((list) => walk({ index: 'gsi2', pk: list, forward: true, limit: 1, beyond: next }, 1)),
  )
  const ages = [...waiting.flat().map((it) => Date.parse(String(it.created_at))), ...items.map(noteTime)].filter(
    (it) => it !== undefined,
  )
  const waited = ages.length === 0 ? 0 : Math.max(0, clock.now().getTime() - Math.min(...ages))
  return { late: waited > LATE_MS, seconds: Math.round(waited / 100) / 10 }
}

const noteTime = ({ made, expires_at }: Stored): number | undefined =>
  typeof made === 'number' && Number(expires_at) > nowSeconds() ? made : undefined
