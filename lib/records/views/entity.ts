import { kinds } from '../../kinds/index.ts'
import { type Actor, worksOn } from '../../permissions.ts'
import { picturesIn } from '../../pictures/values.ts'
import { picturesView } from '../../pictures/view.ts'
import { type PeopleById, service } from '../../users/people.ts'
import type { History } from '../history.ts'
import {
  type Activity,
  type Brief,
  changedAt,
  type Decision,
  type Flag,
  type RecordItem,
  type Revision,
} from '../items.ts'
import { canonical } from '../rules/status.ts'
import type { Shown } from '../shown.ts'
import { ordered } from './order.ts'
import { statusOf, tombstoneOf, updatedAt, valuesFor } from './record.ts'

/** How contributions look under /data/: the same records, by their review identity. */

/** A row of the list of contributions; without `waiting` of what stands, whoever asks. */
export function entityRow(
  it: Shown<RecordItem>,
  actor: Actor | null,
  people: PeopleById,
  { waiting = true }: { waiting?: boolean } = {},
): Record<string, unknown> {
  const status = waiting && worksOn(actor, it) ? it.status : statusOf(it)
  return {
    entity_id: it.entity_id,
    name: it.name,
    description: String(it.data.description ?? ''),
    category: it.category,
    status,
    canonical_status: canonical(status),
    kind: it.kind,
    cidoc_id: it.kind === 'entity' ? null : it.id,
    contributor: people(it.contributor_id),
    created_at: it.created_at,
    updated_at: waiting ? updatedAt(it, actor) : changedAt(it),
    current_revision: revisionIn(it, actor, people, waiting),
    root_entity: null,
    parent_entity: null,
    fork_depth: 0,
    is_fork: false,
    ...tombstoneOf(it),
  }
}

/** A contributor's own row: with what happened to it lately. */
export const contributionRow = (it: Shown<RecordItem>, actor: Actor, people: PeopleById) => ({
  ...entityRow(it, actor, people),
  activities: it.recent_activities.map((each) => briefView(it, each, people)),
  latest_feedback: it.latest_feedback && briefView(it, it.latest_feedback, people),
})

/** A contribution with its history, as far as the caller may know it: what waits is shown to those who work on it. */
export function entityDetail(it: Shown<History>, actor: Actor | null, people: PeopleById): Record<string, unknown> {
  const inside = worksOn(actor, it)
  const values = inside ? (it.proposed ?? it.data) : it.data
  const revisions = it.revisions.filter((each) => inside || each.revision_number === it.accepted_revision)
  return {
    ...entityRow(it, actor, people),
    ...(it.kind !== 'entity' && { cidoc_model: kinds[it.kind].className }),
    form_data: ordered(it.kind, valuesFor(it, values, actor)),
    images: picturesView(it.entity_id, picturesIn(values)),
    revisions: revisions.map((each) => revisionView(it, { ...each, data: valuesFor(it, each.data, actor) }, people)),
    activities: inside ? it.activities.map((each) => activityView(each, people, it, actor)) : [],
    parent_entity_name: null,
    root_entity_name: null,
  }
}

export const revisionView = (
  it: Shown<RecordItem>,
  { version: _, entity_id, created_by, data, ...rest }: Revision,
  people: PeopleById,
) => ({
  ...rest,
  entity: entity_id,
  data: wrapped(it, data),
  created_by: people(created_by),
})

/** What is said to those who work on the record: the feedback of every verdict, as in explanations, and why it was flagged. */
const confidential = ['accepted', 'rejected', 'changes_requested', 'escalated', 'flagged']

/** A row of the feed; `about` is absent or hidden where the caller may not see the record. */
export const activityView = (
  { version: _, audience: __, of_edit: ___, user_id, entity_id, ...rest }: Activity,
  people: PeopleById,
  about: RecordItem | undefined,
  actor: Actor | null,
) => ({
  ...rest,
  comment: about && (worksOn(actor, about) || !confidential.includes(rest.activity_type)) ? rest.comment : '',
  user: people(user_id),
  entity_id: about ? entity_id : null,
  entity_name: about?.name ?? '',
  entity_category: about?.category ?? '',
  entity_status: about ? statusOf(about) : '',
})

export const decisionView = (
  { version: _, audience: __, sequence: ___, outcomes: ____, entity_id, reviewer_id, ...rest }: Decision,
  revisions: readonly Revision[],
  it: Shown<RecordItem>,
  people: PeopleById,
) => {
  const reviewed = revisions.find((each) => each.revision_number === rest.revision_reviewed)
  return {
    ...rest,
    entity: entity_id,
    entity_id,
    reviewer: people(reviewer_id),
    revision_reviewed: reviewed ? revisionView(it, reviewed, people) : null,
  }
}

/** A flag in the answer of its record. */
export const flagView = (
  { version: _, of_edit: __, contributor_id: ___, audience: ____, entity_id, flagged_by, resolved_by, ...rest }: Flag,
  people: PeopleById,
) => ({
  ...rest,
  entity: entity_id,
  flagged_by: people(flagged_by) ?? service,
  resolved_by: people(resolved_by),
})

const briefView = (it: RecordItem, { user_id, username: _, ...rest }: Brief, people: PeopleById) => ({
  ...rest,
  entity_id: it.entity_id,
  entity_name: it.name,
  user: people(user_id),
})

/** The revision that the caller sees: one that waits for those who work on it, the accepted one for everyone else. */
function revisionIn(it: Shown<RecordItem>, actor: Actor | null, people: PeopleById, waiting: boolean) {
  const latest = !it.public || (waiting && it.proposed !== null && worksOn(actor, it))
  return {
    revision_id: latest ? it.current_revision_id : it.accepted_revision_id,
    revision_number: latest ? it.current_revision : it.accepted_revision,
    data: wrapped(it, valuesFor(it, latest ? (it.proposed ?? it.data) : it.data, actor)),
    created_by: people(it.contributor_id),
    created_at: waiting ? updatedAt(it, actor) : changedAt(it),
  }
}

/** The values with the two members by which the dashboard finds a kind's own page. */
function wrapped(it: RecordItem, data: Record<string, unknown>) {
  const values = ordered(it.kind, data)
  return it.kind === 'entity' ? values : { ...values, _cidoc_model: kinds[it.kind].className, _cidoc_id: it.id }
}
