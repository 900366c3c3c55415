import { newId, now } from '../clock.ts'
import { invalid, invalidObject, notFound } from '../errors.ts'
import { type Actor, mayInspect } from '../permissions.ts'
import { recordItem } from '../records/items.ts'
import { amended, put, remove as removal } from '../table/item.ts'
import { getMany, itemIn } from '../table/read.ts'
import { type ProjectEntity, projectEntity, type Visited } from './items.ts'
import { change, checkOpen, type Whole } from './projects.ts'

/** At most this many records belong to one project: no page could show more. */
const MOST_ENTITIES = 10_000

/** Links a record to a project. Fails with `invalid` for records that the caller may not see, or that are linked already. */
export async function link(
  old: Visited,
  actor: Actor,
  { entity, role_in_project }: { entity: string; role_in_project: string },
): Promise<{ about: Visited; result: ProjectEntity }> {
  const ids = { project_id: old.about.id, entity_id: entity }
  const found = await getMany([recordItem.key(ids), projectEntity.key(ids)], true)
  const about = itemIn(found, recordItem, ids)
  if (!about || about.deleted_at || !mayInspect(actor, about))
    throw invalid({ entity: ['There is no record with this id.'] })
  if (itemIn(found, projectEntity, ids)) throw alreadyLinked()
  return change(old, (it) => {
    checkOpen(it)
    if (it.entity_count >= MOST_ENTITIES)
      throw invalidObject(`A project has no more than ${MOST_ENTITIES} linked records.`)
    const made: ProjectEntity = {
      ...{ id: newId(), project_id: it.id, entity_id: entity, role_in_project },
      ...{ added_by: actor.id, added_at: now(), version: 1 },
    }
    return {
      changes: { entity_count: it.entity_count + 1 },
      done: [{ actor_id: actor.id, action: 'entity_linked', target_kind: 'entity', target_id: entity }],
      writes: [put(projectEntity, made, undefined, alreadyLinked)],
      result: made,
    }
  })
}

const alreadyLinked = () => invalid({ entity: ['This record is linked to the project already.'] })

/** Says what a linked record is in the project. */
export const relabel = (old: Whole, id: string, role_in_project: string) =>
  change(old, (it) => {
    checkOpen(it)
    const linked = linkIn(old, id)
    if (linked.role_in_project === role_in_project) return { result: linked }
    const next = amended(linked, { role_in_project })
    return { writes: [put(projectEntity, next, linked)], result: next }
  })

/** Takes a record out of a project. */
export const unlink = (old: Whole, actor: Actor, id: string) =>
  change(old, (it) => {
    checkOpen(it)
    const linked = linkIn(old, id)
    return {
      changes: { entity_count: it.entity_count - 1 },
      done: [{ actor_id: actor.id, action: 'entity_unlinked', target_kind: 'entity', target_id: linked.entity_id }],
      // Of two at once the second finds it gone.
      writes: [removal(projectEntity, linked, notFound)],
      result: undefined,
    }
  })

/** The link with this id; fails where there is none. */
export function linkIn({ entities }: Whole, id: string): ProjectEntity {
  const found = entities.find((one) => one.id === id)
  if (!found) throw notFound()
  return found
}
