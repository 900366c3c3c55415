import * as v from 'valibot'
import * as s from '../../../base/shapes.ts'
import { recordStatuses } from '../../records/rules/status.ts'
import { ChangeView } from '../../records/views/difference.ts'
import { ConflictView } from '../../review/views/conflict-shape.ts'
import { ProjectEntityView } from './project.ts'

// The shape has a file of its own: every start loads it, while only a preview loads the view with the code of a merge.

/** What a merge would do to a linked record. */
export const ForeseenRecordView = s.shape('ForeseenRecord', () =>
  v.object({
    ...ProjectEntityView.entries,
    outcome: s.oneOf(['accepted', 'blocked', 'left']),
    blocker: s.maybe(s.text),
    becomes: s.maybe(
      v.object({ status: s.oneOf(recordStatuses), is_published: v.boolean(), revision: s.maybe(s.whole) }),
    ),
    difference: v.array(ChangeView),
    conflicts: v.array(ConflictView),
    look_alikes: v.array(
      v.object({
        entity_id: s.uuid,
        how: s.oneOf(['same_identity', 'same_name', 'close']),
        name: s.text,
        linked: v.boolean(),
      }),
    ),
  }),
)
/** What a merge would do as a whole: its blockers, its size, and about how many seconds it takes. */
export const mergePreview = () => ({
  blockers: v.array(s.text),
  size: v.object({
    records: s.whole,
    planned: s.whole,
    accepted: s.whole,
    blocked: s.whole,
    left: s.whole,
    writes: s.whole,
    bytes: s.whole,
    parts: s.whole,
  }),
  seconds: s.whole,
  goes_on_alone: v.boolean(),
})
