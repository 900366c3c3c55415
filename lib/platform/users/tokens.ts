import * as v from 'valibot'
import { newId, nowSeconds } from '../../base/clock.ts'
import { isConflict, noneIf } from '../../base/errors.ts'
import { commitWrites } from '../../engines/table/immediate.ts'
import {
  defineItem,
  get,
  getManyOnce,
  itemIn,
  type Key,
  put,
  type UnitOfWork,
  withNextVersion,
} from '../../engines/table/index.ts'
import { key } from '../table/keys.ts'
import { keyOf, storedOwnership, type User, user } from './users.ts'

/**
 * One sign-in and all tokens that descend from it: a pair of tokens, then the next pair for each refresh.
 *
 * - open: can be refreshed.
 * - closed: signed out with the refresh token. It can no longer be refreshed; access tokens live until they expire.
 * - ended: a refresh token was used twice, or a session of dev mode was signed out. Each token is refused.
 */
const Session = v.object({
  id: v.string(),
  user_id: v.string(),
  generation: v.number(),
  state: v.picklist(['open', 'closed', 'ended']),
  /** The number of the current pair. */
  serial: v.number(),
  /** Access tokens that were signed out one by one. Each is listed until it would have expired. */
  denied: v.array(v.object({ serial: v.number(), until: v.number() })),
  until: v.number(),
  version: v.number(),
})
export type Session = v.InferOutput<typeof Session>

const session = defineItem({
  type: 'session',
  schema: Session,
  key: ({ id }: { id: string }) => key.token(`session#${id}`),
  expires: (it) => it.until,
})

/** The user of a provider's token, so that other processes need not call the provider. */
const Identity = v.object({
  token: v.string(),
  user_id: v.string(),
  ownership: storedOwnership,
  until: v.number(),
  version: v.literal(1),
})
const identity = defineItem({
  type: 'identity',
  schema: Identity,
  key: ({ token }: { token: string }) => key.token(`idp#${token}`),
  expires: (it) => it.until,
})

/** Opens a session for a user. It can be refreshed until `until`, in seconds. */
export function openSession(unit: UnitOfWork, { id: user_id, token_generation }: User, until: number): Session {
  const opened: Session = {
    id: newId(),
    user_id,
    generation: token_generation,
    state: 'open',
    serial: 1,
    denied: [],
    until,
    version: 1,
  }
  unit.add([put(session, opened, undefined)])
  return opened
}

/**
 * Loads a session and its user as they are now, in one call, which also reads the items of `extraKeys`. Undefined if either is absent,
 * or if the session is over or of an earlier generation.
 */
export async function loadWithUser(
  id: string,
  user_id: string,
  extraKeys: readonly Key[] = [],
): Promise<{ session: Session; user: User } | undefined> {
  const items = await getManyOnce([session.key({ id }), keyOf(user_id), ...extraKeys])
  const stored = itemIn(items, session, { id })
  const owner = itemIn(items, user, { id: user_id })
  if (!stored || !owner) return undefined
  const isValid =
    stored.user_id === owner.id && stored.until > nowSeconds() && stored.generation === owner.token_generation
  return isValid ? { session: stored, user: owner } : undefined
}

/** Makes the next pair of a session the current one. The commit fails with `conflict` if another request did so first. */
export function advanceSession(unit: UnitOfWork, old: Session, until: number): Session {
  const next = withNextVersion(old, { serial: old.serial + 1, until })
  unit.add([put(session, next, old)])
  return next
}

/** Closes a session: its refresh token is refused from now on, its access tokens live until they expire. */
export const closeSession = (unit: UnitOfWork, id: string): Promise<void> =>
  changeSession(unit, id, (it) => (it.state === 'open' ? { state: 'closed' } : undefined))

/** Ends a session: each of its tokens is refused from now on. */
export const endSession = (unit: UnitOfWork, id: string): Promise<void> =>
  changeSession(unit, id, (it) => (it.state === 'ended' ? undefined : { state: 'ended' }))

/** Refuses one access token of a session from now on. `until`: when the token expires, in seconds. */
export const denyAccessToken = (unit: UnitOfWork, id: string, serial: number, until: number): Promise<void> =>
  changeSession(unit, id, (it) => ({
    denied: [...it.denied.filter((each) => each.until > nowSeconds()), { serial, until }],
  }))

/**
 * Stores whose token this is, under the hash of the token. The unit of work is its own: a caller is identified before the request
 * has one. If another process stores the same token at this moment, its item stands: it says the same.
 */
export async function keepIdentity(token: string, { id, ownership }: User, until: number): Promise<void> {
  const old = await get(identity, { token })
  if (old && old.until >= until && old.ownership === ownership) return
  const next = { token, user_id: id, ownership, until, version: 1 } as const
  await commitWrites([put(identity, next, old)]).catch(noneIf(isConflict))
}

/** Whose token it is, under which ownership of the account, and until when that is remembered, in seconds. */
export type KeptIdentity = { user_id: string; ownership: number; until: number }

/** Loads whose token this is, by the hash of the token. Undefined if no provider has confirmed it in the last minutes. */
export async function loadIdentity(token: string): Promise<KeptIdentity | undefined> {
  const stored = await get(identity, { token })
  return stored && stored.until > nowSeconds() ? stored : undefined
}

/** Changes a session as it is now. A change that another request overtook is made again: it must not be lost. */
async function changeSession(
  unit: UnitOfWork,
  id: string,
  changesOf: (it: Session) => Partial<Session> | undefined,
): Promise<void> {
  unit.retryOn('conflict')
  const old = await get(session, { id })
  const changes = old && changesOf(old)
  if (changes) unit.add([put(session, withNextVersion(old, changes), old)])
}
