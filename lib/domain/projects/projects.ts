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
import { withholdTexts } from './assets/texts.ts'
import {
  type Asset,
  asSubject,
  asset,
  type Membership,
  type Project,
  type ProjectActivity,
  type ProjectEntity,
  type ProjectSubject,
  project,
  projectActivity,
  projectEntity,
  slugClaim,
} from './items.ts'
import { listWrites } from './lists.ts'
import { isFrozen } from './states.ts'

/** A project with its assets and linked records. */
export type WholeProject = ProjectSubject & { assets: Asset[]; entities: ProjectEntity[] }

/** Loads a project by its slug. Undefined if absent. Makes two DynamoDB calls. */
export async function loadProject(slug: string): Promise<ProjectSubject | undefined> {
  const claim = await get(slugClaim, { slug })
  const about = claim && (await get(project, { id: claim.project_id }))
  return about && asSubject(about)
}

/** Loads a project with its assets and linked records. Undefined if absent. Makes one small read and one query. */
export async function loadWhole(slug: string): Promise<WholeProject | undefined> {
  const claim = await get(slugClaim, { slug })
  return claim && loadWholeById(claim.project_id)
}

/** Loads a project with its assets and linked records by its id, with one query. Undefined if absent. */
export async function loadWholeById(id: string): Promise<WholeProject | undefined> {
  const { pk, sk } = key.project(id)
  // Sort keys put assets, linked records and the project next to each other. Activities sort before them, other items after.
  const items = await queryAllBetween(pk, 'ASSET#', sk)
  const first = items.find((item) => item.type === project.type)
  if (!first) return undefined
  return {
    ...asSubject(parse(project, first)),
    assets: items.filter((item) => item.type === asset.type).map((item) => parse(asset, item)),
    entities: items.filter((item) => item.type === projectEntity.type).map((item) => parse(projectEntity, item)),
  }
}

/** The members of a project that its creator chooses. */
export type NewProject = Pick<
  Project,
  'slug' | 'title' | 'abstract' | 'intended_subject' | 'languages' | 'license' | 'visibility' | 'tags'
>

/**
 * Creates a project that the caller owns. Project, slug, first activity and places in lists are one transaction. Fails with
 * `invalid` if another project has the slug.
 */
export async function createProject(unit: UnitOfWork, actor: Actor, input: NewProject): Promise<WholeProject> {
  const at = now()
  const about: Project = {
    ...input,
    id: newId(),
    state: 'draft',
    owner_id: actor.id,
    memberships: [newMembership(actor.id, 'owner', null, at)],
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
    sent_by: null,
    created_at: at,
    updated_at: at,
    deleted_at: null,
    merge: null,
    request: null,
    version: 1,
  }
  const whole = { ...asSubject(about), assets: [], entities: [] }
  unit.add([
    put(slugClaim, { slug: about.slug, project_id: about.id, version: 1 }, undefined, slugTaken),
    put(project, about, undefined),
    put(projectActivity, buildActivity(about, { actor_id: actor.id, action: 'created' }, at), undefined),
    ...listWrites(undefined, about),
  ])
  return whole
}

const slugTaken = () => invalid({ slug: ['A project with this slug already exists.'] })

/** Returns a new membership with an id of its own. */
export const newMembership = (
  user_id: string,
  role: Membership['role'],
  invited_by: string | null,
  at: string,
): Membership => ({ id: newId(), user_id, role, invited_by, created_at: at, updated_at: at })

/** The members of an activity that its writer chooses. */
export type NewActivity = Pick<ProjectActivity, 'action' | 'actor_id'> &
  Partial<Pick<ProjectActivity, 'target_kind' | 'target_id' | 'payload'>>

/** An activity of a project, whose `activity_count` includes it already. */
const buildActivity = (it: Project, activity: NewActivity, at: string): ProjectActivity => ({
  target_kind: '',
  target_id: '',
  payload: {},
  ...activity,
  id: newId(),
  project_id: it.id,
  number: it.activity_count,
  created_at: at,
  version: 1,
})

/** The plan of a change: new values of the project, its activities, and further writes. */
export type ProjectPlan<T> = {
  changes?: Partial<Project>
  activities?: readonly NewActivity[]
  writes?: readonly Write[]
  result: T
}

/**
 * Changes a project, its assets or its links, in one transaction with the project's own item. So state, counts and the order of
 * activities stay right under concurrent changes. After a conflict `plan` is called again. An error of `plan` is final. Returns the
 * changed project and the plan's result. Fails with `conflict` during a merge or rollback, and with `notFound` if deleted.
 */
export async function changeProject<T>(
  unit: UnitOfWork,
  old: ProjectSubject,
  plan: (it: Project) => Promise<ProjectPlan<T>> | ProjectPlan<T>,
): Promise<{ about: ProjectSubject; result: T }> {
  unit.retryOn('conflict', MAX_ATTEMPTS)
  const it = unit.attempt === 1 ? old.about : await get(project, old.about)
  if (!it || it.deleted_at !== null) throw notFound()
  if (it.merge) throw mergeInProgress()
  const { changes = {}, activities = [], writes = [], result } = await plan(it)
  if (says(it, changes) && activities.length + writes.length === 0) return { about: asSubject(it), result }
  const { next, writes: own } = nextVersion(it, changes, activities)
  unit.add([...own, ...writes])
  // If the project is hidden, search may not find the texts of its assets, either. The projector alone would be a second late.
  if (isForFewer(it, next)) unit.afterCommit(() => withholdTexts(next))
  return { about: asSubject(next), result }
}

/** Whether a change hides a project from readers. */
const isForFewer = (old: Project, next: Project): boolean =>
  (old.visibility === 'public' && next.visibility !== 'public') || next.deleted_at !== null

/** The error for an edit of a project during a merge or rollback. */
export const mergeInProgress = () => conflict('This project is being merged or rolled back.')

/** The most attempts of a change. It is high, since many people add to one project at the same time. */
const MAX_ATTEMPTS = 25

/** Returns the next version of a project, with the writes of its item, its places in lists and its new activities. */
export function nextVersion(
  old: Project,
  changes: Partial<Project>,
  activities: readonly NewActivity[],
  at = now(),
): { next: Project; writes: Write[] } {
  const next = withNextVersion(old, { ...changes, activity_count: old.activity_count + activities.length })
  const stored = activities.map((activity, i) =>
    buildActivity({ ...next, activity_count: old.activity_count + i + 1 }, activity, at),
  )
  return {
    next,
    writes: [
      put(project, next, old),
      ...stored.map((it) => put(projectActivity, it, undefined)),
      ...listWrites(old, next),
    ],
  }
}

/** Lists one page of a project's activities, newest first. Makes one query at any offset, since activities are numbered. */
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

/** Fails with `refused` if nothing may be added to the project or taken from it in its state. */
export function checkOpen(it: Project): void {
  if (isFrozen(it.state))
    throw forbidden(
      it.state === 'merged'
        ? 'A merged project is not changed any more.'
        : 'While a project is in review, nothing is added to it or taken from it.',
    )
}

/** The members of a project that an edit may change. */
export type ProjectChanges = Partial<
  Pick<
    Project,
    'title' | 'abstract' | 'intended_subject' | 'languages' | 'license' | 'visibility' | 'tags' | 'canvas_state'
  >
>

/** Changes a project's own values, with an activity that names the changed members. Equal values write nothing. */
export const amendProject = async (
  unit: UnitOfWork,
  old: ProjectSubject,
  actor: Actor,
  changes: ProjectChanges,
): Promise<ProjectSubject> =>
  (
    await changeProject(unit, old, (it) =>
      says(it, changes)
        ? { result: undefined }
        : {
            changes: { ...changes, updated_at: now() },
            activities: [{ actor_id: actor.id, action: 'updated', payload: { fields: Object.keys(changes).sort() } }],
            result: undefined,
          },
    )
  ).about

/**
 * Deletes a project and frees its slug. Its assets stay for 30 days, or for good if it is merged. Its other items stay, so that an operator
 * can restore it.
 */
export async function removeProject(unit: UnitOfWork, old: ProjectSubject): Promise<void> {
  await changeProject(unit, old, (it) => ({
    changes: { deleted_at: now() },
    writes: [removal(slugClaim, { slug: it.slug, project_id: it.id, version: 1 })],
    result: undefined,
  }))
}
