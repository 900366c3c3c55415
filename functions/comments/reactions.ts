import * as v from 'valibot'
import { onEntity, onProject } from '../../lib/comments/items.ts'
import { loadAbout } from '../../lib/comments/on-records.ts'
import { type ReactionTarget, reactionTypes, summaryOf, toggle } from '../../lib/comments/reactions.ts'
import { load as loadComment } from '../../lib/comments/threads.ts'
import { type Fields, invalid } from '../../lib/errors.ts'
import { answering } from '../../lib/http/answering.ts'
import { choice, members, uuidOf } from '../../lib/http/body.ts'
import { uuid } from '../../lib/http/params.ts'
import { actorRoute, listRoute, type Routes } from '../../lib/http/route.ts'
import { numberNamed } from '../../lib/ids/short-id.ts'
import { type Actor, mayInspect, mayVisit } from '../../lib/permissions.ts'
import { asSubject, project } from '../../lib/projects/items.ts'
import { get } from '../../lib/table/read.ts'

const commentId = v.nullish(v.union([v.string(), v.number()], 'Give the id of a comment.'))
const Toggle = members({
  reaction_type: choice(reactionTypes),
  entity_id: v.nullish(uuidOf()),
  comment_id: commentId,
})
const Summary = v.object({ entity_id: v.optional(v.string()), comment_id: commentId })

/** Votes on records and on comments. */
export const reactions = {
  'POST /data/reactions/toggle/': actorRoute({
    permission: 'reaction.toggle',
    body: Toggle,
    idempotent: '24h',
    handle: async ({ actor, body: { reaction_type, ...named } }) => {
      const target = await targetOf(named, actor)
      return answering(
        () => toggle(target, actor, reaction_type),
        (done) => done,
        ({ action }) => (action === 'created' ? 201 : 200),
      )
    },
  }),

  'GET /data/reactions/summary/': listRoute({
    permission: 'reaction.list',
    query: Summary,
    handle: async ({ actor, query }) => summaryOf(await targetOf(query, actor), actor),
  }),
} satisfies Routes

type Named = { entity_id?: string | null | undefined; comment_id?: string | number | null | undefined }

/** What is named, if the caller may see it. Fails with `invalid` when nothing is, or both. */
async function targetOf({ entity_id, comment_id }: Named, actor: Actor | null): Promise<ReactionTarget> {
  if (Boolean(entity_id) === Boolean(comment_id)) throw invalid(ONE)
  return entity_id ? ofRecord(entity_id, actor) : ofComment(String(comment_id), actor)
}

const ONE: Fields = { non_field_errors: ['Give entity_id or comment_id, one of them.'] }

async function ofRecord(entity_id: string, actor: Actor | null): Promise<ReactionTarget> {
  // What is no id at all is no key either, being of any length.
  const about = v.is(uuid, entity_id) ? await loadAbout(entity_id.toLowerCase()) : undefined
  if (!about || about.deleted_at || !mayInspect(actor, about))
    throw invalid({ entity_id: ['There is no record with this id.'] })
  return { thread: onEntity(about.entity_id), comment: null }
}

async function ofComment(id: string, actor: Actor | null): Promise<ReactionTarget> {
  const number = numberNamed(id)
  const comment = number === undefined ? undefined : await loadComment(number)
  const visible = comment && comment.user_id !== null && (await isVisible(comment, actor))
  if (!visible) throw invalid({ comment_id: ['There is no such comment.'] })
  return { thread: comment.entity_id ? onEntity(comment.entity_id) : onProject(comment.project_id ?? ''), comment }
}

type Place = { entity_id: string | null; project_id: string | null }
async function isVisible({ entity_id, project_id }: Place, actor: Actor | null): Promise<boolean> {
  if (entity_id) {
    const about = await loadAbout(entity_id)
    return about !== undefined && !about.deleted_at && mayInspect(actor, about)
  }
  const about = project_id ? await get(project, { id: project_id }) : undefined
  return about !== undefined && mayVisit(actor, asSubject(about))
}
