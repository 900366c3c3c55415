import type { Actor } from '../permissions.ts'
import { verifyKey } from '../users/keys.ts'
import { loadUser, mayActFor, type User } from '../users/users.ts'

/**
 * Loads the caller of a key for machines: its owner, without the rights of staff and reviewers, limited to the scopes of the key.
 * Undefined if the key is refused, if its owner is not active, or if the account has changed hands since. Two calls, and at most one
 * write an hour.
 */
export async function loadKeyActor(token: string): Promise<{ actor: Actor; owner: User } | undefined> {
  const key = await verifyKey(token)
  const owner = key && (await loadUser(key.user_id))
  if (!key || !mayActFor(owner, key)) return undefined
  const { id, username, email, ownership } = owner
  const { name, scopes } = key
  const machine = { id: key.id, name, scopes }
  const rights = { is_staff: false, is_superuser: false, rank: null }
  return { actor: { id, username, email, ownership, ...rights, key: machine }, owner }
}
