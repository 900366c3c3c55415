import * as v from 'valibot'
import * as s from '../../../base/shapes.ts'
import { UserCardView } from '../../../platform/users/people.ts'
import { recordStatuses } from '../../records/rules/status.ts'
import { anyValue } from '../../records/views/difference.ts'

/** What a row of the queue shows of a fork. */
export const ForkInfoView = s.shape('ForkInfo', () =>
  v.object({
    fork_id: s.uuid,
    original_entity_id: s.uuid,
    original_entity_name: s.text,
    fork_reason_tag: s.text,
    fork_reason_tag_display: s.text,
    fork_status: s.text,
    diff_field_count: s.whole,
    reason: s.text,
    forked_by: s.text,
  }),
)
export type ForkInfo = s.Output<typeof ForkInfoView>

/** What the workspace shows of a fork, and of the record that it is a version of. */
export const ForkContextView = s.shape('ForkContext', () =>
  v.object({
    fork_id: s.uuid,
    parent_entity_id: s.uuid,
    parent_entity_name: s.text,
    parent_entity_status: s.oneOf(recordStatuses),
    fork_reason_tag: s.text,
    fork_reason_tag_display: s.text,
    fork_status: s.text,
    fork_status_display: s.text,
    reason: s.text,
    diff_summary: v.record(v.string(), v.object({ old: anyValue(), new: anyValue() })),
    diff_field_count: s.whole,
    forked_by: s.maybe(UserCardView),
    forked_from_revision_number: s.whole,
    parent_current_revision: s.whole,
    parent_comments: v.array(
      v.object({ id: s.text, comment: s.text, user: s.maybe(UserCardView), created_at: s.time }),
    ),
    created_at: s.time,
  }),
)
export type ForkContext = s.Output<typeof ForkContextView>
