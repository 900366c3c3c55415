import * as v from 'valibot'
import { omit } from '../../base/omit.ts'
import * as s from '../../base/shapes.ts'
import type { PeopleById } from '../../platform/users/people.ts'
import type { Moderation, Submission, SubmissionVersion, Suggestion } from './items.ts'
import { submissionMembers, submissionStatuses } from './members.ts'

export const SubmissionView = s.shape('Submission', () =>
  v.object({
    id: s.whole,
    submission_id: s.text,
    title: s.text,
    description: s.text,
    contributor: s.uuid,
    contributor_username: s.text,
    status: s.oneOf(submissionStatuses),
    cultural_heritage: s.maybe(s.text),
    contribution_type: s.text,
    contribution_data: s.Values,
    created_at: s.time,
    ...v.entriesFromList(submissionMembers, s.maybe(s.text)),
  }),
)

type FormMembers = Record<(typeof submissionMembers)[number], string | null>

/** Shows a legacy submission with every member of its form. Blank members are null. */
export const submissionRow = (stored: Submission, people: PeopleById): s.Output<typeof SubmissionView> => ({
  id: stored.id,
  submission_id: stored.submission_id,
  title: stored.title,
  description: stored.description,
  contributor: stored.contributor_id,
  contributor_username: people(stored.contributor_id)?.username ?? '',
  status: stored.status,
  cultural_heritage: stored.cultural_heritage,
  contribution_type: stored.contribution_type,
  contribution_data: parseJson(stored.contribution_data),
  created_at: stored.created_at,
  ...(Object.fromEntries(submissionMembers.map((name) => [name, stored.members[name] ?? null])) as FormMembers),
})

export const SubmissionVersionView = s.shape('SubmissionVersion', () =>
  v.object({
    version_number: s.whole,
    title: s.text,
    description: s.text,
    contribution_data: s.Values,
    updated_by: s.uuid,
    updated_at: s.time,
  }),
)

export const versionRow = (stored: SubmissionVersion) => ({
  ...omit(stored, 'id', 'version'),
  contribution_data: parseJson(stored.contribution_data),
})

export const SubmissionSuggestionView = s.shape('SubmissionSuggestion', () =>
  v.object({
    id: s.whole,
    submission: s.whole,
    submission_id: s.text,
    suggested_by: s.uuid,
    title: s.text,
    description: s.text,
    contribution_data: s.Values,
    approved: s.maybe(v.boolean()),
    reviewed_by: s.maybe(s.uuid),
    reviewed_at: s.maybe(s.time),
    created_at: s.time,
  }),
)

export const suggestionRow = (stored: Suggestion) => ({
  ...omit(stored, 'version', 'contributor_id'),
  contribution_data: parseJson(stored.contribution_data),
})

export const ModerationView = s.shape('Moderation', () =>
  v.object({
    id: s.whole,
    submission: s.whole,
    submission_id: s.text,
    moderator: s.uuid,
    remarks: s.text,
    status: s.oneOf(submissionStatuses),
    reviewed_at: s.time,
  }),
)

/** Shows the remark of staff. Its id is the number of the submission, because a submission has one remark at most. */
export const moderationRow = (stored: Moderation) => ({
  id: stored.submission,
  submission: stored.submission,
  submission_id: stored.submission_id,
  moderator: stored.moderator_id,
  remarks: stored.remarks,
  status: stored.status,
  reviewed_at: stored.reviewed_at,
})

const parseJson = (json: string): Record<string, unknown> => JSON.parse(json)
