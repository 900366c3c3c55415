import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from 'jose'
import * as v from 'valibot'
import { clock, nowSeconds } from '../../base/clock.ts'
import { Problem } from '../../base/errors.ts'
import { parseBoolean } from '../../base/text.ts'
import { asciiLowerCase, cut } from '../../engines/matching/index.ts'
import { inUnit } from '../unit-of-work.ts'
import { keepIdentity, loadIdentity } from '../users/tokens.ts'
import { amendUser, createUserNamedAfterEmail, loadUser, loadUserByEmail, type User } from '../users/users.ts'
import { hashToken, tokenMemory } from './memory.ts'

/** Claims of a provider about a person. `until`: when the token expires, in seconds. */
export type Identification = { claims: unknown; until: number }
/** The provider does not answer, or fails by itself. So nobody can check the token now. */
export class ProviderAway extends Error {}
/** Time limit for a call of a provider, in milliseconds. */
export const TIMEOUT_MS = 5000
/** The longest time that the owner of a token is remembered, in seconds. */
const REMEMBERED_S = 5 * 60

/** Signatures of providers are asymmetric. Our own are symmetric, so one kind is never taken for the other. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']

/** Returns a function that verifies JWTs of one issuer. The published keys are fetched once for each process. */
export function createVerifier(url: string, issuer: string[], audience: string) {
  const keys = createRemoteJWKSet(new URL(url), { timeoutDuration: TIMEOUT_MS })
  return async (token: string): Promise<Identification | undefined> => {
    try {
      const options = { algorithms, issuer, audience, requiredClaims: ['exp'], currentDate: clock.now() }
      const { payload } = await jwtVerify<JWTPayload>(token, keys, options)
      return { claims: payload, until: payload.exp ?? 0 }
    } catch (error) {
      if (isAway(error)) throw new ProviderAway()
      // The token is not for us.
      if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined
      throw error
    }
  }
}

/** Whether `jose` could not fetch the keys. It passes on the TypeError of fetch, and has no code of its own for another status. */
const isAway = (error: unknown) =>
  error instanceof errors.JWKSTimeout ||
  (error instanceof errors.JOSEError && error.code === errors.JOSEError.code) ||
  (error instanceof TypeError && error.message === 'fetch failed')

/**
 * Returns a function that loads the user of a token. The owner is remembered under the token's hash, in this process and in the
 * table, at most five minutes and never longer than the token lives. `ask` is called if nothing is remembered.
 */
export function rememberIdentity(provider: string, ask: (token: string) => Promise<Identification | undefined>) {
  const known = tokenMemory<string>(5000)
  return async (token: string): Promise<User | undefined> => {
    const kept = known.get(token)
    if (kept) return loadUser(kept)
    const stored = await loadIdentity(hashToken(token))
    if (stored) known.set(token, stored.user_id, stored.until)
    if (stored) return loadUser(stored.user_id)

    const identified = await ask(token)
    const claims = v.safeParse(Claims, identified?.claims)
    if (!identified || !claims.success) return undefined
    const user = await findOrCreateUser(provider, claims.output)
    const until = Math.min(identified.until, nowSeconds() + REMEMBERED_S)
    known.set(token, user.id, until)
    await keepIdentity(hashToken(token), user.id, until)
    return user
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

/** Loads the user of a verified address, or creates one at the first sign-in. Of concurrent first sign-ins one creates the user. */
async function findOrCreateUser(
  provider: string,
  { sub, email, given_name, family_name, picture }: Claims,
): Promise<User> {
  const old = await loadUserByEmail(email)
  if (old) return linkUser(old, provider, { sub, given_name, family_name, picture })
  const first = { email, first_name: given_name, last_name: family_name, avatar_url: picture }
  try {
    return await inUnit((unit) => createUserNamedAfterEmail(unit, { ...first, subjects: { [provider]: sub } }))
  } catch (error) {
    const winner = error instanceof Problem && error.fields?.email ? await loadUserByEmail(email) : undefined
    if (!winner) throw error
    return winner
  }
}

/**
 * Stores the provider's subject, and fills empty names. A registration does not prove an address, a provider does. So the first
 * link clears a password that was set before, and ends all sessions: whoever registered another person's address loses the account.
 * Seeded users keep their password.
 */
async function linkUser(
  user: User,
  provider: string,
  { sub, given_name, family_name, picture }: Omit<Claims, 'email' | 'email_verified'>,
) {
  const same =
    user.subjects[provider] === sub &&
    (user.first_name || !given_name) &&
    (user.last_name || !family_name) &&
    (!picture || user.avatar_url === picture)
  if (same) return user
  const changesOf = (it: User) => ({
    subjects: { ...it.subjects, [provider]: sub },
    first_name: it.first_name || given_name,
    last_name: it.last_name || family_name,
    avatar_url: picture || it.avatar_url,
    ...(Object.keys(it.subjects).length === 0 &&
      !it.seeded && { password: '', token_generation: it.token_generation + 1 }),
  })
  return (await inUnit((unit) => amendUser(unit, user.id, changesOf))) ?? user
}
