import { createHash } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import * as v from 'valibot'
import { nowSeconds } from '../../base/clock.ts'
import { inProgress, keyReused, malformedInput } from '../../base/errors.ts'
import { defineItem, get, parse, put, type Stored, type Write } from '../../engines/table/index.ts'
import type { Actor } from '../permissions.ts'
import { key } from '../table/keys.ts'
import { Reply } from './reply.ts'
import type { Request } from './request.ts'

/** The reply to a request that had an Idempotency-Key. */
const StoredReply = v.object({
  user_id: v.string(),
  key: v.string(),
  /** The digest of the request. A key belongs to one request. */
  digest: v.string(),
  status: v.number(),
  /** The body as JSON. If `packed`, it is compressed with gzip and encoded in base64. */
  body: v.string(),
  packed: v.optional(v.literal(true)),
  until: v.number(),
  version: v.number(),
})
type StoredReply = v.InferOutput<typeof StoredReply>
const storedReply = defineItem({
  type: 'reply',
  schema: StoredReply,
  key: (it: { user_id: string; key: string }) => key.reply(it.user_id, it.key),
  expires: (it) => it.until,
})

const DAY_S = 86_400

/** Makes the write that stores a reply. It belongs to the same transaction as the changes of the request. */
export type StoreReply = (reply: { status: number; body: unknown }) => Write

/**
 * Runs `work`, or returns its stored reply if the same caller sent the same request under this Idempotency-Key in the last 24 hours. `work`
 * gets `storeReply` if the request has a key. If two equal requests run at once, only one changes anything, and both get its reply. Fails
 * with `keyReused` if the key belongs to another request.
 */
export async function withIdempotencyKey(
  lifetime: '24h' | undefined,
  { headers }: Request,
  actor: Actor | null,
  input: { body: unknown },
  work: (storeReply?: StoreReply) => Promise<Reply>,
): Promise<Reply> {
  const name = headers['idempotency-key']
  if (!lifetime || !actor || name === undefined) return work()
  if (!/^[\x21-\x7e]{1,200}$/.test(name))
    throw malformedInput('An Idempotency-Key has 1 to 200 visible ASCII characters.')
  const id = { user_id: actor.id, key: name }
  const digest = await digestOf(input)
  const old = await get(storedReply, id)
  if (isValid(old)) return repeatReply(old, digest)
  try {
    return await work((reply) => put(storedReply, packReply({ ...id, digest, reply, old }), old, inProgress))
  } catch (error) {
    // Either another request with this key was faster, or this one is stored and only the table's answer was lost.
    const first = await get(storedReply, id)
    if (!isValid(first)) throw error
    return repeatReply(first, digest)
  }
}

const isValid = (stored: StoredReply | undefined): stored is StoredReply =>
  stored !== undefined && stored.until > nowSeconds()

/** A longer body is compressed: in a transaction each kilobyte costs two units, and an item holds 400 KB at most. */
const COMPRESSED_FROM = 2000

function packReply(input: {
  user_id: string
  key: string
  digest: string
  reply: { status: number; body: unknown }
  old: StoredReply | undefined
}): StoredReply {
  const { reply, old, ...identity } = input
  const body = JSON.stringify(reply.body)
  return {
    ...identity,
    status: reply.status,
    ...(body.length < COMPRESSED_FROM ? { body } : { body: gzipSync(body).toString('base64'), packed: true }),
    until: nowSeconds() + DAY_S,
    version: (old?.version ?? 0) + 1,
  }
}

function repeatReply(stored: StoredReply, digest: string): Reply {
  if (stored.digest !== digest) throw keyReused()
  const body = stored.packed ? gunzipSync(Buffer.from(stored.body, 'base64')).toString() : stored.body
  return new Reply(stored.status, JSON.parse(body), { 'idempotent-replayed': 'true' })
}

/**
 * Computes the digest of route, path, query and body. Of a form, the members and the bytes of files are hashed, since the boundary
 * differs each time.
 */
async function digestOf(input: { body: unknown }): Promise<string> {
  const files = Object.values(input.body ?? {}).filter((it) => it instanceof File)
  const hash = createHash('sha256').update(JSON.stringify(input))
  for (const file of files) hash.update(`${file.name}\n${file.type}\n`).update(await file.bytes())
  return hash.digest('base64url')
}

/** The text of a stored reply's body, as it is answered. */
export function replyText(stored: Stored): string {
  const { body, packed } = parse(storedReply, stored)
  return packed ? gunzipSync(Buffer.from(body, 'base64')).toString() : body
}
