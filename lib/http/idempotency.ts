import { createHash } from 'node:crypto'
import { isProblem, keyReused, malformed } from '../errors.ts'
import type { Actor } from '../permissions.ts'
import { Reply } from './reply.ts'
import type { Request } from './request.ts'
import { type KeepReply, type KeptReply, replyUnder } from './throttle.ts'

/**
 * Runs `work`, or answers what it answered before under the same Idempotency-Key. Of two at once one has the effect, and
 * the other gets its reply. Fails with `keyReused` when the key has named another request.
 */
export async function withIdempotencyKey(
  lifetime: '24h' | undefined,
  { headers }: Request,
  actor: Actor | null,
  asked: object,
  work: (once: KeepReply) => Promise<unknown>,
): Promise<unknown> {
  const key = headers['idempotency-key']
  if (!lifetime || !actor || key === undefined) return work(() => [])
  if (!/^[\x21-\x7e]{1,200}$/.test(key)) throw malformed('An Idempotency-Key has 1 to 200 visible ASCII characters.')
  const digest = createHash('sha256').update(JSON.stringify(asked)).digest('base64url')
  const { before, once } = await replyUnder(actor.id, key, digest)
  if (before) return again(before, digest)
  try {
    return await work(once)
  } catch (error) {
    if (!isProblem(error, 'in_progress')) throw error
    const first = (await replyUnder(actor.id, key, digest)).before
    if (!first) throw error
    return again(first, digest)
  }
}

function again(kept: KeptReply, digest: string): Reply {
  if (kept.digest !== digest) throw keyReused()
  return new Reply(kept.status, JSON.parse(kept.body), { 'idempotent-replayed': 'true' })
}
