import { now } from '../clock.ts'
import { conflict } from '../errors.ts'
import { amended, put, remove, type Write } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { getMany, itemIn } from '../table/read.ts'
import { retryOnConflict } from '../table/retry.ts'
import { type ChangeSort, type Current, current, end, entry, type LastTold, lastTold } from './items.ts'
import { type State, statesNow, type Thing } from './state.ts'

/** A change takes four writes of the hundred that a transaction holds; the end takes one. */
const AT_ONCE = 24
/** Writers that find another one ahead of them try again so many times. */
const ATTEMPTS = 20

/**
 * Tells the feed of things that may have changed, in this order. It looks at how they are now and tells what differs from
 * what was told last, so this is safe to repeat, and to do late. Fails with `conflict` when others were always faster.
 */
export async function tell(heard: readonly Thing[]): Promise<void> {
  const all = [...new Map(heard.map((it) => [it.id, it])).values()]
  for (let from = 0; from < all.length; from += AT_ONCE) {
    const some = all.slice(from, from + AT_ONCE)
    await retryOnConflict(async () => ({ result: undefined, writes: await plan(some) }), { attempts: ATTEMPTS })
  }
}

/**
 * Gives the next numbers to what has changed; nothing when nothing has. What was told is read before the things are: whoever
 * tells of them in between is told by a conflict, so the last to tell has seen them last.
 */
async function plan(heard: readonly Thing[]): Promise<Write[]> {
  const found = await getMany([key.changesEnd(), ...heard.map(({ id }) => key.lastTold(id))], true)
  const states = await statesNow(heard)
  const told = heard.flatMap(({ id }) => {
    const before = itemIn(found, lastTold, { id })
    const state = states.get(id)
    const change = state && changeFrom(before?.digest ?? null, state.digest)
    return change ? [{ state, before, change }] : []
  })
  if (told.length === 0) return []
  const old = itemIn(found, end, {})
  const at = [now(), old?.at ?? ''].sort().at(-1) ?? ''
  const first = (old?.number ?? 0) + 1
  const last = { number: first + told.length - 1, at, version: (old?.version ?? 0) + 1 }
  return [put(end, last, old, faster), ...told.flatMap((it, i) => writesFor(it, first + i, at))]
}

const faster = () => conflict('Another writer of the feed was faster.')

/** What has become of a thing since it was told of; undefined when that is nothing. */
function changeFrom(known: string | null, digest: string | null): ChangeSort | undefined {
  if (known === digest) return undefined
  if (digest === null) return 'withdrawn'
  return known === null ? 'created' : 'updated'
}

type Told = { state: State; before: LastTold | undefined; change: ChangeSort }

/** The entry, and the thing at its new place in the list of its kind. */
function writesFor({ state: { digest, ...about }, before, change }: Told, number: number, at: string): Write[] {
  const told = { ...about, number, at, digest }
  const place: Current = { ...about, number, at, withdrawn: change === 'withdrawn', version: 1 }
  return [
    put(entry, { ...about, number, at, change, version: 1 }, undefined, faster),
    put(lastTold, before ? amended<LastTold>(before, told) : { ...told, version: 1 }, before, faster),
    put(current, place, undefined, faster),
    ...(before ? [remove(current, { ...place, number: before.number, at: before.at }, faster)] : []),
  ]
}
