import type { History } from '../history.ts'
import type { Assertion, Decision } from '../items.ts'
import type { Rule } from '../rules/canonical.ts'

type Status = Assertion['reconciliation_status']
type Fate = { status: Status; at: string }

/**
 * The claims of a record that everyone could read at a moment, as they stood then, oldest first. One that has not changed since is as it
 * is; of any other the decisions up to then, and what reviewers said of it alone, are gone through again.
 */
export function claimsAt(
  { assertions, decisions }: Pick<History, 'assertions' | 'decisions'>,
  at: string,
): Assertion[] {
  const fates = fatesAt(assertions, decisions, at)
  return assertions
    .filter((it) => it.created_at <= at)
    .map((it) => (it.updated_at <= at ? it : asOf(it, fates.get(it.id))))
    .filter((it) => it.reconciliation_status === 'accepted' || it.reconciliation_status === 'disputed')
    .sort((a, b) => (a.id < b.id ? -1 : 1))
}

const asOf = (it: Assertion, fate: Fate | undefined): Assertion => ({
  ...it,
  reconciliation_status: fate?.status ?? 'pending',
  updated_at: fate?.at ?? it.created_at,
})

type Step = { at: string; sequence: number; apply: (fates: Map<string, Fate>) => void }

/** What had become of each claim. */
function fatesAt(assertions: readonly Assertion[], decisions: readonly Decision[], at: string): Map<string, Fate> {
  const steps: Step[] = [
    ...decisions.map((it) => ({ at: it.created_at, sequence: it.sequence, apply: applying(it) })),
    ...assertions.flatMap(({ id, settlings = [] }) =>
      settlings.map((it) => ({ at: it.at, sequence: 0, apply: (fates: Map<string, Fate>) => fates.set(id, it) })),
    ),
  ]
  const fates = new Map<string, Fate>()
  const due = steps
    .filter((it) => it.at <= at)
    .sort((a, b) => (a.at === b.at ? a.sequence - b.sequence : a.at < b.at ? -1 : 1))
  for (const { apply } of due) apply(fates)
  return fates
}

const applying =
  ({ outcomes, created_at: at }: Decision) =>
  (fates: Map<string, Fate>) => {
    for (const { stands, rule, rivals } of outcomes) {
      if (stands !== null) fates.set(stands, { status: rule === 'disputed' ? 'disputed' : 'accepted', at })
      for (const id of rivals) {
        const status = ofRival(rule, fates.get(id)?.status)
        if (status !== fates.get(id)?.status) fates.set(id, { status, at })
      }
    }
  }

/** What becomes of a claim against which another stands; see lib/records/rules/canonical.ts. */
function ofRival(rule: Rule, before: Status | undefined): Status {
  if (rule === 'disputed') return 'disputed'
  if (rule === 'coexist' || rule === 'refines') return 'accepted'
  // What stood beside the value that is kept goes on standing there.
  if (rule === 'existing_stands' && (before === 'accepted' || before === 'disputed')) return before
  return 'superseded'
}
