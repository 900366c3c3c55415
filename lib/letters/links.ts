import * as v from 'valibot'
import { nowSeconds } from '../clock.ts'
import { seal, unseal } from '../http/seal.ts'

/** Links in letters, which work without signing in: what they hold can only be made and read here. */

const [STOP, CONFIRM] = ['stop letters', 'confirm address']

/** The link by which its reader stops letters. It never ends. */
export const stopLink = (origin: string, user_id: string): string =>
  linkTo(origin, 'stop', seal(JSON.stringify([user_id]), STOP))

/** Whose letters a token of such a link stops. */
export const stopsFor = (token: string): string | undefined => read(v.tuple([v.string()]), unseal(token, STOP))?.[0]

/** Within so many seconds an address is to be confirmed. */
const PATIENCE = 3 * 86_400

/** The link by which an address is confirmed, within three days. */
export const confirmLink = (origin: string, user_id: string, email: string): string =>
  linkTo(origin, 'confirm', seal(JSON.stringify([user_id, email, nowSeconds() + PATIENCE]), CONFIRM))

/** Whose address a token confirms; undefined when its time is over. */
export function confirmsFor(token: string): { user_id: string; email: string } | undefined {
  const found = read(v.tuple([v.string(), v.string(), v.number()]), unseal(token, CONFIRM))
  return found && found[2] > nowSeconds() ? { user_id: found[0], email: found[1] } : undefined
}

const linkTo = (origin: string, what: string, token: string) =>
  `${origin}/data/notifications/letters/${what}/?token=${token}`

function read<T>(schema: v.GenericSchema<unknown, T>, plain: string | undefined): T | undefined {
  const found = plain === undefined ? undefined : v.safeParse(schema, JSON.parse(plain))
  return found?.success ? found.output : undefined
}
