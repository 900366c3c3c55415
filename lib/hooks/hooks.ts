import { randomBytes } from 'node:crypto'
import * as v from 'valibot'
import { changeSorts } from '../changes/items.ts'
import { lastNumber, toldKinds } from '../changes/read.ts'
import { newId, now } from '../clock.ts'
import { config } from '../config.ts'
import { impossible, invalid } from '../errors.ts'
import { seal, unseal } from '../http/seal.ts'
import { kindKeys } from '../kinds/index.ts'
import type { Actor } from '../permissions.ts'
import { isPublicUrl } from '../projects/webhook.ts'
import { defineItem, parse, put, remove } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { get, walk } from '../table/read.ts'
import { type Plan, retryOnConflict } from '../table/retry.ts'

/** Where someone wants to be told of changes of public records. */
const Hook = v.object({
  id: v.string(),
  user_id: v.string(),
  url: v.string(),
  /** What it is told of. */
  changes: v.array(v.picklist(changeSorts)),
  kinds: v.array(v.picklist(kindKeys)),
  /** With what messages are signed; sealed, since it is needed as it is. */
  secret: v.string(),
  /** Where the service lay for whoever set it: addresses of records begin so. */
  origin: v.string(),
  /** The number of the last change that it was told of, or that was none for it. */
  position: v.number(),
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

/** A person has so many at most. */
const MOST = 10
const context = (id: string) => `hook ${id}`

/** The kinds that a hook may be told of. */
export const hookKinds: readonly (typeof kindKeys)[number][] = [...toldKinds, 'entity_cluster']
/** Anybody may set a hook, so beyond one's own machine it leads to the public internet only. */
export const isGuarded = (): boolean => config.STAGE !== 'local'

type Wanted = Pick<Hook, 'url' | 'changes' | 'kinds'>

/**
 * Sets a hook, which hears of all changes from now on. The secret is told here and never again. Fails with `invalid` on an
 * address to which nothing may be sent.
 */
export const create = (by: Actor, wanted: Wanted, origin: string): Promise<{ made: Hook; secret: string }> =>
  retryOnConflict(() => plan(by, wanted, origin))

async function plan(by: Actor, wanted: Wanted, origin: string): Promise<Plan<{ made: Hook; secret: string }>> {
  await checkUrl(wanted.url)
  if ((await list(by.id)).length >= MOST) throw impossible(`Nobody has more than ${MOST} hooks. Remove one first.`)
  const secret = randomBytes(32).toString('base64url')
  const id = newId()
  const made: Hook = {
    ...{ id, user_id: by.id, ...wanted },
    secret: seal(secret, context(id)),
    origin,
    position: await lastNumber(),
    created_at: now(),
    version: 1,
  }
  return { result: { made, secret }, writes: [put(hook, made, undefined)] }
}

async function checkUrl(url: string): Promise<void> {
  const at = new URL(url)
  if (at.username !== '' || at.password !== '') throw invalid({ url: ['Give an address without a password.'] })
  if (!isGuarded()) return
  if (at.protocol !== 'https:') throw invalid({ url: ['Give an address that begins with https:.'] })
  if (!(await isPublicUrl(at))) throw invalid({ url: ['This is no address of the public internet.'] })
}

/** A person's hooks, newest first; one that was just set may be missing for a moment. */
export const list = async (user: string): Promise<Hook[]> =>
  (await walk({ index: 'gsi3', pk: listOf(user), forward: false, limit: MOST * 2 })).map((it) => parse(hook, it))

/** Everybody's hooks, oldest first: the next of them beyond one. */
export const nextHooks = async (beyond: string | undefined, limit: number): Promise<{ hooks: Hook[]; at: string }> => {
  const items = await walk({ index: 'gsi2', pk: ALL, forward: true, limit, beyond })
  return { hooks: items.map((it) => parse(hook, it)), at: String(items.at(-1)?.gsi2_sk) }
}

/** A hook by its id. */
export const load = (id: string): Promise<Hook | undefined> => get(hook, { id })

/** Removes a hook: what waits for it is not sent any more. */
export const removeHook = (id: string): Promise<void> =>
  retryOnConflict(async () => {
    const old = await load(id)
    return { result: undefined, writes: old ? [remove(hook, old)] : [] }
  })

/** What a hook's messages are signed with. */
export const secretOf = (it: Hook): string => unseal(it.secret, context(it.id)) ?? ''

/** A hook as its owner sees it. */
export const hookView = ({ id, url, changes, kinds, position, created_at }: Hook) => ({
  ...{ id, url, changes, kinds, position, created_at },
})
