import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import * as v from 'valibot'
import { clock, newId, now } from '../../base/clock.ts'
import { impossible, isConflict, noneIf } from '../../base/errors.ts'
import * as s from '../../base/shapes.ts'
import {
  commitWrites,
  defineItem,
  get,
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

/** Keys for machines. Of the secret only a hash is kept: 256 bits of chance need no slow one. */
const ApiKey = v.object({
  id: v.string(),
  user_id: v.string(),
  name: v.string(),
  scopes: v.array(v.picklist(keyScopes)),
  /** SHA-256 of the secret, in base64url. */
  hash: v.string(),
  created_at: v.string(),
  /** `expires_at` is the table's word for when it drops an item. */
  good_until: v.string(),
  last_used_at: v.nullable(v.string()),
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
/** A key that has expired is shown for so long. */
const KEPT_S = 30 * DAY_S
/** A person has so many at most. */
const MOST_KEYS = 20
/** How exactly the last use is told, so that a use is seldom a write. */
const USED_S = 600

/** What keys begin with, so that they are told from other tokens, and found by scanners where they were left lying. */
const PREFIX = 'hgk_'
const form = /^hgk_([0-9a-f]{32})_([A-Za-z0-9_-]{43})$/

/** Whether a token is written as a key; whether it is a good one is another matter. */
export const isKey = (token: string): boolean => token.startsWith(PREFIX)

/** Makes a key of a person's. The token is told here and never again. Fails with `invalid` when they have too many. */
export async function createKey(unit: UnitOfWork, by: Pick<Actor, 'id'>, given: NewKey): Promise<CreatedKey> {
  unit.retryOn('conflict')
  return unit.addPlan(await planKey(by, given))
}

type NewKey = Pick<ApiKey, 'name' | 'scopes'> & { days: number }
type CreatedKey = { made: ApiKey; token: string }

async function planKey(by: Pick<Actor, 'id'>, given: NewKey): Promise<Plan<CreatedKey>> {
  if ((await listKeys(by.id)).length >= MOST_KEYS)
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
    version: 1,
  }
  const token = `${PREFIX}${id.replaceAll('-', '')}_${secret}`
  return { result: { made, token }, writes: [put(apiKey, made, undefined)] }
}

/** A person's keys, newest first. One call; a key that was just made may be missing for a moment. */
export const listKeys = async (user: string): Promise<ApiKey[]> =>
  (await walk({ index: 'gsi3', pk: keyList(user), forward: false, limit: MOST_KEYS * 2 })).map((it) =>
    parse(apiKey, it),
  )

/** A key by its id. */
export const loadKey = (id: string): Promise<ApiKey | undefined> => get(apiKey, { id })

/** Takes a key away: from now on it is no good. Done by somebody else already is done. */
export async function revokeKey(unit: UnitOfWork, id: string): Promise<void> {
  unit.retryOn('conflict')
  const old = await loadKey(id)
  if (old) unit.add([remove(apiKey, old)])
}

/** The key that a token is, if it is good now. One call; now and then one more, which notes the use. */
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
  // Another use was noted at the same moment, or the key has just been revoked.
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

/** A key as its owner sees it. */
export const keyView = ({ id, name, scopes, created_at, good_until, last_used_at }: ApiKey) => ({
  ...{ id, name, scopes, created_at, expires_at: good_until, last_used_at },
  is_expired: good_until <= now(),
})
