import * as v from 'valibot'
import { gone, invalid, notFound } from '../lib/errors.ts'
import { withTables } from '../lib/exports/list-tables.ts'
import { answering, creating } from '../lib/http/answering.ts'
import { choice, line, lines, members, prose } from '../lib/http/body.ts'
import { endpoint } from '../lib/http/endpoint.ts'
import { listBody } from '../lib/http/page.ts'
import { actorRoute, changeRoute, publicRoute, type Routes, readRoute } from '../lib/http/route.ts'
import { mayFollow, mayReview } from '../lib/permissions.ts'
import type { Submission, Suggestion } from '../lib/submissions/items.ts'
import { submissionStatuses } from '../lib/submissions/members.ts'
import * as submissions from '../lib/submissions/submissions.ts'
import * as suggestions from '../lib/submissions/suggestions.ts'
import { moderationRow, submissionRow, suggestionRow, versionRow } from '../lib/submissions/view.ts'
import { peopleOf } from '../lib/users/people.ts'

const counting = v.pipe(v.string(), v.regex(/^[1-9]\d{0,14}$/), v.transform(Number))
const SubmissionAddress = v.object({ id: v.string() })
const Numbered = v.object({ id: counting })
const Version = v.object({ id: v.string(), version: counting })

const Filter = v.object({
  status: v.optional(v.string()),
  contributor: v.optional(v.pipe(v.string(), v.trim(), v.toLowerCase())),
})
/** What names no status, or nobody, fits nothing. */
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

const subject = ({ id }: { id: string }) => submissions.load(id)
const suggestion = ({ id }: { id: number }) => suggestions.load(id)

const retired = publicRoute({
  permission: 'submission.write',
  handle: async () => {
    throw gone('Legacy submissions are closed. Contribute to /data/cultural-entities/ or /cidoc/ instead.')
  },
})

const moderate = (body: typeof Noted | typeof NotedPart) =>
  actorRoute({
    permission: 'moderation.change',
    params: SubmissionAddress,
    body,
    handle: async ({ actor, params, body }) => {
      const it = await submissions.load(params.id)
      if (!it) throw notFound()
      return answering(
        () => submissions.moderate(it.submission.id, actor, body),
        async (done) => ({ submission: await rowOf(done.submission), moderation: moderationRow(done.moderation) }),
      )
    },
  })

const MOST_SUGGESTIONS = 100

/** What was once sent in on a form: read here, and changed by suggestions and moderation alone. */
export const routes = withTables({
  'GET /data/submissions/': actorRoute({
    permission: 'submission.list',
    query: Filter,
    handle: async ({ query, page, request }) => {
      if (!v.is(Legal, query)) return listBody(request, page, none)
      const { people, results, ...listed } = await submissions.list(query, page)
      return listBody(request, page, { ...listed, results: results.map((it) => submissionRow(it, people)) })
    },
  }),

  // A thousand at a time; `after` an id leads on.
  'GET /data/submissions/ids/': publicRoute({
    permission: 'submission.ids',
    query: After,
    handle: async ({ query }) => submissions.listIds(query.after),
  }),

  'GET /data/submissions/{id}/': readRoute({
    permission: 'submission.read',
    params: SubmissionAddress,
    subject,
    handle: async ({ subject }) => rowOf(subject.submission),
  }),

  'GET /data/submissions/{id}/versions/': readRoute({
    permission: 'submission.read',
    params: SubmissionAddress,
    subject,
    handle: async ({ subject }) => (await submissions.listVersions(subject.submission)).map(versionRow),
  }),

  'GET /data/submissions/{id}/versions/{version}/': readRoute({
    permission: 'submission.read',
    params: Version,
    subject,
    handle: async ({ subject, params }) => {
      const it = await submissions.loadVersion(subject.submission, params.version)
      if (!it) throw notFound()
      return versionRow(it)
    },
  }),

  // The latest hundred that the caller may follow. Those that wait or were turned down are between the two sides and reviewers.
  'GET /data/submissions/{id}/edit-suggestions/': readRoute({
    permission: 'submission.read',
    params: SubmissionAddress,
    subject,
    handle: async ({ subject, actor }) => {
      const isShown = (it: Suggestion) => it.approved === true || mayFollow(actor, suggestions.suggestedOf(it))
      const shown: Suggestion[] = []
      for (let offset = 0, more = true; more && shown.length < MOST_SUGGESTIONS; offset += MOST_SUGGESTIONS) {
        const place = { limit: MOST_SUGGESTIONS, offset }
        const { count, results } = await suggestions.list({ submission: subject.submission.id }, place)
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

  // Reviewers see all, others their own.
  'GET /data/submission-suggestions/': actorRoute({
    permission: 'suggestion.list',
    handle: async ({ actor, page, request }) => {
      const { results, ...listed } = await suggestions.list(mayReview(actor) ? 'all' : { by: actor.id }, page)
      return listBody(request, page, { ...listed, results: results.map(suggestionRow) })
    },
  }),

  'POST /data/submission-suggestions/': actorRoute({
    permission: 'suggestion.create',
    body: Suggested,
    idempotent: '24h',
    handle: async ({ actor, body: { submission: id, ...change } }) => {
      const it = await submissions.load(id)
      if (!it) throw invalid({ submission: ['There is no submission with this id.'] })
      const { contribution_data } = it.submission
      return creating(() => suggestions.create(it.submission, actor, { contribution_data, ...change }), suggestionRow)
    },
  }),

  'GET /data/submission-suggestions/{id}/': readRoute({
    permission: 'suggestion.read',
    params: Numbered,
    subject: suggestion,
    handle: async ({ subject }) => suggestionRow(subject.suggestion),
  }),

  'POST /data/submission-suggestions/{id}/approve/': changeRoute({
    permission: 'suggestion.decide',
    params: Numbered,
    subject: suggestion,
    handle: async ({ subject, actor }) => {
      await suggestions.approve(subject.suggestion.id, actor)
      return { status: 'approved' }
    },
  }),

  'POST /data/submission-suggestions/{id}/reject/': changeRoute({
    permission: 'suggestion.decide',
    params: Numbered,
    subject: suggestion,
    handle: async ({ subject, actor }) => {
      await suggestions.reject(subject.suggestion.id, actor)
      return { status: 'rejected' }
    },
  }),

  'GET /data/moderations/{id}/': actorRoute({
    permission: 'moderation.read',
    params: SubmissionAddress,
    handle: async ({ params }) => {
      const it = await submissions.load(params.id)
      if (!it) throw notFound()
      const note = await submissions.loadModeration(it.submission)
      return { submission: await rowOf(it.submission), moderation: note ? moderationRow(note) : null }
    },
  }),
  'PUT /data/moderations/{id}/': moderate(Noted),
  'PATCH /data/moderations/{id}/': moderate(NotedPart),
} satisfies Routes)

export const handler = endpoint(routes)

const rowOf = async (it: Submission) => submissionRow(it, await peopleOf([it.contributor_id]))
