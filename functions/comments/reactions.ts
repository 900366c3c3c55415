import * as v from 'valibot'
import { type Fields, invalid } from '../../lib/base/errors.ts'
import { parseNumberOrShortId } from '../../lib/base/ids/short-id.ts'
import * as s from '../../lib/base/shapes.ts'
import { onEntity, onProject } from '../../lib/domain/comments/items.ts'
import { loadAbout } from '../../lib/domain/comments/on-records.ts'
import {
  loadReactions,
  ReactionsView,
  type ReactionTarget,
  reactionTypes,
  ToggledView,
  toggleReaction,
} from '../../lib/domain/comments/reactions.ts'
import { loadComment } from '../../lib/domain/comments/threads.ts'
import { asSubject, project } from '../../lib/domain/projects/items.ts'
import { get } from '../../lib/engines/table/index.ts'
import { creation, ok } from '../../lib/platform/http/answer.ts'
import { choice, members, uuidOf } from '../../lib/platform/http/body.ts'
import { uuidText } from '../../lib/platform/http/params.ts'
import { replyCreated } from '../../lib/platform/http/reply.ts'
import { actorRoute, listRoute, type Routes } from '../../lib/platform/http/route.ts'
import { type Actor, mayInspect, mayVisit } from '../../lib/platform/permissions.ts'

const commentId = v.nullish(v.union([v.string(), v.number()], 'Give the id of a comment.'))
const Toggle = members({
  reaction_type: choice(reactionTypes),
  entity_id: v.nullish(uuidOf()),
  comment_id: commentId,
})
const Summary = v.object({ entity_id: v.optional(v.string()), comment_id: commentId })

/** Votes on records and comments. */
export const reactions = {
  'POST /data/reactions/toggle/': actorRoute({
    permission: 'reaction.toggle',
    summary: 'Vote on a record or a comment, take the vote back, or turn it round',
    description: 'The same reaction again takes it back. A new one is answered with 201.',
    answer: { ...ok(ToggledView), ...creation(ToggledView) },
    shownBody: v.object({
      reaction_type: v.picklist(['upvote', 'downvote']),
      entity_id: v.nullish(s.uuid),
      comment_id: v.nullish(v.union([v.number(), s.text])),
    }),
    body: Toggle,
    idempotent: '24h',
    handle: async ({ unit, actor, body: { reaction_type, ...named } }) => {
      const target = await targetOf(named, actor)
      const done = await toggleReaction(unit, target, actor, reaction_type)
      return done.action === 'created' ? replyCreated(done) : done
    },
  }),

  'GET /data/reactions/summary/': listRoute({
    permission: 'reaction.list',
    summary: 'Read how often a record or a comment was voted for and against',
    description: 'Of `entity_id` and `comment_id` one is named.',
    answer: ok(ReactionsView),
    query: Summary,
    handle: async ({ actor, query }) => loadReactions(await targetOf(query, actor), actor),
  }),
} satisfies Routes

type Named = { entity_id?: string | null | undefined; comment_id?: string | number | null | undefined }

/** Finds the record or comment that the request names. Fails with `invalid` if it names both or neither, or one that the caller may not see. */
async function targetOf({ entity_id, comment_id }: Named, actor: Actor | null): Promise<ReactionTarget> {
  if (Boolean(entity_id) === Boolean(comment_id)) throw invalid(ONE)
  return entity_id ? ofRecord(entity_id, actor) : ofComment(String(comment_id), actor)
}

const ONE: Fields = { non_field_errors: ['Give entity_id or comment_id, one of them.'] }

async function ofRecord(entity_id: string, actor: Actor | null): Promise<ReactionTarget> {
  // A text that is not an id may be too long for a key.
  const about = v.is(uuidText, entity_id) ? await loadAbout(entity_id.toLowerCase()) : undefined
  if (!about || about.deleted_at || !mayInspect(actor, about))
    throw invalid({ entity_id: ['There is no record with this id.'] })
  return { thread: onEntity(about.entity_id), comment: null }
}

async function ofComment(id: string, actor: Actor | null): Promise<ReactionTarget> {
  const number = parseNumberOrShortId(id)
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
