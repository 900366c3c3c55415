import * as v from 'valibot'
import { phrase } from '../../../base/language/languages.ts'
import * as s from '../../../base/shapes.ts'
import type { Actor } from '../../../platform/permissions.ts'
import type { PeopleById } from '../../../platform/users/people.ts'
import type { RecordItem } from '../../records/items.ts'
import type { Lease } from '../../records/leases.ts'
import { computeTriage, policy, type TriageSubject } from '../../records/rules/triage.ts'
import type { Visible } from '../../records/shown.ts'
import { ContributionView, entityRow } from '../../records/views/entity.ts'
import type { QueueRow } from '../queue.ts'
import { type ForkInfo, ForkInfoView } from './fork-shape.ts'

export const QueueItemView = s.shape('QueueItem', () =>
  v.object({
    ...ContributionView.entries,
    latest_revision: ContributionView.entries.current_revision,
    activity_count: s.whole,
    flag_count: s.whole,
    has_conflicts: v.boolean(),
    days_in_review: s.whole,
    fork_info: s.maybe(ForkInfoView),
    ...urgency(),
    why_here: v.array(s.text),
    made_by_machine: s.maybe(s.text),
    lease: s.maybe(LeaseView),
  }),
)

/** A row of the review queue and of the contribution queue: the contribution, its urgency, and the holder of its lease. */
export function queueRow(
  { record: it, lease, at }: QueueRow & { record: Visible<RecordItem> },
  actor: Actor,
  people: PeopleById,
  fork: ForkInfo | null,
): s.Output<typeof QueueItemView> {
  const row = entityRow(it, actor, people)
  const { triage_breakdown, ...urgency } = triageView(it, at)
  return {
    ...row,
    latest_revision: row.current_revision,
    activity_count: it.activity_count,
    flag_count: it.open_flags,
    has_conflicts: it.open_contradictions > 0,
    days_in_review: it.status === 'pending_review' ? triage_breakdown.days_in_review : 0,
    fork_info: fork,
    ...urgency,
    triage_breakdown,
    why_here: urgencyTexts(it, at),
    made_by_machine: it.machine,
    lease: lease && leaseView(lease),
  }
}

export const LeaseView = s.shape('Lease', () =>
  v.object({ held_by: v.object({ id: s.uuid, username: s.text }), until: s.time }),
)

export const leaseView = (it: Lease) => ({ held_by: { id: it.held_by, username: it.username }, until: it.until })

const TriageBreakdownView = s.shape('TriageBreakdown', () =>
  v.object({
    age_norm: v.number(),
    flags_norm: v.number(),
    conflict_boost: v.number(),
    source_penalty: v.number(),
    weights: v.object({ w_age: v.number(), w_flags: v.number(), w_conflict: v.number(), w_source: v.number() }),
    days_in_review: s.whole,
    unresolved_flag_count: s.whole,
    has_contradiction: v.boolean(),
    worst_tier_label: s.text,
    worst_source_type: s.maybe(s.text),
    tie_breakers: v.object({ unresolved_flag_count: s.whole, created_at: s.time, entity_id: s.uuid }),
  }),
)
export const urgency = () => ({
  triage_priority: s.whole,
  triage_breakdown: TriageBreakdownView,
  worst_source_tier: s.text,
  worst_source_type: s.maybe(s.text),
})

/** The score of a contribution at a moment, with its parts. */
export function triageView(it: TriageSubject & Pick<RecordItem, 'worst_source_type'>, at: number) {
  const { triage_priority, days_in_review, norms } = computeTriage(it, at)
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

/** The parts of the score in words, the largest first. A part that adds nothing is left out. */
function urgencyTexts(it: TriageSubject & Pick<RecordItem, 'worst_source_type'>, at: number): string[] {
  const { points, days_in_review } = computeTriage(it, at)
  const source = it.worst_source_type?.replaceAll('_', ' ')
  const sentences = {
    age: days_in_review === 0 ? phrase('Waiting since today') : phrase(`Waiting for ${daysText(days_in_review)}`),
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

const daysText = (n: number) => (n === 1 ? phrase('1 day') : phrase(`${n} days`))
