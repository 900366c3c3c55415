import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda'
import { clock } from '../lib/base/clock.ts'
import { log } from '../lib/base/telemetry/log.ts'
import { projectCarefully } from '../lib/domain/effects/careful.ts'
import type { Projected } from '../lib/domain/effects/project.ts'
import { noteLateness, noteProgress } from '../lib/platform/health/stream-lag.ts'
import { worker } from '../lib/platform/worker.ts'

/**
 * Applies the effects of each change in the table's stream (lib/domain/effects). A change that can never be applied is parked whole
 * (lib/domain/effects/parked.ts), and the others continue. A change with a temporary fault is reported as failed. Lambda then sends it
 * and the later ones again, for as long as the stream stores them. A change that ends the process is parked after three times.
 */
export const handler = worker(async (event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
  const [first] = event.Records
  const given = madeAt(first) ?? clock.now().getTime()
  const tell = (state: 'given' | 'applied') =>
    noteLateness(given, first?.dynamodb?.Keys?.pk?.S ?? '', state).catch(() => undefined)
  await tell('given')
  const { failed, parked, isApplied }: Projected = await projectCarefully(event.Records, given)
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
  // Noting the progress changes the table, too. That change has no effects.
  if (through !== undefined && isApplied) await noteProgress(through).catch(() => undefined)
  return { batchItemFailures: failed ? [{ itemIdentifier: failed.dynamodb?.SequenceNumber ?? '' }] : [] }
})

/** When a change was made, in milliseconds since 1970. The stream gives whole seconds. */
const madeAt = (record: DynamoDBRecord | undefined): number | undefined => {
  const seconds = record?.dynamodb?.ApproximateCreationDateTime
  return seconds === undefined ? undefined : seconds * 1000
}
