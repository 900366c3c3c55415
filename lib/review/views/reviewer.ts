import type { Actor } from '../../permissions.ts'
import { percent } from '../../records/history.ts'
import { roleView } from '../../users/views/role.ts'
import type { Decided, Work } from '../reviewers.ts'

type Queues = { all: number; conflicts: number; flagged: number; expiring: number }

/** A reviewer's own page: what waits, what the last seven days brought, what there has been in all, and what happens in the field. */
export function dashboardView(it: Work, queues: Queues, actor: Actor): Record<string, unknown> {
  const { user, week } = it
  const counted = (...verdicts: string[]) => week.filter(({ verdict }) => verdicts.includes(verdict)).length
  return {
    queue_count: queues.all,
    conflicts_count: queues.conflicts,
    flagged_count: queues.flagged,
    expiring_count: queues.expiring,
    resolved_this_week: week.length,
    accepted_this_week: counted('accept', 'accept_with_edits'),
    rejected_this_week: counted('reject'),
    total_reviewed: it.total,
    acceptance_rate: percent(it.accepted, it.total),
    conflicts_resolved: it.conflicts_resolved,
    reviewer_role: user?.reviewer_role?.is_active
      ? roleView({ ...user, reviewer_role: user.reviewer_role }, it.people, actor)
      : null,
    recent_domain_activity: it.lately.map(({ activity, about }) => ({
      entity_id: about.entity_id,
      entity_name: about.name,
      activity_type: activity.activity_type,
      user: it.people(activity.user_id)?.username ?? '',
      created_at: activity.created_at,
      comment: activity.comment,
    })),
  }
}

/** A row of the list of a person's decisions; a record that the caller may not see is not named. */
export const decisionRow = ({ decision, about }: Decided) => ({
  id: decision.id,
  entity_id: about ? decision.entity_id : null,
  entity_name: about?.name ?? '',
  verdict: decision.verdict,
  created_at: decision.created_at,
})
