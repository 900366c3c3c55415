import type { ReviewerRole, User, UserChanges } from '../../lib/platform/users/users.ts'

/**
 * Users created and changed as no endpoint allows. Each function commits a unit of work of its own. Modules are imported when a
 * function is called, because the environment of the app must stand before.
 */

/** Creates a user without a password. */
export async function createUser(input: Pick<User, 'email' | 'username'> & Partial<User>): Promise<User> {
  const [users, { inUnit }] = await Promise.all([importUsers(), importUnit()])
  return inUnit((unit) => users.createUser(unit, input))
}

/** Changes members of a user that a profile does not offer. Example: `is_active`. */
export async function changeUser(id: string, changesOf: (it: User) => UserChanges): Promise<User | undefined> {
  const [users, { inUnit }] = await Promise.all([importUsers(), importUnit()])
  return inUnit((unit) => users.amendUser(unit, id, changesOf))
}

/** Gives a user the role of a reviewer, or ends it. */
export const changeRank = (id: string, role: ReviewerRole['role'] | null) =>
  changeUser(id, () => ({
    reviewer_role: role && {
      ...{ id, role, expertise_areas: [], is_active: true, assigned_by: null },
      ...{ created_at: '2025-01-15T10:00:00.000Z', updated_at: '2025-01-15T10:00:00.000Z' },
    },
  }))

/** Signs a user in without a password. Returns the access token. */
export async function signInAs(user: User): Promise<string> {
  const [{ issueTokens }, { inUnit }] = await Promise.all([import('../../lib/platform/auth/jwt.ts'), importUnit()])
  return (await inUnit((unit) => issueTokens(unit, user))).access
}

const importUsers = () => import('../../lib/platform/users/users.ts')
const importUnit = () => import('../../lib/platform/unit-of-work.ts')
