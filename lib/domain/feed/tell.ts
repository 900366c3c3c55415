import { now } from '../../base/clock.ts'
import { splitIntoParts } from '../../base/concurrency.ts'
import { conflict } from '../../base/errors.ts'
import { commitPlan } from '../../engines/table/immediate.ts'
import { getMany, itemIn, put, remove, type Write, withNextVersion } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { type ChangeSort, type Current, current, feedEnd, feedEntry, type LastTold, lastTold } from './items.ts'
import { type FeedState, type FeedSubject, loadStates } from './state.ts'

/** Subjects in one transaction. Each takes four writes, the end of the feed takes one, and a transaction holds 100. */
const SUBJECTS_IN_TRANSACTION = 24
/** Attempts of one writer, if others are faster. */
const ATTEMPTS = 20

/**
 * Writes entries for records and clusters that may have changed, in this order. It compares their present state with their latest
 * entries. So it is safe to repeat and safe to run late. Fails with `conflict` if other writers were faster every time.
 */
export async function writeChanges(subjects: readonly FeedSubject[]): Promise<void> {
  const all = [...new Map(subjects.map((it) => [it.id, it])).values()]
  for (const part of splitIntoParts(all, SUBJECTS_IN_TRANSACTION)) {
    await commitPlan(async () => ({ result: undefined, writes: await planEntries(part) }), ATTEMPTS)
  }
}

/**
 * Plans numbered entries for what has changed; none if nothing has. The latest entries are read before the things. If another writer
 * adds an entry in between, the transaction fails. So no entry describes an outdated state.
 */
async function planEntries(subjects: readonly FeedSubject[]): Promise<Write[]> {
  const found = await getMany([key.changesEnd(), ...subjects.map(({ id }) => key.lastTold(id))], true)
  const states = await loadStates(subjects)
  const changed = subjects.flatMap(({ id }) => {
    const before = itemIn(found, lastTold, { id })
    const state = states.get(id)
    const change = state && changeFrom(before?.digest ?? null, state.compared.digest)
    return change ? [{ state, before, change }] : []
  })
  if (changed.length === 0) return []
  const old = itemIn(found, feedEnd, {})
  const at = [now(), old?.at ?? ''].sort().at(-1) ?? ''
  const first = (old?.number ?? 0) + 1
  const last = { number: first + changed.length - 1, at, version: (old?.version ?? 0) + 1 }
  return [put(feedEnd, last, old, fasterConflict), ...changed.flatMap((it, i) => writesFor(it, first + i, at))]
}

const fasterConflict = () => conflict('Another writer of the feed was faster.')

/** What happened to a thing since its latest entry; undefined if nothing did. */
function changeFrom(known: string | null, digest: string | null): ChangeSort | undefined {
  if (known === digest) return undefined
  if (digest === null) return 'withdrawn'
  return known === null ? 'created' : 'updated'
}

type ChangedThing = { state: FeedState; before: LastTold | undefined; change: ChangeSort }

/** The new entry, and the thing at its new place in the list of its kind. */
function writesFor({ state, before, change }: ChangedThing, number: number, at: string): Write[] {
  const { about, compared } = state
  const told = { ...about, ...compared, number, at }
  const place: Current = { ...about, number, at, withdrawn: change === 'withdrawn', version: 1 }
  return [
    put(feedEntry, { ...about, number, at, change, version: 1 }, undefined, fasterConflict),
    put(lastTold, before ? withNextVersion<LastTold>(before, told) : { ...told, version: 1 }, before, fasterConflict),
    put(current, place, undefined, fasterConflict),
    ...(before ? [remove(current, { ...place, number: before.number, at: before.at }, fasterConflict)] : []),
  ]
}
