import '../lib/domain/composition.ts'
import * as v from 'valibot'
import { goneForGood, invalid, notFound } from '../lib/base/errors.ts'
import * as s from '../lib/base/shapes.ts'
import type { Submission, Suggestion } from '../lib/domain/submissions/items.ts'
import { submissionStatuses } from '../lib/domain/submissions/members.ts'
import * as submissions from '../lib/domain/submissions/submissions.ts'
import * as suggestions from '../lib/domain/submissions/suggestions.ts'
import {
  ModerationView,
  moderationRow,
  SubmissionSuggestionView,
  SubmissionVersionView,
  SubmissionView,
  submissionRow,
  suggestionRow,
  versionRow,
} from '../lib/domain/submissions/view.ts'
import { withTables } from '../lib/doors/exports/list-tables.ts'
import { creation, listOf, ok } from '../lib/platform/http/answer.ts'
import { choice, line, lines, members, prose } from '../lib/platform/http/body.ts'
import { endpoint } from '../lib/platform/http/endpoint.ts'
import { listBody } from '../lib/platform/http/page.ts'
import { numberFromOne } from '../lib/platform/http/params.ts'
import { replyCreated } from '../lib/platform/http/reply.ts'
import { actorRoute, changeRoute, publicRoute, type Routes, readRoute } from '../lib/platform/http/route.ts'
import { mayFollow, mayReview } from '../lib/platform/permissions.ts'
import { peopleOf } from '../lib/platform/users/people.ts'
import { forks } from './submissions/forks.ts'
import { notes } from './submissions/notes.ts'

/** The body of a suggestion as the API document shows it. */
const SuggestionShape = v.object({
  submission: v.union([v.number(), s.text]),
  title: v.pipe(s.text, v.maxLength(255)),
  description: v.pipe(s.text, v.maxLength(20_000)),
  contribution_data: v.exactOptional(s.Values),
})

const counting = numberFromOne(15)
const SubmissionAddress = v.object({ id: v.string() })
const Numbered = v.object({ id: counting })
const Version = v.object({ id: v.string(), version: counting })

const Filter = v.object({
  status: v.optional(v.string()),
  contributor: v.optional(v.pipe(v.string(), v.trim(), v.toLowerCase())),
})
/** A filter for a status or a person that does not exist matches no row. */
const Legal = v.object({
  status: v.optional(v.picklist(submissionStatuses)),
  contributor: v.optional(v.pipe(v.string(), v.uuid())),
})
const none = { count: 0, results: [] }
const After = v.object({ after: v.optional(v.pipe(v.string(), v.regex(/^\w{1,11}$/, 'Give the id of a submission.'))) })

const filled = v.check<string, string>((it) => it.trim() !== '', 'This field may not be blank.')
const LARGEST_DATA = 50_000
const anObject = 'Send an object.'
const Suggested = members({
  submission: v.pipe(
    v.union([v.number(), v.string()], 'Give the id of a submission.'),
    v.transform((it) => String(it)),
  ),
  title: v.pipe(line(255), filled),
  description: v.pipe(lines(20_000), filled),
  contribution_data: v.exactOptional(
    v.pipe(
      v.custom<object>((it) => typeof it === 'object' && it !== null && !Array.isArray(it), anObject),
      v.transform((it) => JSON.stringify(it)),
      v.check((it) => Buffer.byteLength(it) <= LARGEST_DATA, `Send no more than ${LARGEST_DATA} bytes.`),
    ),
  ),
})
const Noted = members({ comment: prose(5000), status: choice(submissionStatuses) })
const NotedPart = members({ comment: prose(5000), status: v.exactOptional(choice(submissionStatuses)) })

const subject = ({ id }: { id: string }) => submissions.loadSubmission(id)
const suggestion = ({ id }: { id: number }) => suggestions.loadSuggestion(id)

const retired = publicRoute({
  permission: 'submission.write',
  summary: 'Is no longer done',
  description: 'Contribute to `/data/cultural-entities/` or `/cidoc/` instead.',
  answer: {},
  errors: [410],
  handle: async () => {
    throw goneForGood('Legacy submissions are closed. Contribute to /data/cultural-entities/ or /cidoc/ instead.')
  },
})

const moderate = (body: typeof Noted | typeof NotedPart) =>
  actorRoute({
    permission: 'moderation.change',
    summary: 'Note what staff find of a submission',
    description: '`status` moves it; whoever sent it is told.',
    answer: ok(v.object({ submission: SubmissionView, moderation: ModerationView })),
    errors: [409],
    params: SubmissionAddress,
    body,
    handle: async ({ unit, actor, params, body }) => {
      const it = await submissions.loadSubmission(params.id)
      if (!it) throw notFound()
      const done = await submissions.moderateSubmission(unit, it.submission.id, actor, body)
      return { submission: await rowOf(done.submission), moderation: moderationRow(done.moderation) }
    },
  })

const MOST_SUGGESTIONS = 100

/** The routes of submissions, of visitors' notes and of forks. Submissions come from an import alone. Suggestions and moderation change them. */
export const routes = withTables({
  'GET /data/submissions/': actorRoute({
    permission: 'submission.list',
    summary: 'List the submissions, newest first',
    answer: listOf(SubmissionView),
    query: Filter,
    handle: async ({ query, page, request }) => {
      if (!v.is(Legal, query)) return listBody(request, page, none)
      const { people, results, ...listed } = await submissions.listSubmissions(query, page)
      return listBody(request, page, { ...listed, results: results.map((it) => submissionRow(it, people)) })
    },
  }),

  // A page has a thousand ids. `after` names the last id of the page before.
  'GET /data/submissions/ids/': publicRoute({
    permission: 'submission.ids',
    summary: 'List the ids of all submissions',
    description: 'A thousand at a time.',
    answer: ok(v.array(s.text)),
    query: After,
    handle: async ({ query }) => submissions.listSubmissionIds(query.after),
  }),

  'GET /data/submissions/{id}/': readRoute({
    permission: 'submission.read',
    summary: 'Read a submission',
    answer: ok(SubmissionView),
    params: SubmissionAddress,
    subject,
    handle: async ({ subject }) => rowOf(subject.submission),
  }),

  'GET /data/submissions/{id}/versions/': readRoute({
    permission: 'submission.read',
    summary: 'List the latest hundred versions of a submission, newest first',
    answer: ok(v.array(SubmissionVersionView)),
    params: SubmissionAddress,
    subject,
    handle: async ({ subject }) => (await submissions.listSubmissionVersions(subject.submission)).map(versionRow),
  }),

  'GET /data/submissions/{id}/versions/{version}/': readRoute({
    permission: 'submission.read',
    summary: 'Read a version of a submission',
    answer: ok(SubmissionVersionView),
    params: Version,
    subject,
    handle: async ({ subject, params }) => {
      const it = await submissions.loadSubmissionVersion(subject.submission, params.version)
      if (!it) throw notFound()
      return versionRow(it)
    },
  }),

  // The latest hundred suggestions that the caller may see. Suggestions that wait or were rejected are shown only to their author, the
  // submission's contributor and reviewers.
  'GET /data/submissions/{id}/edit-suggestions/': readRoute({
    permission: 'submission.read',
    summary: 'List the latest hundred suggestions for a submission',
    description: 'Those that wait or were turned down are shown to the two sides and to reviewers.',
    answer: ok(v.array(SubmissionSuggestionView)),
    params: SubmissionAddress,
    subject,
    handle: async ({ subject, actor }) => {
      const isShown = (it: Suggestion) => it.approved === true || mayFollow(actor, suggestions.suggestionSubject(it))
      const shown: Suggestion[] = []
      for (let offset = 0, more = true; more && shown.length < MOST_SUGGESTIONS; offset += MOST_SUGGESTIONS) {
        const place = { limit: MOST_SUGGESTIONS, offset }
        const { count, results } = await suggestions.listSuggestions({ submission: subject.submission.id }, place)
        shown.push(...results.filter(isShown))
        more = offset + results.length < count && results.length > 0
      }
      return shown.slice(0, MOST_SUGGESTIONS).map(suggestionRow)
    },
  }),

  'POST /data/submissions/': retired,
  'POST /data/submissions/form-submit/': retired,
  'POST /data/form-submit/': retired,
  'PUT /data/submissions/{id}/': retired,
  'PATCH /data/submissions/{id}/': retired,
  'DELETE /data/submissions/{id}/': retired,

  'GET /data/submission-suggestions/': actorRoute({
    permission: 'suggestion.list',
    summary: 'List the suggestions',
    description: 'Reviewers see all of them, others their own.',
    answer: listOf(SubmissionSuggestionView),
    handle: async ({ actor, page, request }) => {
      const { results, ...listed } = await suggestions.listSuggestions(
        mayReview(actor) ? 'all' : { by: actor.id },
        page,
      )
      return listBody(request, page, { ...listed, results: results.map(suggestionRow) })
    },
  }),

  'POST /data/submission-suggestions/': actorRoute({
    permission: 'suggestion.create',
    summary: 'Suggest what a submission should say instead',
    description: 'Without `contribution_data`, that of the submission stays.',
    answer: creation(SubmissionSuggestionView),
    shownBody: SuggestionShape,
    body: Suggested,
    idempotent: '24h',
    handle: async ({ unit, actor, body: { submission: id, ...change } }) => {
      const it = await submissions.loadSubmission(id)
      if (!it) throw invalid({ submission: ['There is no submission with this id.'] })
      const { contribution_data } = it.submission
      const made = await suggestions.createSuggestion(unit, it.submission, actor, { contribution_data, ...change })
      return replyCreated(suggestionRow(made))
    },
  }),

  'GET /data/submission-suggestions/{id}/': readRoute({
    permission: 'suggestion.read',
    summary: 'Read a suggestion',
    answer: ok(SubmissionSuggestionView),
    params: Numbered,
    subject: suggestion,
    handle: async ({ subject }) => suggestionRow(subject.suggestion),
  }),

  'POST /data/submission-suggestions/{id}/approve/': changeRoute({
    permission: 'suggestion.decide',
    summary: 'Take a suggestion over',
    description: 'It becomes a version of the submission.',
    answer: ok(v.object({ status: v.picklist(['approved']) })),
    params: Numbered,
    subject: suggestion,
    handle: async ({ unit, subject, actor }) => {
      await suggestions.approveSuggestion(unit, subject.suggestion.id, actor)
      return { status: 'approved' }
    },
  }),

  'POST /data/submission-suggestions/{id}/reject/': changeRoute({
    permission: 'suggestion.decide',
    summary: 'Turn a suggestion down',
    answer: ok(v.object({ status: v.picklist(['rejected']) })),
    params: Numbered,
    subject: suggestion,
    handle: async ({ unit, subject, actor }) => {
      await suggestions.rejectSuggestion(unit, subject.suggestion.id, actor)
      return { status: 'rejected' }
    },
  }),

  'GET /data/moderations/{id}/': actorRoute({
    permission: 'moderation.read',
    summary: 'Read a submission with what staff noted of it',
    answer: ok(v.object({ submission: SubmissionView, moderation: v.nullable(ModerationView) })),
    params: SubmissionAddress,
    handle: async ({ params }) => {
      const it = await submissions.loadSubmission(params.id)
      if (!it) throw notFound()
      const note = await submissions.loadModeration(it.submission)
      return { submission: await rowOf(it.submission), moderation: note ? moderationRow(note) : null }
    },
  }),
  'PUT /data/moderations/{id}/': moderate(Noted),
  'PATCH /data/moderations/{id}/': moderate(NotedPart),
  ...notes,
  ...forks,
} satisfies Routes)

export const handler = endpoint(routes)

const rowOf = async (it: Submission) => submissionRow(it, await peopleOf([it.contributor_id]))
