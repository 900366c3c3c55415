import * as v from 'valibot'
import { nowSeconds } from '../../base/clock.ts'
import { seal, unseal } from '../../platform/http/seal.ts'

const [STOP, CONFIRM] = ['stop letters', 'confirm address']

/** The link that stops a reader's letters. It works without signing in, since its token is sealed, and never expires. */
export const stopLink = (origin: string, user_id: string): string =>
  linkTo(origin, 'stop', seal(JSON.stringify([user_id]), STOP))

/** The id of the user whose letters a token stops; undefined for an invalid token. */
export const readStopToken = (token: string): string | undefined =>
  read(v.tuple([v.string()]), unseal(token, STOP))?.[0]

/** For how many seconds the link to confirm an address is valid. */
const PATIENCE = 3 * 86_400

/** The link that confirms an address. It is valid for three days. */
export const confirmLink = (origin: string, user_id: string, email: string): string =>
  linkTo(origin, 'confirm', seal(JSON.stringify([user_id, email, nowSeconds() + PATIENCE]), CONFIRM))

/** The user and address that a token confirms; undefined if it is invalid or has expired. */
export function readConfirmToken(token: string): { user_id: string; email: string } | undefined {
  const found = read(v.tuple([v.string(), v.string(), v.number()]), unseal(token, CONFIRM))
  return found && found[2] > nowSeconds() ? { user_id: found[0], email: found[1] } : undefined
}

const linkTo = (origin: string, what: string, token: string) =>
  `${origin}/data/notifications/letters/${what}/?token=${token}`

function read<T>(schema: v.GenericSchema<unknown, T>, plain: string | undefined): T | undefined {
  const found = plain === undefined ? undefined : v.safeParse(schema, JSON.parse(plain))
  return found?.success ? found.output : undefined
}
