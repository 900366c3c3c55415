import { notFound } from '../errors.ts'
import type { Subject } from '../permissions.ts'
import { type Comment, loadIn, onProject } from './comments.ts'
import type { Visited } from './project-items.ts'
import { load } from './projects.ts'

/** A comment in a project's thread as the subject of rules. */
export type Said = Subject & { said: Comment; on: Visited; version: number }

/** A comment by its number in the thread of a project. Four small reads. */
export async function loadSaid(slug: string, id: number): Promise<Said | undefined> {
  const on = await load(slug)
  const found = on && (await loadIn(onProject(on.about.id), id))
  if (!found) return undefined
  return { ...on, said: found.comment, on, author_id: found.comment.user_id, version: found.comment.version }
}

/** The comment, unless it is deleted: then it only holds its place. */
export function living({ said }: Said): Comment {
  if (said.user_id === null) throw notFound()
  return said
}
