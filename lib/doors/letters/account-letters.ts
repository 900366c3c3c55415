import * as v from 'valibot'
import { later, newId, now, nowSeconds } from '../../base/clock.ts'
import { type Language, languages } from '../../base/language/languages.ts'
import {
  defineItem,
  get,
  parse,
  put,
  remove,
  type UnitOfWork,
  walk,
  withNextVersion,
} from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'

/**
 * Letters about an account itself. Its owner gets them whether they want letters or not. A letter holds no link before it is
 * composed, so the table holds none.
 */
const sorts = ['verify', 'reset', 'new_address', 'address_changed', 'password_changed', 'deactivated'] as const

const AccountLetter = v.object({
  id: v.string(),
  sort: v.picklist(sorts),
  /**
   * The account. Null for a reset: the account is looked up when the letter is due, so the request does not reveal whether the account
   * exists.
   */
  user_id: v.nullable(v.string()),
  /** The address that the letter goes to. */
  email: v.string(),
  language: v.picklist(languages),
  /** The origin of the request. Links begin with it. */
  origin: v.string(),
  /** The words of staff, for a letter that gives a reason. */
  reason: v.string(),
  due_at: v.string(),
  attempts: v.number(),
  until: v.number(),
  version: v.number(),
})
export type AccountLetter = v.InferOutput<typeof AccountLetter>

const WAITING = 'LETTERS#ACCOUNT'
/** Seconds after which a letter that could not be sent is of no use. */
const KEPT_S = 86_400
const accountLetter = defineItem({
  type: 'account_letter',
  schema: AccountLetter,
  key: ({ id }: { id: string }) => key.accountLetter(id),
  indexes: ({ due_at, id }) => ({ gsi2: { pk: WAITING, sk: `${due_at}#${id}` } }),
  expires: ({ until }) => until,
})

type Wanted = Pick<AccountLetter, 'sort' | 'user_id' | 'email'> & { reason?: string }

/** Asks for a letter about an account. The function `letters` sends it within a minute or so. */
export function askForLetter(
  unit: UnitOfWork,
  { sort, user_id, email, reason = '' }: Wanted,
  { origin, language }: { origin: string; language: Language },
): void {
  const letter: AccountLetter = {
    ...{ id: newId(), sort, user_id, email, reason, origin, language },
    due_at: now(),
    attempts: 0,
    until: nowSeconds() + KEPT_S,
    version: 1,
  }
  unit.add([put(accountLetter, letter, undefined)])
}

/** Lists the letters that are due, longest wait first. One call. */
export const listDueLetters = async (time: string, limit: number): Promise<AccountLetter[]> =>
  (await walk({ index: 'gsi2', pk: WAITING, forward: true, limit }))
    .map((item) => parse(accountLetter, item))
    .filter(({ due_at }) => due_at <= time)

/** Takes a letter, so that it is sent once. Undefined if it has been taken. */
export async function takeLetter(unit: UnitOfWork, id: string): Promise<AccountLetter | undefined> {
  const found = await get(accountLetter, { id })
  if (found) unit.add([remove(accountLetter, found)])
  return found
}

/** Gives a letter back that was refused. It is due again after a pause in seconds. */
export const giveBackLetter = (unit: UnitOfWork, taken: AccountLetter, pause: number): void =>
  unit.add([
    put(
      accountLetter,
      withNextVersion<AccountLetter>(taken, { attempts: taken.attempts + 1, due_at: later(pause) }),
      undefined,
    ),
  ])
