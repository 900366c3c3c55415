import { type Actor, worksOn } from '../../permissions.ts'
import type { PeopleById } from '../../users/people.ts'
import { acceptedRevisions, type History } from '../history.ts'
import type { Revision } from '../items.ts'
import type { Shown } from '../shown.ts'
import { differenceOf } from './difference.ts'
import { revisionView } from './entity.ts'
import { valuesFor } from './record.ts'

/** The revisions that the caller may see, newest first: those ever accepted, and all for those who work on the record. */
export function visibleRevisions(it: History, actor: Actor | null): Revision[] {
  const accepted = acceptedRevisions(it)
  return it.revisions.filter((each) => worksOn(actor, it) || accepted.has(each.revision_number))
}

/** A revision as the caller may know it. */
export const revisionRow = (it: Shown<History>, each: Revision, actor: Actor | null, people: PeopleById) => ({
  ...revisionView(it, { ...each, data: valuesFor(it, each.data, actor) }, people),
  entity_name: it.name,
  is_accepted: acceptedRevisions(it).has(each.revision_number),
})

/** What a later revision changed of an earlier one, or the other way round, field by field. */
export function diffView(it: Shown<History>, from: Revision, to: Revision, actor: Actor | null, people: PeopleById) {
  const made = {
    changed_at: to.created_at,
    changed_by: people(to.created_by),
    revision_from_number: from.revision_number,
    revision_to_number: to.revision_number,
  }
  const changes = differenceOf(it, valuesFor(it, from.data, actor), valuesFor(it, to.data, actor))
  return {
    entity_id: it.entity_id,
    entity_name: it.name,
    revision_from: revisionRow(it, from, actor, people),
    revision_to: revisionRow(it, to, actor, people),
    diff: Object.fromEntries(changes.map(({ field, old, new: next }) => [field, { old, new: next, ...made }])),
    field_diffs: changes.map((each) => ({ ...each, ...made })),
  }
}
