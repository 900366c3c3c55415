import { newId, now } from '../clock.ts'
import { commitPlan, commitWithAnswer } from '../commit.ts'
import { conflict, invalid, notFound, refused } from '../errors.ts'
import type { Actor } from '../permissions.ts'
import { amended, parse, put, remove as removal, says, type Write } from '../table/item.ts'
import { key } from '../table/keys.ts'
import type { PageRequest } from '../table/pages.ts'
import { get, queryAllBetween, queryBetween } from '../table/read.ts'
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

/** A project by its slug, in two small reads; undefined when there is none. */
export async function load(slug: string): Promise<Visited | undefined> {
  const claim = await get(slugClaim, { slug })
  const found = claim && (await get(project, { id: claim.project_id }))
  return found && asSubject(found)
}

/** A project with its assets and linked records, in one small read and one query. */
export async function loadWhole(slug: string): Promise<Whole | undefined> {
  const claim = await get(slugClaim, { slug })
  return claim && loadWholeById(claim.project_id)
}

/** The same by the project's id. */
export async function loadWholeById(id: string): Promise<Whole | undefined> {
  const { pk, sk } = key.project(id)
  // Assets, linked records and the project itself lie side by side; what happened to it lies before, the rest behind.
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
 * Makes a project of the caller's. Project, slug, first activity and its places in the lists are one transaction. Fails
 * with `invalid` when the slug is taken.
 */
export async function create(actor: Actor, given: Opening): Promise<Whole> {
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
  commitWithAnswer([
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

/** An activity of a project whose count includes it already. */
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

/** What is to change of a project, what is written with it, and what happened. */
export type Plan<T> = {
  changes?: Partial<Project>
  done?: readonly Done[]
  writes?: readonly Write[]
  result: T
}

/**
 * Changes a project, or what belongs to it, in one transaction with the project itself: so its state, its counts and
 * the order of its activities hold, whoever else changes it meanwhile. `plan` is made anew then, and what it throws is
 * final. Answers what was planned with the project as it is now. Fails with `conflict` while it is merged or rolled back.
 */
export function change<T>(
  old: Visited,
  plan: (it: Project) => Promise<Plan<T>> | Plan<T>,
): Promise<{ about: Visited; result: T }> {
  return commitPlan(async (attempt) => {
    const it = attempt === 1 ? old.about : await get(project, old.about)
    if (!it || it.deleted_at !== null) throw notFound()
    if (it.merge) throw beingMerged()
    const { changes = {}, done = [], writes = [], result } = await plan(it)
    if (says(it, changes) && done.length + writes.length === 0)
      return { result: { about: asSubject(it), result }, writes: [] }
    const { next, writes: own } = step(it, changes, done)
    return { result: { about: asSubject(next), result }, writes: [...own, ...writes] }
  }, MOST_ATTEMPTS)
}

/** Nobody edits a project while it is merged or rolled back. */
export const beingMerged = () => conflict('This project is being merged or rolled back.')

/** Many may add to one project at the same time. */
const MOST_ATTEMPTS = 25

/** The next version of a project with the writes that store it, its places and what happened. */
export function step(
  old: Project,
  changes: Partial<Project>,
  done: readonly Done[],
  at = now(),
): { next: Project; writes: Write[] } {
  const next = amended(old, { ...changes, activity_count: old.activity_count + done.length })
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

/** One page of what happened in a project, newest first: one query at any depth. */
export async function activities(
  { id, activity_count }: Project,
  { offset, limit }: Pick<PageRequest, 'offset' | 'limit'>,
) {
  const [first, last] = [Math.max(1, activity_count - offset - limit + 1), activity_count - offset]
  if (last < 1) return { count: activity_count, results: [] }
  const [from, to] = [first, last].map((number) => key.projectActivity(id, number))
  const items = await queryBetween(from?.pk ?? '', from?.sk ?? '', to?.sk ?? '', limit)
  return { count: activity_count, results: items.map((item) => parse(projectActivity, item)).reverse() }
}

/** Fails with `refused` while what belongs to a project stands still. For plans that add to it or take from it. */
export function checkOpen(it: Project): void {
  if (isFrozen(it.state))
    throw refused(
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

/** Changes what a project says of itself. */
export const amend = async (old: Visited, actor: Actor, changes: Changes): Promise<Visited> =>
  (
    await change(old, (it) =>
      says(it, changes)
        ? { result: undefined }
        : {
            changes: { ...changes, updated_at: now() },
            done: [{ actor_id: actor.id, action: 'updated', payload: { fields: Object.keys(changes).sort() } }],
            result: undefined,
          },
    )
  ).about

/** Takes a project away: its slug is free again. Its files stay for a month, the rest of its partition for those who look after the table. */
export async function remove(old: Visited): Promise<void> {
  await change(old, (it) => ({
    changes: { deleted_at: now() },
    writes: [removal(slugClaim, { slug: it.slug, project_id: it.id, version: 1 })],
    result: undefined,
  }))
}
