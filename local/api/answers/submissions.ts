import * as v from 'valibot'
import type { routes } from '../../../functions/submissions.ts'
import { type Answers, made, ok, page } from '../answer.ts'
import { text, Values } from '../shapes/common.ts'
import { Moderation, Submission, SubmissionSuggestion, SubmissionVersion } from '../shapes/submission.ts'

const retired = {
  says: 'Is no longer done',
  more: 'Contribute to `/data/cultural-entities/` or `/cidoc/` instead.',
  gives: {},
  refuses: [410],
} as const
const moderate = {
  says: 'Note what staff find of a submission',
  more: '`status` moves it; whoever sent it is told.',
  gives: ok(v.object({ submission: Submission, moderation: Moderation })),
  refuses: [409],
} as const
const Suggested = v.object({
  submission: v.union([v.number(), text]),
  title: v.pipe(text, v.maxLength(255)),
  description: v.pipe(text, v.maxLength(20_000)),
  contribution_data: v.exactOptional(Values),
})

export const submissions: Answers<typeof routes> = {
  'GET /data/submissions/': { says: 'List the submissions, newest first', gives: page(Submission) },
  'GET /data/submissions/ids/': {
    says: 'List the ids of all submissions',
    more: 'A thousand at a time.',
    gives: ok(v.array(text)),
  },
  'GET /data/submissions/{id}/': { says: 'Read a submission', gives: ok(Submission) },
  'GET /data/submissions/{id}/versions/': {
    says: 'List the latest hundred versions of a submission, newest first',
    gives: ok(v.array(SubmissionVersion)),
  },
  'GET /data/submissions/{id}/versions/{version}/': {
    says: 'Read a version of a submission',
    gives: ok(SubmissionVersion),
  },
  'GET /data/submissions/{id}/edit-suggestions/': {
    says: 'List the latest hundred suggestions for a submission',
    more: 'Those that wait or were turned down are shown to the two sides and to reviewers.',
    gives: ok(v.array(SubmissionSuggestion)),
  },
  'POST /data/submissions/': retired,
  'POST /data/submissions/form-submit/': retired,
  'POST /data/form-submit/': retired,
  'PUT /data/submissions/{id}/': retired,
  'PATCH /data/submissions/{id}/': retired,
  'DELETE /data/submissions/{id}/': retired,
  'GET /data/submission-suggestions/': {
    says: 'List the suggestions',
    more: 'Reviewers see all of them, others their own.',
    gives: page(SubmissionSuggestion),
  },
  'POST /data/submission-suggestions/': {
    says: 'Suggest what a submission should say instead',
    more: 'Without `contribution_data`, that of the submission stays.',
    gives: made(SubmissionSuggestion),
    takes: Suggested,
  },
  'GET /data/submission-suggestions/{id}/': { says: 'Read a suggestion', gives: ok(SubmissionSuggestion) },
  'POST /data/submission-suggestions/{id}/approve/': {
    says: 'Take a suggestion over',
    more: 'It becomes a version of the submission.',
    gives: ok(v.object({ status: v.picklist(['approved']) })),
  },
  'POST /data/submission-suggestions/{id}/reject/': {
    says: 'Turn a suggestion down',
    gives: ok(v.object({ status: v.picklist(['rejected']) })),
  },
  'GET /data/moderations/{id}/': {
    says: 'Read a submission with what staff noted of it',
    gives: ok(v.object({ submission: Submission, moderation: v.nullable(Moderation) })),
  },
  'PUT /data/moderations/{id}/': moderate,
  'PATCH /data/moderations/{id}/': moderate,
}
