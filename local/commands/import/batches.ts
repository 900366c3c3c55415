import type { Kind } from '../../../lib/domain/kinds/index.ts'
import { isRowId } from './draft.ts'
import { rankOf } from './mappings.ts'
import type { ImportStep, Plan } from './plan.ts'

/**
 * Rows of one kind that are sent together: as one table, in which no row names another, or one by one if the kind is no record.
 * `behind` are the batches that must be sent before it.
 */
export type TableBatch = { kind: Kind; steps: ImportStep[]; behind: TableBatch[] }
export type Batches = {
  batches: TableBatch[]
  /** Registered sources, which others may name. They are no records, so they are sent one by one, first. */
  before: ImportStep[]
  /** Rows that the API cannot take. */
  refused: ImportStep[]
}

/** Puts the rows of a plan into tables, each behind the tables whose rows it names, and claims behind the tables that they name. Pure. */
export function batchesOf({ steps }: Plan): Batches {
  const levels = new Map<ImportStep, number>()
  const holder = new Map<ImportStep, Table>()
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

type Table = TableBatch & { level: number }

/** What a table names: tables, if by the ids of rows; whole kinds, if by text, which may match any name of a record. */
function namedBy({ steps }: Table, holder: ReadonlyMap<ImportStep, Table>): ReadonlySet<Table | string> {
  const tables = steps.flatMap(({ needs }) => needs.flatMap((other) => holder.get(other) ?? []))
  const kinds = steps.flatMap(({ draft }) =>
    (draft?.references ?? []).flatMap(({ to, given }) => (to && !given.every(isRowId) ? [to] : [])),
  )
  return new Set([...tables, ...kinds])
}

/** The level of a row that names another. Within a level kinds have an order, so a row that names its own or a later kind goes to the next level. */
function levelBehind(levels: ReadonlyMap<ImportStep, number>, other: ImportStep, { draft }: ImportStep): number {
  const level = levels.get(other)
  if (level === undefined || !other.draft || !draft) return 0
  return rankOf(other.draft.kind.key) < rankOf(draft.kind.key) ? level : level + 1
}

/** The number of tables that the service works on at the same time. */
const AT_ONCE = 4

/** The two steps of a table: `make` turns rows into records, `end` has them reviewed. */
export type Doing<Made> = {
  make: (batch: TableBatch) => Promise<Made>
  end: (batch: TableBatch, made: Made) => Promise<void>
}

/**
 * Works on several tables at once. A table is made when all tables that it is behind are made, and ended when these are ended. Of the
 * tables that may go, the one with most rows, its own and waiting ones, goes first. If one fails, throws its error when all others
 * have stopped.
 */
export async function sideBySide<Made>(batches: readonly TableBatch[], { make, end }: Doing<Made>): Promise<void> {
  const [made, ended] = [new Set<TableBatch>(), new Set<TableBatch>()]
  const ending = (batch: TableBatch, it: Made): Task => ({
    isDue: () => batch.behind.every((other) => ended.has(other)),
    work: async () => {
      await end(batch, it)
      ended.add(batch)
    },
  })
  const left = mostAwaitedFirst(batches).map(
    (batch): Task => ({
      isDue: () => batch.behind.every((other) => made.has(other)),
      work: async () => {
        left.unshift(ending(batch, await make(batch)))
        made.add(batch)
      },
    }),
  )
  const going = new Set<Promise<void>>()
  const hand = async () => {
    for (;;) {
      const next = left.find(({ isDue }) => isDue())
      if (!next && (left.length === 0 || going.size === 0)) return
      if (!next) await Promise.race(going)
      else {
        left.splice(left.indexOf(next), 1)
        const work = next.work()
        going.add(work)
        await work.finally(() => going.delete(work))
      }
    }
  }
  for (const each of await Promise.allSettled(Array.from({ length: AT_ONCE }, hand)))
    if (each.status === 'rejected') throw each.reason
}

type Task = { isDue: () => boolean; work: () => Promise<void> }

function mostAwaitedFirst(batches: readonly TableBatch[]): TableBatch[] {
  const rows = new Map<TableBatch, number>()
  for (const batch of batches.toReversed()) {
    const waiting = batches.filter(({ behind }) => behind.includes(batch)).map((it) => rows.get(it) ?? 0)
    rows.set(batch, batch.steps.length + Math.max(0, ...waiting))
  }
  return batches.toSorted((a, b) => (rows.get(b) ?? 0) - (rows.get(a) ?? 0))
}
