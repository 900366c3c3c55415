import type { Actor } from '../../permissions.ts'
import type { History } from '../../records/history.ts'
import type { Shown } from '../../records/shown.ts'
import { differenceOf } from '../../records/views/difference.ts'
import { conflictsIn } from '../../review/views/workspace.ts'
import type { PeopleById } from '../../users/people.ts'
import type { Foreseen } from '../merge-preview.ts'
import { entityView } from './project.ts'

/**
 * What a merge would make of one linked record: what it is today, what it becomes, what it contradicts and looks like, and
 * what stands in the way. `it` is the record with the values that it will have,
 * as the caller may be shown it.
 */
export function foreseenView(
  { link, head, plan, alike }: Foreseen,
  it: Shown<History> | undefined,
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
