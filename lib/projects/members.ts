import { now } from '../clock.ts'
import { impossible, invalid, invalidObject, notFound } from '../errors.ts'
import type { Actor } from '../permissions.ts'
import * as users from '../users/users.ts'
import type { Membership, Visited } from './items.ts'
import { change, checkOpen, membershipOf } from './projects.ts'

/** At most this many people work on one project: they are stored with it. */
const MOST_MEMBERS = 200

export type Invited = { user_id?: string | undefined; username?: string | undefined; role: Membership['role'] }

/** Lets someone work on a project. Fails with `invalid` for people who are not there, or are in it already. */
export async function invite(
  old: Visited,
  actor: Actor,
  { user_id, username, role }: Invited,
): Promise<{ about: Visited; result: Membership }> {
  if (user_id === undefined && username === undefined) throw invalidObject('Give a user_id or a username.')
  const named = user_id === undefined ? 'username' : 'user_id'
  const user = user_id === undefined ? await users.loadByUsername(username ?? '') : await users.load(user_id)
  if (!user?.is_active) throw invalid({ [named]: ['There is no such user.'] })
  return change(old, (it) => {
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

/** Gives a member another role. The owner's does not change. */
export const reassign = (old: Visited, actor: Actor, id: string, role: Membership['role']) =>
  change(old, (it) => {
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

/** Ends a membership. The owner's cannot be ended. */
export const dismiss = (old: Visited, actor: Actor, id: string) =>
  change(old, (it) => {
    checkOpen(it)
    const member = memberIn(it.memberships, id)
    if (member.role === 'owner') throw impossible("The owner's membership cannot be removed.")
    return {
      changes: { memberships: it.memberships.filter((one) => one.id !== id) },
      done: [{ actor_id: actor.id, action: 'member_removed', target_kind: 'user', target_id: member.user_id }],
      result: undefined,
    }
  })

/** The membership with this id; fails where there is none. */
export function memberIn(memberships: readonly Membership[], id: string): Membership {
  const found = memberships.find((one) => one.id === id)
  if (!found) throw notFound()
  return found
}
