import '../lib/domain/composition.ts'
import * as v from 'valibot'
import { assetRow } from '../lib/domain/projects/assets/view.ts'
import { licenses, visibilities } from '../lib/domain/projects/items.ts'
import * as lists from '../lib/domain/projects/lists.ts'
import * as projects from '../lib/domain/projects/projects.ts'
import { knownTo, loadReferenced } from '../lib/domain/projects/referenced.ts'
import { searchProjects } from '../lib/domain/projects/search.ts'
import { projectStates } from '../lib/domain/projects/states.ts'
import { mergeAs, moveProject } from '../lib/domain/projects/transition.ts'
import { MOST_DRAWN, ProjectGraphView } from '../lib/domain/projects/views/graph-shape.ts'
import {
  ProjectActivityView,
  ProjectRowView,
  ProjectView,
  projectActivityView,
  projectDetail,
  projectRow,
  recordsOf,
} from '../lib/domain/projects/views/project.ts'
import { showRecords } from '../lib/domain/records/shown.ts'
import { withTables } from '../lib/doors/exports/list-tables.ts'
import { createLinks } from '../lib/engines/bucket/index.ts'
import { creation, empty, listOf, ok } from '../lib/platform/http/answer.ts'

import { choice, line, members, objectOf, orEmpty, prose, REQUIRED } from '../lib/platform/http/body.ts'
import { endpoint } from '../lib/platform/http/endpoint.ts'
import { listBody } from '../lib/platform/http/page.ts'
import { BySlug, lenientChoice, optionalQueryChoice, QueryText, uuidText } from '../lib/platform/http/params.ts'
import { Reply, replyCreated, replyNoContent } from '../lib/platform/http/reply.ts'
import { actorRoute, changeRoute, listRoute, type Routes, readRoute } from '../lib/platform/http/route.ts'
import type { Actor } from '../lib/platform/permissions.ts'
import { loadUserByUsername } from '../lib/platform/users/users.ts'
import { comments } from './projects/comments.ts'
import { entities } from './projects/entities.ts'
import { memberships } from './projects/memberships.ts'
import { preview } from './projects/preview.ts'

/** Answers of a state change: 200 when it is complete, 202 when it continues in the background. */
const transitionAnswers = { ...ok(ProjectView), 202: { shape: ProjectView } }

const slug = v.pipe(
  v.string(REQUIRED),
  v.nonEmpty(REQUIRED),
  v.maxLength(80, 'Ensure this field has no more than 80 characters.'),
  v.regex(/^[a-z0-9-]*$/, 'Use lowercase letters, digits and hyphens only.'),
  v.check((it) => !/^-|-$/.test(it), 'A slug must not start or end with a hyphen.'),
)

const title = v.pipe(v.string(REQUIRED), line(200), v.trim(), v.nonEmpty(REQUIRED))
const labels = (most: number, length: number) =>
  v.pipe(
    v.nullish(
      v.pipe(
        v.array(v.pipe(v.string('Not a valid text.'), line(length), v.trim()), 'Give a list of texts.'),
        v.maxLength(most, `Ensure this list has no more than ${most} elements.`),
      ),
      [],
    ),
    v.transform((it) => [...new Set(it.filter(Boolean))]),
  )
/** A language tag with the form of BCP 47. Its parts are not looked up. */
const languages = v.pipe(
  labels(20, 35),
  v.everyItem((it) => /^[a-z]{2,8}(-[a-z0-9]{1,8})*$/i.test(it), 'Give language tags such as "ne" or "en-GB".'),
)
const Opening = members({
  slug,
  title,
  abstract: prose(20_000),
  intended_subject: orEmpty(v.pipe(line(120), v.trim())),
  languages,
  license: v.optional(choice(licenses), 'CC-BY-4.0'),
  visibility: v.optional(choice(visibilities), 'private'),
  tags: labels(30, 50),
})

const Part = members({
  title: v.exactOptional(title),
  abstract: v.exactOptional(prose(20_000)),
  intended_subject: v.exactOptional(orEmpty(v.pipe(line(120), v.trim()))),
  languages: v.exactOptional(languages),
  license: v.exactOptional(choice(licenses)),
  visibility: v.exactOptional(choice(visibilities)),
  tags: v.exactOptional(labels(30, 50)),
  canvas_state: v.exactOptional(
    v.pipe(
      objectOf(v.string(), v.unknown(), 'Give an object.'),
      v.check((it) => Buffer.byteLength(JSON.stringify(it)) <= 100_000, 'Ensure this has no more than 100000 bytes.'),
    ),
  ),
})
const Whole = members({ ...Part.entries, title })
const Transition = members({ target_state: choice(projectStates), comment: prose(2000) })

const ListQuery = v.object({
  state: optionalQueryChoice(projectStates),
  visibility: optionalQueryChoice(visibilities),
  owner: QueryText,
  search: QueryText,
  ordering: v.pipe(
    lenientChoice(lists.orders.flatMap((it) => [it, `-${it}`])),
    v.transform((it) => {
      const order = lists.orders.find((one) => one === it.replace(/^-/, ''))
      return order ? { order, forward: !it.startsWith('-') } : { order: 'created_at' as const, forward: false }
    }),
  ),
})

const subject = ({ slug }: { slug: string }) => projects.loadProject(slug)
const whole = ({ slug }: { slug: string }) => projects.loadWhole(slug)

const update = (body: typeof Part | typeof Whole) =>
  changeRoute({
    permission: 'project.update',
    summary: body === Whole ? 'Replace what a project says of itself' : 'Change what a project says of itself',
    description: body === Part ? 'Only the members that are sent change.' : '',
    answer: ok(ProjectView),
    params: BySlug,
    subject: whole,
    body,
    handle: async ({ unit, subject, actor, body }) => {
      const next = await projects.amendProject(unit, subject, actor, body)
      return detailOf({ ...subject, ...next }, actor)
    },
  })

/** Projects: records and files that people prepare before they merge them into the public record. */
export const routes = withTables({
  'GET /data/projects/': listRoute({
    permission: 'project.list',
    summary: 'List the projects',
    answer: listOf(ProjectRowView),
    query: ListQuery,
    handle: async ({ query, actor, page, request }) => {
      const { search, owner: named, ordering, ...rest } = query
      const owner = named === undefined ? undefined : await userId(named)
      if (named !== undefined && owner === undefined) return listBody(request, page, { count: 0, results: [] })
      const filter = { ...rest, ...ordering, owner }
      const { people, results, ...listed } =
        search === undefined
          ? await lists.listProjects(filter, actor, page)
          : await searchProjects(search, filter, actor, page)
      return listBody(request, page, { ...listed, results: results.map((it) => projectRow(it, people)) })
    },
  }),

  'POST /data/projects/': actorRoute({
    permission: 'project.create',
    summary: 'Open a project',
    description: 'Whoever opens it is its owner. The slug is its address and stays.',
    answer: creation(ProjectView),
    throttles: [{ scope: 'project_create', rate: 'RATE_PROJECTS', per: 'caller', counts: 'every success' }],
    body: Opening,
    idempotent: '24h',
    handle: async ({ unit, actor, body }) => {
      const made = await projects.createProject(unit, actor, body)
      return replyCreated(await detailOf(made, actor))
    },
  }),

  'GET /data/projects/{slug}/': readRoute({
    permission: 'project.read',
    summary: 'Read a project with all that belongs to it',
    answer: ok(ProjectView),
    params: BySlug,
    subject: whole,
    handle: async ({ subject, actor }) => detailOf(subject, actor),
  }),

  'PUT /data/projects/{slug}/': update(Whole),
  'PATCH /data/projects/{slug}/': update(Part),

  'DELETE /data/projects/{slug}/': changeRoute({
    permission: 'project.delete',
    summary: 'Delete a project',
    description: 'Its slug is free again.',
    answer: empty,
    params: BySlug,
    subject,
    handle: async ({ unit, subject }) => {
      await projects.removeProject(unit, subject)
      return replyNoContent()
    },
  }),

  'POST /data/projects/{slug}/transition/': changeRoute({
    permission: 'project.transition',
    summary: 'Lead a project to another state',
    description:
      "`allowed_transitions` of the project names the caller's moves. Into review, what is still missing is refused under `blockers`; back to its authors, `comment` says why. A merge accepts the linked records that wait, or names under `blockers` those that cannot be accepted. A merge that takes longer than 20 seconds goes on by itself: 202, `merge` tells how far it has come, edits are 409, and its end is an activity and a notification.",
    answer: transitionAnswers,
    params: BySlug,
    subject: whole,
    body: Transition,
    handle: async ({ unit, subject, actor, body: { target_state, comment } }) => {
      if (target_state === 'merged')
        return mergeAs(unit, subject, { actor, comment, show: (next) => replyToMove(next, actor) })
      return detailOf(await moveProject(unit, subject, actor, { target_state, comment }), actor)
    },
  }),

  'POST /data/projects/{slug}/rollback-merge/': changeRoute({
    permission: 'project.rollback',
    summary: 'Take a merge back',
    description:
      'The records that it accepted wait again as before; what was changed since stays as it is and is named by the activity. What takes longer than 20 seconds goes on by itself, as a merge does.',
    answer: transitionAnswers,
    params: BySlug,
    subject: whole,
    handle: async ({ unit, subject, actor }) => {
      const { rollBackProject } = await import('../lib/domain/projects/merge.ts')
      return rollBackProject(unit, subject, { actor, show: (next) => replyToMove(next, actor) })
    },
  }),

  'GET /data/projects/{slug}/activity/': readRoute({
    permission: 'project.follow',
    summary: 'List what happened in a project, the latest first',
    answer: listOf(ProjectActivityView),
    params: BySlug,
    subject,
    handle: async ({ subject, page, actor, request }) => {
      const { count, results } = await projects.listActivities(subject.about, page)
      const named = await loadReferenced(
        results.map((it) => it.actor_id),
        results.flatMap(recordsOf),
      )
      return listBody(request, page, { count, results: results.map((it) => projectActivityView(it, named, actor)) })
    },
  }),

  'GET /data/projects/{slug}/graph/': readRoute({
    permission: 'project.read',
    summary: 'Read the records and assets of a project as a drawing',
    description:
      'Records that the caller may not see are left out. Of more than 300 the first are drawn, and `truncated` is true.',
    answer: ok(ProjectGraphView),
    params: BySlug,
    subject: whole,
    handle: async ({ subject, actor }) => {
      const { graphView } = await import('../lib/domain/projects/views/graph.ts')
      const { head } = await loadReferenced(
        [],
        subject.entities.slice(0, MOST_DRAWN).map((it) => it.entity_id),
      )
      const drawn = subject.entities.slice(0, MOST_DRAWN).flatMap((it) => head(it.entity_id) ?? [])
      const shown = new Map((await showRecords(actor, drawn)).map((it) => [it.entity_id, it]))
      return graphView(subject, (entity_id) => shown.get(entity_id), actor)
    },
  }),

  ...memberships,
  ...entities,
  ...comments,
  ...preview,
} satisfies Routes)

export const handler = endpoint(routes)

const userId = async (named: string) =>
  v.is(uuidText, named) ? named.toLowerCase() : (await loadUserByUsername(named))?.id

/** Replies with the project: 202 if the change continues in the background. */
async function replyToMove(project: projects.WholeProject, actor: Actor) {
  const view = await detailOf(project, actor)
  return project.about.merge ? new Reply(202, view) : view
}

/**
 * The progress of a merge in the background, null if none is running. Few projects have a merge under way, so this code is loaded only
 * then.
 */
async function progressOfMerge(it: projects.WholeProject) {
  if (!it.about.merge) return null
  const { loadMergeProgress } = await import('../lib/domain/projects/merge-job.ts')
  return loadMergeProgress(it)
}

async function detailOf(it: projects.WholeProject, actor: Actor | null) {
  const { about, assets, entities } = it
  const named = await loadReferenced(
    [
      ...about.memberships.flatMap((one) => [one.user_id, one.invited_by]),
      ...assets.map((one) => one.uploaded_by),
      ...entities.map((one) => one.added_by),
    ],
    [...entities.map((one) => one.entity_id), ...assets.flatMap((one) => one.depicts ?? [])],
  )
  const links = await createLinks()
  const context = { people: named.people, links, knows: knownTo(actor, named.head) }
  const rows = await Promise.all(assets.map((one) => assetRow(one, context)))
  return projectDetail(it, rows, actor, { ...named, merge: await progressOfMerge(it) })
}
