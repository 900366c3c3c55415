import { hash } from 'node:crypto'
import * as v from 'valibot'
import { now } from '../../base/clock.ts'
import { impossible } from '../../base/errors.ts'
import {
  defineItem,
  parse,
  put,
  putAlways,
  remove,
  type UnitOfWork,
  type Write,
  walk,
  walkTable,
  withNextVersion,
} from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { eraseUser, freeAddress, type User } from '../../platform/users/users.ts'

/** What happens to the contributions of a person who leaves. `keep`: all stay. `remove`: those on which nobody else has built are deleted. */
export const contributionFates = ['keep', 'remove'] as const
export type ContributionFate = (typeof contributionFates)[number]

/**
 * An account that is leaving. The account is empty already; the worker takes the name out of everything else. This item holds no name,
 * since the worker finds each name by the id beside it.
 */
const Departure = v.object({
  user_id: v.string(),
  contributions: v.picklist(contributionFates),
  /** The step of the work: deleting contributions, taking out names, or looking again at the deleted contributions. */
  step: v.picklist(['contributions', 'names', 'second_look']),
  asked_at: v.string(),
  /** When the step `contributions` ended. */
  removed_at: v.optional(v.string()),
  version: v.number(),
})
export type Departure = v.InferOutput<typeof Departure>

const LEAVING = 'DEPARTURE'
const SECOND_LOOK = 'DEPARTURE#SECOND_LOOK'
const departure = defineItem({
  type: 'departure',
  schema: Departure,
  key: ({ user_id }: { user_id: string }) => key.departure(user_id),
  indexes: ({ step, asked_at, user_id }) => ({
    gsi2: { pk: step === 'second_look' ? SECOND_LOOK : LEAVING, sk: `${asked_at}#${user_id}` },
  }),
})

/**
 * What a person who has left is called from then on. The digest of the id tells one former contributor from another, so decisions stay
 * comparable. It says nothing of the name.
 */
export const formerName = (user_id: string): string =>
  `former-contributor-${hash('sha256', user_id, 'hex').slice(0, 8)}`

/**
 * Closes an account for good. After the answer nobody can sign in to the account or act for it. Name, address and profile are gone; the
 * worker takes them out of all copies within a day. Fails with `invalid` for a seeded account.
 */
export async function leave(unit: UnitOfWork, user: User, contributions: ContributionFate): Promise<void> {
  if (user.seeded) throw impossible('An account of the demonstration stays.')
  const asked: Departure = { user_id: user.id, contributions, step: 'contributions', asked_at: now(), version: 1 }
  unit.add([...eraseUser(user, formerName(user.id)), ...(await freeAddress(user)), put(departure, asked, undefined)])
}

/** Lists the accounts that are leaving, longest wait first. One call. */
export const listDepartures = (limit: number): Promise<Departure[]> => walkDepartures(LEAVING, limit)
/** Lists the departures whose deleted contributions wait for the second look, longest wait first. One call. */
export const listSecondLooks = (limit: number): Promise<Departure[]> => walkDepartures(SECOND_LOOK, limit)
const walkDepartures = async (pk: string, limit: number): Promise<Departure[]> =>
  (await walk({ index: 'gsi2', pk, forward: true, limit })).map((it) => parse(departure, it))

/** A departure at its next step, and the write that moves it there. */
export function nextStep(old: Departure, changes: Pick<Departure, 'step' | 'removed_at'>): [Departure, Write] {
  const next = withNextVersion<Departure>(old, changes)
  return [next, put(departure, next, old)]
}
/** The write that ends a departure. Call it only when nothing names the person any more. */
export const endDeparture = (old: Departure): Write => remove(departure, old)

/** A contribution that was deleted because its author left. The item stays until the second look. It holds no name. */
const Removal = v.object({ user_id: v.string(), entity_id: v.string(), deleted_at: v.string(), version: v.literal(1) })
type Removal = v.InferOutput<typeof Removal>
const removal = defineItem({
  type: 'removal',
  schema: Removal,
  key: (it: { user_id: string; entity_id: string }) => key.removal(it.user_id, it.entity_id),
})

/** The write that stores that a contribution was deleted because its author left. */
export const noteRemoval = (it: Omit<Removal, 'version'>): Write => putAlways(removal, { ...it, version: 1 })
/** The next `limit` contributions that were deleted because a person left. One call. */
export const listRemovals = async (user_id: string, limit: number): Promise<Removal[]> =>
  (await walkTable({ ...key.removals(user_id), forward: true, limit })).map((it) => parse(removal, it))
/** The write that deletes a `Removal`, once the second look has dealt with its contribution. */
export const dropRemoval = (it: Removal): Write => remove(removal, it)
