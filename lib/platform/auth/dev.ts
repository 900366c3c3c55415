import { asciiLowerCase } from '../../engines/matching/index.ts'
import { loadUserByEmail, type User } from '../users/users.ts'
import type { Authenticator } from './authenticator.ts'
import { loadTokenUser } from './jwt.ts'

/** Accepts `X-Dev-User: <email>` of a seeded user. Only dev mode uses it. */
export const devHeader: Authenticator = ({ headers }) => loadSeededUser(headers['x-dev-user'] ?? '')

/**
 * Accepts the cookie of a dev login. A browser sends it with every request, so a request that writes must come from our own origin. Only
 * dev mode uses it.
 */
export const devSession: Authenticator = async ({ cookie, method, headers, origin, extraKeys }) => {
  const safe = method === 'GET' || method === 'HEAD'
  return cookie && (safe || headers.origin === origin) ? loadTokenUser(cookie, 'session', extraKeys) : undefined
}

/** Loads the seeded user of this address. No other user can be impersonated, not even in dev mode. */
export async function loadSeededUser(email: string): Promise<User | undefined> {
  const address = asciiLowerCase(email.trim())
  const user = address.includes('@') ? await loadUserByEmail(address) : undefined
  return user?.seeded ? user : undefined
}
