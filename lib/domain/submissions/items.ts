import * as v from 'valibot'
import { defineItem, padNumber } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { submissionStatuses } from './members.ts'

/**
 * The item types of legacy submissions: rows of the old form, their versions, moderation and suggestions.
 *
 * An object from the sender is stored as JSON text, because DynamoDB refuses some numbers and deep nesting.
 */
const json = v.string()

export const Submission = v.object({
  /** The number that older clients use. */
  id: v.number(),
  submission_id: v.string(),
  title: v.string(),
  description: v.string(),
  contribution_type: v.string(),
  contribution_data: json,
  /** The fields of the form, by the names of `lib/domain/submissions/members.ts`. */
  members: v.record(v.string(), v.string()),
  cultural_heritage: v.nullable(v.string()),
  contributor_id: v.string(),
  status: v.picklist(submissionStatuses),
  latest_version: v.number(),
  /** The digest of the imported row. A later import of a row with the same digest changes nothing. */
  row_hash: v.string(),
  created_at: v.string(),
  updated_at: v.string(),
  version: v.number(),
})
export type Submission = v.InferOutput<typeof Submission>

/** Names the list of all submissions, or of one person's, or of one status, or both. Each has an exact size. */
export const submissionList = (user?: string, status?: string) =>
  `SUBMISSION${user ? `#USER#${user}` : ''}${status ? `#STATUS#${status}` : ''}`

const listsOf = ({ contributor_id, status }: Submission) => ({
  gsi1: submissionList(undefined, status),
  gsi2: submissionList(),
  gsi3: submissionList(contributor_id),
  gsi4: submissionList(contributor_id, status),
})

export const submission = defineItem({
  type: 'submission',
  schema: Submission,
  key: ({ id }: { id: number }) => key.submission(id),
  indexes: (it) => {
    const sk = `${it.created_at}#${padNumber(it.id)}`
    return Object.fromEntries(Object.entries(listsOf(it)).map(([index, pk]) => [index, { pk, sk }]))
  },
  counted: (it) => Object.values(listsOf(it)),
})

/** Reserves a short id for one submission: the item can be written only once. */
export const submissionId = defineItem({
  type: 'submission_id',
  schema: v.object({ submission_id: v.string(), id: v.number(), version: v.literal(1) }),
  key: ({ submission_id }: { submission_id: string }) => key.submissionId(submission_id),
})

/** The values of a submission at one version. Version 1 holds the imported values. */
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

/** The latest remark of staff on a submission. A submission has at most one. */
export const Moderation = v.object({
  submission: v.number(),
  submission_id: v.string(),
  /** The contributor of the submission. */
  contributor_id: v.string(),
  moderator_id: v.string(),
  remarks: v.string(),
  /** The status that staff set. */
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

/** A change that a person suggests for a submission. */
export const Suggestion = v.object({
  id: v.number(),
  submission: v.number(),
  submission_id: v.string(),
  /** The contributor of the submission. */
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
    const sk = padNumber(it.id)
    return {
      gsi2: { pk: suggestionList.all, sk },
      gsi1: { pk: suggestionList.of(it.submission), sk },
      gsi3: { pk: suggestionList.by(it.suggested_by), sk },
    }
  },
  counted: (it) => [suggestionList.all, suggestionList.of(it.submission), suggestionList.by(it.suggested_by)],
})
