import { now } from '../../base/clock.ts'
import { impossible, invalid, invalidObject, notFound } from '../../base/errors.ts'
import type { UnitOfWork } from '../../engines/table/index.ts'
import type { Actor } from '../../platform/permissions.ts'
import * as users from '../../platform/users/users.ts'
import type { Membership, ProjectSubject } from './items.ts'
import { changeProject, checkOpen, newMembership } from './projects.ts'

/** The most members of a project. They are stored in its item, which has a limit of 400 KB. */
const MAX_MEMBERS = 200

export type Invitation = { user_id?: string | undefined; username?: string | undefined; role: Membership['role'] }

/** Adds a member. Fails with `invalid` if the person does not exist or is a member already. */
export async function inviteMember(
  unit: UnitOfWork,
  old: ProjectSubject,
  actor: Actor,
  { user_id, username, role }: Invitation,
): Promise<{ about: ProjectSubject; result: Membership }> {
  if (user_id === undefined && username === undefined) throw invalidObject('Give a user_id or a username.')
  const member = user_id === undefined ? 'username' : 'user_id'
  const user = user_id === undefined ? await users.loadUserByUsername(username ?? '') : await users.loadUser(user_id)
  if (!user?.is_active) throw invalid({ [member]: ['There is no such user.'] })
  return changeProject(unit, old, (it) => {
    checkOpen(it)
    if (it.memberships.some(({ user_id: id }) => id === user.id))
      throw invalid({ [member]: ['This user is a member of the project already.'] })
    if (it.memberships.length >= MAX_MEMBERS) throw invalidObject(`A project has no more than ${MAX_MEMBERS} members.`)
    const membership = newMembership(user.id, role, actor.id, now())
    return {
      changes: { memberships: [...it.memberships, membership] },
      activities: [
        {
          actor_id: actor.id,
          action: 'member_added',
          target_kind: 'user',
          target_id: user.id,
          payload: { username: user.username, role },
        },
      ],
      result: membership,
    }
  })
}

/** Changes a member's role. The owner's role cannot change. */
export const reassignMember = (
  unit: UnitOfWork,
  old: ProjectSubject,
  actor: Actor,
  id: string,
  role: Membership['role'],
) =>
  changeProject(unit, old, (it) => {
    checkOpen(it)
    const member = memberIn(it.memberships, id)
    if (member.role === 'owner') throw impossible("The owner's role cannot be changed.")
    if (member.role === role) return { result: member }
    const next = { ...member, role, updated_at: now() }
    return {
      changes: { memberships: it.memberships.map((one) => (one.id === id ? next : one)) },
      activities: [
        {
          actor_id: actor.id,
          action: 'updated',
          target_kind: 'user',
          target_id: member.user_id,
          payload: { role },
        },
      ],
      result: next,
    }
  })

/** Ends a membership. Fails with `invalid` for the owner's membership. */
export const dismissMember = (unit: UnitOfWork, old: ProjectSubject, actor: Actor, id: string) =>
  changeProject(unit, old, (it) => {
    checkOpen(it)
    const member = memberIn(it.memberships, id)
    if (member.role === 'owner') throw impossible("The owner's membership cannot be removed.")
    return {
      changes: { memberships: it.memberships.filter((one) => one.id !== id) },
      activities: [{ actor_id: actor.id, action: 'member_removed', target_kind: 'user', target_id: member.user_id }],
      result: undefined,
    }
  })

/** Returns the membership with this id. Fails with `notFound` if absent. */
export function memberIn(memberships: readonly Membership[], id: string): Membership {
  const membership = memberships.find((it) => it.id === id)
  if (!membership) throw notFound()
  return membership
}
