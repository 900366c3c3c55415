import type { Kind } from '../../../lib/kinds/index.ts'
import { rankOf } from './mappings.ts'
import type { Plan, Step } from './plan.ts'

/** Rows that one table can hold: all of a kind, none of which names another. */
export type Batch = { kind: Kind; steps: Step[] }
export type Batches = {
  batches: Batch[]
  /** What is no row of a table, since it is no record: registered sources, which others may name, and claims, which name others. */
  before: Step[]
  after: Step[]
  /** Rows that cannot be said in the words of the API. */
  refused: Step[]
}

/** The rows of a plan as tables, each after those with rows that it names. Pure. */
export function batchesOf({ steps }: Plan): Batches {
  const levels = new Map<Step, number>()
  const tables = new Map<string, Batch & { level: number }>()
  const found: Batches = { batches: [], before: [], after: [], refused: [] }
  for (const step of steps) {
    const { draft } = step
    if (!draft) found.refused.push(step)
    else if (draft.kind.record) {
      const level = Math.max(0, ...step.needs.map((other) => levelBehind(levels, other, step)))
      levels.set(step, level)
      const place = `${level} ${draft.kind.key}`
      const table = tables.get(place) ?? { kind: draft.kind, level, steps: [] }
      tables.set(place, table)
      table.steps.push(step)
    } else (draft.kind.key === 'data_source' ? found.before : found.after).push(step)
  }
  const ordered = [...tables.values()].sort((a, b) => a.level - b.level || rankOf(a.kind.key) - rankOf(b.kind.key))
  return { ...found, batches: ordered.map(({ kind, steps }) => ({ kind, steps })) }
}

/** Tables of one level come in the order of their kinds; what names a row of its own kind, or of a later one, waits for the next level. */
function levelBehind(levels: ReadonlyMap<Step, number>, other: Step, { draft }: Step): number {
  const level = levels.get(other)
  if (level === undefined || !other.draft || !draft) return 0
  return rankOf(other.draft.kind.key) < rankOf(draft.kind.key) ? level : level + 1
}
