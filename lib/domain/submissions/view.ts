import * as v from 'valibot'
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

/** A legacy submission with every member of its form; blank members are null. */
export const submissionRow = (it: Submission, people: PeopleById): s.Output<typeof SubmissionView> => ({
  id: it.id,
  submission_id: it.submission_id,
  title: it.title,
  description: it.description,
  contributor: it.contributor_id,
  contributor_username: people(it.contributor_id)?.username ?? '',
  status: it.status,
  cultural_heritage: it.cultural_heritage,
  contribution_type: it.contribution_type,
  contribution_data: parseJson(it.contribution_data),
  created_at: it.created_at,
  ...(Object.fromEntries(submissionMembers.map((name) => [name, it.members[name] ?? null])) as FormMembers),
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

/** A submission at one version. */
export const versionRow = ({ id: _, version: __, contribution_data, ...rest }: SubmissionVersion) => ({
  ...rest,
  contribution_data: parseJson(contribution_data),
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

export const suggestionRow = ({ version: _, contributor_id: __, contribution_data, ...rest }: Suggestion) => ({
  ...rest,
  contribution_data: parseJson(contribution_data),
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

/** The remark of staff. It shows the submission's number as its own id, since each submission has one at most. */
export const moderationRow = (it: Moderation) => ({
  id: it.submission,
  submission: it.submission,
  submission_id: it.submission_id,
  moderator: it.moderator_id,
  remarks: it.remarks,
  status: it.status,
  reviewed_at: it.reviewed_at,
})

const parseJson = (json: string): Record<string, unknown> => JSON.parse(json)
