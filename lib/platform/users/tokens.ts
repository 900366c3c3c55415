import * as v from 'valibot'
import { newId, nowSeconds } from '../../base/clock.ts'
import { isConflict, noneIf } from '../../base/errors.ts'
import {
  commitPlan,
  commitWrites,
  defineItem,
  get,
  getManyOnce,
  itemIn,
  type Key,
  put,
  withNextVersion,
} from '../../engines/table/index.ts'
import { key } from '../table/keys.ts'
import { keyOf, type User, user } from './users.ts'

/**
 * One sign-in and all tokens that descend from it: their family. Each refresh makes the next pair of the family.
 *
 * - open: ordinary.
 * - closed: signed out with the refresh token. It can no longer be refreshed; access tokens live on until they expire.
 * - ended: a refresh token was used twice. No token of the family is good any more.
 */
const Session = v.object({
  id: v.string(),
  user_id: v.string(),
  generation: v.number(),
  state: v.picklist(['open', 'closed', 'ended']),
  /** The pair that is current. */
  serial: v.number(),
  /** Access tokens that were signed out one by one, until they would have expired anyway. */
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

/** What a provider said of a token, kept for other processes. */
const Identity = v.object({ token: v.string(), user_id: v.string(), until: v.number(), version: v.literal(1) })
const identity = defineItem({
  type: 'identity',
  schema: Identity,
  key: ({ token }: { token: string }) => key.token(`idp#${token}`),
  expires: (it) => it.until,
})

/** Begins a family for a user; it can be refreshed until `until`. */
export async function openSession(by: User, until: number): Promise<Session> {
  const made: Session = {
    id: newId(),
    user_id: by.id,
    generation: by.token_generation,
    state: 'open',
    serial: 1,
    denied: [],
    until,
    version: 1,
  }
  await commitWrites([put(session, made, undefined)])
  return made
}

/**
 * A session and its user, both as they are now, in one call, which also reads what lies `beside`. Undefined when either is gone,
 * over, or of an earlier generation.
 */
export async function loadWithUser(
  id: string,
  user_id: string,
  beside: readonly Key[] = [],
): Promise<{ session: Session; user: User } | undefined> {
  const found = await getManyOnce([session.key({ id }), keyOf(user_id), ...beside])
  const [it, person] = [itemIn(found, session, { id }), itemIn(found, user, { id: user_id })]
  if (!it || !person) return undefined
  const good = it.user_id === person.id && it.until > nowSeconds() && it.generation === person.token_generation
  return good ? { session: it, user: person } : undefined
}

/** Moves a family on to its next pair. Fails with `conflict` when another request did so first. */
export async function advanceSession(old: Session, until: number): Promise<Session> {
  const next = withNextVersion(old, { serial: old.serial + 1, until })
  await commitWrites([put(session, next, old)])
  return next
}

/** No more refreshing. */
export const closeSession = (id: string) => settle(id, (it) => (it.state === 'open' ? { state: 'closed' } : undefined))

/** No token of the family is good any more. */
export const endSession = (id: string) => settle(id, (it) => (it.state === 'ended' ? undefined : { state: 'ended' }))

/** One access token of the family is no longer good. */
export const denyAccessToken = (id: string, serial: number, until: number) =>
  settle(id, (it) => ({ denied: [...it.denied.filter((each) => each.until > nowSeconds()), { serial, until }] }))

/** Keeps what a provider said of a token, by the token's hash. Whoever is second finds the same answer there. */
export async function keepIdentity(token: string, user_id: string, until: number): Promise<void> {
  const old = await get(identity, { token })
  if (old && old.until >= until) return
  await commitWrites([put(identity, { token, user_id, until, version: 1 }, old)]).catch(noneIf(isConflict))
}

/** Whose token this is, if a provider said so not long ago. */
export async function loadIdentity(token: string): Promise<{ user_id: string; until: number } | undefined> {
  const kept = await get(identity, { token })
  return kept && kept.until > nowSeconds() ? kept : undefined
}

/** Changes a session as it is now. These changes must happen, so one that another request overtook is made again. */
const settle = (id: string, changes: (it: Session) => Partial<Session> | undefined): Promise<void> =>
  commitPlan(async () => {
    const old = await get(session, { id })
    const wanted = old && changes(old)
    return { result: undefined, writes: wanted ? [put(session, withNextVersion(old, wanted), old)] : [] }
  })
