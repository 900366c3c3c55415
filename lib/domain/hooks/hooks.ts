import { randomBytes } from 'node:crypto'
import * as v from 'valibot'
import { newId, now } from '../../base/clock.ts'
import { config } from '../../base/config.ts'
import { impossible, invalid } from '../../base/errors.ts'
import * as s from '../../base/shapes.ts'
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
} from '../../engines/table/index.ts'
import { sealText, unsealText } from '../../platform/http/seal.ts'
import type { Actor } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { findGoodKeys } from '../../platform/users/keys.ts'
import { keyOf, mayActFor, storedOwnership, user } from '../../platform/users/users.ts'
import { changeSorts } from '../feed/items.ts'
import { feedKinds, loadLastNumber } from '../feed/read.ts'
import { kindKeys } from '../kinds/index.ts'
import { isPublicUrl } from '../webhooks/send.ts'

/** A receiver of the feed, registered by a person or a key. */
const Hook = v.object({
  id: v.string(),
  user_id: v.string(),
  ownership: storedOwnership,
  /** The key for machines that made the hook; the hook is removed with it. Null if a person made it. */
  key_id: v.optional(v.nullable(v.string()), null),
  url: v.string(),
  /** The sorts of change that it gets. */
  changes: v.array(v.picklist(changeSorts)),
  kinds: v.array(v.picklist(kindKeys)),
  /** The key that signs its messages. It is sealed and not hashed, because signing needs the key itself. */
  secret: v.string(),
  /** The origin of the request that created the hook. The addresses of records in messages begin with it. */
  origin: v.string(),
  /** The number of the last change that was sent to the hook or left out by its filter. */
  position: v.number(),
  /** How many runs in a row began its next message and did not store it. See lib/engines/table/takes.ts. */
  takes: v.optional(v.number(), 0),
  created_at: v.string(),
  version: v.number(),
})
export type Hook = v.InferOutput<typeof Hook>

export const hook = defineItem({
  type: 'hook',
  schema: Hook,
  key: ({ id }: { id: string }) => key.hook(id),
  indexes: (it) => {
    const sk = `${it.created_at}#${it.id}`
    return { gsi2: { pk: ALL, sk }, gsi3: { pk: listOf(it.user_id), sk } }
  },
})
const ALL = 'HOOK'
const listOf = (user: string) => `HOOK#OF#${user}`

/** The most hooks of one person. */
const MOST_HOOKS = 10
/** Binds a sealed secret to its hook. */
const context = (id: string) => `hook ${id}`

/** The kinds that a hook may ask for. */
export const hookKinds: readonly (typeof kindKeys)[number][] = [...feedKinds, 'entity_cluster']
/** Anybody may create a hook. So in every stage but `local` only public addresses are allowed. */
export const isGuarded = (): boolean => config.STAGE !== 'local'

type HookInput = Pick<Hook, 'url' | 'changes' | 'kinds'>

/**
 * Creates a hook, which gets all later changes. Only this answer contains the secret. Fails with `invalid` if the address is not
 * allowed, or if the person has too many hooks.
 */
export async function createHook(
  unit: UnitOfWork,
  by: Actor,
  input: HookInput,
  origin: string,
): Promise<{ created: Hook; secret: string }> {
  unit.retryOn('conflict')
  return unit.addPlan(await planHook(by, input, origin))
}

async function planHook(by: Actor, input: HookInput, origin: string): Promise<Plan<{ created: Hook; secret: string }>> {
  await checkUrl(input.url)
  if ((await listHooksOf(by)).length >= MOST_HOOKS)
    throw impossible(`Nobody has more than ${MOST_HOOKS} hooks. Remove one first.`)
  const secret = randomBytes(32).toString('base64url')
  const id = newId()
  const created: Hook = {
    id,
    user_id: by.id,
    ownership: by.ownership ?? 1,
    key_id: by.key?.id ?? null,
    url: input.url,
    changes: input.changes,
    kinds: input.kinds,
    secret: sealText(secret, context(id)),
    origin,
    position: await loadLastNumber(),
    takes: 0,
    created_at: now(),
    version: 1,
  }
  return { result: { created, secret }, writes: [put(hook, created, undefined)] }
}

async function checkUrl(url: string): Promise<void> {
  const at = new URL(url)
  if (at.username !== '' || at.password !== '') throw invalid({ url: ['Give an address without a password.'] })
  if (!isGuarded()) return
  if (at.protocol !== 'https:') throw invalid({ url: ['Give an address that begins with https:.'] })
  // The port of a URL is empty if it is the usual port of the scheme.
  if (!config.HOOK_PORTS.includes(at.port || '443'))
    throw invalid({ url: [`Give one of these ports: ${config.HOOK_PORTS.join(', ')}.`] })
  if (!(await isPublicUrl(at))) throw invalid({ url: ['This is no address of the public internet.'] })
}

/**
 * Lists the hooks of the caller, newest first: a person's hooks, or those that the caller's key has made. It reads an index, so a
 * hook created a moment ago may be missing.
 */
export const listHooks = async (by: Actor): Promise<Hook[]> =>
  (await listHooksOf(by)).filter((it) => !by.key || it.key_id === by.key.id)

/** Lists all hooks of a person, without those of an earlier owner of the account. */
const listHooksOf = async ({ id, ownership = 1 }: Pick<Actor, 'id' | 'ownership'>): Promise<Hook[]> =>
  (await walk({ index: 'gsi3', pk: listOf(id), forward: false, limit: MOST_HOOKS * 2 }))
    .map((it) => parse(hook, it))
    .filter((it) => it.ownership === ownership)

/** Lists the hooks of all people after a sort key, oldest first. `last` is the sort key to continue from. */
export const listHooksAfter = async (
  beyond: string | undefined,
  limit: number,
): Promise<{ hooks: Hook[]; last: string }> => {
  const items = await walk({ index: 'gsi2', pk: ALL, forward: true, limit, beyond })
  return { hooks: items.map((it) => parse(hook, it)), last: String(items.at(-1)?.gsi2_sk) }
}

/**
 * The hooks among these that are void, and get nothing more. Their key is revoked or expired, or their person is inactive, gone or not the
 * owner any more. Two calls.
 */
export async function findVoidHooks(hooks: readonly Hook[]): Promise<Hook[]> {
  const keyIds = hooks.flatMap(({ key_id }) => key_id ?? [])
  const [owners, goodKeys] = await Promise.all([
    getMany(hooks.map(({ user_id }) => keyOf(user_id))),
    findGoodKeys(keyIds),
  ])
  return hooks.filter(
    (it) =>
      !mayActFor(itemIn(owners, user, { id: it.user_id }), it) || (it.key_id !== null && !goodKeys.has(it.key_id)),
  )
}

/** Removes the hooks that a key has made, in the transaction that revokes the key. One call, and one for each such hook. */
export async function removeHooksOfKey(unit: UnitOfWork, { id, user_id }: { id: string; user_id: string }) {
  const all = await walk({ index: 'gsi3', pk: listOf(user_id), forward: false, limit: MOST_HOOKS * 2 })
  for (const { key_id, id: made } of all.map((it) => parse(hook, it))) if (key_id === id) await removeHook(unit, made)
}

export const loadHook = (id: string): Promise<Hook | undefined> => get(hook, { id })

/** Removes a hook. Its waiting messages are not sent any more. Safe to repeat. */
export async function removeHook(unit: UnitOfWork, id: string): Promise<void> {
  unit.retryOn('conflict')
  const old = await loadHook(id)
  if (old) unit.add([remove(hook, old)])
}

/** The key that signs a hook's messages, unsealed. Undefined where the secret key that sealed it is no longer known. */
export const secretOf = (it: Hook): string | undefined => unsealText(it.secret, context(it.id))

export const HookView = s.shape('Hook', () =>
  v.object({
    id: s.uuid,
    url: s.text,
    changes: v.array(s.oneOf(['created', 'updated', 'withdrawn'])),
    kinds: v.array(s.text),
    position: s.whole,
    key_id: s.maybe(s.uuid),
    created_at: s.time,
  }),
)
export const NewHookView = s.shape('NewHook', () => v.object({ ...HookView.entries, secret: s.text }))

/** A hook as its owner sees it, without the secret. */
export const hookView = ({ id, url, changes, kinds, position, key_id, created_at }: Hook) => ({
  id,
  url,
  changes,
  kinds,
  position,
  key_id,
  created_at,
})
