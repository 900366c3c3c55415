import * as v from 'valibot'
import { ranks } from '../../../lib/permissions.ts'
import { handlings, verdicts } from '../../../lib/records/rules/verdicts.ts'
import { maybe, oneOf, text, time, UserCard, uuid, whole } from './common.ts'
import { Activity, Change, Contribution, ExplainedProperty, ReviewDecision, ReviewFlag, Revision } from './entity.ts'
import { Assertion } from './record.ts'

/** The queue, the workspace, roles. */

/** Who works on it, and until when. */
export const Lease = v.object({ held_by: v.object({ id: uuid, username: text }), until: time })
export const TriageBreakdown = v.object({
  age_norm: v.number(),
  flags_norm: v.number(),
  conflict_boost: v.number(),
  source_penalty: v.number(),
  weights: v.object({ w_age: v.number(), w_flags: v.number(), w_conflict: v.number(), w_source: v.number() }),
  days_in_review: whole,
  unresolved_flag_count: whole,
  has_contradiction: v.boolean(),
  worst_tier_label: text,
  worst_source_type: maybe(text),
  tie_breakers: v.object({ unresolved_flag_count: whole, created_at: time, entity_id: uuid }),
})
const urgency = {
  triage_priority: whole,
  triage_breakdown: TriageBreakdown,
  worst_source_tier: text,
  worst_source_type: maybe(text),
}

export const QueueItem = v.object({
  ...Contribution.entries,
  latest_revision: Contribution.entries.current_revision,
  activity_count: whole,
  flag_count: whole,
  has_conflicts: v.boolean(),
  days_in_review: whole,
  fork_info: v.null(),
  ...urgency,
  why_here: v.array(text),
  lease: maybe(Lease),
})
export const QueueCounts = v.object({
  all: whole,
  new_claims: whole,
  conflicts: whole,
  flagged: whole,
  expiring: whole,
  total: whole,
})
export const ContributionQueueCounts = v.object({ ...QueueCounts.entries, forks: whole })
export const TriagePolicy = v.object({
  w_age: v.number(),
  w_flags: v.number(),
  w_conflict: v.number(),
  w_source: v.number(),
  s_max_days: whole,
  f_max_flags: whole,
  tier_rank_json: v.array(text),
})

/** A claim that waits beside one that stands, and how the two are best settled. */
export const Conflict = v.object({
  property: text,
  label: text,
  standing: Assertion,
  rival: Assertion,
  verdict: oneOf(['refines', 'compatible', 'contradicts']),
  proposed_handling: oneOf(handlings),
  why: text,
  flag: maybe(uuid),
})
export const Workspace = v.object({
  ...Contribution.entries,
  current_revision: maybe(Revision),
  contributor_stats: v.object({
    total_contributions: whole,
    accepted_contributions: whole,
    acceptance_rate: v.number(),
  }),
  required_persona: oneOf(ranks),
  allowed_verdicts: v.array(oneOf(verdicts)),
  allowed_handlings: v.array(oneOf(handlings)),
  refusal: maybe(text),
  lease: maybe(v.object({ ...Lease.entries, is_mine: v.boolean() })),
  accepted_revision: maybe(whole),
  revisions: v.array(Revision),
  activities: v.array(Activity),
  review_decisions: v.array(ReviewDecision),
  flags: v.array(ReviewFlag),
  difference: v.array(Change),
  properties: v.array(ExplainedProperty),
  conflicts: v.array(Conflict),
  ...urgency,
  fork_context: v.null(),
})

export const ReviewerRole = v.object({
  id: uuid,
  user: UserCard,
  role: oneOf(ranks),
  expertise_areas: v.array(text),
  is_active: v.boolean(),
  assigned_by: maybe(UserCard),
  can_override_confidence: v.boolean(),
  can_resolve_conflicts: v.boolean(),
  can_manage_roles: v.boolean(),
  created_at: time,
  updated_at: time,
})
const state = oneOf(['pending', 'approved', 'rejected'])
export const Application = v.object({
  id: uuid,
  user: maybe(UserCard),
  message: text,
  status: state,
  admin_notes: text,
  reviewed_by: maybe(UserCard),
  reviewed_at: maybe(time),
  created_at: time,
  updated_at: time,
})
/** The own application; of nobody's, every member is null. */
export const OwnApplication = v.object({
  id: maybe(uuid),
  message: maybe(text),
  status: maybe(state),
  created_at: maybe(time),
  updated_at: maybe(time),
})
export const User = v.object({
  ...UserCard.entries,
  is_active: v.boolean(),
  is_staff: v.boolean(),
  is_superuser: v.boolean(),
  date_joined: time,
  groups: v.array(text),
  reviewer_role: maybe(v.object({ id: uuid, role: oneOf(ranks), is_active: v.boolean() })),
})

export const ReviewerDashboard = v.object({
  queue_count: whole,
  conflicts_count: whole,
  flagged_count: whole,
  expiring_count: whole,
  resolved_this_week: whole,
  accepted_this_week: whole,
  rejected_this_week: whole,
  total_reviewed: whole,
  acceptance_rate: v.number(),
  conflicts_resolved: whole,
  reviewer_role: maybe(ReviewerRole),
  recent_domain_activity: v.array(
    v.object({
      entity_id: uuid,
      entity_name: text,
      activity_type: text,
      user: text,
      created_at: time,
      comment: text,
    }),
  ),
})
export const DecisionRow = v.object({
  id: uuid,
  entity_id: maybe(uuid),
  entity_name: text,
  verdict: oneOf(verdicts),
  created_at: time,
})
