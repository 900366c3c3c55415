import { newId, now } from '../../base/clock.ts'
import { conflict, forbidden, invalid, notFound } from '../../base/errors.ts'
import type { PageRequest } from '../../engines/table/index.ts'
import {
  get,
  parse,
  put,
  queryAllBetween,
  queryBetween,
  remove as removal,
  says,
  type UnitOfWork,
  type Write,
  withNextVersion,
} from '../../engines/table/index.ts'

import type { Actor } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import {
  type Asset,
  asSubject,
  asset,
  type Membership,
  type Project,
  type ProjectActivity,
  type ProjectEntity,
  project,
  projectActivity,
  projectEntity,
  slugClaim,
  type Visited,
} from './items.ts'
import { listWrites } from './lists.ts'
import { isFrozen } from './states.ts'

/** A project with all that belongs to it. */
export type Whole = Visited & { assets: Asset[]; entities: ProjectEntity[] }

/** A project by its slug; undefined if there is none. Two calls. */
export async function loadProject(slug: string): Promise<Visited | undefined> {
  const claim = await get(slugClaim, { slug })
  const found = claim && (await get(project, { id: claim.project_id }))
  return found && asSubject(found)
}

/** A project with its assets and linked records. One small read and one query. */
export async function loadWhole(slug: string): Promise<Whole | undefined> {
  const claim = await get(slugClaim, { slug })
  return claim && loadWholeById(claim.project_id)
}

/** The same by the project's id. One query. */
export async function loadWholeById(id: string): Promise<Whole | undefined> {
  const { pk, sk } = key.project(id)
  // Sort keys put assets, linked records and the project next to each other. Activities come before them, the rest after.
  const items = await queryAllBetween(pk, 'ASSET#', sk)
  const first = items.find((item) => item.type === project.type)
  if (!first) return undefined
  return {
    ...asSubject(parse(project, first)),
    assets: items.filter((item) => item.type === asset.type).map((item) => parse(asset, item)),
    entities: items.filter((item) => item.type === projectEntity.type).map((item) => parse(projectEntity, item)),
  }
}

export type Opening = Pick<
  Project,
  'slug' | 'title' | 'abstract' | 'intended_subject' | 'languages' | 'license' | 'visibility' | 'tags'
>

/**
 * Creates a project of the caller's. Project, slug, first activity and places in lists are one transaction. Fails with `invalid`
 * if the slug is taken.
 */
export async function createProject(unit: UnitOfWork, actor: Actor, given: Opening): Promise<Whole> {
  const at = now()
  const made: Project = {
    ...given,
    id: newId(),
    state: 'draft',
    owner_id: actor.id,
    memberships: [membershipOf(actor.id, 'owner', null, at)],
    forked_from: null,
    schema_version: '',
    canvas_state: {},
    pid: '',
    prov_activity_uri: '',
    asset_count: 0,
    entity_count: 0,
    activity_count: 1,
    submitted_at: null,
    merged_at: null,
    created_at: at,
    updated_at: at,
    deleted_at: null,
    merge: null,
    version: 1,
  }
  const whole = { ...asSubject(made), assets: [], entities: [] }
  unit.add([
    put(slugClaim, { slug: made.slug, project_id: made.id, version: 1 }, undefined, slugTaken),
    put(project, made, undefined),
    put(projectActivity, activityOf(made, { actor_id: actor.id, action: 'created' }, at), undefined),
    ...listWrites(undefined, made),
  ])
  return whole
}

const slugTaken = () => invalid({ slug: ['A project with this slug already exists.'] })

export const membershipOf = (
  user_id: string,
  role: Membership['role'],
  invited_by: string | null,
  at: string,
): Membership => ({ id: newId(), user_id, role, invited_by, created_at: at, updated_at: at })

export type Done = Pick<ProjectActivity, 'action' | 'actor_id'> &
  Partial<Pick<ProjectActivity, 'target_kind' | 'target_id' | 'payload'>>

/** An activity of a project. `activity_count` includes it already. */
const activityOf = (it: Project, done: Done, at: string): ProjectActivity => ({
  target_kind: '',
  target_id: '',
  payload: {},
  ...done,
  id: newId(),
  project_id: it.id,
  number: it.activity_count,
  created_at: at,
  version: 1,
})

/** The plan of a change: new values of the project, its activities, and further writes. */
export type Plan<T> = {
  changes?: Partial<Project>
  done?: readonly Done[]
  writes?: readonly Write[]
  result: T
}

/**
 * Changes a project, or what belongs to it, in one transaction with the project's own item. So its state, counts and order of
 * activities stay right under concurrent changes. After a conflict `plan` is called again; an error that it throws is final.
 * Returns the project as it is then and the plan's result. Fails with `conflict` while the project is merged or rolled back.
 */
export async function changeProject<T>(
  unit: UnitOfWork,
  old: Visited,
  plan: (it: Project) => Promise<Plan<T>> | Plan<T>,
): Promise<{ about: Visited; result: T }> {
  unit.retryOn('conflict', MOST_ATTEMPTS)
  const it = unit.attempt === 1 ? old.about : await get(project, old.about)
  if (!it || it.deleted_at !== null) throw notFound()
  if (it.merge) throw mergeConflict()
  const { changes = {}, done = [], writes = [], result } = await plan(it)
  if (says(it, changes) && done.length + writes.length === 0) return { about: asSubject(it), result }
  const { next, writes: own } = nextVersion(it, changes, done)
  unit.add([...own, ...writes])
  return { about: asSubject(next), result }
}

/** Nobody edits a project while it is merged or rolled back. */
export const mergeConflict = () => conflict('This project is being merged or rolled back.')

/** Many people add to one project at the same time, so each tries this often. */
const MOST_ATTEMPTS = 25

/** The next version of a project, with the writes of its item, its places in lists and its activities. */
export function nextVersion(
  old: Project,
  changes: Partial<Project>,
  done: readonly Done[],
  at = now(),
): { next: Project; writes: Write[] } {
  const next = withNextVersion(old, { ...changes, activity_count: old.activity_count + done.length })
  const activities = done.map((each, i) =>
    activityOf({ ...next, activity_count: old.activity_count + i + 1 }, each, at),
  )
  return {
    next,
    writes: [
      put(project, next, old),
      ...activities.map((it) => put(projectActivity, it, undefined)),
      ...listWrites(old, next),
    ],
  }
}

/** One page of a project's activities, newest first. One query at any offset. */
export async function listActivities(
  { id, activity_count }: Project,
  { offset, limit }: Pick<PageRequest, 'offset' | 'limit'>,
) {
  const [first, last] = [Math.max(1, activity_count - offset - limit + 1), activity_count - offset]
  if (last < 1) return { count: activity_count, results: [] }
  const [from, to] = [first, last].map((number) => key.projectActivity(id, number))
  const items = await queryBetween(from?.pk ?? '', from?.sk ?? '', to?.sk ?? '', limit)
  return { count: activity_count, results: items.map((item) => parse(projectActivity, item)).reverse() }
}

/** Fails with `refused` in states in which nothing is added or taken away. */
export function checkOpen(it: Project): void {
  if (isFrozen(it.state))
    throw forbidden(
      it.state === 'merged'
        ? 'A merged project is not changed any more.'
        : 'While a project is in review, nothing is added to it or taken from it.',
    )
}

export type Changes = Partial<
  Pick<
    Project,
    'title' | 'abstract' | 'intended_subject' | 'languages' | 'license' | 'visibility' | 'tags' | 'canvas_state'
  >
>

/** Changes a project's own values. */
export const amendProject = async (unit: UnitOfWork, old: Visited, actor: Actor, changes: Changes): Promise<Visited> =>
  (
    await changeProject(unit, old, (it) =>
      says(it, changes)
        ? { result: undefined }
        : {
            changes: { ...changes, updated_at: now() },
            done: [{ actor_id: actor.id, action: 'updated', payload: { fields: Object.keys(changes).sort() } }],
            result: undefined,
          },
    )
  ).about

/** Deletes a project, so its slug is free again. Its files stay for 30 days, the rest of its partition stays for operators. */
export async function removeProject(unit: UnitOfWork, old: Visited): Promise<void> {
  await changeProject(unit, old, (it) => ({
    changes: { deleted_at: now() },
    writes: [removal(slugClaim, { slug: it.slug, project_id: it.id, version: 1 })],
    result: undefined,
  }))
}
