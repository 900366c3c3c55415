import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from 'jose'
import * as v from 'valibot'
import { clock, nowSeconds } from '../../base/clock.ts'
import { isConflict, isProblem, type LinkRefusal, noneIf, Problem } from '../../base/errors.ts'
import { parseBoolean } from '../../base/text.ts'
import { asciiLowerCase, cut } from '../../engines/matching/index.ts'
import { says } from '../../engines/table/index.ts'
import { inUnit } from '../unit-of-work.ts'
import { type KeptIdentity, keepIdentity, loadIdentity } from '../users/tokens.ts'
import {
  amendUser,
  amendUserByPlan,
  createUserNamedAfterEmail,
  loadUser,
  loadUserByEmail,
  loadUserBySubject,
  type User,
  type UserChanges,
} from '../users/users.ts'
import { issuerOf, linkPlan, type Provider, saysAddress, whyNotLinked } from './link.ts'
import { hashToken, tokenMemory } from './memory.ts'

/** Claims of a provider about a person. `until`: when the token expires, in seconds. */
export type Identification = { claims: unknown; until: number }
/**
 * The provider does not answer, or answers with an error of its own. So nobody can check the token now. `isSilent`: a call ran into its
 * time limit.
 */
export class ProviderAway extends Error {
  readonly isSilent: boolean
  constructor(isSilent = false) {
    super('provider away')
    this.isSilent = isSilent
  }
}
/** Time limit for a call of a provider, in milliseconds. */
export const TIMEOUT_MS = 3000
/** Milliseconds for which a silent provider is not asked again, so that the callers meanwhile do not wait. */
const REST_MS = 5000
/** The longest time that the owner of a token is remembered, in seconds. */
const REMEMBERED_S = 5 * 60

/** Signatures of providers are asymmetric and our own are symmetric, so neither is ever taken for the other. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']

/**
 * Returns a function that verifies JWTs of one issuer. Each process keeps the published keys for ten minutes, and fetches them sooner for
 * an unknown key id.
 */
export function createVerifier(url: string, issuer: string[], audience: string) {
  const keys = createRemoteJWKSet(new URL(url), { timeoutDuration: TIMEOUT_MS })
  return async (token: string): Promise<Identification | undefined> => {
    try {
      const options = { algorithms, issuer, audience, requiredClaims: ['exp'], currentDate: clock.now() }
      const { payload } = await jwtVerify<JWTPayload>(token, keys, options)
      return { claims: payload, until: payload.exp ?? 0 }
    } catch (error) {
      if (isAway(error)) throw new ProviderAway(error instanceof errors.JWKSTimeout)
      // The token is expired, forged, malformed or for another service. It identifies nobody.
      if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined
      throw error
    }
  }
}

/**
 * Whether `jose` could not fetch the keys. Without a connection, `fetch` throws a TypeError. For a status other than 200 or a truncated
 * body, `jose` throws an error with its generic code. An answer without keys is a fault of the provider, too.
 */
const isAway = (error: unknown) =>
  error instanceof errors.JWKSTimeout ||
  error instanceof errors.JWKSInvalid ||
  (error instanceof errors.JOSEError && error.code === errors.JOSEError.code) ||
  (error instanceof TypeError && error.message === 'fetch failed')

/**
 * Returns a function that loads the user of a token. This process and the table remember the owner under the token's hash. They do so for
 * at most five minutes, and never longer than the token lives. `ask` is called if nothing is remembered.
 */
export function rememberIdentity(provider: Provider, ask: (token: string) => Promise<Identification | undefined>) {
  const known = tokenMemory<KeptIdentity>(5000)
  const askAwake = unlessSilent(ask)
  return async (token: string): Promise<User | undefined> => {
    const kept = known.get(token) ?? (await loadIdentity(hashToken(token)))
    const owner = kept && (await loadUser(kept.user_id))
    // An account that has changed hands since is not remembered: the provider is asked again.
    if (kept && owner?.ownership === kept.ownership) {
      known.set(token, kept, kept.until)
      return owner
    }

    const identified = await askAwake(token)
    const claims = v.safeParse(Claims, identified?.claims)
    if (!identified || !claims.success) return undefined
    const user = await findOrCreateUser(provider, claims.output)
    const until = Math.min(identified.until, nowSeconds() + REMEMBERED_S)
    known.set(token, { user_id: user.id, ownership: user.ownership, until }, until)
    await keepIdentity(hashToken(token), user, until)
    return user
  }
}

/** Wraps `ask`. For five seconds after a silent call, it fails with `ProviderAway` at once. */
function unlessSilent<T>(ask: (token: string) => Promise<T>): (token: string) => Promise<T> {
  let restsUntil = Number.NEGATIVE_INFINITY
  return async (token) => {
    if (performance.now() < restsUntil) throw new ProviderAway()
    try {
      return await ask(token)
    } catch (error) {
      if (error instanceof ProviderAway && error.isSilent) restsUntil = performance.now() + REST_MS
      throw error
    }
  }
}

const text = (most: number) =>
  v.fallback(
    v.pipe(
      v.string(),
      v.transform((it) => cut(it.normalize('NFC').replace(/\p{Cc}/gu, ''), most)),
    ),
    '',
  )
/** The address must be verified. Providers write the flag as a boolean or as text. */
const Claims = v.object({
  sub: v.pipe(v.string(), v.minLength(1), v.maxLength(255)),
  email: v.pipe(
    v.string(),
    v.trim(),
    v.regex(/^[\x21-\x7e]+$/),
    v.transform(asciiLowerCase),
    v.email(),
    v.maxLength(254),
  ),
  email_verified: v.union([
    v.literal(true),
    v.pipe(
      v.string(),
      v.check((it) => parseBoolean(it) === true),
    ),
  ]),
  given_name: text(50),
  family_name: text(50),
  picture: v.fallback(
    v.pipe(
      v.string(),
      v.maxLength(2000),
      v.check((it) => /^https?:\/\//.test(it) && URL.canParse(it)),
    ),
    '',
  ),
})
type Claims = v.InferOutput<typeof Claims>

/** A provider confirms the person, but the account with their address is another's. */
export class LinkRefused extends Error {
  readonly refusal: LinkRefusal
  constructor(refusal: LinkRefusal) {
    super(refusal)
    this.refusal = refusal
  }
}

/**
 * Loads the user whom a provider knows by this subject. At the first sign-in it links the account with the person's verified address,
 * or creates one. Of concurrent first sign-ins one creates the user. Fails with `LinkRefused` if the account is another's.
 */
async function findOrCreateUser(provider: Provider, claims: Claims): Promise<User> {
  const issuer = issuerOf(provider)
  const { sub, email, given_name, family_name, picture } = claims
  const known = await loadUserBySubject(issuer, sub)
  if (known) return fillProfile(await followAddress(known, provider, claims), claims)
  const old = await loadUserByEmail(email)
  if (old) return linkUser(old, provider, claims)
  const first = { email, email_verified: true, first_name: given_name, last_name: family_name, avatar_url: picture }
  try {
    return await inUnit((unit) => createUserNamedAfterEmail(unit, { ...first, subjects: { [issuer]: sub } }))
  } catch (error) {
    const winner = error instanceof Problem && error.fields?.email ? await loadUserByEmail(email) : undefined
    if (!winner) throw error
    return linkUser(winner, provider, claims)
  }
}

/** Links the account that has the person's address. Fails with `LinkRefused` if the account is another's. */
async function linkUser(user: User, provider: Provider, claims: Claims): Promise<User> {
  const linked = await inUnit((unit) =>
    amendUserByPlan(unit, user.id, async (it) => {
      const refusal = whyNotLinked(it, provider, claims.sub)
      if (refusal) throw new LinkRefused(refusal)
      return linkPlan(it, provider, claims.sub)
    }),
  )
  return fillProfile(linked ?? user, claims)
}

/**
 * Gives the user the address that the provider has verified. Another account that has this address without proof loses it. If another
 * account has proven it, the user keeps the former address and is still signed in.
 */
async function followAddress(user: User, provider: Provider, { email }: Claims): Promise<User> {
  if (user.email === email || !user.is_active || !saysAddress(user, provider)) return user
  // Addresses change seldom, so this module is loaded only when one does.
  const { proveAddress } = await import('../users/credentials.ts')
  const proven = inUnit((unit) => proveAddress(unit, user.id, email))
  return (await proven.catch(noneIf(isRefusal))) ?? user
}

/** Whether the address is another's, or other writers were faster: the next sign-in tries again. */
const isRefusal = (error: unknown) => isProblem(error, 'invalid') || isConflict(error)

/** Fills names that are empty, and takes the picture of the provider. */
async function fillProfile(user: User, { given_name, family_name, picture }: Claims): Promise<User> {
  const changesOf = (it: User) => ({
    first_name: it.first_name || given_name,
    last_name: it.last_name || family_name,
    avatar_url: picture || it.avatar_url,
  })
  if (says<UserChanges>(user, changesOf(user))) return user
  return (await inUnit((unit) => amendUser(unit, user.id, changesOf))) ?? user
}
