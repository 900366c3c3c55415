import * as v from 'valibot'
import { getObject, links, putObject } from '../lib/blobs.ts'
import { config } from '../lib/config.ts'
import { projectStates } from '../lib/domain/project-states.ts'
import { choice, line, lines, members, REQUIRED } from '../lib/http/body.ts'
import { commentNumber, Said, Text } from '../lib/http/comment-body.ts'
import { endpoint } from '../lib/http/endpoint.ts'
import { listBody, type Page } from '../lib/http/page.ts'
import { uuid } from '../lib/http/params.ts'
import { created, noContent } from '../lib/http/reply.ts'
import type { Request } from '../lib/http/request.ts'
import { actorRoute, changeRoute, listRoute, type Routes, readRoute } from '../lib/http/route.ts'
import type { Actor } from '../lib/permissions.ts'
import * as comments from '../lib/store/comments.ts'
import { type People, peopleOf } from '../lib/store/people.ts'
import { living, loadSaid } from '../lib/store/project-comments.ts'
import { companyOf } from '../lib/store/project-company.ts'
import * as linked from '../lib/store/project-entities.ts'
import { licenses, type Project, visibilities } from '../lib/store/project-items.ts'
import * as lists from '../lib/store/project-lists.ts'
import * as people from '../lib/store/project-members.ts'
import { rollBack } from '../lib/store/project-merge.ts'
import { find } from '../lib/store/project-search.ts'
import { transition } from '../lib/store/project-transitions.ts'
import * as projects from '../lib/store/projects.ts'
import { within } from '../lib/store/requests.ts'
import { loadByUsername } from '../lib/store/users.ts'
import { assetRow } from '../lib/views/asset.ts'
import { commentRow } from '../lib/views/comment.ts'
import { entityView, membershipView, projectActivityView, projectDetail, projectRow } from '../lib/views/project.ts'
import { graphView, MOST_DRAWN } from '../lib/views/project-graph.ts'

const slug = v.pipe(
  v.string(REQUIRED),
  v.trim(),
  v.nonEmpty(REQUIRED),
  v.maxLength(80, 'Ensure this field has no more than 80 characters.'),
  v.regex(/^[a-z0-9-]*$/, 'Use lowercase letters, digits and hyphens only.'),
  v.check((it) => !/^-|-$/.test(it), 'A slug must not start or end with a hyphen.'),
)
const BySlug = v.object({ slug: v.pipe(v.string(), v.regex(/^[a-z0-9](?:[a-z0-9-]{0,78}[a-z0-9])?$/)) })

const title = v.pipe(v.string(REQUIRED), line(200), v.trim(), v.nonEmpty(REQUIRED))
const orEmpty = <S extends v.GenericSchema<string, string>>(schema: S) =>
  v.pipe(v.nullish(v.string('Not a valid text.'), ''), schema)
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
/** BCP 47, as far as its form goes. */
const languages = v.pipe(
  labels(20, 35),
  v.everyItem((it) => /^[a-z]{2,8}(-[a-z0-9]{1,8})*$/i.test(it), 'Give language tags such as "ne" or "en-GB".'),
)
const Opening = members({
  slug,
  title,
  abstract: orEmpty(lines(20_000)),
  intended_subject: orEmpty(v.pipe(line(120), v.trim())),
  languages,
  license: v.optional(choice(licenses), 'CC-BY-4.0'),
  visibility: v.optional(choice(visibilities), 'private'),
  tags: labels(30, 50),
})

const Part = members({
  title: v.exactOptional(title),
  abstract: v.exactOptional(orEmpty(lines(20_000))),
  intended_subject: v.exactOptional(orEmpty(v.pipe(line(120), v.trim()))),
  languages: v.exactOptional(languages),
  license: v.exactOptional(choice(licenses)),
  visibility: v.exactOptional(choice(visibilities)),
  tags: v.exactOptional(labels(30, 50)),
  canvas_state: v.exactOptional(
    v.pipe(
      v.record(v.string(), v.unknown(), 'Give an object.'),
      v.check((it) => Buffer.byteLength(JSON.stringify(it)) <= 100_000, 'Ensure this has no more than 100000 bytes.'),
    ),
  ),
})
const Whole = members({ ...Part.entries, title })
const Transition = members({ target_state: choice(projectStates), comment: orEmpty(lines(2000)) })

const roles = ['editor', 'viewer', 'domain_expert'] as const
const Invitation = members({
  user_id: v.exactOptional(v.pipe(v.string('Not a valid UUID.'), v.toLowerCase(), v.uuid('Not a valid UUID.'))),
  username: v.exactOptional(
    v.pipe(v.string('Not a valid text.'), v.trim(), v.maxLength(100, 'There is no such user.')),
  ),
  role: v.optional(choice(roles), 'editor'),
})
const Role = members({ role: choice(roles) })
const Link = members({
  entity: v.pipe(v.string(REQUIRED), v.toLowerCase(), v.uuid('Not a valid UUID.')),
  role_in_project: orEmpty(v.pipe(line(120), v.trim())),
})
const Label = members({ role_in_project: v.pipe(v.string(REQUIRED), line(120), v.trim()) })

const Member = v.object({ ...BySlug.entries, id: uuid })
const OfComment = v.object({ ...BySlug.entries, id: commentNumber })

/** One of a list, which the message names; blank asks for nothing. */
const oneOf = <const Options extends readonly string[]>(options: Options) =>
  v.pipe(
    v.optional(v.string(), ''),
    v.transform((it) => it || undefined),
    v.optional(v.picklist(options, `Not a valid choice. Choose one of: ${options.join(', ')}.`)),
  )
const words = v.pipe(
  v.optional(v.string(), ''),
  v.transform((it) => it.normalize('NFC').trim().slice(0, 200) || undefined),
)
const ListQuery = v.object({
  state: oneOf(projectStates),
  visibility: oneOf(visibilities),
  owner: words,
  search: words,
  ordering: v.pipe(
    v.optional(v.string(), ''),
    v.transform((it) => {
      const order = lists.orders.find((one) => one === it.replace(/^-/, ''))
      return order ? { order, forward: !it.startsWith('-') } : { order: 'created_at' as const, forward: false }
    }),
  ),
})

const subject = ({ slug }: { slug: string }) => projects.load(slug)
const whole = ({ slug }: { slug: string }) => projects.loadWhole(slug)
const said = ({ slug, id }: { slug: string; id: number }) => loadSaid(slug, id)

/** Snapshots are named by the digest of their bytes, so storing one twice is the same. */
const keep = (name: string, bytes: Uint8Array) => putObject(name, bytes, 'application/gzip')
const read = async (name: string) => (await getObject(name))?.bytes

const update = (body: typeof Part | typeof Whole) =>
  changeRoute({
    permission: 'project.update',
    cache: 'no-store',
    params: BySlug,
    subject: whole,
    body,
    handle: async ({ subject, actor, body }) =>
      detailOf({ ...subject, ...(await projects.amend(subject, actor, body)) }, actor),
  })

const relabel = changeRoute({
  permission: 'project.contribute',
  cache: 'no-store',
  params: Member,
  subject: whole,
  body: Label,
  handle: async ({ subject, actor, params, body }) => {
    const { result } = await linked.relabel(subject, params.id, body.role_in_project)
    const { people, head } = await companyOf([result.added_by], [result.entity_id])
    return entityView(result, head(result.entity_id), actor, people)
  },
})

const reassign = changeRoute({
  permission: 'project.contribute',
  cache: 'no-store',
  params: Member,
  subject,
  body: Role,
  handle: async ({ subject, actor, params, body }) => {
    const { about, result } = await people.reassign(subject, actor, params.id, body.role)
    return membershipView(about.about, result, await peopleOf([result.user_id, result.invited_by]))
  },
})

const amendComment = changeRoute({
  permission: 'project.unsay',
  cache: 'no-store',
  params: OfComment,
  subject: said,
  body: Text,
  handle: async ({ subject, body, request }) => {
    const { branch, people } = await comments.show(await comments.amend(living(subject), body.comment))
    return remarkOf(subject.on.about, branch, people, request)
  },
})

/** Projects: what people put together before it is merged into the public record. */
export const routes = {
  'GET /data/projects/': listRoute({
    permission: 'project.list',
    cache: 'no-store',
    query: ListQuery,
    handle: async ({ query, actor, page, request }) => {
      const { search, owner: named, ordering, ...rest } = query
      const owner = named === undefined ? undefined : await userId(named)
      if (named !== undefined && owner === undefined) return listBody(request, page, { count: 0, results: [] })
      const filter = { ...rest, ...ordering, owner }
      const { people, results, ...listed } =
        search === undefined ? await lists.list(filter, actor, page) : await find(search, filter, actor, page)
      return listBody(request, page, { ...listed, results: results.map((it) => projectRow(it, people)) })
    },
  }),

  'POST /data/projects/': actorRoute({
    permission: 'project.create',
    cache: 'no-store',
    body: Opening,
    idempotent: '24h',
    handle: async ({ actor, body, once }) =>
      within('project_create', actor.id, config.RATE_PROJECTS, async () => {
        const company = await companyOf([actor.id], [])
        const shown = (made: projects.Whole) => created(projectDetail(made, [], actor, company))
        return shown(await projects.create(actor, body, (made) => once(shown(made))))
      }),
  }),

  'GET /data/projects/{slug}/': readRoute({
    permission: 'project.read',
    cache: 'no-store',
    params: BySlug,
    subject: whole,
    handle: async ({ subject, actor }) => detailOf(subject, actor),
  }),

  'PUT /data/projects/{slug}/': update(Whole),
  'PATCH /data/projects/{slug}/': update(Part),

  'DELETE /data/projects/{slug}/': changeRoute({
    permission: 'project.update',
    cache: 'no-store',
    params: BySlug,
    subject,
    handle: async ({ subject }) => {
      await projects.remove(subject)
      return noContent()
    },
  }),

  'POST /data/projects/{slug}/transition/': changeRoute({
    permission: 'project.move',
    cache: 'no-store',
    params: BySlug,
    subject: whole,
    body: Transition,
    handle: async ({ subject, actor, body }) => detailOf(await transition(subject, actor, body, keep), actor),
  }),

  'POST /data/projects/{slug}/rollback-merge/': changeRoute({
    permission: 'project.rollback',
    cache: 'no-store',
    params: BySlug,
    subject: whole,
    handle: async ({ subject, actor }) => detailOf(await rollBack(subject, actor, read), actor),
  }),

  'GET /data/projects/{slug}/activity/': readRoute({
    permission: 'project.follow',
    cache: 'no-store',
    params: BySlug,
    subject,
    handle: async ({ subject, page, request }) => {
      const { count, results } = await projects.activities(subject.about, page)
      const company = await peopleOf(results.map((it) => it.actor_id))
      return listBody(request, page, { count, results: results.map((it) => projectActivityView(it, company)) })
    },
  }),

  'GET /data/projects/{slug}/graph/': readRoute({
    permission: 'project.read',
    cache: 'no-store',
    params: BySlug,
    subject: whole,
    handle: async ({ subject, actor }) => {
      const { head } = await companyOf(
        [],
        subject.entities.slice(0, MOST_DRAWN).map((it) => it.entity_id),
      )
      return graphView(subject, head, actor)
    },
  }),

  'GET /data/projects/{slug}/memberships/': readRoute({
    permission: 'project.follow',
    cache: 'no-store',
    params: BySlug,
    subject,
    handle: async ({ subject: { about }, page, request }) => {
      const rows = slice(about.memberships, page)
      const company = await peopleOf(rows.flatMap((it) => [it.user_id, it.invited_by]))
      const results = rows.map((it) => membershipView(about, it, company))
      return listBody(request, page, { count: about.memberships.length, results })
    },
  }),

  'POST /data/projects/{slug}/memberships/': changeRoute({
    permission: 'project.contribute',
    cache: 'no-store',
    params: BySlug,
    subject,
    body: Invitation,
    handle: async ({ subject, actor, body }) => {
      const { about, result } = await people.invite(subject, actor, body)
      return created(membershipView(about.about, result, await peopleOf([result.user_id, result.invited_by])))
    },
  }),

  'GET /data/projects/{slug}/memberships/{id}/': readRoute({
    permission: 'project.follow',
    cache: 'no-store',
    params: Member,
    subject,
    handle: async ({ subject: { about }, params }) => {
      const found = people.memberIn(about.memberships, params.id)
      return membershipView(about, found, await peopleOf([found.user_id, found.invited_by]))
    },
  }),

  'PUT /data/projects/{slug}/memberships/{id}/': reassign,
  'PATCH /data/projects/{slug}/memberships/{id}/': reassign,

  'DELETE /data/projects/{slug}/memberships/{id}/': changeRoute({
    permission: 'project.contribute',
    cache: 'no-store',
    params: Member,
    subject,
    handle: async ({ subject, actor, params }) => {
      await people.dismiss(subject, actor, params.id)
      return noContent()
    },
  }),

  'GET /data/projects/{slug}/entities/': readRoute({
    permission: 'project.follow',
    cache: 'no-store',
    params: BySlug,
    subject: whole,
    handle: async ({ subject: { entities }, actor, page, request }) => {
      const rows = slice(entities, page)
      const { people, head } = await companyOf(
        rows.map((it) => it.added_by),
        rows.map((it) => it.entity_id),
      )
      const results = rows.map((it) => entityView(it, head(it.entity_id), actor, people))
      return listBody(request, page, { count: entities.length, results })
    },
  }),

  'POST /data/projects/{slug}/entities/': changeRoute({
    permission: 'project.contribute',
    cache: 'no-store',
    params: BySlug,
    subject,
    body: Link,
    handle: async ({ subject, actor, body }) => {
      const { result } = await linked.link(subject, actor, body)
      const { people, head } = await companyOf([actor.id], [result.entity_id])
      return created(entityView(result, head(result.entity_id), actor, people))
    },
  }),

  'GET /data/projects/{slug}/entities/{id}/': readRoute({
    permission: 'project.follow',
    cache: 'no-store',
    params: Member,
    subject: whole,
    handle: async ({ subject, actor, params }) => {
      const found = linked.linkIn(subject, params.id)
      const { people, head } = await companyOf([found.added_by], [found.entity_id])
      return entityView(found, head(found.entity_id), actor, people)
    },
  }),

  'PUT /data/projects/{slug}/entities/{id}/': relabel,
  'PATCH /data/projects/{slug}/entities/{id}/': relabel,

  'DELETE /data/projects/{slug}/entities/{id}/': changeRoute({
    permission: 'project.contribute',
    cache: 'no-store',
    params: Member,
    subject: whole,
    handle: async ({ subject, actor, params }) => {
      await linked.unlink(subject, actor, params.id)
      return noContent()
    },
  }),

  'GET /data/projects/{slug}/comments/': readRoute({
    permission: 'project.follow',
    cache: 'no-store',
    params: BySlug,
    subject,
    handle: async ({ subject: { about }, page, request }) => {
      const { people, results, ...listed } = await comments.list(comments.onProject(about.id), page)
      return listBody(request, page, { ...listed, results: results.map((it) => remarkOf(about, it, people, request)) })
    },
  }),

  'POST /data/projects/{slug}/comments/': changeRoute({
    permission: 'project.discuss',
    cache: 'no-store',
    params: BySlug,
    subject,
    body: Said,
    handle: async ({ subject: { about }, actor, body, request }) => {
      const { branch, people } = await comments.show(await comments.create(comments.onProject(about.id), actor, body))
      return created(remarkOf(about, branch, people, request))
    },
  }),

  'GET /data/projects/{slug}/comments/{id}/': readRoute({
    permission: 'project.follow',
    cache: 'no-store',
    params: OfComment,
    subject: said,
    handle: async ({ subject, request }) => {
      const { branch, people } = await comments.show(subject.said)
      return remarkOf(subject.on.about, branch, people, request)
    },
  }),

  'GET /data/projects/{slug}/comments/{id}/replies/': readRoute({
    permission: 'project.follow',
    cache: 'no-store',
    params: OfComment,
    subject: said,
    handle: async ({ subject, page, request }) => {
      const { people, results, ...listed } = await comments.listReplies(subject.said, page)
      const rows = results.map((it) => remarkOf(subject.on.about, it, people, request))
      return listBody(request, page, { ...listed, results: rows })
    },
  }),

  'PUT /data/projects/{slug}/comments/{id}/': amendComment,
  'PATCH /data/projects/{slug}/comments/{id}/': amendComment,

  'DELETE /data/projects/{slug}/comments/{id}/': changeRoute({
    permission: 'project.unsay',
    cache: 'no-store',
    params: OfComment,
    subject: said,
    handle: async ({ subject }) => {
      await comments.remove(living(subject))
      return noContent()
    },
  }),
} satisfies Routes

export const handler = endpoint(routes)

const slice = <T>(all: readonly T[], { offset, limit }: Page): T[] => all.slice(offset, offset + limit)

const userId = async (named: string) => (v.is(uuid, named) ? named.toLowerCase() : (await loadByUsername(named))?.id)

async function detailOf(it: projects.Whole, actor: Actor | null) {
  const { about, assets, entities } = it
  const company = await companyOf(
    [
      ...about.memberships.flatMap((one) => [one.user_id, one.invited_by]),
      ...assets.map((one) => one.uploaded_by),
      ...entities.map((one) => one.added_by),
    ],
    entities.map((one) => one.entity_id),
  )
  const link = await links()
  return projectDetail(
    it,
    assets.map((one) => assetRow(one, company.people, link)),
    actor,
    company,
  )
}

const remarkOf = (about: Project, branch: comments.Branch, people: People, request: Request) =>
  commentRow(branch, people, {
    of: { project: about.id },
    at: `${request.origin}/data/projects/${about.slug}/comments/`,
  })
