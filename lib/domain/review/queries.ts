import * as v from 'valibot'
import {
  BooleanFlag,
  MISSING,
  QueryCount,
  QueryText,
  queryChoice,
  queryWord,
  requiredId,
} from '../../platform/http/params.ts'
import { reviewedKinds } from '../kinds/index.ts'
import { recordStatuses } from '../records/rules/status.ts'
import { queueTypes } from '../records/rules/triage.ts'

export const QueueQuery = v.pipe(
  v.object({
    queue_type: queryChoice(queueTypes),
    ordering: queryChoice([
      '-triage_priority',
      'created_at',
      '-created_at',
      'updated_at',
      '-updated_at',
      'name',
      '-name',
      'doubt',
    ]),
    category: QueryText,
    kind: queryWord(reviewedKinds),
    status: queryWord(recordStatuses),
    search: QueryText,
    stale_days: QueryCount,
    contradictions_only: BooleanFlag,
    my_domain: BooleanFlag,
    min_worst_source_rank: QueryCount,
    max_trust_tier_rank: QueryCount,
  }),
  v.transform(({ queue_type, ...rest }) => ({ ...rest, type: queue_type })),
)
export const ContributionQueueQuery = v.object({
  queue_tab: queryChoice([...queueTypes, 'forks']),
  ordering: queryChoice([
    '-created_at',
    'created_at',
    'name',
    '-name',
    'updated_at',
    '-updated_at',
    '-triage_priority',
  ]),
  category: QueryText,
  search: QueryText,
})
export const ReviewerQuery = v.object({ reviewer: requiredId('Give the id of a user.') }, MISSING)
