import type { SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { deleteObject, getObject, putObject } from '../lib/files/blobs.ts'
import { thumbnailOf } from '../lib/files/thumbnails.ts'
import { log } from '../lib/ops/log.ts'
import { fileWork, hang, thumbnailKey } from '../lib/projects/assets/file-jobs.ts'
import type { Asset } from '../lib/projects/items.ts'
import { imagesOf } from '../lib/table/stream.ts'

/**
 * Follows the assets and uploads of projects: draws a thumbnail of each new image, and clears away the objects of what
 * is no more. Every step may be repeated. A message that fails comes again, apart from the others.
 */
export async function handler(event: SQSEvent): Promise<SQSBatchResponse> {
  const batchItemFailures: SQSBatchResponse['batchItemFailures'] = []
  for (const { messageId, body } of event.Records) {
    try {
      const { draw, clear } = await fileWork(imagesOf(JSON.parse(body)))
      for (const key of clear) await deleteObject(key)
      if (draw) await thumbnail(draw)
    } catch (error) {
      log({ level: 'error', message: 'asset files', error: error instanceof Error ? error.name : 'unknown' })
      batchItemFailures.push({ itemIdentifier: messageId })
    }
  }
  return { batchItemFailures }
}

/** An image that cannot be drawn small has no thumbnail; one that has gone meanwhile leaves none behind. */
async function thumbnail(asset: Asset): Promise<void> {
  const image = await getObject(asset.object_key)
  const small = image && (await thumbnailOf(image.bytes))
  if (!small) return
  const key = thumbnailKey(asset)
  await putObject(key, small, 'image/webp')
  if (!(await hang(asset, key))) await deleteObject(key)
}
