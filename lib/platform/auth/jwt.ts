import { errors, jwtVerify, SignJWT } from 'jose'
import * as v from 'valibot'
import { clock, nowSeconds } from '../../base/clock.ts'
import { config } from '../../base/config.ts'
import { badCredentials, malformedInput } from '../../base/errors.ts'
import * as s from '../../base/shapes.ts'
import type { Key, UnitOfWork } from '../../engines/table/index.ts'
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

/** Issuer and audience of our tokens. Both must match when a token is verified. */
export const ISSUER = 'heritage-knowledge-service'
const AUDIENCE = 'heritage-knowledge-api'

const DAY_S = 86_400
/** Lifetime of each type of token, in seconds. */
const lifetimes = config.devMode
  ? { access: 7 * DAY_S, refresh: 30 * DAY_S, session: 7 * DAY_S }
  : { access: 15 * 60, refresh: DAY_S / 2, session: DAY_S / 2 }
type TokenType = keyof typeof lifetimes
export type Pair = { access: string; refresh: string }

/** Accepts our own access tokens. One call reads user and session together, so an ended session counts at once. */
export const jwt: Authenticator = ({ token, extraKeys }) => loadTokenUser(token, 'access', extraKeys)

/**
 * Loads the user of a token of this type, in one call, which also reads the items of `extraKeys`. Undefined if the token is refused:
 * we did not sign it, it has expired or is denied, or its session has ended.
 */
export async function loadTokenUser(
  token: string,
  type: TokenType,
  extraKeys?: readonly Key[],
): Promise<User | undefined> {
  const claims = await verifyClaims(token, type)
  const stored = claims && (await loadWithUser(claims.session, claims.user_id, extraKeys))
  if (!stored || stored.session.state === 'ended') return undefined
  return stored.session.denied.some(({ serial }) => serial === claims.serial) ? undefined : stored.user
}

export const TokensView = s.shape('Tokens', () => v.object({ access: s.text, refresh: s.text }))

/** Signs a user in: opens a session and returns its first pair of tokens. `client` is the program that the person uses. */
export const issueTokens = (unit: UnitOfWork, user: User, client?: string): Promise<Pair> =>
  signPair(openSession(unit, user, nowSeconds() + lifetimes.refresh, client))

/** The id of the session that the token of an `Authorization` header belongs to. Undefined for a token that is not ours. */
export function sessionIn(authorization = ''): string | undefined {
  const claims = claimsOf(authorization.replace(/^Bearer +/i, '').trim())
  return claims?.iss === ISSUER ? jti.exec(String(claims.jti))?.[2] : undefined
}

/** Opens a session of dev mode. Returns the token of its cookie, and how many seconds the token lives. */
export async function issueSession(unit: UnitOfWork, user: User): Promise<{ token: string; seconds: number }> {
  const session = openSession(unit, user, nowSeconds() + lifetimes.session)
  return { token: await sign(session, 'session'), seconds: lifetimes.session }
}

/**
 * Returns the next pair for a refresh token. If a token is used twice, even at the same moment, it counts as stolen and its session ends.
 * Fails with `unauthenticated` if the token is refused.
 */
export async function refreshTokens(unit: UnitOfWork, token: string): Promise<Pair> {
  const claims = await verifyClaims(token, 'refresh')
  const stored = claims && (await loadWithUser(claims.session, claims.user_id))
  if (!claims || !stored?.user.is_active) throw badToken()
  const { session } = stored
  if (claims.serial === session.serial) {
    if (session.state !== 'open') throw badToken()
    // If another request advances the session first, the unit runs again and finds the token used.
    unit.retryOn('conflict')
    return signPair(advanceSession(unit, session, nowSeconds() + lifetimes.refresh))
  }
  // The session must end although this request fails, so its end is stored ahead.
  await unit.storeAhead('end of the session', (own) => endSession(own, session.id))
  throw badToken()
}

/**
 * Signs a token of the caller out. A refresh token closes its session. An access token alone is refused from now on, and its session stays.
 * Fails with `malformed` for a token that is refused already, or is another user's.
 */
export async function revokeToken(unit: UnitOfWork, token: string, caller: string): Promise<void> {
  const type = claimsOf(token)?.token_type === 'access' ? 'access' : 'refresh'
  const claims = await verifyClaims(token, type)
  if (claims?.user_id !== caller) throw notOurs()
  if (type === 'access') {
    if (!(await loadTokenUser(token, 'access'))) throw notOurs()
    await denyAccessToken(unit, claims.session, claims.serial, claims.exp)
    return
  }
  const stored = await loadWithUser(claims.session, claims.user_id)
  if (stored?.session.state !== 'open') throw notOurs()
  await closeSession(unit, claims.session)
}

/** Ends the dev session of a cookie. Does nothing if the cookie holds no token of such a session. */
export async function revokeSession(unit: UnitOfWork, cookie: string): Promise<void> {
  const claims = await verifyClaims(cookie, 'session')
  if (claims) await endSession(unit, claims.session)
}

const badToken = () => badCredentials('Token is invalid or expired.')
const notOurs = () => malformedInput('Token is invalid or expired.')

async function signPair(session: Session): Promise<Pair> {
  return { access: await sign(session, 'access'), refresh: await sign(session, 'refresh') }
}

/** The key that signs comes first. The fallbacks are former keys: tokens that they signed are still accepted. */
const keys = [config.SECRET_KEY, ...config.SECRET_KEY_FALLBACKS].map((secret) => Buffer.from(secret))

function sign(session: Session, token_type: TokenType): Promise<string> {
  const iat = nowSeconds()
  return new SignJWT({ token_type, user_id: session.user_id })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuedAt(iat)
    .setExpirationTime(iat + lifetimes[token_type])
    .setJti(`${token_type}.${session.id}.${session.serial}`)
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .sign(Buffer.from(config.SECRET_KEY))
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

/**
 * Returns the claims of a token if this service signed it, it has this type, and it has not expired. Otherwise undefined. A signature
 * costs much to check, so the process keeps the claims of each checked token.
 */
async function verifyClaims(token: string, type: TokenType): Promise<Claims | undefined> {
  const remembered = known.get(token)
  if (remembered) return remembered.token_type === type ? remembered : undefined
  const unverified = claimsOf(token)
  if (unverified?.iss !== ISSUER || unverified.token_type !== type) return undefined
  for (const key of keys) {
    const claims = await verifyWithKey(key, token)
    if (claims) {
      known.set(token, claims, claims.exp)
      return claims
    }
  }
  return undefined
}

async function verifyWithKey(key: Buffer, token: string): Promise<Claims | undefined> {
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
