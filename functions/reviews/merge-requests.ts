import '../../lib/domain/composition.ts'
import * as v from 'valibot'
import { forbidden, invalid } from '../../lib/base/errors.ts'
import { loadRequest, requestIn, requestStatuses } from '../../lib/domain/merge-requests/load.ts'
import { MergeCheckView, MergeDiffView, MergeRequestView } from '../../lib/domain/merge-requests/view-shape.ts'
import type { Project } from '../../lib/domain/projects/items.ts'
import { loadWholeById, type WholeProject } from '../../lib/domain/projects/projects.ts'
import { loadReferenced } from '../../lib/domain/projects/referenced.ts'
import { creation, listOf, ok } from '../../lib/platform/http/answer.ts'
import { choice, line, members, prose, REQUIRED, uuidOf } from '../../lib/platform/http/body.ts'
import { listBody } from '../../lib/platform/http/page.ts'
import { BooleanFlag, ById, QueryId, QueryText, queryWord, uuidText } from '../../lib/platform/http/params.ts'
import { replyCreated } from '../../lib/platform/http/reply.ts'
import { actorRoute, changeRoute, type Routes, readRoute } from '../../lib/platform/http/route.ts'
import { type Actor, mayInspect, mayVisit, projectParts } from '../../lib/platform/permissions.ts'
import { peopleOf } from '../../lib/platform/users/people.ts'

/** Loaded with the first answer about a merge request. Verdicts are much more frequent and do not need this code. */
const requests = () => import('../../lib/domain/merge-requests/requests.ts')
const checks = () => import('../../lib/domain/merge-requests/check.ts')
const views = () => import('../../lib/domain/merge-requests/view.ts')

const subject = ({ id }: { id: string }) => loadRequest(id)
const Note = members({ reviewer_note: prose(5000) })
const found = 'There is no project with this id.'

/** Projects that ask to be merged into the public record, under the ids of the projects. */
export const mergeRequests = {
  'GET /merge-requests/': actorRoute({
    permission: 'request.list',
    summary: 'List the merge requests',
    description: 'Projects that were sent in, of those that the caller may see, the latest first.',
    answer: listOf(MergeRequestView),
    query: v.object({ status: queryWord(requestStatuses), project: QueryId }),
    handle: async ({ query, actor, page, request }) => {
      const { listRequests } = await import('../../lib/domain/merge-requests/list.ts')
      const { results, ...listed } = await listRequests(query, actor, page)
      const [people, { requestView }] = await Promise.all([peopleOf(results.flatMap(peopleIn)), views()])
      const rows = results.map((it) => requestView(it, undefined, { people, new_records: [], origin: request.origin }))
      return listBody(request, page, { ...listed, results: rows })
    },
  }),

  'POST /merge-requests/': actorRoute({
    permission: 'request.open',
    summary: 'Send a project in',
    description: 'For those who work on it. What is missing is refused, as for the move to `in_review`.',
    answer: creation(MergeRequestView),
    idempotent: '24h',
    body: members({
      project: uuidOf(REQUIRED),
      summary: v.pipe(v.string(REQUIRED), line(1000), v.trim(), v.nonEmpty(REQUIRED)),
      justification: prose(20_000),
      scope: v.optional(choice(['whole', 'subset']), 'whole'),
    }),
    handle: async ({ unit, actor, body, request }) => {
      const opened = await (await requests()).openRequest(unit, body, actor)
      return replyCreated(await viewRequest(opened, actor, request.origin))
    },
  }),

  'GET /merge-requests/validate/': actorRoute({
    permission: 'request.list',
    summary: 'Check what stands in the way of a merge',
    description: 'For those who work on the project, and who review it.',
    answer: ok(MergeCheckView),
    query: v.object({ project_id: QueryText, include_diff: BooleanFlag }),
    handle: async ({ query: { project_id = '' }, actor, request }) => {
      const whole = v.is(uuidText, project_id) ? await loadWholeById(project_id.toLowerCase()) : undefined
      if (!whole || !mayVisit(actor, whole)) throw invalid({ project_id: [found] })
      if (!projectParts.editors(actor, whole) && !projectParts.reviewers(actor, whole)) throw forbidden()
      const { checkView } = await views()
      return checkView(await (await checks()).checkProject(whole, actor), request.origin)
    },
  }),

  'GET /merge-requests/{id}/': readRoute({
    permission: 'request.read',
    summary: 'Read a merge request',
    answer: ok(MergeRequestView),
    params: ById,
    subject,
    handle: async ({ subject, actor, request }) => viewRequest(subject, signedInCaller(actor), request.origin),
  }),

  'GET /merge-requests/{id}/rdf-diff/': readRoute({
    permission: 'request.read',
    summary: 'Read what a merge would add, and what it contradicts',
    answer: ok(MergeDiffView),
    params: ById,
    subject,
    handle: async ({ subject, actor, request }) => {
      const { diffView } = await views()
      return diffView(await (await checks()).checkProject(subject, signedInCaller(actor)), request.origin)
    },
  }),

  'POST /merge-requests/{id}/approve/': changeRoute({
    permission: 'request.decide',
    summary: 'Approve a merge request',
    description:
      'Whoever may merge also merges: both happen or neither. Others approve only. What takes longer than 20 seconds goes on by itself, and the status is `approved` until it ends.',
    answer: ok(MergeRequestView),
    errors: [409],
    params: ById,
    subject,
    idempotent: '24h',
    body: Note,
    handle: async ({ unit, subject, actor, body, request }) =>
      (await requests()).approveRequest(unit, subject, {
        actor,
        ...body,
        show: (it) => viewRequest(it, actor, request.origin),
      }),
  }),

  'POST /merge-requests/{id}/reject/': changeRoute({
    permission: 'request.decide',
    summary: 'Reject a merge request',
    description: 'Its project is withdrawn. Those who work on it may take it up again as a draft.',
    answer: ok(MergeRequestView),
    errors: [409],
    params: ById,
    subject,
    idempotent: '24h',
    body: Note,
    handle: async ({ unit, subject, actor, body, request }) =>
      viewRequest(
        await (await requests()).rejectRequest(unit, subject, actor, body.reviewer_note),
        actor,
        request.origin,
      ),
  }),

  'POST /merge-requests/{id}/request-changes/': changeRoute({
    permission: 'request.decide',
    summary: 'Ask for changes',
    description: 'Only while it is pending. The note says what is to be revised.',
    answer: ok(MergeRequestView),
    errors: [409],
    params: ById,
    subject,
    idempotent: '24h',
    body: Note,
    handle: async ({ unit, subject, actor, body, request }) =>
      viewRequest(
        await (await requests()).askForChanges(unit, subject, actor, body.reviewer_note),
        actor,
        request.origin,
      ),
  }),
} satisfies Routes

/** The permission of the route requires a role, so the caller is signed in. */
function signedInCaller(actor: Actor | null): Actor {
  if (!actor) throw new Error('a merge request for nobody')
  return actor
}

const peopleIn = (it: Project) => [requestIn(it).opened_by, requestIn(it).reviewed_by]

async function viewRequest(whole: WholeProject, actor: Actor, origin: string) {
  const { new_records } = requestIn(whole.about)
  const [report, { people, head }, { requestView }] = await Promise.all([
    checks().then(({ checkProject }) => checkProject(whole, actor)),
    loadReferenced(peopleIn(whole.about), new_records),
    views(),
  ])
  const visible = new_records.flatMap((id) => head(id) ?? []).filter((record) => mayInspect(actor, record))
  return requestView(whole.about, report, { people, new_records: visible, origin })
}
