import * as v from 'valibot'
import { newId, now, nowSeconds } from '../../base/clock.ts'
import { isConflict, noneIf } from '../../base/errors.ts'
import * as s from '../../base/shapes.ts'
import { cut } from '../../engines/matching/index.ts'
import { commitWrites } from '../../engines/table/immediate.ts'
import {
  defineItem,
  get,
  getManyOnce,
  itemIn,
  type Key,
  parse,
  put,
  type UnitOfWork,
  walk,
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
  /** When the person signed in. Empty for sessions from before this member was stored. */
  created_at: v.optional(v.string(), ''),
  /** When its tokens were last refreshed. A refresh writes the session anyway. */
  last_used_at: v.optional(v.string(), ''),
  /** The `User-Agent` of the sign-in, for its person to recognise. */
  client: v.optional(v.string(), ''),
  version: v.number(),
})
export type Session = v.InferOutput<typeof Session>

const session = defineItem({
  type: 'session',
  schema: Session,
  key: ({ id }: { id: string }) => key.token(`session#${id}`),
  indexes: ({ user_id, created_at, id }) =>
    created_at === '' ? {} : { gsi3: { pk: sessionList(user_id), sk: `${created_at}#${id}` } },
  expires: (it) => it.until,
})

const sessionList = (user: string) => `SESSION#${user}`

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

/** The most characters that are kept of a client's name. */
const CLIENT_LETTERS = 200

/** Opens a session for a user. It can be refreshed until `until`, in seconds. `client` is the program that the person uses. */
export function openSession(
  unit: UnitOfWork,
  { id: user_id, token_generation }: User,
  until: number,
  client = '',
): Session {
  const at = now()
  const opened: Session = {
    id: newId(),
    user_id,
    generation: token_generation,
    state: 'open',
    serial: 1,
    denied: [],
    until,
    created_at: at,
    last_used_at: at,
    client: cut(client, CLIENT_LETTERS),
    version: 1,
  }
  unit.add([put(session, opened, undefined)])
  return opened
}

/**
 * Loads a session and its user as they are now, in one call, which also reads the items of `extraKeys`. Undefined if either is absent, or
 * if the session has expired or is of an earlier generation. The caller looks at `state`.
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
  const next = withNextVersion(old, { serial: old.serial + 1, until, last_used_at: now() })
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
 * Stores whose token this is, under the hash of the token. It commits by itself, since a caller is identified before the request has a
 * unit of work. If another process stores the same token at the same time, its item stands, since both say the same.
 */
export async function keepIdentity(token: string, { id, ownership }: User, until: number): Promise<void> {
  const old = await get(identity, { token })
  if (old && old.until >= until && old.ownership === ownership) return
  const next = { token, user_id: id, ownership, until, version: 1 } as const
  await commitWrites([put(identity, next, old)]).catch(noneIf(isConflict))
}

/** The owner of a token, the `ownership` of their account, and until when both are remembered, in seconds. */
export type KeptIdentity = { user_id: string; ownership: number; until: number }

/** Loads whose token this is, by the hash of the token. Undefined if no provider has confirmed it in the last minutes. */
export async function loadIdentity(token: string): Promise<KeptIdentity | undefined> {
  const stored = await get(identity, { token })
  return stored && stored.until > nowSeconds() ? stored : undefined
}

/** Changes a session as it is now. If another request changes the session first, the unit runs again, so no change is lost. */
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

/** The most sessions that a list reads. */
const MOST_SESSIONS = 200

/** Lists the open sessions among the last 200 of a user, newest first. One call. A new one may be missing, since the index lags. */
export async function listSessions({ id, token_generation }: User): Promise<Session[]> {
  const items = await walk({ index: 'gsi3', pk: sessionList(id), forward: false, limit: MOST_SESSIONS })
  return items
    .map((it) => parse(session, it))
    .filter((it) => it.state === 'open' && it.until > nowSeconds() && it.generation === token_generation)
}

export const SessionView = s.shape('Session', () =>
  v.object({
    id: s.uuid,
    created_at: s.time,
    last_used_at: s.time,
    expires_at: s.time,
    client: s.text,
    is_current: v.boolean(),
  }),
)

/** A session as its person sees it. `current` is the id of the session that asks. */
export const sessionView = ({ id, created_at, last_used_at, until, client }: Session, current: string | undefined) => ({
  id,
  created_at,
  last_used_at,
  expires_at: new Date(until * 1000).toISOString(),
  client,
  is_current: id === current,
})
