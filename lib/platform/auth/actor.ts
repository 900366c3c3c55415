import { config } from '../../base/config.ts'
import { type Denial, type LinkRefusal, noneIf } from '../../base/errors.ts'
import { log } from '../../base/telemetry/log.ts'
import type { Actor } from '../permissions.ts'
import { actorOf } from '../users/actor.ts'
import { isKey } from '../users/keys.ts'
import type { User } from '../users/users.ts'
import type { Authenticator, Credentials } from './authenticator.ts'
import { devHeader, devSession } from './dev.ts'
import { identityProvider } from './idp.ts'
import { jwt } from './jwt.ts'
import { loadKeyActor } from './key.ts'
import { LinkRefused, ProviderAway } from './provider.ts'
import { secondary } from './secondary.ts'

/** The authenticators in their order. The first that accepts a token decides. */
const chain: readonly Authenticator[] = [
  ...(config.devMode ? [devHeader] : []),
  identityProvider,
  secondary,
  ...(config.devMode ? [devSession] : []),
  jwt,
]

/** Settings of the caller's profile. */
export type Settings = Pick<User, 'language' | 'calendar'>
/** The caller with settings, or the reason why there is none. */
export type Identity = ({ actor: Actor; denial?: never } | { actor: null; denial: Denial }) & { settings?: Settings }

/** Returns the caller of a request. There is none if no authenticator accepts the token, or if the user is inactive. */
export async function identifyCaller(credentials: Credentials): Promise<Identity> {
  const shown = { ...credentials, token: bearer(credentials.headers.authorization) }
  // A key is never sent to a provider.
  if (isKey(shown.token)) return identifyByKey(shown.token)
  let isProviderAway = false
  let refusal: LinkRefusal | undefined
  const noteReason = (error: unknown) => {
    isProviderAway ||= error instanceof ProviderAway
    if (error instanceof LinkRefused) refusal = error.refusal
    return error instanceof ProviderAway || error instanceof LinkRefused
  }
  for (const authenticate of chain) {
    const user = await authenticate(shown).catch(noneIf(noteReason))
    if (user?.is_active) return { actor: actorOf(user), settings: user }
    if (user) return { actor: null, denial: 'token' }
    // The token is good, so no other authenticator is asked.
    if (refusal) return { actor: null, denial: refusal }
  }
  if (isProviderAway)
    log({ level: 'error', message: 'dependency away', dependency: 'identity provider', provider_failures: 1 })
  return { actor: null, denial: isProviderAway ? 'provider_away' : denialOf(credentials) }
}

async function identifyByKey(token: string): Promise<Identity> {
  const found = await loadKeyActor(token)
  return found ? { actor: found.actor, settings: found.owner } : { actor: null, denial: 'token' }
}

function denialOf({ headers, cookie }: Credentials): Denial {
  if (headers.authorization || cookie) return 'token'
  return config.devMode && headers['x-dev-user'] !== undefined ? 'dev_user' : 'none'
}

/** The token of `Authorization: Bearer`. Empty unless it consists of at most 8,192 characters that RFC 6750 allows. */
const bearer = (header = '') => /^Bearer +([A-Za-z0-9._~+/=-]{1,8192})$/i.exec(header.trim())?.[1] ?? ''
