import type { History } from '../history.ts'
import { type Assertion, type Decision, isSettled } from '../items.ts'
import type { OutcomeRule } from '../rules/canonical.ts'

type Status = Assertion['reconciliation_status']
type Fate = { status: Status; at: string }

/**
 * Returns the claims that readers could see at a moment, oldest first, with their status of that moment. If a claim has
 * changed since, decisions and settlings up to that moment give its status.
 */
export function claimsAt(
  { assertions, decisions }: Pick<History, 'assertions' | 'decisions'>,
  at: string,
): Assertion[] {
  const fates = fatesAt(assertions, decisions, at)
  return assertions
    .filter((claim) => claim.created_at <= at)
    .map((claim) => (claim.updated_at <= at ? claim : withFate(claim, fates.get(claim.id))))
    .filter(isSettled)
    .sort((a, b) => (a.id < b.id ? -1 : 1))
}

const withFate = (claim: Assertion, fate: Fate | undefined): Assertion => ({
  ...claim,
  reconciliation_status: fate?.status ?? 'pending',
  updated_at: fate?.at ?? claim.created_at,
})

type Step = { at: string; sequence: number; apply: (fates: Map<string, Fate>) => void }

/** Replays decisions and settlings up to that moment. */
function fatesAt(assertions: readonly Assertion[], decisions: readonly Decision[], at: string): Map<string, Fate> {
  const steps: Step[] = [
    ...decisions.map((it) => ({ at: it.created_at, sequence: it.sequence, apply: applyDecision(it) })),
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

const applyDecision =
  ({ outcomes, created_at: at }: Decision) =>
  (fates: Map<string, Fate>) => {
    for (const { stands, rule, rivals } of outcomes) {
      if (stands !== null) fates.set(stands, { status: rule === 'disputed' ? 'disputed' : 'accepted', at })
      for (const id of rivals) {
        const status = rivalStatus(rule, fates.get(id)?.status)
        if (status !== fates.get(id)?.status) fates.set(id, { status, at })
      }
    }
  }

/** The status that lib/domain/records/rules/canonical.ts gave a rival, derived from the stored outcome. */
function rivalStatus(rule: OutcomeRule, before: Status | undefined): Status {
  if (rule === 'disputed') return 'disputed'
  if (rule === 'coexist' || rule === 'refines') return 'accepted'
  // The existing value stands, so rivals that stood with it keep their status.
  if (rule === 'existing_stands' && (before === 'accepted' || before === 'disputed')) return before
  return 'superseded'
}
