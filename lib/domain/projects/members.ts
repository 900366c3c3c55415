import { now } from '../../base/clock.ts'
import { impossible, invalid, invalidObject, notFound } from '../../base/errors.ts'
import type { UnitOfWork } from '../../engines/table/index.ts'
import type { Actor } from '../../platform/permissions.ts'
import * as users from '../../platform/users/users.ts'
import type { Membership, Visited } from './items.ts'
import { changeProject, checkOpen, membershipOf } from './projects.ts'

/** Members of one project at most, since they are stored in its item. */
const MOST_MEMBERS = 200

export type Invited = { user_id?: string | undefined; username?: string | undefined; role: Membership['role'] }

/** Adds a member. Fails with `invalid` if the person does not exist or is a member already. */
export async function inviteMember(
  unit: UnitOfWork,
  old: Visited,
  actor: Actor,
  { user_id, username, role }: Invited,
): Promise<{ about: Visited; result: Membership }> {
  if (user_id === undefined && username === undefined) throw invalidObject('Give a user_id or a username.')
  const named = user_id === undefined ? 'username' : 'user_id'
  const user = user_id === undefined ? await users.loadUserByUsername(username ?? '') : await users.loadUser(user_id)
  if (!user?.is_active) throw invalid({ [named]: ['There is no such user.'] })
  return changeProject(unit, old, (it) => {
    checkOpen(it)
    if (it.memberships.some((one) => one.user_id === user.id))
      throw invalid({ [named]: ['This user is a member of the project already.'] })
    if (it.memberships.length >= MOST_MEMBERS)
      throw invalidObject(`A project has no more than ${MOST_MEMBERS} members.`)
    const made = membershipOf(user.id, role, actor.id, now())
    return {
      changes: { memberships: [...it.memberships, made] },
      done: [
        {
          ...{ actor_id: actor.id, action: 'member_added', target_kind: 'user', target_id: user.id },
          payload: { username: user.username, role },
        },
      ],
      result: made,
    }
  })
}

/** Changes a member's role. The owner's role cannot change. */
export const reassignMember = (unit: UnitOfWork, old: Visited, actor: Actor, id: string, role: Membership['role']) =>
  changeProject(unit, old, (it) => {
    checkOpen(it)
    const member = memberIn(it.memberships, id)
    if (member.role === 'owner') throw impossible("The owner's role cannot be changed.")
    if (member.role === role) return { result: member }
    const next = { ...member, role, updated_at: now() }
    return {
      changes: { memberships: it.memberships.map((one) => (one.id === id ? next : one)) },
      done: [
        {
          ...{ actor_id: actor.id, action: 'updated', target_kind: 'user', target_id: member.user_id },
          payload: { role },
        },
      ],
      result: next,
    }
  })

/** Ends a membership. The owner's cannot end. */
export const dismissMember = (unit: UnitOfWork, old: Visited, actor: Actor, id: string) =>
  changeProject(unit, old, (it) => {
    checkOpen(it)
    const member = memberIn(it.memberships, id)
    if (member.role === 'owner') throw impossible("The owner's membership cannot be removed.")
    return {
      changes: { memberships: it.memberships.filter((one) => one.id !== id) },
      done: [{ actor_id: actor.id, action: 'member_removed', target_kind: 'user', target_id: member.user_id }],
      result: undefined,
    }
  })

/** The membership with this id; fails with `notFound` without it. */
export function memberIn(memberships: readonly Membership[], id: string): Membership {
  const found = memberships.find((one) => one.id === id)
  if (!found) throw notFound()
  return found
}
