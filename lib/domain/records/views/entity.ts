import * as v from 'valibot'
import { omit } from '../../../base/omit.ts'
import * as s from '../../../base/shapes.ts'
import { DatesShownView } from '../../../platform/http/shown-dates.ts'
import { type Actor, worksOn } from '../../../platform/permissions.ts'
import { AuthorView, type PeopleById, serviceCard, UserCardView } from '../../../platform/users/people.ts'
import { kindKeys, kinds } from '../../kinds/index.ts'
import { LabelView, withLabels } from '../../labels/labels.ts'
import { picturesIn } from '../../pictures/items.ts'
import { PictureView, picturesView } from '../../pictures/view.ts'
import type { History } from '../history.ts'
import {
  type Activity,
  type ActivityBrief,
  activityTypes,
  changedAt,
  type Decision,
  type Flag,
  flagTypes,
  type RecordItem,
  type Revision,
} from '../items.ts'
import { canonicalStatus, recordStatuses } from '../rules/status.ts'
import { handlings, verdicts } from '../rules/verdicts.ts'
import type { Visible } from '../shown.ts'
import { orderValues } from './order.ts'
import { publicStatus, successorOf, tombstoneOf, visibleStatus, visibleUpdatedAt, visibleValues } from './record.ts'

/** Records as answers under /data/ show them, by their review identity. */

const CurrentRevisionView = s.shape('CurrentRevision', () =>
  v.object({
    revision_id: s.maybe(s.uuid),
    revision_number: s.maybe(s.whole),
    data: s.Values,
    created_by: s.maybe(UserCardView),
    created_at: s.time,
  }),
)
export const ContributionView = s.shape('Contribution', () =>
  v.object({
    entity_id: s.uuid,
    name: s.text,
    description: s.text,
    category: s.text,
    status: s.oneOf(recordStatuses),
    canonical_status: s.maybe(s.text),
    kind: s.oneOf(kindKeys),
    cidoc_id: s.maybe(s.whole),
    contributor: s.maybe(UserCardView),
    created_at: s.time,
    updated_at: s.time,
    current_revision: CurrentRevisionView,
    root_entity: s.maybe(s.uuid),
    parent_entity: s.maybe(s.uuid),
    fork_depth: s.whole,
    is_fork: v.boolean(),
    dates: v.optional(DatesShownView),
    labels: v.optional(v.array(LabelView)),
    superseded_by: v.optional(s.uuid),
    ...s.tombstone,
  }),
)

/** Shows a record in a list. `waiting: false` hides a waiting edit, even from those who work on the record. */
export function entityRow(
  record: Visible<RecordItem>,
  actor: Actor | null,
  people: PeopleById,
  { waiting = true }: { waiting?: boolean } = {},
): s.Output<typeof ContributionView> {
  const status = waiting ? visibleStatus(record, actor) : publicStatus(record)
  return {
    entity_id: record.entity_id,
    name: record.name,
    description: String(record.data.description ?? ''),
    category: record.category,
    status,
    canonical_status: canonicalStatus(status),
    kind: record.kind,
    cidoc_id: record.kind === 'entity' ? null : record.id,
    contributor: people(record.contributor_id),
    created_at: record.created_at,
    updated_at: waiting ? visibleUpdatedAt(record, actor) : changedAt(record),
    current_revision: revisionIn(record, actor, people, waiting),
    root_entity: record.fork?.root ?? null,
    parent_entity: record.fork?.parent ?? null,
    fork_depth: record.fork?.depth ?? 0,
    is_fork: record.fork !== null,
    ...withLabels(record.labels),
    ...successorOf(record),
    ...tombstoneOf(record),
  }
}

const RecentActivityView = s.shape('RecentActivity', () =>
  v.object({ ...activityEntries(), entity_id: s.uuid, entity_name: s.text }),
)
export const OwnContributionView = s.shape('OwnContribution', () =>
  v.object({
    ...ContributionView.entries,
    activities: v.array(RecentActivityView),
    latest_feedback: s.maybe(RecentActivityView),
  }),
)

/** Shows a contribution to its contributor, with the latest activities. */
export const contributionRow = (record: Visible<RecordItem>, actor: Actor, people: PeopleById) => ({
  ...entityRow(record, actor, people),
  activities: record.recent_activities.map((brief) => briefView(record, brief, people)),
  latest_feedback: record.latest_feedback && briefView(record, record.latest_feedback, people),
})

export const ContributionDetailView = s.shape('ContributionDetail', () =>
  v.object({
    ...ContributionView.entries,
    cidoc_model: v.optional(s.text),
    form_data: s.Values,
    images: v.array(PictureView),
    revisions: v.array(RevisionView),
    activities: v.array(ActivityView),
    parent_entity_name: s.maybe(s.text),
    root_entity_name: s.maybe(s.text),
  }),
)

/** Shows a contribution with its history. Only those who work on it see waiting values and revisions. */
export function entityDetail(
  history: Visible<History>,
  actor: Actor | null,
  people: PeopleById,
  nameOf: (entity_id: string) => string | null,
): s.Output<typeof ContributionDetailView> {
  const isInsider = worksOn(actor, history)
  const values = isInsider ? (history.proposed ?? history.data) : history.data
  const revisions = history.revisions.filter(
    ({ revision_number }) => isInsider || revision_number === history.accepted_revision,
  )
  return {
    ...entityRow(history, actor, people),
    ...(history.kind !== 'entity' && { cidoc_model: kinds[history.kind].className }),
    form_data: orderValues(history.kind, visibleValues(history, values, actor)),
    images: picturesView(history.entity_id, picturesIn(values)),
    revisions: revisions.map((revision) =>
      revisionView(history, { ...revision, data: visibleValues(history, revision.data, actor) }, people),
    ),
    activities: isInsider ? history.activities.map((activity) => activityView(activity, people, history, actor)) : [],
    parent_entity_name: history.fork && nameOf(history.fork.parent),
    root_entity_name: history.fork && nameOf(history.fork.root),
  }
}

export const RevisionView = s.shape('Revision', () =>
  v.object({
    revision_id: s.uuid,
    entity: s.uuid,
    revision_number: s.whole,
    data: s.Values,
    created_by: s.maybe(UserCardView),
    created_at: s.time,
  }),
)

export const revisionView = (record: Visible<RecordItem>, revision: Revision, people: PeopleById) => ({
  ...omit(revision, 'version', 'entity_id'),
  entity: revision.entity_id,
  data: withKindMembers(record, revision.data),
  created_by: people(revision.created_by),
})

/** Activities whose comment only those who work on the record may read: the feedback of a verdict, the reason of a flag. */
const confidential = ['accepted', 'rejected', 'changes_requested', 'escalated', 'flagged']

const activityEntries = () => ({
  activity_id: s.uuid,
  activity_type: s.oneOf(activityTypes),
  comment: s.text,
  created_at: s.time,
  user: s.maybe(UserCardView),
})
export const ActivityView = s.shape('Activity', () =>
  v.object({
    ...activityEntries(),
    entity_id: s.maybe(s.uuid),
    entity_name: s.text,
    entity_category: s.text,
    entity_status: s.text,
  }),
)

/** Shows an activity. `about` is undefined if the caller may not see the record. */
export const activityView = (
  activity: Activity,
  people: PeopleById,
  about: RecordItem | undefined,
  actor: Actor | null,
) => ({
  ...omit(activity, 'version', 'audience', 'of_edit', 'user_id'),
  comment: about && (worksOn(actor, about) || !confidential.includes(activity.activity_type)) ? activity.comment : '',
  user: people(activity.user_id),
  entity_id: about ? activity.entity_id : null,
  entity_name: about?.name ?? '',
  entity_category: about?.category ?? '',
  entity_status: about ? publicStatus(about) : '',
})

export const ReviewDecisionView = s.shape('ReviewDecision', () =>
  v.object({
    id: s.uuid,
    entity: s.uuid,
    entity_id: s.uuid,
    reviewer: s.maybe(UserCardView),
    revision_reviewed: s.maybe(RevisionView),
    accepted_revision: s.maybe(s.whole),
    verdict: s.oneOf(verdicts),
    conflict_handling: s.oneOf(handlings),
    confidence_override: s.maybe(s.text),
    verification_method: s.maybe(s.text),
    feedback: s.text,
    reconciliation_note: s.text,
    internal_note: s.text,
    escalated_to: s.maybe(s.uuid),
    created_at: s.time,
  }),
)

export const decisionView = (
  decision: Decision,
  revisions: readonly Revision[],
  about: Visible<RecordItem>,
  people: PeopleById,
) => {
  const reviewed = revisions.find(({ revision_number }) => revision_number === decision.revision_reviewed)
  return {
    ...omit(decision, 'version', 'audience', 'sequence', 'outcomes', 'of_batch', 'batch_list', 'fork', 'reviewer_id'),
    entity: decision.entity_id,
    reviewer: people(decision.reviewer_id),
    revision_reviewed: reviewed ? revisionView(about, reviewed, people) : null,
  }
}

/** The other record that a flag is about. */
const FlaggedRecordView = s.shape('FlaggedRecord', () =>
  v.object({ entity_id: s.uuid, kind: s.oneOf(kindKeys), id: s.maybe(s.whole), name: s.text }),
)
export const ReviewFlagView = s.shape('ReviewFlag', () =>
  v.object({
    id: s.maybe(s.uuid),
    entity: s.maybe(s.uuid),
    entity_id: s.maybe(s.uuid),
    entity_name: s.text,
    entity_category: s.text,
    flag_type: s.oneOf(flagTypes),
    reason: s.text,
    flagged_by: s.maybe(AuthorView),
    property: s.maybe(s.text),
    assertion_ids: v.array(s.uuid),
    other_entity_id: s.maybe(s.uuid),
    other: s.maybe(FlaggedRecordView),
    is_resolved: v.boolean(),
    resolved_by: s.maybe(UserCardView),
    resolved_at: s.maybe(s.time),
    created_at: s.time,
  }),
)

export const flagView = (flag: Flag, people: PeopleById) => ({
  ...omit(flag, 'version', 'of_edit', 'concealed', 'contributor_id', 'audience', 'entity_id'),
  entity: flag.entity_id,
  flagged_by: people(flag.flagged_by) ?? serviceCard,
  resolved_by: people(flag.resolved_by),
})

const briefView = (about: RecordItem, brief: ActivityBrief, people: PeopleById) => ({
  ...omit(brief, 'user_id', 'username'),
  entity_id: about.entity_id,
  entity_name: about.name,
  user: people(brief.user_id),
})

/** Those who work on the record see the latest revision, everyone else the accepted one. */
function revisionIn(record: Visible<RecordItem>, actor: Actor | null, people: PeopleById, waiting: boolean) {
  const isLatest = !record.public || (waiting && record.proposed !== null && worksOn(actor, record))
  return {
    revision_id: isLatest ? record.current_revision_id : record.accepted_revision_id,
    revision_number: isLatest ? record.current_revision : record.accepted_revision,
    data: withKindMembers(
      record,
      visibleValues(record, isLatest ? (record.proposed ?? record.data) : record.data, actor),
    ),
    created_by: people(record.contributor_id),
    created_at: waiting ? visibleUpdatedAt(record, actor) : changedAt(record),
  }
}

/** Adds `_cidoc_model` and `_cidoc_id`. The dashboard finds the page of the record by these. */
function withKindMembers(record: RecordItem, data: Record<string, unknown>) {
  const values = orderValues(record.kind, data)
  return record.kind === 'entity'
    ? values
    : { ...values, _cidoc_model: kinds[record.kind].className, _cidoc_id: record.id }
}
