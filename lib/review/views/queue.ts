import { phrase } from '../../language/phrase.ts'
import type { Actor } from '../../permissions.ts'
import type { RecordItem } from '../../records/items.ts'
import type { Lease } from '../../records/leases.ts'
import { policy, triage, type Weighed } from '../../records/rules/triage.ts'
import type { Shown } from '../../records/shown.ts'
import { entityRow } from '../../records/views/entity.ts'
import type { PeopleById } from '../../users/people.ts'
import type { Row } from '../queue.ts'

/** A row of the review queue and of the contribution queue: the contribution, why it is where it is, and who works on it. */
export function queueRow(
  { record: it, lease, at }: Row & { record: Shown<RecordItem> },
  actor: Actor,
  people: PeopleById,
): Record<string, unknown> {
  const row = entityRow(it, actor, people)
  const { triage_breakdown, ...urgency } = triageView(it, at)
  return {
    ...row,
    latest_revision: row.current_revision,
    activity_count: it.activity_count,
    flag_count: it.open_flags,
    has_conflicts: it.open_contradictions > 0,
    days_in_review: it.status === 'pending_review' ? triage_breakdown.days_in_review : 0,
    fork_info: null,
    ...urgency,
    triage_breakdown,
    why_here: whyHere(it, at),
    lease: leaseView(lease),
  }
}

/** Who works on a contribution, and until when. */
export const leaseView = (it: Lease | null) =>
  it && { held_by: { id: it.held_by, username: it.username }, until: it.until }

/** The score of a contribution at a moment, and how it comes about. */
export function triageView(it: Weighed & Pick<RecordItem, 'worst_source_type'>, at: number) {
  const { triage_priority, days_in_review, norms } = triage(it, at)
  const { w_age, w_flags, w_conflict, w_source } = policy
  const worst_source_tier = policy.tier_rank_json[it.worst_source_rank] ?? 'unknown'
  const { open_flags: unresolved_flag_count, created_at, entity_id, worst_source_type } = it
  return {
    triage_priority,
    triage_breakdown: {
      ...norms,
      weights: { w_age, w_flags, w_conflict, w_source },
      days_in_review,
      unresolved_flag_count,
      has_contradiction: it.open_contradictions > 0,
      worst_tier_label: worst_source_tier,
      worst_source_type,
      tie_breakers: { unresolved_flag_count, created_at, entity_id },
    },
    worst_source_tier,
    worst_source_type,
  }
}

/** The parts of the score in words, the weightiest first; what adds nothing is not said. */
function whyHere(it: Weighed & Pick<RecordItem, 'worst_source_type'>, at: number): string[] {
  const { points, days_in_review } = triage(it, at)
  const source = it.worst_source_type?.replaceAll('_', ' ')
  const sentences = {
    age: days_in_review === 0 ? phrase('Waiting since today') : phrase(`Waiting for ${daysIn(days_in_review)}`),
    flags: it.open_flags === 1 ? phrase('1 open flag') : phrase(`${it.open_flags} open flags`),
    conflict: phrase('Contradicts another claim'),
    source: source ? phrase(`Weakest source: ${source}`) : phrase('A value has no source'),
  }
  return (['age', 'flags', 'conflict', 'source'] as const)
    .map((part) => ({ words: sentences[part], points: Math.round(points[part]) }))
    .filter((part) => part.points > 0)
    .sort((a, b) => b.points - a.points)
    .map((part) => `${part.words} (+${part.points})`)
}

const daysIn = (n: number) => (n === 1 ? phrase('1 day') : phrase(`${n} days`))
