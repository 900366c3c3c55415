import { newId, now } from '../../base/clock.ts'
import { invalid, invalidObject, notFound } from '../../base/errors.ts'
import { getMany, itemIn, put, remove as removal, type UnitOfWork, withNextVersion } from '../../engines/table/index.ts'
import { type Actor, mayInspect } from '../../platform/permissions.ts'
import { recordItem } from '../records/items.ts'
import { type ProjectEntity, projectEntity, type Visited } from './items.ts'
import { changeProject, checkOpen, type Whole } from './projects.ts'

/** Records of one project at most: no page could show more. */
const MOST_ENTITIES = 10_000

/** Links a record to a project. Fails with `invalid` if the caller may not see the record, or if it is linked already. */
export async function linkRecord(
  unit: UnitOfWork,
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
  return changeProject(unit, old, (it) => {
    checkOpen(it)
    if (it.entity_count >= MOST_ENTITIES)
      throw invalidObject(`A project has no more than ${MOST_ENTITIES} linked records.`)
    const made: ProjectEntity = {
      id: newId(),
      project_id: it.id,
      entity_id: entity,
      role_in_project,
      added_by: actor.id,
      added_at: now(),
      version: 1,
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

/** Changes a linked record's role in the project. */
export const relabelLink = (unit: UnitOfWork, old: Whole, id: string, role_in_project: string) =>
  changeProject(unit, old, (it) => {
    checkOpen(it)
    const linked = linkIn(old, id)
    if (linked.role_in_project === role_in_project) return { result: linked }
    const next = withNextVersion(linked, { role_in_project })
    return { writes: [put(projectEntity, next, linked)], result: next }
  })

/** Takes a record out of a project. */
export const unlinkRecord = (unit: UnitOfWork, old: Whole, actor: Actor, id: string) =>
  changeProject(unit, old, (it) => {
    checkOpen(it)
    const linked = linkIn(old, id)
    return {
      changes: { entity_count: it.entity_count - 1 },
      done: [{ actor_id: actor.id, action: 'entity_unlinked', target_kind: 'entity', target_id: linked.entity_id }],
      // If two requests unlink it at once, the second gets `notFound`.
      writes: [removal(projectEntity, linked, notFound)],
      result: undefined,
    }
  })

/** The link with this id; fails with `notFound` without it. */
export function linkIn({ entities }: Whole, id: string): ProjectEntity {
  const found = entities.find((one) => one.id === id)
  if (!found) throw notFound()
  return found
}
