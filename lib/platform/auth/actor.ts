import { config } from '../../base/config.ts'
import type { Denial } from '../../base/errors.ts'
import type { Actor } from '../permissions.ts'
import { actorOf } from '../users/actor.ts'
import { isKey } from '../users/keys.ts'
import type { User } from '../users/users.ts'
import type { Authenticator, Credentials } from './authenticator.ts'
import { devHeader, devSession } from './dev.ts'
import { identityProvider } from './idp.ts'
import { jwt } from './jwt.ts'
import { loadKeyActor } from './key.ts'
import { secondary } from './secondary.ts'

/** The first that accepts wins. */
const chain: readonly Authenticator[] = [
  ...(config.devMode ? [devHeader] : []),
  identityProvider,
  secondary,
  ...(config.devMode ? [devSession] : []),
  jwt,
]

/** What callers have set for themselves. */
export type Settings = Pick<User, 'language' | 'calendar'>
/** Who calls, with their settings; of nobody, why. */
export type Identity = ({ actor: Actor; denial?: never } | { actor: null; denial: Denial }) & { settings?: Settings }

/** The caller. A token that no authenticator accepts leaves the caller anonymous, and an inactive user is nobody. */
export async function identifyCaller(credentials: Credentials): Promise<Identity> {
  const shown = { ...credentials, token: bearer(credentials.headers.authorization) }
  // Nobody else is asked about a key: it is no provider's business.
  if (isKey(shown.token)) return identifyByKey(shown.token)
  for (const authenticate of chain) {
    const user = await authenticate(shown)
    if (user?.is_active) return { actor: actorOf(user), settings: user }
    if (user) return { actor: null, denial: 'token' }
  }
  return { actor: null, denial: denialOf(credentials) }
}

async function identifyByKey(token: string): Promise<Identity> {
  const found = await loadKeyActor(token)
  return found ? { actor: found.actor, settings: found.owner } : { actor: null, denial: 'token' }
}

function denialOf({ headers, cookie }: Credentials): Denial {
  if (headers.authorization || cookie) return 'token'
  return config.devMode && headers['x-dev-user'] !== undefined ? 'dev_user' : 'none'
}

/** The token of `Authorization: Bearer`, if it has the letters of one (RFC 6750) and a sane length. */
const bearer = (header = '') => /^Bearer +([A-Za-z0-9._~+/=-]{1,8192})$/i.exec(header.trim())?.[1] ?? ''
