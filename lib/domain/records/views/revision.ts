import * as v from 'valibot'
import * as s from '../../../base/shapes.ts'
import { DatesShownView } from '../../../platform/http/shown-dates.ts'
import { type Actor, worksOn } from '../../../platform/permissions.ts'
import { type PeopleById, UserCardView } from '../../../platform/users/people.ts'
import { acceptedRevisions, type History } from '../history.ts'
import type { Revision } from '../items.ts'
import type { Visible } from '../shown.ts'
import { anyValue, ChangeView, differenceOf } from './difference.ts'
import { RevisionView, revisionView } from './entity.ts'
import { visibleValues } from './record.ts'

/** Newest first. Those who work on the record see all revisions, others the accepted ones. */
export function visibleRevisions(it: History, actor: Actor | null): Revision[] {
  const accepted = acceptedRevisions(it)
  return it.revisions.filter((each) => worksOn(actor, it) || accepted.has(each.revision_number))
}

export const RevisionRowView = s.shape('RevisionRow', () =>
  v.object({
    ...RevisionView.entries,
    entity_name: s.text,
    is_accepted: v.boolean(),
    dates: v.optional(DatesShownView),
  }),
)

export const revisionRow = (it: Visible<History>, each: Revision, actor: Actor | null, people: PeopleById) => ({
  ...revisionView(it, { ...each, data: visibleValues(it, each.data, actor) }, people),
  entity_name: it.name,
  is_accepted: acceptedRevisions(it).has(each.revision_number),
})

const changedBetween = () => ({
  changed_at: s.time,
  changed_by: s.maybe(UserCardView),
  revision_from_number: s.whole,
  revision_to_number: s.whole,
})
const ChangeBetweenView = s.shape('ChangeBetween', () => v.object({ ...ChangeView.entries, ...changedBetween() }))
export const DifferenceView = s.shape('Difference', () =>
  v.object({
    entity_id: s.uuid,
    entity_name: s.text,
    revision_from: RevisionRowView,
    revision_to: RevisionRowView,
    diff: v.record(v.string(), v.object({ old: anyValue(), new: anyValue(), ...changedBetween() })),
    field_diffs: v.array(ChangeBetweenView),
  }),
)

/** Either revision may be the later one. */
export function diffView(it: Visible<History>, from: Revision, to: Revision, actor: Actor | null, people: PeopleById) {
  const made = {
    changed_at: to.created_at,
    changed_by: people(to.created_by),
    revision_from_number: from.revision_number,
    revision_to_number: to.revision_number,
  }
  const changes = differenceOf(it, visibleValues(it, from.data, actor), visibleValues(it, to.data, actor))
  return {
    entity_id: it.entity_id,
    entity_name: it.name,
    revision_from: revisionRow(it, from, actor, people),
    revision_to: revisionRow(it, to, actor, people),
    diff: Object.fromEntries(changes.map(({ field, old, new: next }) => [field, { old, new: next, ...made }])),
    field_diffs: changes.map((each) => ({ ...each, ...made })),
  }
}
