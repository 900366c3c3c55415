import * as v from 'valibot'
import { defineItem } from '../table/item.ts'
import { key, padded } from '../table/keys.ts'
import { submissionStatuses } from './members.ts'

/** The item types of legacy submissions: what was once sent in on a form, what it has been, and what people would change. */

/** An object of whoever sent it, as JSON: the table takes neither every number nor every depth. */
const json = v.string()

export const Submission = v.object({
  /** The number that older clients know it by. */
  id: v.number(),
  submission_id: v.string(),
  title: v.string(),
  description: v.string(),
  contribution_type: v.string(),
  contribution_data: json,
  /** What the form held, by the names of lib/submissions/members.ts. */
  members: v.record(v.string(), v.string()),
  cultural_heritage: v.nullable(v.string()),
  contributor_id: v.string(),
  status: v.picklist(submissionStatuses),
  /** The number of its latest version. */
  latest_version: v.number(),
  /** Of the row that it was taken from, so that a further import knows it again. */
  row_hash: v.string(),
  created_at: v.string(),
  updated_at: v.string(),
  version: v.number(),
})
export type Submission = v.InferOutput<typeof Submission>

/** All submissions, those of one person, those in one status, or both. Each list has its exact size. */
export const submissionList = (user?: string, status?: string) =>
  `SUBMISSION${user ? `#USER#${user}` : ''}${status ? `#STATUS#${status}` : ''}`

const ways = (it: Submission) => ({
  gsi1: submissionList(undefined, it.status),
  gsi2: submissionList(),
  gsi3: submissionList(it.contributor_id),
  gsi4: submissionList(it.contributor_id, it.status),
})

export const submission = defineItem({
  type: 'submission',
  schema: Submission,
  key: ({ id }: { id: number }) => key.submission(id),
  indexes: (it) => {
    const sk = `${it.created_at}#${padded(it.id)}`
    return Object.fromEntries(Object.entries(ways(it)).map(([index, pk]) => [index, { pk, sk }]))
  },
  counted: (it) => Object.values(ways(it)),
})

/** Makes the short id unique: whoever puts it first has it. */
export const submissionId = defineItem({
  type: 'submission_id',
  schema: v.object({ submission_id: v.string(), id: v.number(), version: v.literal(1) }),
  key: ({ submission_id }: { submission_id: string }) => key.submissionId(submission_id),
})

/** What a submission said from then on. The first is what was taken in. */
export const SubmissionVersion = v.object({
  id: v.number(),
  version_number: v.number(),
  title: v.string(),
  description: v.string(),
  contribution_data: json,
  updated_by: v.string(),
  updated_at: v.string(),
  version: v.number(),
})
export type SubmissionVersion = v.InferOutput<typeof SubmissionVersion>
export const submissionVersion = defineItem({
  type: 'submission_version',
  schema: SubmissionVersion,
  key: (it: { id: number; version_number: number }) => key.submissionVersion(it.id, it.version_number),
})

/** What staff noted of a submission when they last looked at it. There is one for each at most. */
export const Moderation = v.object({
  submission: v.number(),
  submission_id: v.string(),
  /** Whose submission it is. */
  contributor_id: v.string(),
  moderator_id: v.string(),
  remarks: v.string(),
  /** The status that it gave. */
  status: v.picklist(submissionStatuses),
  reviewed_at: v.string(),
  version: v.number(),
})
export type Moderation = v.InferOutput<typeof Moderation>
export const moderation = defineItem({
  type: 'moderation',
  schema: Moderation,
  key: ({ submission }: { submission: number }) => key.moderation(submission),
})

/** What someone would have a submission say instead. */
export const Suggestion = v.object({
  id: v.number(),
  submission: v.number(),
  submission_id: v.string(),
  /** Whose submission it is. */
  contributor_id: v.string(),
  suggested_by: v.string(),
  title: v.string(),
  description: v.string(),
  contribution_data: json,
  /** Null until a reviewer decides. */
  approved: v.nullable(v.boolean()),
  reviewed_by: v.nullable(v.string()),
  reviewed_at: v.nullable(v.string()),
  created_at: v.string(),
  version: v.number(),
})
export type Suggestion = v.InferOutput<typeof Suggestion>

export const suggestionList = {
  all: 'SUGGESTION',
  of: (submission: number) => `SUGGESTION#OF#${submission}`,
  by: (user: string) => `SUGGESTION#BY#${user}`,
}

export const suggestion = defineItem({
  type: 'submission_suggestion',
  schema: Suggestion,
  key: ({ id }: { id: number }) => key.suggestion(id),
  indexes: (it) => {
    const sk = padded(it.id)
    return {
      gsi2: { pk: suggestionList.all, sk },
      gsi1: { pk: suggestionList.of(it.submission), sk },
      gsi3: { pk: suggestionList.by(it.suggested_by), sk },
    }
  },
  counted: (it) => [suggestionList.all, suggestionList.of(it.submission), suggestionList.by(it.suggested_by)],
})
