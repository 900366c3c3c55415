import { hash } from 'node:crypto'
import * as v from 'valibot'
import { now } from '../../base/clock.ts'
import { impossible } from '../../base/errors.ts'
import {
  defineItem,
  parse,
  put,
  remove,
  type UnitOfWork,
  type Write,
  walk,
  withNextVersion,
} from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { eraseUser, freeAddress, type User } from '../../platform/users/users.ts'

/** What happens to the contributions of a person who leaves: all stay, or those on which nobody else has built are deleted. */
export const contributionFates = ['keep', 'remove'] as const
export type ContributionFate = (typeof contributionFates)[number]

/**
 * An account that is leaving. The account itself is empty already; the worker takes the person's name out of all else. This item holds
 * no name: the worker finds names by the id beside them.
 */
const Departure = v.object({
  user_id: v.string(),
  contributions: v.picklist(contributionFates),
  /** Where the work is: at contributions that are to go, or at the names. */
  step: v.picklist(['contributions', 'names']),
  asked_at: v.string(),
  version: v.number(),
})
export type Departure = v.InferOutput<typeof Departure>

const LEAVING = 'DEPARTURE'
const departure = defineItem({
  type: 'departure',
  schema: Departure,
  key: ({ user_id }: { user_id: string }) => key.departure(user_id),
  indexes: ({ asked_at, user_id }) => ({ gsi2: { pk: LEAVING, sk: `${asked_at}#${user_id}` } }),
})

/**
 * What a person who has left is called from then on. The digest of the id tells one former contributor from another, so decisions stay
 * comparable. It says nothing of the name.
 */
export const formerName = (user_id: string): string =>
  `former-contributor-${hash('sha256', user_id, 'hex').slice(0, 8)}`

/**
 * Closes an account for good: once the request is answered, nobody signs in to it or acts for it. Name, address and profile are gone; the worker
 * takes them out of all copies within a day. Fails with `invalid` for a seeded account.
 */
export async function leave(unit: UnitOfWork, user: User, contributions: ContributionFate): Promise<void> {
  if (user.seeded) throw impossible('An account of the demonstration stays.')
  const asked: Departure = { user_id: user.id, contributions, step: 'contributions', asked_at: now(), version: 1 }
  unit.add([...eraseUser(user, formerName(user.id)), ...(await freeAddress(user)), put(departure, asked, undefined)])
}

/** Lists the accounts that are leaving, longest wait first. One call. */
export const listDepartures = async (limit: number): Promise<Departure[]> =>
  (await walk({ index: 'gsi2', pk: LEAVING, forward: true, limit })).map((it) => parse(departure, it))

/** The write that moves a departure to its next step. */
export const nextStep = (old: Departure, step: Departure['step']): Write =>
  put(departure, withNextVersion<Departure>(old, { step }), old)
/** The write that ends a departure. Call it only when nothing names the person any more. */
export const endDeparture = (old: Departure): Write => remove(departure, old)
