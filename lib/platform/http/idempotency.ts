import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { keyReused, malformedInput } from '../../base/errors.ts'
import type { Actor } from '../permissions.ts'
import { Reply } from './reply.ts'
import type { Request } from './request.ts'
import { type KeepReply, type KeptReply, replyUnder } from './throttle.ts'

/**
 * Runs `work`, or answers what it answered before under the same Idempotency-Key. `work` is given how its reply is kept: by
 * writes for the unit of work that has the effect. Of two requests at once one has the effect, and the other gets its reply.
 * Fails with `keyReused` when the key has named another request.
 */
export async function withIdempotencyKey(
  lifetime: '24h' | undefined,
  { headers }: Request,
  actor: Actor | null,
  asked: { body: unknown },
  work: (keep?: KeepReply) => Promise<Reply>,
): Promise<Reply> {
  const key = headers['idempotency-key']
  if (!lifetime || !actor || key === undefined) return work()
  if (!/^[\x21-\x7e]{1,200}$/.test(key))
    throw malformedInput('An Idempotency-Key has 1 to 200 visible ASCII characters.')
  const digest = await digestOf(asked)
  const { before, once } = await replyUnder(actor.id, key, digest)
  if (before) return again(before, digest)
  try {
    return await work(once)
  } catch (error) {
    // Its twin may have been faster, or it was done and only the table's word of it was lost.
    const first = (await replyUnder(actor.id, key, digest)).before
    if (!first) throw error
    return again(first, digest)
  }
}

/** Of everything that is asked; a file counts by its bytes, since the boundary of a form is another each time. */
async function digestOf(asked: { body: unknown }): Promise<string> {
  const files = Object.values(asked.body ?? {}).filter((it) => it instanceof File)
  const hash = createHash('sha256').update(JSON.stringify(asked))
  for (const file of files) hash.update(`${file.name}\n${file.type}\n`).update(await file.bytes())
  return hash.digest('base64url')
}

function again(kept: KeptReply, digest: string): Reply {
  if (kept.digest !== digest) throw keyReused()
  const body = kept.packed ? gunzipSync(Buffer.from(kept.body, 'base64')).toString() : kept.body
  return new Reply(kept.status, JSON.parse(body), { 'idempotent-replayed': 'true' })
}
