import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import * as v from 'valibot'
import { clock, newId, now } from '../../base/clock.ts'
import { impossible, isConflict, noneIf } from '../../base/errors.ts'
import * as s from '../../base/shapes.ts'
import { commitWrites } from '../../engines/table/immediate.ts'
import {
  defineItem,
  get,
  getMany,
  itemIn,
  type Plan,
  parse,
  put,
  remove,
  type UnitOfWork,
  walk,
  withNextVersion,
} from '../../engines/table/index.ts'
import { type Actor, keyScopes } from '../permissions.ts'
import { key } from '../table/keys.ts'
import { storedOwnership } from './users.ts'

/** Keys for machines. Only a hash of the secret is stored. A secret of 256 random bits needs no slow hash. */
const ApiKey = v.object({
  id: v.string(),
  user_id: v.string(),
  name: v.string(),
  scopes: v.array(v.picklist(keyScopes)),
  /** SHA-256 of the secret, in base64url. */
  hash: v.string(),
  created_at: v.string(),
  /** Not `expires_at`: that attribute is the table's time to live. */
  good_until: v.string(),
  last_used_at: v.nullable(v.string()),
  ownership: storedOwnership,
  version: v.number(),
})
export type ApiKey = v.InferOutput<typeof ApiKey>

const apiKey = defineItem({
  type: 'api_key',
  schema: ApiKey,
  key: ({ id }: { id: string }) => key.token(`key#${id}`),
  indexes: (it) => ({ gsi3: { pk: keyList(it.user_id), sk: `${it.created_at}#${it.id}` } }),
  expires: (it) => Math.floor(Date.parse(it.good_until) / 1000) + KEPT_S,
})
const keyList = (user: string) => `KEY#${user}`

const DAY_S = 86_400
/** Seconds that an expired key is still listed. */
const KEPT_S = 30 * DAY_S
/** The most keys of one person. */
const MOST_KEYS = 20
/** Seconds between two writes of the last use. So a call with a key seldom writes. */
const USED_S = 3600

/** The beginning of each key. It differs from other tokens, and scanners for leaked secrets find it. */
const PREFIX = 'hgk_'
const form = /^hgk_([0-9a-f]{32})_([A-Za-z0-9_-]{43})$/

/** Whether a token begins like a key. `verifyKey` checks whether it is valid. */
export const isKey = (token: string): boolean => token.startsWith(PREFIX)

/** Creates a key for a person. Only this call returns the token. Fails with `invalid` if the person has too many keys. */
export async function createKey(unit: UnitOfWork, by: Owner, given: NewKey): Promise<CreatedKey> {
  unit.retryOn('conflict')
  return unit.addPlan(await planKey(by, given))
}

type Owner = Pick<Actor, 'id' | 'ownership'>
type NewKey = Pick<ApiKey, 'name' | 'scopes'> & { days: number }
type CreatedKey = { made: ApiKey; token: string }

async function planKey(by: Owner, given: NewKey): Promise<Plan<CreatedKey>> {
  if ((await listKeys(by)).length >= MOST_KEYS)
    throw impossible(`Nobody has more than ${MOST_KEYS} keys. Revoke one first.`)
  const secret = randomBytes(32).toString('base64url')
  const id = newId()
  const at = clock.now().getTime()
  const made: ApiKey = {
    id,
    user_id: by.id,
    name: given.name,
    scopes: given.scopes,
    hash: hashOf(secret),
    created_at: new Date(at).toISOString(),
    good_until: new Date(at + given.days * DAY_S * 1000).toISOString(),
    last_used_at: null,
    ownership: by.ownership ?? 1,
    version: 1,
  }
  const token = `${PREFIX}${id.replaceAll('-', '')}_${secret}`
  return { result: { made, token }, writes: [put(apiKey, made, undefined)] }
}

/**
 * Lists a person's keys, newest first, without those of an earlier owner of the account. One call. A new key may be missing for a
 * moment, since the index lags.
 */
export const listKeys = async ({ id, ownership = 1 }: Owner): Promise<ApiKey[]> =>
  (await walk({ index: 'gsi3', pk: keyList(id), forward: false, limit: MOST_KEYS * 2 }))
    .map((it) => parse(apiKey, it))
    .filter((it) => it.ownership === ownership)

export const loadKey = (id: string): Promise<ApiKey | undefined> => get(apiKey, { id })

/** The ids among these whose keys are good now: neither revoked nor expired. One call. */
export async function findGoodKeys(ids: readonly string[]): Promise<Set<string>> {
  const found = await getMany(ids.map((id) => apiKey.key({ id })))
  return new Set(ids.filter((id) => (itemIn(found, apiKey, { id })?.good_until ?? '') > now()))
}

/** Removes a key, so its token is refused from now on. Does nothing if it is gone already. */
export async function revokeKey(unit: UnitOfWork, id: string): Promise<void> {
  unit.retryOn('conflict')
  const old = await loadKey(id)
  if (old) unit.add([remove(apiKey, old)])
}

/**
 * Returns the key of a token. Undefined if the secret is wrong or the key is gone or expired. One call, and at most one write an hour.
 */
export async function verifyKey(token: string): Promise<ApiKey | undefined> {
  const [, hex = '', secret = ''] = form.exec(token) ?? []
  if (hex === '') return undefined
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  const it = await loadKey(id)
  if (!it || !isSame(it.hash, hashOf(secret)) || it.good_until <= now()) return undefined
  await noteUse(it)
  return it
}

const hashOf = (secret: string) => createHash('sha256').update(secret).digest('base64url')
const isSame = (a: string, b: string) => timingSafeEqual(Buffer.from(a), Buffer.from(b))

async function noteUse(it: ApiKey): Promise<void> {
  const at = clock.now().getTime()
  if (it.last_used_at !== null && at - Date.parse(it.last_used_at) < USED_S * 1000) return
  const used = withNextVersion<ApiKey>(it, { last_used_at: new Date(at).toISOString() })
  // A conflict means that another call has noted its use, or that the key was revoked.
  await commitWrites([put(apiKey, used, it)]).catch(noneIf(isConflict))
}

export const KeyView = s.shape('Key', () =>
  v.object({
    id: s.uuid,
    name: s.text,
    scopes: v.array(s.oneOf(keyScopes)),
    created_at: s.time,
    expires_at: s.time,
    last_used_at: s.maybe(s.time),
    is_expired: v.boolean(),
  }),
)
export const NewKeyView = s.shape('NewKey', () => v.object({ ...KeyView.entries, token: s.text }))

/** A key as its owner sees it, without secret or hash. */
export const keyView = ({ id, name, scopes, created_at, good_until, last_used_at }: ApiKey) => ({
  ...{ id, name, scopes, created_at, expires_at: good_until, last_used_at },
  is_expired: good_until <= now(),
})
