import { newId, now } from '../../base/clock.ts'
import { invalid, invalidObject, notFound } from '../../base/errors.ts'
import { getMany, itemIn, put, remove as removal, type UnitOfWork, withNextVersion } from '../../engines/table/index.ts'
import { type Actor, mayInspect } from '../../platform/permissions.ts'
import { recordItem } from '../records/items.ts'
import { type ProjectEntity, type ProjectSubject, projectEntity } from './items.ts'
import { changeProject, checkOpen, type WholeProject } from './projects.ts'

/** The most linked records of a project, since a project is read with all of them. */
const MAX_LINKED_RECORDS = 10_000

/** Links a record to a project. Fails with `invalid` if the caller may not see the record, or if it is linked already. */
export async function linkRecord(
  unit: UnitOfWork,
  old: ProjectSubject,
  actor: Actor,
  { entity, role_in_project }: { entity: string; role_in_project: string },
): Promise<{ about: ProjectSubject; result: ProjectEntity }> {
  const ids = { project_id: old.about.id, entity_id: entity }
  const items = await getMany([recordItem.key(ids), projectEntity.key(ids)], true)
  const record = itemIn(items, recordItem, ids)
  if (!record || record.deleted_at || !mayInspect(actor, record))
    throw invalid({ entity: ['There is no record with this id.'] })
  if (itemIn(items, projectEntity, ids)) throw alreadyLinked()
  return changeProject(unit, old, (it) => {
    checkOpen(it)
    if (it.entity_count >= MAX_LINKED_RECORDS)
      throw invalidObject(`A project has no more than ${MAX_LINKED_RECORDS} linked records.`)
    const link: ProjectEntity = {
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
      activities: [{ actor_id: actor.id, action: 'entity_linked', target_kind: 'entity', target_id: entity }],
      writes: [put(projectEntity, link, undefined, alreadyLinked)],
      result: link,
    }
  })
}

const alreadyLinked = () => invalid({ entity: ['This record is linked to the project already.'] })

/** Changes a linked record's role in the project. */
export const relabelLink = (unit: UnitOfWork, old: WholeProject, id: string, role_in_project: string) =>
  changeProject(unit, old, (it) => {
    checkOpen(it)
    const linked = linkIn(old, id)
    if (linked.role_in_project === role_in_project) return { result: linked }
    const next = withNextVersion(linked, { role_in_project })
    return { writes: [put(projectEntity, next, linked)], result: next }
  })

/** Unlinks a record from a project. Fails with `notFound` if the link does not exist. */
export const unlinkRecord = (unit: UnitOfWork, old: WholeProject, actor: Actor, id: string) =>
  changeProject(unit, old, (it) => {
    checkOpen(it)
    const linked = linkIn(old, id)
    return {
      changes: { entity_count: it.entity_count - 1 },
      activities: [
        { actor_id: actor.id, action: 'entity_unlinked', target_kind: 'entity', target_id: linked.entity_id },
      ],
      // If two requests unlink it at once, the second gets `notFound`.
      writes: [removal(projectEntity, linked, notFound)],
      result: undefined,
    }
  })

/** Returns the link with this id. Fails with `notFound` if absent. */
export function linkIn({ entities }: WholeProject, id: string): ProjectEntity {
  const link = entities.find((it) => it.id === id)
  if (!link) throw notFound()
  return link
}
