import * as v from 'valibot'
import * as s from '../../../base/shapes.ts'
import type { Actor } from '../../../platform/permissions.ts'
import { ReviewerRoleView, roleView } from '../../../platform/users/views/role.ts'
import { percent } from '../../records/history.ts'
import { verdicts } from '../../records/rules/verdicts.ts'
import type { DecidedRecord, ReviewerFigures } from '../reviewers.ts'

type Queues = { all: number; conflicts: number; flagged: number; expiring: number }

export const ReviewerDashboardView = s.shape('ReviewerDashboard', () =>
  v.object({
    queue_count: s.whole,
    conflicts_count: s.whole,
    flagged_count: s.whole,
    expiring_count: s.whole,
    resolved_this_week: s.whole,
    accepted_this_week: s.whole,
    rejected_this_week: s.whole,
    total_reviewed: s.whole,
    acceptance_rate: v.number(),
    conflicts_resolved: s.whole,
    reviewer_role: s.maybe(ReviewerRoleView),
    recent_domain_activity: v.array(
      v.object({
        entity_id: s.uuid,
        entity_name: s.text,
        activity_type: s.text,
        user: s.text,
        created_at: s.time,
        comment: s.text,
      }),
    ),
  }),
)

/** A reviewer's own page: sizes of queues, the last seven days, totals, and the latest activities in their field. */
export function dashboardView(
  figures: ReviewerFigures,
  queues: Queues,
  actor: Actor,
): s.Output<typeof ReviewerDashboardView> {
  const { user, week } = figures
  const countOf = (...verdicts: string[]) => week.filter(({ verdict }) => verdicts.includes(verdict)).length
  return {
    queue_count: queues.all,
    conflicts_count: queues.conflicts,
    flagged_count: queues.flagged,
    expiring_count: queues.expiring,
    resolved_this_week: week.length,
    accepted_this_week: countOf('accept', 'accept_with_edits'),
    rejected_this_week: countOf('reject'),
    total_reviewed: figures.total,
    acceptance_rate: percent(figures.accepted, figures.total),
    conflicts_resolved: figures.conflicts_resolved,
    reviewer_role: user?.reviewer_role?.is_active
      ? roleView({ ...user, reviewer_role: user.reviewer_role }, figures.people, actor)
      : null,
    recent_domain_activity: figures.lately.map(({ activity, about }) => ({
      entity_id: about.entity_id,
      entity_name: about.name,
      activity_type: activity.activity_type,
      user: figures.people(activity.user_id)?.username ?? '',
      created_at: activity.created_at,
      comment: activity.comment,
    })),
  }
}

export const DecisionRowView = s.shape('DecisionRow', () =>
  v.object({
    id: s.uuid,
    entity_id: s.maybe(s.uuid),
    entity_name: s.text,
    verdict: s.oneOf(verdicts),
    created_at: s.time,
  }),
)

/** A row of the list of a person's decisions. A record that the caller may not see is not named. */
export const decisionRow = ({ decision, about }: DecidedRecord) => ({
  id: decision.id,
  entity_id: about ? decision.entity_id : null,
  entity_name: about?.name ?? '',
  verdict: decision.verdict,
  created_at: decision.created_at,
})
