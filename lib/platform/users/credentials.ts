import { now } from '../../base/clock.ts'
import { conflict, impossible } from '../../base/errors.ts'
import { get, put, remove, type UnitOfWork, withNextVersion } from '../../engines/table/index.ts'
import { indexWrites } from '../name-index/entries.ts'
import { amendUser, byAddress, claimOf, emailClaim, loadUser, type User, user } from './users.ts'

/** How an account is proven and recovered: its address and its password. */

/**
 * Sets another password for the account as it was `checked`. All sessions end, and so do letters' links to set a password. Fails with
 * `conflict` if the account got another password or owner since. Undefined if there is no such user.
 */
export const changePassword = (unit: UnitOfWork, checked: User, password: string): Promise<User | undefined> =>
  amendUser(unit, checked.id, (it) => {
    checkSameOwner(checked, it)
    return { password, token_generation: it.token_generation + 1 }
  })

/**
 * Sets a new password after a letter has proven the address. All sessions and links end. If the address was not proven before, the
 * account changes hands: keys, hooks, uploads and jobs of whoever made it end, too. Fails as `changePassword` does.
 */
export const resetPassword = (unit: UnitOfWork, checked: User, password: string): Promise<User | undefined> =>
  amendUser(unit, checked.id, (it) => {
    checkSameOwner(checked, it)
    return {
      password,
      token_generation: it.token_generation + 1,
      ...(!it.email_verified && { email_verified: true, ownership: it.ownership + 1 }),
      updated_at: now(),
    }
  })

/** A hash takes so long that the account may change hands meanwhile: whoever was checked may not be its owner any more. */
function checkSameOwner(checked: User, latest: User): void {
  const names = ['password', 'token_generation', 'ownership'] as const
  if (names.some((name) => checked[name] !== latest[name])) throw conflict()
}

/** Signs a person out everywhere: all sessions and links end. Keys and the sign-ins of a provider stay. */
export const endSessions = (unit: UnitOfWork, id: string): Promise<User | undefined> =>
  amendUser(unit, id, (it) => ({ token_generation: it.token_generation + 1 }))

/**
 * Gives an account an address that a letter or an identity provider has proven. An account that has claimed the address without proof loses
 * it. Fails with `invalid` if another account has proven it. Undefined if there is no such user.
 */
export async function proveAddress(unit: UnitOfWork, id: string, email: string): Promise<User | undefined> {
  unit.retryOn('conflict')
  const old = await loadUser(id)
  if (!old || (old.email_verified && old.email === email)) return old
  const claim = await get(emailClaim, { value: email })
  const holder = claim && claim.user_id !== id ? await loadUser(claim.user_id) : undefined
  if (holder?.email_verified) throw impossible('This address belongs to another account.')
  const next = withNextVersion(old, { email, email_verified: true, updated_at: now() })
  const former = old.email === email ? undefined : await get(emailClaim, { value: old.email })
  unit.add([
    put(user, next, old),
    // Also where it is the user's: of two who prove one address at once, one is too late.
    put(emailClaim, { ...claimOf(next), version: (claim?.version ?? 0) + 1 }, claim),
    ...(former?.user_id === id ? [remove(emailClaim, former)] : []),
    ...indexWrites(byAddress(old), byAddress(next)),
  ])
  return next
}
