import { notFound } from '../../base/errors.ts'
import { getMany, itemIn } from '../../engines/table/index.ts'
import type { Subject } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { type Comment, comment, commentPlace, onProject, threadOf } from '../comments/items.ts'
import { asSubject, type ProjectSubject, project, slugClaim } from './items.ts'

/** A comment in a project's thread, as the subject of permissions. */
export type ProjectRemark = Subject & { comment: Comment; on: ProjectSubject; version: number }

/** Loads a comment of a project's thread by its number. Undefined if its thread has no such comment. Two calls at most. */
export async function loadProjectRemark(slug: string, id: number): Promise<ProjectRemark | undefined> {
  const places = await getMany([key.slug(slug), key.commentPlace(id)], true)
  const [claim, place] = [itemIn(places, slugClaim, { slug }), itemIn(places, commentPlace, { id })]
  if (!claim || place?.thread !== threadOf(onProject(claim.project_id))) return undefined
  const items = await getMany([key.project(claim.project_id), comment.key(place)], true)
  const [about, remark] = [itemIn(items, project, { id: claim.project_id }), itemIn(items, comment, place)]
  if (!about || !remark) return undefined
  const on = asSubject(about)
  return { ...on, comment: remark, on, author_id: remark.user_id, version: remark.version }
}

/** Returns the comment. Fails with `notFound` if it is deleted. */
export function livingComment({ comment: remark }: ProjectRemark): Comment {
  if (remark.user_id === null) throw notFound()
  return remark
}
