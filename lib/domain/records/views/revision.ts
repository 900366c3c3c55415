import * as v from 'valibot'
import * as s from '../../../base/shapes.ts'
import { DatesShownView } from '../../../platform/http/shown-dates.ts'
import { type Actor, maySeeTier, worksOn } from '../../../platform/permissions.ts'
import { type PeopleById, UserCardView } from '../../../platform/users/people.ts'
import { acceptedRevisions, type History } from '../history.ts'
import type { Revision } from '../items.ts'
import { guardedValues, tierOf } from '../past/told.ts'
import type { Visible } from '../shown.ts'
import { anyValue, ChangeView, differenceOf } from './difference.ts'
import { RevisionView, revisionView } from './entity.ts'

/** Lists revisions, newest first. Those who work on the record see all. Other readers see accepted ones whose tier of that time they may read. */
export function visibleRevisions(history: History, actor: Actor | null): Revision[] {
  if (worksOn(actor, history)) return history.revisions
  const accepted = acceptedRevisions(history)
  return history.revisions.filter((it) => accepted.has(it.revision_number) && maySeeTier(actor, tierOf(it)))
}

export const RevisionRowView = s.shape('RevisionRow', () =>
  v.object({
    ...RevisionView.entries,
    entity_name: s.text,
    is_accepted: v.boolean(),
    dates: v.optional(DatesShownView),
  }),
)

/** Shows a revision, with the name of its record. */
export const revisionRow = (
  history: Visible<History>,
  revision: Revision,
  actor: Actor | null,
  people: PeopleById,
) => ({
  ...revisionView(history, { ...revision, data: guardedValues(history, revision, actor) }, people),
  entity_name: history.name,
  is_accepted: acceptedRevisions(history).has(revision.revision_number),
})

/** The members that each change between two revisions has. */
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

/** Shows the difference of two revisions. Either may be the later one. */
export function diffView(
  history: Visible<History>,
  from: Revision,
  to: Revision,
  actor: Actor | null,
  people: PeopleById,
) {
  const between = {
    changed_at: to.created_at,
    changed_by: people(to.created_by),
    revision_from_number: from.revision_number,
    revision_to_number: to.revision_number,
  }
  const changes = differenceOf(history, guardedValues(history, from, actor), guardedValues(history, to, actor))
  return {
    entity_id: history.entity_id,
    entity_name: history.name,
    revision_from: revisionRow(history, from, actor, people),
    revision_to: revisionRow(history, to, actor, people),
    diff: Object.fromEntries(changes.map(({ field, old, new: next }) => [field, { old, new: next, ...between }])),
    field_diffs: changes.map((change) => ({ ...change, ...between })),
  }
}
