import * as v from 'valibot'
import { answering, creating } from '../../lib/http/answering.ts'
import { line, members, orEmpty, REQUIRED, uuidOf } from '../../lib/http/body.ts'
import { listBody, sliceOf } from '../../lib/http/page.ts'
import { BySlug, uuid } from '../../lib/http/params.ts'
import { noContent } from '../../lib/http/reply.ts'
import { changeRoute, type Routes, readRoute } from '../../lib/http/route.ts'
import type { Actor } from '../../lib/permissions.ts'
import * as linked from '../../lib/projects/entities.ts'
import type { ProjectEntity } from '../../lib/projects/items.ts'
import { load, loadWhole } from '../../lib/projects/projects.ts'
import { loadReferenced } from '../../lib/projects/referenced.ts'
import { entityView } from '../../lib/projects/views/project.ts'

const Link = members({
  entity: uuidOf(REQUIRED),
  role_in_project: orEmpty(v.pipe(line(120), v.trim())),
})
const Label = members({ role_in_project: v.pipe(v.string(REQUIRED), line(120), v.trim()) })

const EntityAddress = v.object({ ...BySlug.entries, id: uuid })
const subject = ({ slug }: { slug: string }) => load(slug)
const whole = ({ slug }: { slug: string }) => loadWhole(slug)

const relabel = changeRoute({
  permission: 'project.contribute',
  params: EntityAddress,
  subject: whole,
  body: Label,
  handle: ({ subject, actor, params, body }) =>
    answering(
      () => linked.relabel(subject, params.id, body.role_in_project),
      ({ result }) => viewOf(result, actor),
    ),
})

/** The records that a project is about. */
export const entities = {
  'GET /data/projects/{slug}/entities/': readRoute({
    permission: 'project.follow',
    params: BySlug,
    subject: whole,
    handle: async ({ subject: { entities }, actor, page, request }) => {
      const rows = sliceOf(entities, page)
      const { people, head } = await loadReferenced(
        rows.map((it) => it.added_by),
        rows.map((it) => it.entity_id),
      )
      const results = rows.map((it) => entityView(it, head(it.entity_id), actor, people))
      return listBody(request, page, { count: entities.length, results })
    },
  }),

  'POST /data/projects/{slug}/entities/': changeRoute({
    permission: 'project.contribute',
    params: BySlug,
    subject,
    body: Link,
    idempotent: '24h',
    handle: ({ subject, actor, body }) =>
      creating(
        () => linked.link(subject, actor, body),
        ({ result }) => viewOf(result, actor),
      ),
  }),

  'GET /data/projects/{slug}/entities/{id}/': readRoute({
    permission: 'project.follow',
    params: EntityAddress,
    subject: whole,
    handle: async ({ subject, actor, params }) => viewOf(linked.linkIn(subject, params.id), actor),
  }),

  'PUT /data/projects/{slug}/entities/{id}/': relabel,
  'PATCH /data/projects/{slug}/entities/{id}/': relabel,

  'DELETE /data/projects/{slug}/entities/{id}/': changeRoute({
    permission: 'project.contribute',
    params: EntityAddress,
    subject: whole,
    handle: async ({ subject, actor, params }) => {
      await linked.unlink(subject, actor, params.id)
      return noContent()
    },
  }),
} satisfies Routes

async function viewOf(it: ProjectEntity, actor: Actor | null) {
  const { people, head } = await loadReferenced([it.added_by], [it.entity_id])
  return entityView(it, head(it.entity_id), actor, people)
}
