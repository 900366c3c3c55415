import { now } from '../../base/clock.ts'
import { impossible } from '../../base/errors.ts'
import type { UnitOfWork } from '../../engines/table/index.ts'
import { amendUser, claimAddress, type User } from './users.ts'

/** How an account is proven and recovered: its address and its password. */

/**
 * Makes a proven address the address of an account, after its owner has followed the link of a letter. An account that has claimed
 * the address without proof loses it. Fails with `invalid` if another account has proven it. Undefined if there is no such user.
 */
export const proveAddress = (unit: UnitOfWork, id: string, email: string): Promise<User | undefined> =>
  claimAddress(unit, id, email, () => impossible('This address belongs to another account.'))

/** Sets another password. All sessions and links end. Undefined if there is no such user. */
export const changePassword = (unit: UnitOfWork, id: string, password: string): Promise<User | undefined> =>
  amendUser(unit, id, (it) => ({ password, token_generation: it.token_generation + 1 }))

/**
 * Sets a new password after a letter has proven the address. All sessions and links end. Whoever made an account that nobody has
 * proven loses it: its keys, hooks, uploads and jobs end, too. Undefined if there is no such user.
 */
export const resetPassword = (unit: UnitOfWork, id: string, password: string): Promise<User | undefined> =>
  amendUser(unit, id, (it) => ({
    password,
    token_generation: it.token_generation + 1,
    ...(!it.email_verified && { email_verified: true, ownership: it.ownership + 1 }),
    updated_at: now(),
  }))

/** Signs a person out everywhere: all sessions and links end. Keys and the sign-ins of a provider stay. */
export const endSessions = (unit: UnitOfWork, id: string): Promise<User | undefined> =>
  amendUser(unit, id, (it) => ({ token_generation: it.token_generation + 1 }))
