import '../lib/domain/composition.ts'
import type { Context, DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda'
import { orUndo } from '../lib/base/errors.ts'
import { invokeLater, siblingFunction } from '../lib/base/telemetry/invoke.ts'
import { log } from '../lib/base/telemetry/log.ts'
import { beginThumbnail, endThumbnail, findFileWork, thumbnailKey } from '../lib/domain/projects/assets/file-jobs.ts'
import type { Asset } from '../lib/domain/projects/items.ts'
import { findScanWork } from '../lib/domain/scans/reading.ts'
import { deleteObject, getObject, putObject } from '../lib/engines/bucket/index.ts'
import { makePdfThumbnail, makeThumbnail } from '../lib/engines/media/index.ts'
import { changesOf } from '../lib/engines/table/index.ts'
import { worker } from '../lib/platform/worker.ts'

/**
 * Follows the assets and uploads of projects:
 *
 * 1. It draws a thumbnail of each new image, and of the first page of each PDF.
 * 2. It deletes the objects of assets that are gone.
 * 3. It calls `ocr` for files and scanned documents whose text is to be read.
 *
 * Every step may be repeated. The first change that fails comes again, with those after it.
 */
export const handler = worker(async (event: DynamoDBStreamEvent, context: Context): Promise<DynamoDBBatchResponse> => {
  const reader = siblingFunction(context.functionName, 'asset-files', 'ocr')
  for (const record of event.Records) {
    try {
      await follow(record, reader)
    } catch (error) {
      log({ level: 'error', message: 'asset files', error: error instanceof Error ? error.name : 'unknown' })
      return { batchItemFailures: [{ itemIdentifier: record.dynamodb?.SequenceNumber ?? '' }] }
    }
  }
  return { batchItemFailures: [] }
})

async function follow(record: DynamoDBRecord, reader: string): Promise<void> {
  const [images] = await changesOf([record])
  if (!images?.[0]) return
  const scan = findScanWork(images[0])
  if (scan) return invokeLater(reader, scan)
  const { draw, clear, read } = await findFileWork(images[0])
  for (const key of clear) await deleteObject(key)
  if (draw) {
    const taken = await beginThumbnail(draw)
    const forget = () => endThumbnail(draw, null)
    if (taken) await orUndo(() => storeThumbnail(taken), forget)
  }
  if (read) await invokeLater(reader, read)
}

/** Stores the thumbnail of an asset. A file without a readable image gets none. If the asset is deleted meanwhile, so is the thumbnail. */
async function storeThumbnail(asset: Asset): Promise<void> {
  const image = await getObject(asset.object_key)
  const small = image && (await (asset.media_type === 'image' ? makeThumbnail : makePdfThumbnail)(image.bytes))
  if (!small) {
    await endThumbnail(asset, null)
    return
  }
  const key = thumbnailKey(asset)
  await putObject(key, small, 'image/webp')
  if (!(await endThumbnail(asset, key))) await deleteObject(key)
}
