import * as v from 'valibot'
import { nowSeconds } from '../../base/clock.ts'
import { sealText, unsealText } from '../../platform/http/seal.ts'

const [STOP, CONFIRM] = ['stop letters', 'confirm address']

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

const linkTo = (origin: string, what: string, token: string) =>
  `${origin}/data/notifications/letters/${what}/?token=${token}`

function parseToken<T>(schema: v.GenericSchema<unknown, T>, plain: string | undefined): T | undefined {
  const result = plain === undefined ? undefined : v.safeParse(schema, JSON.parse(plain))
  return result?.success ? result.output : undefined
}
