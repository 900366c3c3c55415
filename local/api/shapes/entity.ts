import * as v from 'valibot'
import { kindKeys } from '../../../lib/kinds/index.ts'
import { activityTypes, flagTypes } from '../../../lib/records/items.ts'
import { storyEvents } from '../../../lib/records/past/story.ts'
import { rules } from '../../../lib/records/rules/canonical.ts'
import { statuses } from '../../../lib/records/rules/status.ts'
import { handlings, verdicts } from '../../../lib/records/rules/verdicts.ts'
import { Author, maybe, oneOf, text, time, tombstone, UserCard, uuid, Values, whole } from './common.ts'
import { DateShown, DatesShown } from './dates.ts'
import { Picture } from './picture.ts'
import { Assertion } from './record.ts'

/** Contributions by their review identity, and what is said and decided about them. */

export const CurrentRevision = v.object({
  revision_id: maybe(uuid),
  revision_number: maybe(whole),
  data: Values,
  created_by: maybe(UserCard),
  created_at: time,
})

export const Contribution = v.object({
  entity_id: uuid,
  name: text,
  description: text,
  category: text,
  status: oneOf(statuses),
  canonical_status: maybe(text),
  kind: oneOf(kindKeys),
  cidoc_id: maybe(whole),
  contributor: maybe(UserCard),
  created_at: time,
  updated_at: time,
  current_revision: CurrentRevision,
  root_entity: maybe(uuid),
  parent_entity: maybe(uuid),
  fork_depth: whole,
  is_fork: v.boolean(),
  dates: v.optional(DatesShown),
  ...tombstone,
})

const happened = {
  activity_id: uuid,
  activity_type: oneOf(activityTypes),
  comment: text,
  created_at: time,
  user: maybe(UserCard),
}
/** Something that happened lately to an own contribution. */
export const RecentActivity = v.object({ ...happened, entity_id: uuid, entity_name: text })
export const Activity = v.object({
  ...happened,
  entity_id: maybe(uuid),
  entity_name: text,
  entity_category: text,
  entity_status: text,
})

/** An own contribution with what happened to it lately. */
export const OwnContribution = v.object({
  ...Contribution.entries,
  activities: v.array(RecentActivity),
  latest_feedback: maybe(RecentActivity),
})

export const Revision = v.object({
  revision_id: uuid,
  entity: uuid,
  revision_number: whole,
  data: Values,
  created_by: maybe(UserCard),
  created_at: time,
})
export const RevisionRow = v.object({
  ...Revision.entries,
  entity_name: text,
  is_accepted: v.boolean(),
  dates: v.optional(DatesShown),
})

export const ContributionDetail = v.object({
  ...Contribution.entries,
  cidoc_model: v.optional(text),
  form_data: Values,
  images: v.array(Picture),
  revisions: v.array(Revision),
  activities: v.array(Activity),
  parent_entity_name: maybe(text),
  root_entity_name: maybe(text),
})

export const ReviewDecision = v.object({
  id: uuid,
  entity: uuid,
  entity_id: uuid,
  reviewer: maybe(UserCard),
  revision_reviewed: maybe(Revision),
  accepted_revision: maybe(whole),
  verdict: oneOf(verdicts),
  conflict_handling: oneOf(handlings),
  confidence_override: maybe(text),
  verification_method: maybe(text),
  feedback: text,
  reconciliation_note: text,
  internal_note: text,
  escalated_to: maybe(uuid),
  created_at: time,
})

/** The other record that a flag is about. */
export const FlaggedRecord = v.object({ entity_id: uuid, kind: oneOf(kindKeys), id: maybe(whole), name: text })
export const ReviewFlag = v.object({
  id: maybe(uuid),
  entity: maybe(uuid),
  entity_id: maybe(uuid),
  entity_name: text,
  entity_category: text,
  flag_type: oneOf(flagTypes),
  reason: text,
  flagged_by: maybe(Author),
  property: maybe(text),
  assertion_ids: v.array(uuid),
  other_entity_id: maybe(uuid),
  other: maybe(FlaggedRecord),
  is_resolved: v.boolean(),
  resolved_by: maybe(UserCard),
  resolved_at: maybe(time),
  created_at: time,
})

/** What a comparator says of two values. */
const agreement = maybe(oneOf(['same', 'refines', 'compatible', 'contradicts']))
const value = v.unknown()

export const Change = v.object({
  field: text,
  label: text,
  old: value,
  new: value,
  change: oneOf(['added', 'removed', 'changed']),
  verdict: agreement,
})
const changedBetween = {
  changed_at: time,
  changed_by: maybe(UserCard),
  revision_from_number: whole,
  revision_to_number: whole,
}
export const ChangeBetween = v.object({ ...Change.entries, ...changedBetween })
export const Difference = v.object({
  entity_id: uuid,
  entity_name: text,
  revision_from: RevisionRow,
  revision_to: RevisionRow,
  diff: v.record(v.string(), v.object({ old: value, new: value, ...changedBetween })),
  field_diffs: v.array(ChangeBetween),
})

/** What happened to a record, and what differed since. */
export const StoryEntry = v.object({
  at: time,
  event: oneOf(storyEvents),
  revision_number: maybe(whole),
  author: maybe(UserCard),
  verdict: maybe(oneOf(verdicts)),
  decided_by: maybe(UserCard),
  note: text,
  changes: v.array(
    v.object({
      field: text,
      label: text,
      change: oneOf(['added', 'removed', 'changed']),
      before: maybe(text),
      after: maybe(text),
      /** Of a date, in the calendar that was asked for. */
      dates: v.optional(v.object({ before: maybe(DateShown), after: maybe(DateShown) })),
    }),
  ),
})

/** A claim beside the one that stands. */
export const Rival = v.object({
  ...Assertion.entries,
  verdict: agreement,
  settled_by: maybe(v.object({ decision: uuid, rule: oneOf([...rules, 'refused']) })),
})
/** Why a property has the value that it has. */
export const ExplainedProperty = v.object({
  property: text,
  label: text,
  value: text,
  standing: maybe(Assertion),
  rule: oneOf([...rules, 'waits', 'refused', 'unclaimed', 'nothing']),
  why: text,
  decision: maybe(
    v.object({
      id: uuid,
      verdict: oneOf(verdicts),
      conflict_handling: oneOf(handlings),
      reviewer: maybe(UserCard),
      accepted_revision: maybe(whole),
      verification_method: maybe(text),
      reconciliation_note: text,
      feedback: v.optional(text),
      created_at: time,
    }),
  ),
  rivals: v.array(Rival),
  date: v.optional(maybe(DateShown)),
})
export const Explanation = v.object({
  entity_id: uuid,
  entity_name: text,
  kind: oneOf(kindKeys),
  cidoc_id: maybe(whole),
  properties: v.array(ExplainedProperty),
})
