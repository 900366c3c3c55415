import * as v from 'valibot'
import * as linked from '../../lib/domain/projects/entities.ts'
import type { ProjectEntity } from '../../lib/domain/projects/items.ts'
import { loadProject, loadWhole } from '../../lib/domain/projects/projects.ts'
import { loadReferenced } from '../../lib/domain/projects/referenced.ts'
import { entityView, ProjectEntityView } from '../../lib/domain/projects/views/project.ts'
import { creation, empty, listOf, ok } from '../../lib/platform/http/answer.ts'

import { line, members, orEmpty, REQUIRED, uuidOf } from '../../lib/platform/http/body.ts'
import { listBody, sliceOf } from '../../lib/platform/http/page.ts'
import { BySlug, uuidText } from '../../lib/platform/http/params.ts'
import { replyCreated, replyNoContent } from '../../lib/platform/http/reply.ts'
import { changeRoute, type Routes, readRoute } from '../../lib/platform/http/route.ts'
import type { Actor } from '../../lib/platform/permissions.ts'

const Link = members({
  entity: uuidOf(REQUIRED),
  role_in_project: orEmpty(v.pipe(line(120), v.trim())),
})
const Label = members({ role_in_project: v.pipe(v.string(REQUIRED), line(120), v.trim()) })

const EntityAddress = v.object({ ...BySlug.entries, id: uuidText })
const subject = ({ slug }: { slug: string }) => loadProject(slug)
const whole = ({ slug }: { slug: string }) => loadWhole(slug)

const relabel = changeRoute({
  permission: 'project.contribute',
  summary: 'Say what a linked record is in a project',
  answer: ok(ProjectEntityView),
  params: EntityAddress,
  subject: whole,
  body: Label,
  handle: async ({ unit, subject, actor, params, body }) => {
    const { result } = await linked.relabelLink(unit, subject, params.id, body.role_in_project)
    return viewOf(result, actor)
  },
})

/** The records that a project is about. */
export const entities = {
  'GET /data/projects/{slug}/entities/': readRoute({
    permission: 'project.follow',
    summary: 'List the records that are linked to a project',
    description: 'Of a record that the caller may not see, neither name nor id is told.',
    answer: listOf(ProjectEntityView),
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
    summary: 'Link a record to a project',
    description: 'By its review identity.',
    answer: creation(ProjectEntityView),
    params: BySlug,
    subject,
    body: Link,
    idempotent: '24h',
    handle: async ({ unit, subject, actor, body }) => {
      const { result } = await linked.linkRecord(unit, subject, actor, body)
      return replyCreated(await viewOf(result, actor))
    },
  }),

  'GET /data/projects/{slug}/entities/{id}/': readRoute({
    permission: 'project.follow',
    summary: 'Read a link between a project and a record',
    answer: ok(ProjectEntityView),
    params: EntityAddress,
    subject: whole,
    handle: async ({ subject, actor, params }) => viewOf(linked.linkIn(subject, params.id), actor),
  }),

  'PUT /data/projects/{slug}/entities/{id}/': relabel,
  'PATCH /data/projects/{slug}/entities/{id}/': relabel,

  'DELETE /data/projects/{slug}/entities/{id}/': changeRoute({
    permission: 'project.contribute',
    summary: 'Take a record out of a project',
    answer: empty,
    params: EntityAddress,
    subject: whole,
    handle: async ({ unit, subject, actor, params }) => {
      await linked.unlinkRecord(unit, subject, actor, params.id)
      return replyNoContent()
    },
  }),
} satisfies Routes

async function viewOf(it: ProjectEntity, actor: Actor | null) {
  const { people, head } = await loadReferenced([it.added_by], [it.entity_id])
  return entityView(it, head(it.entity_id), actor, people)
}
