import { type Comment, comment, commentPlace, onProject, threadOf } from '../comments/comments.ts'
import { notFound } from '../errors.ts'
import type { Subject } from '../permissions.ts'
import { key } from '../table/keys.ts'
import { getMany, itemIn } from '../table/read.ts'
import { asSubject, project, slugClaim, type Visited } from './items.ts'

/** A comment in a project's thread as the subject of rules. */
export type ProjectRemark = Subject & { said: Comment; on: Visited; version: number }

/** A comment by its number in the thread of a project. Two calls: where both are, and both. */
export async function loadProjectRemark(slug: string, id: number): Promise<ProjectRemark | undefined> {
  const places = await getMany([key.slug(slug), key.commentPlace(id)], true)
  const [claim, place] = [itemIn(places, slugClaim, { slug }), itemIn(places, commentPlace, { id })]
  if (!claim || place?.thread !== threadOf(onProject(claim.project_id))) return undefined
  const found = await getMany([key.project(claim.project_id), comment.key(place)], true)
  const [about, said] = [itemIn(found, project, { id: claim.project_id }), itemIn(found, comment, place)]
  if (!about || !said) return undefined
  const on = asSubject(about)
  return { ...on, said, on, author_id: said.user_id, version: said.version }
}

/** The comment, unless it is deleted: then it only holds its place. */
export function living({ said }: ProjectRemark): Comment {
  if (said.user_id === null) throw notFound()
  return said
}
