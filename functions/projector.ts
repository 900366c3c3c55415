import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda'
import { log } from '../lib/log.ts'
import type { Change } from '../lib/search/document.ts'
import { append } from '../lib/search/log.ts'
import { changeOf } from '../lib/store/documents.ts'
import { project } from '../lib/store/projections.ts'
import { imagesOf } from '../lib/table/stream.ts'

/**
 * Follows the table's stream. Changes of a shard come in order, so the first that fails ends the batch: it and what
 * follows are tried again, and go to the dead-letter queue when they never succeed. What search learns of those before it is
 * written together at the end; when that fails all of them come again, which is no harm.
 */
export async function handler(event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> {
  const changes: Change[] = []
  const failed = await firstFailing(event.Records, changes)
  try {
    await append(changes)
  } catch (error) {
    complain(error)
    return failure(event.Records[0])
  }
  return failure(failed)
}

/** Applies the effects of each record and collects what search learns, up to the first that fails, which is answered. */
async function firstFailing(
  records: readonly DynamoDBRecord[],
  changes: Change[],
): Promise<DynamoDBRecord | undefined> {
  for (const record of records) {
    try {
      const images = imagesOf(record)
      const change = changeOf(images)
      await project(images)
      if (change) changes.push(change)
    } catch (error) {
      complain(error)
      return record
    }
  }
  return undefined
}

const failure = (record: DynamoDBRecord | undefined): DynamoDBBatchResponse => ({
  batchItemFailures: record ? [{ itemIdentifier: record.dynamodb?.SequenceNumber ?? '' }] : [],
})

const complain = (error: unknown) =>
  log({ level: 'error', message: 'projection', error: error instanceof Error ? error.name : 'unknown' })
