import { clock, nowSeconds } from '../../base/clock.ts'
import { putItem, raiseNumber } from '../../engines/table/immediate.ts'
import { queryAll, type Stored, walk } from '../../engines/table/index.ts'
import { key } from '../table/keys.ts'

/** So long a change may wait before the projector counts as late: the stream itself takes a second or two. */
const PATIENCE_MS = 60_000

/** Notes that the projector has applied every change until then, in milliseconds since 1970. */
export const noteProgress = (through: number): Promise<void> => raiseNumber(key.progress(), through)

/** A change that is older than this is noted. */
const OLD_MS = 10_000
/** Seconds that a note counts. The stream offers a failing change again before that; after a change that is applied the next one comes soon. */
const TOLD = { given: 120, applied: 10 }
/** Parts of the stream are read side by side, each by a call that knows nothing of the others. */
const SLOTS = 16

/**
 * Notes when a change was made that the projector has before it, if that is more than 10 seconds ago. `made` is in milliseconds since 1970.
 * It is called twice: before the change is applied, so that one which never succeeds is seen; and after it, with a shorter life.
 */
export async function noteLateness(made: number, pk: string, state: keyof typeof TOLD): Promise<void> {
  if (clock.now().getTime() - made < OLD_MS) return
  const told = { made, told_at: nowSeconds(), expires_at: nowSeconds() + TOLD[state] }
  await putItem(key.lateness(slotOf(pk)), { ...told, type: 'lateness' })
}

const slotOf = (pk: string) =>
  [...pk].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 65_521, 7) % SLOTS

/** `seconds` to a tenth. */
export type Lag = { late: boolean; seconds: number }

/**
 * Measures how far the projector is behind: the age of the oldest change that it has not applied.
 * That is the first activity after its progress, or the oldest note of `noteLateness`. Costs one query for each activity list and one more.
 * `activityLists` are the partition keys of the activities in `gsi2`.
 */
export async function measureLag(activityLists: readonly string[]): Promise<Lag> {
  const { pk } = key.progress()
  const items = await queryAll(pk, '')
  const through = Number(items.find((it) => it.sk === key.progress().sk)?.n ?? 0)
  // The stream counts whole seconds.
  const next = new Date((Math.floor(through / 1000) + 1) * 1000).toISOString()
  const waiting = await Promise.all(
    activityLists.map((list) => walk({ index: 'gsi2', pk: list, forward: true, limit: 1, beyond: next }, 1)),
  )
  const ages = [...waiting.flat().map((it) => Date.parse(String(it.created_at))), ...items.map(noteTime)].filter(
    (it) => it !== undefined,
  )
  const waited = ages.length === 0 ? 0 : Math.max(0, clock.now().getTime() - Math.min(...ages))
  return { late: waited > PATIENCE_MS, seconds: Math.round(waited / 100) / 10 }
}

const noteTime = ({ made, expires_at }: Stored): number | undefined =>
  typeof made === 'number' && Number(expires_at) > nowSeconds() ? made : undefined
