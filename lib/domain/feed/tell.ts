import { now } from '../../base/clock.ts'
import { conflict } from '../../base/errors.ts'
import { commitPlan } from '../../engines/table/immediate.ts'
import { getMany, itemIn, put, remove, type Write, withNextVersion } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { type ChangeSort, type Current, current, end, entry, type LastTold, lastTold } from './items.ts'
import { loadStates, type State, type Thing } from './state.ts'

/** Things in one transaction. Each takes four writes, the end of the feed takes one, and a transaction holds 100. */
const AT_ONCE = 24
/** How often a writer tries again after another one was faster. */
const ATTEMPTS = 20

/**
 * Writes entries for things that may have changed, in this order. It compares how they are now with what the feed said last. So
 * it is safe to repeat and safe to run late. Fails with `conflict` if other writers were faster every time.
 */
export async function writeChanges(heard: readonly Thing[]): Promise<void> {
  const all = [...new Map(heard.map((it) => [it.id, it])).values()]
  for (let from = 0; from < all.length; from += AT_ONCE) {
    const some = all.slice(from, from + AT_ONCE)
    await commitPlan(async () => ({ result: undefined, writes: await plan(some) }), ATTEMPTS)
  }
}

/**
 * Numbers what has changed; returns nothing if nothing has. The latest entries are read before the things. If another writer adds
 * an entry in between, the transaction fails. So the last writer has seen the last state.
 */
async function plan(heard: readonly Thing[]): Promise<Write[]> {
  const found = await getMany([key.changesEnd(), ...heard.map(({ id }) => key.lastTold(id))], true)
  const states = await loadStates(heard)
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
  return [put(end, last, old, fasterConflict), ...told.flatMap((it, i) => writesFor(it, first + i, at))]
}

const fasterConflict = () => conflict('Another writer of the feed was faster.')

/** What happened to a thing since its latest entry; undefined if nothing did. */
function changeFrom(known: string | null, digest: string | null): ChangeSort | undefined {
  if (known === digest) return undefined
  if (digest === null) return 'withdrawn'
  return known === null ? 'created' : 'updated'
}

type ChangedThing = { state: State; before: LastTold | undefined; change: ChangeSort }

/** The new entry, and the thing at its new place in the list of its kind. */
function writesFor({ state: { digest, ...about }, before, change }: ChangedThing, number: number, at: string): Write[] {
  const told = { ...about, number, at, digest }
  const place: Current = { ...about, number, at, withdrawn: change === 'withdrawn', version: 1 }
  return [
    put(entry, { ...about, number, at, change, version: 1 }, undefined, fasterConflict),
    put(lastTold, before ? withNextVersion<LastTold>(before, told) : { ...told, version: 1 }, before, fasterConflict),
    put(current, place, undefined, fasterConflict),
    ...(before ? [remove(current, { ...place, number: before.number, at: before.at }, fasterConflict)] : []),
  ]
}
