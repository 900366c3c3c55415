import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda'
import { clock } from '../lib/clock.ts'
import { applyEffects } from '../lib/effects/apply.ts'
import { changeOf } from '../lib/effects/search-documents.ts'
import { follow, isFollowed } from '../lib/health/stream-lag.ts'
import { log } from '../lib/ops/log.ts'
import { metered } from '../lib/ops/request-cost.ts'
import type { Change } from '../lib/search/document.ts'
import { append } from '../lib/search/log.ts'
import { changesOf, type Images } from '../lib/table/stream.ts'

/**
 * Follows the table's stream. Changes of a shard come in order, so the first that fails ends the batch: it and what
 * follows are tried again, and go to the dead-letter queue when they never succeed. What search learns of those before it is
 * written together at the end; when that fails all of them come again, which is no harm.
 */
export async function handler(event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> {
  const changes: Change[] = []
  const stuck = await firstFailure(event.Records, changes)
  const failed = (await taught(changes)) ? stuck : event.Records[0]
  const projected = failed ? event.Records.indexOf(failed) : event.Records.length
  const through = madeAt(event.Records[projected - 1])
  log({
    level: failed ? 'error' : 'info',
    message: 'projection',
    projected,
    failures: failed ? 1 : 0,
    lag_ms: Math.max(0, clock.now().getTime() - (madeAt(failed ?? event.Records[0]) ?? clock.now().getTime())),
  })
  // How far it has come is itself a change, and not one to tell of again.
  if (through !== undefined && event.Records.slice(0, projected).some((it) => isFollowed(it.dynamodb?.Keys?.pk?.S)))
    await follow(through).catch(() => undefined)
  return { batchItemFailures: failed ? [{ itemIdentifier: failed.dynamodb?.SequenceNumber ?? '' }] : [] }
}

/** Applies the effects of each record and collects what search learns, up to the first that fails, which is answered. */
async function firstFailure(
  records: readonly DynamoDBRecord[],
  changes: Change[],
): Promise<DynamoDBRecord | undefined> {
  const changed = await changesOf(records)
  for (const [i, record] of records.entries()) {
    const images = changed[i] ?? { before: undefined, after: undefined }
    try {
      const change = changeOf(images)
      // What it writes and logs carries the id of the request that made the change.
      await metered(() => applyEffects(images), causeOf(images))
      if (change) changes.push(change)
    } catch (error) {
      complain(error, causeOf(images))
      return record
    }
  }
  return undefined
}

async function taught(changes: readonly Change[]): Promise<boolean> {
  try {
    await append(changes)
    return true
  } catch (error) {
    complain(error)
    return false
  }
}

const complain = (error: unknown, request_id?: string) =>
  log({
    level: 'error',
    message: 'projection of a change',
    request_id,
    error: error instanceof Error ? error.name : 'unknown',
  })

const causeOf = ({ before, after }: Images): string | undefined => {
  const { request_id } = after ?? before ?? {}
  return typeof request_id === 'string' ? request_id : undefined
}

/** In milliseconds since 1970; the stream counts seconds. */
const madeAt = (record: DynamoDBRecord | undefined): number | undefined => {
  const seconds = record?.dynamodb?.ApproximateCreationDateTime
  return seconds === undefined ? undefined : seconds * 1000
}
