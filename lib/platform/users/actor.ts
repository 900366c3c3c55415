import { forbidden } from '../../base/errors.ts'
import { type Actor, lowerRank } from '../permissions.ts'
import { loadUser, mayActFor, type User } from './users.ts'

/** A user as a caller, or as the reader of a message. */
export const actorOf = ({ id, username, email, is_staff, is_superuser, ownership, reviewer_role }: User): Actor => ({
  id,
  username,
  email,
  is_staff,
  is_superuser,
  ownership,
  rank: reviewer_role?.is_active ? reviewer_role.role : null,
})

/**
 * Loads the person who ordered work that a worker does later. They have only the rights that they had at the order and still have. Fails
 * with `refused` if the account is closed, or has changed hands since. One call.
 */
export async function loadOrderer<T extends Actor>(ordered: T): Promise<T> {
  const owner = await loadUser(ordered.id)
  if (!mayActFor(owner, ordered))
    throw forbidden('The account that asked for this is closed, or has another owner now.')
  const { is_staff, is_superuser, rank } = actorOf(owner)
  return {
    ...ordered,
    is_staff: ordered.is_staff && is_staff,
    is_superuser: ordered.is_superuser && is_superuser,
    rank: lowerRank(ordered.rank, rank),
  }
}
