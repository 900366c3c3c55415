import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda'
import { log } from '../lib/log.ts'
import { project } from '../lib/store/projections.ts'
import { imagesOf } from '../lib/table/stream.ts'

/**
 * Follows the table's stream. Changes of a shard come in order, so the first that fails ends the batch: it and what
 * follows are tried again, and go to the dead-letter queue when they never succeed.
 */
export async function handler(event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> {
  for (const record of event.Records) {
    try {
      await project(imagesOf(record))
    } catch (error) {
      log({ level: 'error', message: 'projection', error: error instanceof Error ? error.name : 'unknown' })
      return { batchItemFailures: [{ itemIdentifier: record.dynamodb?.SequenceNumber ?? '' }] }
    }
  }
  return { batchItemFailures: [] }
}
