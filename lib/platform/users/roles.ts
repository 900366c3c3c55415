import { now } from '../../base/clock.ts'
import { type PageRequest, type PageResult, readList, type UnitOfWork } from '../../engines/table/index.ts'
import type { Actor, Rank } from '../permissions.ts'
import { type Application, answerApplication, loadWaitingApplication, planAnswer } from './applications.ts'
import { type PeopleById, peopleIn } from './people.ts'
import {
  amendUserByPlan,
  keyOf,
  loadUser,
  type ReviewerRole,
  type User,
  type UserChanges,
  type UserPlan,
  userOf,
} from './users.ts'

/**
 * A user with a reviewer's role. A role is part of its user's item and has the user's id, so one read loads the caller with the role.
 * The same write changes the groups.
 */
export type RoleHolder = User & { reviewer_role: ReviewerRole }

/** Loads the user who has the role with this id. */
export const loadRole = async (id: string): Promise<RoleHolder | undefined> => asHolder(await loadUser(id))

/** Lists one page of users with a role, newest roles first, and the people who gave the roles. */
export async function listRoles(place: PageRequest): Promise<PageResult<RoleHolder> & { people: PeopleById }> {
  const { items, found, ...listed } = await readList(
    { partitions: [{ index: 'gsi1', pk: 'ROLE' }], counted: ['ROLE'] },
    place,
    (page) =>
      page
        .map(userOf)
        .flatMap((it) => (it.reviewer_role?.assigned_by ? [it.reviewer_role.assigned_by] : []))
        .map(keyOf),
  )
  return { ...listed, results: items.flatMap((it) => asHolder(userOf(it)) ?? []), people: peopleIn(found) }
}

/** A change of a role. Members that are left out stay as they are; in a new role they have defaults. */
export type RoleInput = {
  role?: Rank | undefined
  expertise_areas?: string[] | undefined
  is_active?: boolean | undefined
}

/** Gives a user an active role, in place of any other. Undefined if there is no such user. `made`: the user had no role before. */
export async function assignRole(
  unit: UnitOfWork,
  id: string,
  input: RoleInput & { role: Rank },
  by: Actor,
): Promise<{ holder: RoleHolder; made: boolean } | undefined> {
  let made = false
  const user = await amendUserByPlan(unit, id, (it) => {
    made = it.reviewer_role === null
    return planRole(it, roleOf(it, { ...input, is_active: true }, by), by)
  })
  const holder = asHolder(user)
  return holder && { holder, made }
}

/** Changes a role. Undefined if the user has none. */
export const amendRole = async (
  unit: UnitOfWork,
  id: string,
  input: RoleInput,
  by: Actor,
): Promise<RoleHolder | undefined> =>
  asHolder(
    await amendUserByPlan(unit, id, async (it) =>
      it.reviewer_role ? planRole(it, roleOf(it, input, by), by) : undefined,
    ),
  )

/** Removes a role. Undefined if the user has none. */
export const removeRole = (unit: UnitOfWork, id: string): Promise<User | undefined> =>
  amendUserByPlan(unit, id, async (it) => (it.reviewer_role ? { changes: roleChanges(it, null) } : undefined))

/** Approves an application: the applicant becomes a community reviewer. Fails with `conflict` if it no longer waits. */
export const approveApplication = (
  unit: UnitOfWork,
  it: Application,
  by: Actor,
  notes: string,
): Promise<Application | undefined> =>
  answerApplication(unit, it, { status: 'approved', by, notes }, (user) =>
    roleChanges(user, roleOf(user, { role: 'community_reviewer', is_active: true }, by)),
  )

/** The groups of a user with this role. An active role brings its groups; groups that no role brings stay. */
export const groupsWith = (
  groups: readonly string[],
  role: Pick<ReviewerRole, 'role' | 'is_active'> | null,
): string[] => [...groups.filter((it) => !reviewerGroups.has(it)), ...(role?.is_active ? groupsOf[role.role] : [])]

const groupsOf: Readonly<Record<Rank, readonly string[]>> = {
  community_reviewer: ['Reviewers'],
  domain_expert: ['Reviewers', 'Moderators'],
  expert_curator: ['Reviewers', 'Moderators'],
}
const reviewerGroups = new Set(Object.values(groupsOf).flat())

const roleChanges = (it: User, role: ReviewerRole | null): UserChanges => ({
  reviewer_role: role,
  groups: groupsWith(it.groups, role),
})

/** Plans a new role. An active role also approves an application that still waits. */
async function planRole(it: User, role: ReviewerRole, by: Actor): Promise<UserPlan> {
  const pending = role.is_active ? await loadWaitingApplication(it) : undefined
  if (!pending) return { changes: roleChanges(it, role) }
  const { notice, write } = planAnswer(pending, { status: 'approved', by, notes: '' })
  return { changes: { ...roleChanges(it, role), reviewer_application: notice }, also: [write] }
}

/** The role after a change. The person who names the rank or activates the role is stored as the one who assigned it. */
function roleOf({ id, reviewer_role: old }: User, input: RoleInput, by: Actor): ReviewerRole {
  const at = now()
  return {
    id,
    role: input.role ?? old?.role ?? 'community_reviewer',
    expertise_areas: input.expertise_areas ?? old?.expertise_areas ?? [],
    is_active: input.is_active ?? old?.is_active ?? true,
    assigned_by: input.role || input.is_active || !old ? by.id : old.assigned_by,
    created_at: old?.created_at ?? at,
    updated_at: at,
  }
}

function asHolder(it: User | undefined): RoleHolder | undefined {
  return it?.reviewer_role ? { ...it, reviewer_role: it.reviewer_role } : undefined
}
