import * as v from 'valibot'
import { submissionMembers, submissionStatuses } from '../../../lib/submissions/members.ts'
import { maybe, oneOf, text, time, uuid, Values, whole } from './common.ts'

/** Legacy submissions, and what people would change of them. */

export const Submission = v.object({
  id: whole,
  submission_id: text,
  title: text,
  description: text,
  contributor: uuid,
  contributor_username: text,
  status: oneOf(submissionStatuses),
  cultural_heritage: maybe(text),
  contribution_type: text,
  contribution_data: Values,
  created_at: time,
  ...v.entriesFromList(submissionMembers, maybe(text)),
})
export const SubmissionVersion = v.object({
  version_number: whole,
  title: text,
  description: text,
  contribution_data: Values,
  updated_by: uuid,
  updated_at: time,
})
export const SubmissionSuggestion = v.object({
  id: whole,
  submission: whole,
  submission_id: text,
  suggested_by: uuid,
  title: text,
  description: text,
  contribution_data: Values,
  approved: maybe(v.boolean()),
  reviewed_by: maybe(uuid),
  reviewed_at: maybe(time),
  created_at: time,
})
/** What staff noted when they last looked at a submission. */
export const Moderation = v.object({
  id: whole,
  submission: whole,
  submission_id: text,
  moderator: uuid,
  remarks: text,
  status: oneOf(submissionStatuses),
  reviewed_at: time,
})
