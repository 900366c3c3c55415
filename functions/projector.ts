import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda'
import { clock } from '../lib/base/clock.ts'
import { log } from '../lib/base/telemetry/log.ts'
import { type Projected, projectChanges } from '../lib/domain/effects/project.ts'
import { noteLateness, noteProgress } from '../lib/platform/health/stream-lag.ts'

/**
 * Follows the table's stream: what follows from each change is in lib/domain/effects. A change that cannot be applied for a reason
 * of its own is put aside whole (lib/domain/effects/parked.ts), and the others go on. One that fails for a reason that passes is
 * answered as failed: it and what follows come again, for as long as the stream keeps them.
 */
export async function handler(event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> {
  const [first] = event.Records
  const given = madeAt(first) ?? clock.now().getTime()
  const tell = (state: 'given' | 'applied') =>
    noteLateness(given, first?.dynamodb?.Keys?.pk?.S ?? '', state).catch(() => undefined)
  await tell('given')
  const { failed, parked, isApplied }: Projected = await projectChanges(event.Records)
  const projected = failed ? event.Records.indexOf(failed) : event.Records.length
  const through = madeAt(event.Records[projected - 1])
  log({
    level: failed || parked > 0 ? 'error' : 'info',
    message: 'projection',
    projected,
    failures: (failed ? 1 : 0) + parked,
    lag_ms: Math.max(0, clock.now().getTime() - (madeAt(failed) ?? given)),
  })
  if (!failed) await tell('applied')
  // How far it has come is itself a change, and not one to tell of again.
  if (through !== undefined && isApplied) await noteProgress(through).catch(() => undefined)
  return { batchItemFailures: failed ? [{ itemIdentifier: failed.dynamodb?.SequenceNumber ?? '' }] : [] }
}

/** In milliseconds since 1970; the stream counts seconds. */
const madeAt = (record: DynamoDBRecord | undefined): number | undefined => {
  const seconds = record?.dynamodb?.ApproximateCreationDateTime
  return seconds === undefined ? undefined : seconds * 1000
}
