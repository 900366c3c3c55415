import * as v from 'valibot'
import * as s from '../../../base/shapes.ts'
import type { Actor } from '../../../platform/permissions.ts'
import type { PeopleById } from '../../../platform/users/people.ts'
import type { History } from '../../records/history.ts'
import { recordStatuses } from '../../records/rules/status.ts'
import type { Visible } from '../../records/shown.ts'
import { ChangeView, differenceOf } from '../../records/views/difference.ts'
import { ConflictView, conflictsIn } from '../../review/views/workspace.ts'
import type { ForeseenRecord } from '../merge-preview.ts'
import { entityView, ProjectEntityView } from './project.ts'

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
/** What a merge would do as a whole: what would refuse it, its size, and about how many seconds it takes. */
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

/**
 * What a merge would do to one linked record: its present state, its next state, contradictions, look-alikes and the blocker.
 * `it` is the record with its future values, as the caller may see them.
 */
export function foreseenView(
  { link, head, plan, alike }: ForeseenRecord,
  it: Visible<History> | undefined,
  actor: Actor,
  people: PeopleById,
) {
  const blocker = plan && 'blocker' in plan ? plan.blocker : null
  const after = plan && 'accepted' in plan ? plan.accepted.after.head : undefined
  return {
    ...entityView(link, head, actor, people),
    outcome: blocker !== null ? 'blocked' : after ? 'accepted' : 'left',
    blocker,
    becomes: after ? { status: after.status, is_published: after.public, revision: after.accepted_revision } : null,
    difference: it && after ? differenceOf(it, {}, it.proposed ?? it.data) : [],
    conflicts: it ? conflictsIn(it) : [],
    look_alikes: alike,
  }
}
