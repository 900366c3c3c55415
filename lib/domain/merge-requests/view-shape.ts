import * as v from 'valibot'
import * as s from '../../base/shapes.ts'
import { requestStatuses } from './load.ts'

// A file of its own: a process loads the shapes when it starts, and the views with the first answer about a request.

const ViolationView = s.shape('MergeViolation', () =>
  v.object({ shape: s.text, focus_node: s.text, message: s.text, severity: s.oneOf(['Violation']) }),
)
export const MergeDiffView = s.shape('MergeDiff', () =>
  v.object({
    added_count: s.whole,
    removed_count: s.whole,
    conflict_count: s.whole,
    added_subjects: v.array(s.text),
    conflicting_triples: v.array(
      v.object({ subject: s.text, predicate: s.text, project_value: s.text, main_value: s.text }),
    ),
  }),
)
const CollisionView = s.shape('MergeCollision', () => v.object({ subject: s.text, candidate: s.uuid }))
export const MergeRequestView = s.shape('MergeRequest', () =>
  v.object({
    id: s.uuid,
    project: s.uuid,
    project_title: s.text,
    project_slug: s.text,
    status: s.oneOf(requestStatuses),
    scope: s.oneOf(['whole', 'subset']),
    summary: s.text,
    justification: s.text,
    opened_by: s.uuid,
    opened_by_username: s.text,
    reviewed_by: s.maybe(s.uuid),
    reviewed_by_username: s.maybe(s.text),
    reviewer_note: s.text,
    shacl_report: v.object({ conforms: v.boolean(), violations: v.array(ViolationView) }),
    conflict_diff: MergeDiffView,
    pid_collisions: v.array(CollisionView),
    merge_activity_uri: s.maybe(s.text),
    new_pids: v.array(s.text),
    opened_at: s.time,
    updated_at: s.time,
    merged_at: s.maybe(s.time),
  }),
)
export const MergeCheckView = s.shape('MergeCheck', () =>
  v.object({
    conforms: v.boolean(),
    violations: v.array(ViolationView),
    pid_collisions: v.array(CollisionView),
    reconciliation: v.object({
      reconciled: s.whole,
      close_match: s.whole,
      no_match: s.whole,
      pending: s.whole,
      total: s.whole,
    }),
    diff: v.object({ added_count: s.whole, removed_count: s.whole, conflict_count: s.whole }),
  }),
)
