import { fold } from '../../../lib/engines/matching/index.ts'
import { cellTextOf, type Draft, draftOf, type Fault, idsMeant, isRowId } from './draft.ts'
import { rankOf } from './mappings.ts'
import type { Offered } from './rows.ts'

/** A row with its draft, the rows that it names (`needs`) and its position, which is after theirs. */
export type ImportStep = {
  offered: Offered
  draft: Draft | undefined
  faults: Fault[]
  needs: ImportStep[]
  position: number
}
export type Plan = { steps: ImportStep[]; byId: ReadonlyMap<string, ImportStep> }

/**
 * The order in which rows are sent: kinds that others name first, and each row after those that it names. If rows name each other in a
 * circle, one still comes first, and the row that it names does not exist yet. Pure.
 */
export function planOf(offered: readonly Offered[], options: { lenient: boolean }): Plan {
  const byId = new Map<string, ImportStep>()
  const steps = offered.map((one) => {
    const step = stepOf(one, byId, options)
    if ('row' in one && !byId.has(one.row.id)) byId.set(one.row.id, step)
    return step
  })
  const byName = namesIn(steps)
  const ordered: ImportStep[] = []
  const seen = new Set<ImportStep>()
  const visit = (step: ImportStep) => {
    if (seen.has(step)) return
    seen.add(step)
    const named = step.draft ? namedBy(step.draft, byId, byName) : []
    for (const other of named) visit(other)
    step.needs = [...step.needs, ...named.filter((other) => other !== step && ordered.includes(other))]
    step.position = ordered.push(step) - 1
  }
  for (const step of [...steps].sort((a, b) => rank(a) - rank(b))) visit(step)
  return { steps: ordered, byId }
}

function stepOf(offered: Offered, byId: ReadonlyMap<string, ImportStep>, options: { lenient: boolean }): ImportStep {
  const blank = { offered, draft: undefined, faults: [], needs: [], position: -1 }
  if ('fault' in offered) return { ...blank, faults: [{ member: '', reason: offered.fault }] }
  const first = byId.get(offered.row.id)
  if (first && !same(first.offered, offered)) {
    const reason = `${first.offered.file}:${first.offered.line} has this id and other values.`
    return { ...blank, faults: [{ member: 'id', reason }] }
  }
  const draft = draftOf(offered.row, options)
  const again = { ...blank, needs: first ? [first] : [] }
  return Array.isArray(draft) ? { ...again, faults: draft } : { ...again, draft }
}

const same = (a: Offered, b: Offered) => 'row' in a && 'row' in b && JSON.stringify(a.row) === JSON.stringify(b.row)
const rank = ({ draft, offered }: ImportStep) =>
  draft ? rankOf(draft.kind.key) * 2 + ('row' in offered && draft.ends ? 1 : 0) : -1

/** Rows by kind and folded name. A text in a relation finds the record of that name, so its row must come first. */
function namesIn(steps: readonly ImportStep[]): ReadonlyMap<string, ImportStep[]> {
  return Map.groupBy(
    steps.filter((step) => step.draft),
    ({ draft }) => (draft ? nameKey(draft.kind.key, cellTextOf(draft.row.name)) : ''),
  )
}

function namedBy(
  draft: Draft,
  byId: ReadonlyMap<string, ImportStep>,
  byName: ReadonlyMap<string, readonly ImportStep[]>,
): readonly ImportStep[] {
  const ids = [
    ...draft.references.flatMap(({ given }) => given.filter(isRowId).flatMap((token) => idsMeant(token, draft.row))),
    ...(draft.ends ? [draft.ends.subject, draft.ends.object] : []),
  ]
  const texts = draft.references.flatMap(({ to, given }) =>
    to ? given.filter((token) => !isRowId(token)).map((text) => nameKey(to, text)) : [],
  )
  return [...ids.flatMap((id) => byId.get(id) ?? []), ...texts.flatMap((name) => byName.get(name) ?? [])]
}

const nameKey = (kind: string, name: string) => `${kind} ${fold(name)}`
