import type { PeopleById } from '../users/people.ts'
import type { Moderation, Submission, SubmissionVersion, Suggestion } from './items.ts'
import { submissionMembers } from './members.ts'

/** A legacy submission with every member of its form; those that were left blank are null. */
export const submissionRow = (it: Submission, people: PeopleById): Record<string, unknown> => ({
  id: it.id,
  submission_id: it.submission_id,
  title: it.title,
  description: it.description,
  contributor: it.contributor_id,
  contributor_username: people(it.contributor_id)?.username ?? '',
  status: it.status,
  cultural_heritage: it.cultural_heritage,
  contribution_type: it.contribution_type,
  contribution_data: parsed(it.contribution_data),
  created_at: it.created_at,
  ...Object.fromEntries(submissionMembers.map((name) => [name, it.members[name] ?? null])),
})

/** What a submission once said. */
export const versionRow = ({ id: _, version: __, contribution_data, ...rest }: SubmissionVersion) => ({
  ...rest,
  contribution_data: parsed(contribution_data),
})

/** What someone would have a submission say. */
export const suggestionRow = ({ version: _, contributor_id: __, contribution_data, ...rest }: Suggestion) => ({
  ...rest,
  contribution_data: parsed(contribution_data),
})

/** What staff noted; it has the number of its submission, since there is one for each. */
export const moderationRow = (it: Moderation) => ({
  id: it.submission,
  submission: it.submission,
  submission_id: it.submission_id,
  moderator: it.moderator_id,
  remarks: it.remarks,
  status: it.status,
  reviewed_at: it.reviewed_at,
})

const parsed = (json: string): unknown => JSON.parse(json)
