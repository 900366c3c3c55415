import type { SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { getObject } from '../lib/files/blobs.ts'
import { languagesIn, readText, Unreadable } from '../lib/files/ocr-engine.ts'
import { log } from '../lib/ops/log.ts'
import { mentionsIn } from '../lib/projects/assets/mentions.ts'
import { begin, fail, finish } from '../lib/projects/assets/ocr.ts'
import type { Asset } from '../lib/projects/items.ts'
import { imagesOf } from '../lib/table/stream.ts'

/** What the memory of the function holds, unpacked, beside the reader. */
const MOST_PIXELS = 40_000_000
const MOST_BYTES = 25 * 1024 * 1024
/** Less than the function has, so that the reason can still be written down. */
const SECONDS = 240

/**
 * Reads the text of images that wait for it. What an image does to the reader ends as its own failure, with the reason;
 * what fails around it (the table, the bucket) brings the message back.
 */
export async function handler(event: SQSEvent): Promise<SQSBatchResponse> {
  const batchItemFailures: SQSBatchResponse['batchItemFailures'] = []
  for (const { messageId, body } of event.Records) {
    try {
      const { before, after } = imagesOf(JSON.parse(body))
      // Other changes of an asset that waits are no new request.
      if (!after || before?.ocr_since === after.ocr_since) continue
      const asset = await begin({ project_id: String(after.project_id), id: String(after.id) })
      if (asset) await read(asset)
    } catch (error) {
      log({ level: 'error', message: 'ocr', error: error instanceof Error ? error.name : 'unknown' })
      batchItemFailures.push({ itemIdentifier: messageId })
    }
  }
  return { batchItemFailures }
}

async function read(asset: Asset): Promise<void> {
  if ((asset.width ?? 0) * (asset.height ?? 0) > MOST_PIXELS || asset.size > MOST_BYTES)
    return fail(asset, 'The image is too large to be read: 40 million pixels and 25 MB are taken.')
  const image = await getObject(asset.object_key)
  if (!image) return fail(asset, 'The file is not there any more.')
  try {
    const { text, words } = await readText(image.bytes, languagesIn(asset.ocr_language || asset.language), SECONDS)
    await finish(asset, { ocr_text: text, entity_suggestions: await mentionsIn(text, words) })
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    await fail(asset, error.message)
  }
}
