import type { Kind } from '../../../lib/kinds/index.ts'
import { isRowId } from './draft.ts'
import { rankOf } from './mappings.ts'
import type { Plan, Step } from './plan.ts'

/**
 * Rows of a kind that go together: as one table, none of which names another; or one by one, where the kind is no record.
 * With the batches that are to be there before it.
 */
export type Batch = { kind: Kind; steps: Step[]; behind: Batch[] }
export type Batches = {
  batches: Batch[]
  /** Registered sources, which are no rows of a table, and which others may name. */
  before: Step[]
  /** Rows that cannot be said in the words of the API. */
  refused: Step[]
}

/** The rows of a plan as tables, each after those with rows that it names, and claims, which name rows of tables. Pure. */
export function batchesOf({ steps }: Plan): Batches {
  const levels = new Map<Step, number>()
  const holder = new Map<Step, Table>()
  const tables = new Map<string, Table>()
  const found: Batches = { batches: [], before: [], refused: [] }
  for (const step of steps) {
    const { draft } = step
    if (!draft) found.refused.push(step)
    else if (draft.kind.key === 'data_source') found.before.push(step)
    else {
      const level = Math.max(0, ...step.needs.map((other) => levelBehind(levels, other, step)))
      levels.set(step, level)
      const place = `${level} ${draft.kind.key}`
      const table = tables.get(place) ?? { kind: draft.kind, level, steps: [], behind: [] }
      tables.set(place, table)
      holder.set(step, table)
      table.steps.push(step)
    }
  }
  const ordered = [...tables.values()].sort((a, b) => a.level - b.level || rankOf(a.kind.key) - rankOf(b.kind.key))
  for (const [i, table] of ordered.entries()) {
    const named = namedBy(table, holder)
    table.behind = ordered
      .slice(0, i)
      .filter((other) => other.kind === table.kind || named.has(other) || named.has(other.kind.key))
  }
  return { ...found, batches: ordered }
}

type Table = Batch & { level: number }

/** The tables of which a table names rows by their ids, and the kinds that it names by texts, which find records by any of their names. */
function namedBy({ steps }: Table, holder: ReadonlyMap<Step, Table>): ReadonlySet<Table | string> {
  const tables = steps.flatMap(({ needs }) => needs.flatMap((other) => holder.get(other) ?? []))
  const kinds = steps.flatMap(({ draft }) =>
    (draft?.references ?? []).flatMap(({ to, given }) => (to && !given.every(isRowId) ? [to] : [])),
  )
  return new Set([...tables, ...kinds])
}

/** Tables of one level come in the order of their kinds; what names a row of its own kind, or of a later one, waits for the next level. */
function levelBehind(levels: ReadonlyMap<Step, number>, other: Step, { draft }: Step): number {
  const level = levels.get(other)
  if (level === undefined || !other.draft || !draft) return 0
  return rankOf(other.draft.kind.key) < rankOf(draft.kind.key) ? level : level + 1
}

/** So many tables are in the hands of the service at the same time. */
const AT_ONCE = 4

/**
 * Takes tables side by side, each once those are done that are to be there before it; of those that may go, first the one with most rows in it
 * and waiting for it. Fails as the first that fails, once no other goes on.
 */
export async function sideBySide(batches: readonly Batch[], take: (batch: Batch) => Promise<void>): Promise<void> {
  const left = mostAwaitedFirst(batches)
  const done = new Set<Batch>()
  const going = new Set<Promise<unknown>>()
  const takeOne = async (batch: Batch) => {
    left.splice(left.indexOf(batch), 1)
    await take(batch)
    done.add(batch)
  }
  const hand = async () => {
    for (;;) {
      const next = left.find(({ behind }) => behind.every((other) => done.has(other)))
      if (!next && (left.length === 0 || going.size === 0)) return
      const work = next ? takeOne(next) : Promise.race(going)
      if (next) going.add(work)
      await work.finally(() => going.delete(work))
    }
  }
  for (const end of await Promise.allSettled(Array.from({ length: AT_ONCE }, hand)))
    if (end.status === 'rejected') throw end.reason
}

function mostAwaitedFirst(batches: readonly Batch[]): Batch[] {
  const rows = new Map<Batch, number>()
  for (const batch of batches.toReversed()) {
    const waiting = batches.filter(({ behind }) => behind.includes(batch)).map((it) => rows.get(it) ?? 0)
    rows.set(batch, batch.steps.length + Math.max(0, ...waiting))
  }
  return batches.toSorted((a, b) => (rows.get(b) ?? 0) - (rows.get(a) ?? 0))
}
