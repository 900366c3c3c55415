import type { routes } from '../../../functions/reviews.ts'
import { type Answers, made, ok, page } from '../answer.ts'
import { ReviewDecision } from '../shapes/entity.ts'
import { DecisionRow, ReviewerDashboard, Workspace } from '../shapes/review.ts'

export const reviews: Answers<typeof routes> = {
  'GET /data/review-workspace/{entity_id}/': {
    says: 'Read everything that a reviewer needs to decide on a record',
    gives: ok(Workspace),
  },
  'POST /data/review-workspace/{entity_id}/decide/': {
    says: 'Give a verdict',
    more: "`reject` and `request_changes` need `feedback`; `accept_with_edits` takes values of the record's kind in `edits`. An open contradiction has to be settled by `conflict_handling`. A decision on a contribution of one's own, one that an escalation has kept for a higher rank, and settling a contradiction or overriding confidence without being a domain expert are 403, which says what role it takes.",
    gives: made(ReviewDecision),
  },
  'GET /data/reviewer-dashboard/': {
    says: 'Read what waits and what the caller has done',
    gives: ok(ReviewerDashboard),
  },
  'GET /data/review-decisions-profile/': { says: 'List the decisions of a reviewer', gives: page(DecisionRow) },
}
