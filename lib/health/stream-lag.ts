import { clock, nowSeconds } from '../clock.ts'
import { activityList, historyAudiences } from '../records/items.ts'
import { key } from '../table/keys.ts'
import { queryAll, type Stored, walk } from '../table/read.ts'
import { raise, write } from '../table/write.ts'

/** So long a change may wait before the projector counts as late: the stream itself takes a second or two. */
const PATIENCE_MS = 60_000

/** Writes down that the projector has taken in what was changed until then, in milliseconds since 1970. */
export const follow = (through: number): Promise<void> => raise(key.progress(), through)

/** What it is given is told of when it is older than this. */
const OLD_MS = 10_000
/** So long what was told counts, in seconds: who is late is called again before that, and sooner when what was given is applied. */
const TOLD = { given: 120, applied: 10 }
/** Parts of the stream are read side by side, each by a call that knows nothing of the others. */
const SLOTS = 16

/**
 * Tells that what the projector is given was changed so long ago, and where; before it is applied, so that it is told even
 * if that never succeeds, and once more when it is, since then the next change is told of in a moment, if there is one.
 * `made` is in milliseconds since 1970. Of what is young there is nothing to tell.
 */
export async function tellLateness(made: number, pk: string, state: keyof typeof TOLD): Promise<void> {
  if (clock.now().getTime() - made < OLD_MS) return
  const told = { made, told_at: nowSeconds(), expires_at: nowSeconds() + TOLD[state] }
  await write(key.lateness(slotOf(pk)), { ...told, type: 'lateness' })
}

const slotOf = (pk: string) =>
  [...pk].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 65_521, 7) % SLOTS

/** `seconds` to a tenth. */
export type Lag = { late: boolean; seconds: number }

/**
 * How far the projector is behind: the age of the oldest change that it has not taken in. That is the first activity after
 * what it has taken in, or what a part of the stream was given last, whichever is older. One query for each audience of
 * the feed and one more, whatever the size of the table.
 */
export async function lag(): Promise<Lag> {
  const { pk } = key.progress()
  const items = await queryAll(pk, '')
  const through = Number(items.find((it) => it.sk === key.progress().sk)?.n ?? 0)
  // The stream counts whole seconds.
  const next = new Date((Math.floor(through / 1000) + 1) * 1000).toISOString()
  const waiting = await Promise.all(
    historyAudiences.map((audience) =>
      walk({ index: 'gsi2', pk: activityList(audience), forward: true, limit: 1, beyond: next }, 1),
    ),
  )
  const ages = [...waiting.flat().map((it) => Date.parse(String(it.created_at))), ...items.map(givenIn)].filter(
    (it) => it !== undefined,
  )
  const waited = ages.length === 0 ? 0 : Math.max(0, clock.now().getTime() - Math.min(...ages))
  return { late: waited > PATIENCE_MS, seconds: Math.round(waited / 100) / 10 }
}

const givenIn = ({ made, expires_at }: Stored): number | undefined =>
  typeof made === 'number' && Number(expires_at) > nowSeconds() ? made : undefined
