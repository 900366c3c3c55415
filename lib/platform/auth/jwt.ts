import { errors, jwtVerify, SignJWT } from 'jose'
import * as v from 'valibot'
import { clock, nowSeconds } from '../../base/clock.ts'
import { config } from '../../base/config.ts'
import { badCredentials, isConflict, malformedInput, noneIf } from '../../base/errors.ts'
import * as s from '../../base/shapes.ts'
import type { Key } from '../../engines/table/index.ts'
import {
  advanceSession,
  closeSession,
  denyAccessToken,
  endSession,
  loadWithUser,
  openSession,
  type Session,
} from '../users/tokens.ts'
import type { User } from '../users/users.ts'
import type { Authenticator } from './authenticator.ts'
import { tokenMemory } from './memory.ts'
import { claimsOf } from './shape.ts'

/** Who makes our tokens and for whom; both are pinned when one is verified. */
export const ISSUER = 'heritage-knowledge-service'
const AUDIENCE = 'heritage-knowledge-api'

const DAY_S = 86_400
/** Seconds that each type of token lives. */
const lifetimes = config.devMode
  ? { access: 7 * DAY_S, refresh: 30 * DAY_S, session: 7 * DAY_S }
  : { access: 15 * 60, refresh: DAY_S / 2, session: DAY_S / 2 }
type TokenType = keyof typeof lifetimes
export type Pair = { access: string; refresh: string }

/** Accepts our own access tokens. One read: the user and the session together, so a sign-out counts at once. */
export const jwt: Authenticator = ({ token, beside }) => userOf(token, 'access', beside)

/** A user by a token of ours of that type; what lies `beside` is read in the same call. */
export async function userOf(token: string, type: TokenType, beside?: readonly Key[]): Promise<User | undefined> {
  const claims = await verified(token, type)
  const found = claims && (await loadWithUser(claims.session, claims.user_id, beside))
  if (!found || found.session.state === 'ended') return undefined
  return found.session.denied.some(({ serial }) => serial === claims.serial) ? undefined : found.user
}

export const TokensView = s.shape('Tokens', () => v.object({ access: s.text, refresh: s.text }))

/** Signs a user in: the first pair of a new family. */
export async function issue(user: User): Promise<Pair> {
  return pairOf(await openSession(user, nowSeconds() + lifetimes.refresh))
}

/** The dev-session cookie's token, with the seconds it lives. */
export async function issueSession(user: User): Promise<{ token: string; seconds: number }> {
  const session = await openSession(user, nowSeconds() + lifetimes.session)
  return { token: await sign(session, 'session'), seconds: lifetimes.session }
}

/**
 * The next pair for a refresh token. A token that was rotated before, or that two requests use at once, is taken for a
 * stolen one: its whole family ends. There is no period of grace. Fails with `unauthenticated`.
 */
export async function refresh(token: string): Promise<Pair> {
  const claims = await verified(token, 'refresh')
  const found = claims && (await loadWithUser(claims.session, claims.user_id))
  if (!claims || !found?.user.is_active) throw badToken()
  const { session } = found
  if (claims.serial === session.serial && session.state !== 'open') throw badToken()
  const next = claims.serial === session.serial ? await moved(session) : undefined
  if (next) return pairOf(next)
  await endSession(session.id)
  throw badToken()
}

/**
 * Makes a token of the caller useless: with a refresh token its family can no longer be refreshed; an access token is
 * good no more itself. Fails with `malformed` for a token that is not good, or is someone else's.
 */
export async function revoke(token: string, caller: string): Promise<void> {
  const type = claimsOf(token)?.token_type === 'access' ? 'access' : 'refresh'
  const claims = await verified(token, type)
  if (claims?.user_id !== caller) throw notOurs()
  if (type === 'access') {
    if (!(await userOf(token, 'access'))) throw notOurs()
    await denyAccessToken(claims.session, claims.serial, claims.exp)
    return
  }
  const found = await loadWithUser(claims.session, claims.user_id)
  if (found?.session.state !== 'open') throw notOurs()
  await closeSession(claims.session)
}

/** Ends the dev session of a cookie, if it is one. */
export async function revokeSession(cookie: string): Promise<void> {
  const claims = await verified(cookie, 'session')
  if (claims) await endSession(claims.session)
}

const badToken = () => badCredentials('Token is invalid or expired.')
const notOurs = () => malformedInput('Token is invalid or expired.')

/** The session moved on, or undefined when another request was faster. */
const moved = (session: Session): Promise<Session | undefined> =>
  advanceSession(session, nowSeconds() + lifetimes.refresh).catch(noneIf(isConflict))

async function pairOf(session: Session): Promise<Pair> {
  return { access: await sign(session, 'access'), refresh: await sign(session, 'refresh') }
}

const keyOf = (secret: string) => Buffer.from(secret)
const keys = [config.SECRET_KEY, ...config.SECRET_KEY_FALLBACKS].map(keyOf)

function sign(session: Session, token_type: TokenType): Promise<string> {
  const iat = nowSeconds()
  return new SignJWT({ token_type, user_id: session.user_id })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuedAt(iat)
    .setExpirationTime(iat + lifetimes[token_type])
    .setJti(`${token_type}.${session.id}.${session.serial}`)
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .sign(keyOf(config.SECRET_KEY))
}

const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
const jti = new RegExp(`^(access|refresh|session)\\.(${uuid})\\.(\\d{1,9})$`)
const Claims = v.pipe(
  v.object({
    token_type: v.picklist(['access', 'refresh', 'session']),
    user_id: v.pipe(v.string(), v.uuid()),
    jti: v.pipe(v.string(), v.regex(jti)),
    exp: v.number(),
    iat: v.number(),
  }),
  v.transform(({ token_type, user_id, exp, ...it }) => {
    const [, , session = '', serial = '0'] = jti.exec(it.jti) ?? []
    return { token_type, user_id, exp, session, serial: Number(serial) }
  }),
)
type Claims = v.InferOutput<typeof Claims>

// prove: memory
const known = tokenMemory<Claims>(5000)

/** The claims of a token that we made, that has not expired and is of this type. Checking costs much, so answers are kept. */
async function verified(token: string, type: TokenType): Promise<Claims | undefined> {
  const kept = known.get(token)
  if (kept) return kept.token_type === type ? kept : undefined
  const unverified = claimsOf(token)
  if (unverified?.iss !== ISSUER || unverified.token_type !== type) return undefined
  for (const key of keys) {
    const claims = await verifiedBy(key, token)
    if (claims) known.set(token, claims, claims.exp)
    if (claims) return claims
  }
  return undefined
}

async function verifiedBy(key: Buffer, token: string): Promise<Claims | undefined> {
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: ['HS256'],
      typ: 'JWT',
      issuer: ISSUER,
      audience: AUDIENCE,
      requiredClaims: ['exp', 'iat', 'jti', 'user_id', 'token_type'],
      currentDate: clock.now(),
    })
    const result = v.safeParse(Claims, payload)
    return result.success ? result.output : undefined
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined
    throw error
  }
}
