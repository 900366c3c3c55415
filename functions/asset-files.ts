import type { Context, DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda'
import { deleteObject, getObject, putObject } from '../lib/files/blobs.ts'
import { thumbnailOf, thumbnailOfPdf } from '../lib/files/thumbnails.ts'
import { besides, invokeLater } from '../lib/ops/invoke.ts'
import { log } from '../lib/ops/log.ts'
import { fileWork, hang, thumbnailKey } from '../lib/projects/assets/file-jobs.ts'
import type { Asset } from '../lib/projects/items.ts'
import { changesOf } from '../lib/table/stream.ts'

/**
 * Follows the assets and uploads of projects: draws a thumbnail of each new image and of the first page of each PDF,
 * clears away the objects of what is no more, and has the text read of those that wait for it. Every step may be repeated. The first change that fails comes again,
 * with those after it.
 */
export async function handler(event: DynamoDBStreamEvent, context: Context): Promise<DynamoDBBatchResponse> {
  const reader = besides(context.functionName, 'asset-files', 'ocr')
  for (const record of event.Records) {
    try {
      await follow(record, reader)
    } catch (error) {
      log({ level: 'error', message: 'asset files', error: error instanceof Error ? error.name : 'unknown' })
      return { batchItemFailures: [{ itemIdentifier: record.dynamodb?.SequenceNumber ?? '' }] }
    }
  }
  return { batchItemFailures: [] }
}

async function follow(record: DynamoDBRecord, reader: string): Promise<void> {
  const [images] = await changesOf([record])
  if (!images?.[0]) return
  const { draw, clear, read } = await fileWork(images[0])
  for (const key of clear) await deleteObject(key)
  if (draw) await thumbnail(draw)
  if (read) await invokeLater(reader, read)
}

/** A file that cannot be drawn small has no thumbnail; one that has gone meanwhile leaves none behind. */
async function thumbnail(asset: Asset): Promise<void> {
  const image = await getObject(asset.object_key)
  const small = image && (await (asset.media_type === 'image' ? thumbnailOf : thumbnailOfPdf)(image.bytes))
  if (!small) return
  const key = thumbnailKey(asset)
  await putObject(key, small, 'image/webp')
  if (!(await hang(asset, key))) await deleteObject(key)
}
