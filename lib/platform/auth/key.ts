import type { Actor } from '../permissions.ts'
import { verifyKey } from '../users/keys.ts'
import { loadUser, type User } from '../users/users.ts'

/**
 * Loads the caller of a key for machines: its owner, without the rights of staff and reviewers, limited to the scopes of the key.
 * Undefined if the key is refused, or if its owner is not active. Two calls.
 */
export async function loadKeyActor(token: string): Promise<{ actor: Actor; owner: User } | undefined> {
  const key = await verifyKey(token)
  const owner = key && (await loadUser(key.user_id))
  if (!key || !owner?.is_active) return undefined
  const { id, username, email } = owner
  const { name, scopes } = key
  const machine = { id: key.id, name, scopes }
  return { actor: { id, username, email, is_staff: false, is_superuser: false, rank: null, key: machine }, owner }
}
