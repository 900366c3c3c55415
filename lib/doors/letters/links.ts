import * as v from 'valibot'
import { nowSeconds } from '../../base/clock.ts'
import { sealText, unsealText } from '../../platform/http/seal.ts'
import type { User } from '../../platform/users/users.ts'

const [STOP, CONFIRM, PROVE, PASSWORD] = ['stop letters', 'confirm address', 'prove address', 'set password']

/** The link that stops a reader's letters. It works without signing in, since its token is sealed, and never expires. */
export const stopLink = (origin: string, user_id: string): string =>
  linkTo(origin, 'stop', sealText(JSON.stringify([user_id]), STOP))

/** The id of the user whose letters a token stops. Undefined if the token is invalid. */
export const readStopToken = (token: string): string | undefined =>
  parseToken(v.tuple([v.string()]), unsealText(token, STOP))?.[0]

/** Seconds for which the link to confirm an address is valid. */
const CONFIRM_LIFETIME_S = 3 * 86_400

/** The link that confirms an address. It is valid for three days. */
export const confirmLink = (origin: string, user_id: string, email: string): string =>
  linkTo(origin, 'confirm', sealText(JSON.stringify([user_id, email, nowSeconds() + CONFIRM_LIFETIME_S]), CONFIRM))

/** The user and address that a token confirms. Undefined if the token is invalid or has expired. */
export function readConfirmToken(token: string): { user_id: string; email: string } | undefined {
  const payload = parseToken(v.tuple([v.string(), v.string(), v.number()]), unsealText(token, CONFIRM))
  if (!payload) return undefined
  const [user_id, email, expires_at] = payload
  return expires_at > nowSeconds() ? { user_id, email } : undefined
}

/** Seconds for which the link to set a password is valid. */
const PASSWORD_LIFETIME_S = 3600

/** The link that proves an address for an account. It is valid for three days, and while the account does not change hands. */
export const addressLink = (origin: string, { id, ownership }: Pick<User, 'id' | 'ownership'>, email: string): string =>
  `${origin}/api/address/confirm/?token=${sealLink([id, email, ownership], CONFIRM_LIFETIME_S, PROVE)}`

/** The link that sets a password. It is valid for an hour, and works once: a new password ends all sessions, and the link with them. */
export const passwordLink = (origin: string, { id, token_generation }: Pick<User, 'id' | 'token_generation'>): string =>
  `${origin}/api/password/set/?token=${sealLink([id, token_generation], PASSWORD_LIFETIME_S, PASSWORD)}`

const sealLink = (payload: readonly (string | number)[], seconds: number, context: string) =>
  sealText(JSON.stringify([...payload, nowSeconds() + seconds]), context)

/** The account and address that a token proves, with the `ownership` at the time of the letter. Undefined if the token is invalid or has expired. */
export function readAddressToken(token: string): { user_id: string; email: string; ownership: number } | undefined {
  const payload = parseToken(v.tuple([v.string(), v.string(), v.number(), v.number()]), unsealText(token, PROVE))
  if (!payload) return undefined
  const [user_id, email, ownership, expires_at] = payload
  return expires_at > nowSeconds() ? { user_id, email, ownership } : undefined
}

/** The account whose password a token sets, with its `token_generation` at the time of the letter. Undefined if the token is invalid or has expired. */
export function readPasswordToken(token: string): { user_id: string; generation: number } | undefined {
  const payload = parseToken(v.tuple([v.string(), v.number(), v.number()]), unsealText(token, PASSWORD))
  if (!payload) return undefined
  const [user_id, generation, expires_at] = payload
  return expires_at > nowSeconds() ? { user_id, generation } : undefined
}

const linkTo = (origin: string, what: string, token: string) =>
  `${origin}/data/notifications/letters/${what}/?token=${token}`

function parseToken<T>(schema: v.GenericSchema<unknown, T>, plain: string | undefined): T | undefined {
  const result = plain === undefined ? undefined : v.safeParse(schema, JSON.parse(plain))
  return result?.success ? result.output : undefined
}
