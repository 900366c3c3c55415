import { setTimeout as sleep } from 'node:timers/promises'
import type { Scene } from './gaps.ts'
import { invalidReply } from './replies.ts'
import { good, signedIn } from './speaker.ts'

/** Only the commit of a graph also deletes an item: the note of the stored file. */
const isCommit = (body: string) => body.includes('"graph/') && body.includes('"Delete"')

/**
 * The graphs of the bucket are gone, and the projector makes them anew. While it stores one the table refuses once, so it deletes the
 * object that no item names.
 */
export async function graphsGone({ world, runtime, origin }: Scene): Promise<void> {
  const { deleteObject, listKeys } = await import('../../lib/engines/bucket/blobs.ts')
  for (const key of await listKeys('graph/')) await deleteObject(key)
  runtime.cool('projector')
  let isRefused = false
  world.meddle = async (signer, operation, body) => {
    if (isRefused || signer !== 'projector' || operation !== 'TransactWriteItems' || !isCommit(body)) return undefined
    isRefused = true
    return invalidReply
  }
  const dev = await signedIn(origin, 'dev')
  good(await dev('POST', '/cidoc/structures/', { name: `Shrine of graphs ${Date.now()}` }))
  for (let turn = 0; turn < 80; turn += 1) {
    if (isRefused && (await listKeys('graph/')).length > 0) return
    await sleep(250)
  }
  throw new Error(isRefused ? 'no graph is made' : 'no graph was refused')
}
