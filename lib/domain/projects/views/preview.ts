import type { Actor } from '../../../platform/permissions.ts'
import type { PeopleById } from '../../../platform/users/people.ts'
import type { History } from '../../records/history.ts'
import type { Visible } from '../../records/shown.ts'
import { differenceOf } from '../../records/views/difference.ts'
import type { KnownSources } from '../../review/known-sources.ts'
import { conflictsIn } from '../../review/views/workspace.ts'
import type { ForeseenRecord } from '../merge-preview.ts'
import { entityView } from './project.ts'

/**
 * What a merge would do to one linked record: its present state, its next state, contradictions, look-alikes and the blocker.
 * `it` is the record with the values that the merge would accept, as far as the caller may see them. `evidenceOf` adds what is known of
 * the source of a claim.
 */
export function foreseenView(
  { link, head, plan, alike }: ForeseenRecord,
  it: Visible<History> | undefined,
  actor: Actor,
  people: PeopleById,
  evidenceOf: KnownSources['evidenceOf'],
) {
  const blocker = plan && 'blocker' in plan ? plan.blocker : null
  const after = plan && 'accepted' in plan ? plan.accepted.after.head : undefined
  return {
    ...entityView(link, head, actor, people),
    outcome: blocker !== null ? 'blocked' : after ? 'accepted' : 'left',
    blocker,
    becomes: after ? { status: after.status, is_published: after.public, revision: after.accepted_revision } : null,
    difference: it && after ? differenceOf(it, {}, it.proposed ?? it.data) : [],
    conflicts: it ? conflictsIn(it, evidenceOf) : [],
    look_alikes: alike,
  }
}
