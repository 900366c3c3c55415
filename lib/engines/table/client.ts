import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { config } from '../../base/config.ts'
import { failedAt, isUnreachable } from '../../base/dependency.ts'
import { localCredentials } from '../../base/telemetry/local-credentials.ts'
import { logCall } from '../../base/telemetry/log.ts'
import { noteAttempts, noteCall, notePending } from '../../base/telemetry/request-cost.ts'
import { forgetKept } from './kept.ts'
import { HttpHandler } from './wire/http-handler.ts'
import { lean } from './wire/lean.ts'

const client: DynamoDBClient = new DynamoDBClient({
  region: config.AWS_REGION,
  maxAttempts: 4,
  requestHandler: new HttpHandler({ silenceMs: config.TABLE_TIMEOUT * 1000 }),
  ...(config.DYNAMODB_ENDPOINT && {
    endpoint: config.DYNAMODB_ENDPOINT,
    credentials: localCredentials,
  }),
})

type Consumed = { CapacityUnits?: number | undefined }
type Output = { ConsumedCapacity?: Consumed | Consumed[]; $metadata?: { attempts?: number } }

const reads = /^(Get|BatchGet|Query|Scan)/

/** Adds the consumed capacity of each call to the cost of the request. All calls pass through here. */
async function callMetered(
  operation: string,
  input: object,
  call: (input: object) => Promise<object>,
): Promise<object> {
  if (!reads.test(operation)) forgetKept()
  const began = performance.now()
  const tell = (units: number) => logCall('table', operation, began, units)
  try {
    const output: Output = await notePending('table', () => call({ ...input, ReturnConsumedCapacity: 'TOTAL' }))
    const { ConsumedCapacity, $metadata } = output
    const units = [ConsumedCapacity ?? []].flat().reduce((sum, each) => sum + (each.CapacityUnits ?? 0), 0)
    noteCall(`${operation}Command`, units)
    noteAttempts($metadata?.attempts)
    tell(units)
    return output
  } catch (error) {
    noteAttempts((error as Output).$metadata?.attempts)
    tell(0)
    // A call without any reply is in the cost of the request, too.
    if (isUnreachable(error)) noteCall(`${operation}Command`, 0)
    return failedAt('table')(error)
  }
}

/** The document client. Only lib/engines/table uses it. */
export const db = lean(client, DynamoDBDocumentClient.from(client), callMetered)
export const TableName = config.TABLE_NAME

/** Whether a plain write failed because its condition does not hold. */
export const isConditionFailed = (error: unknown): boolean =>
  error instanceof Error && error.name === 'ConditionalCheckFailedException'

/** Makes a write with a condition. If the condition does not hold, nothing is written, and that is no failure. */
export async function ignoreFailedCondition(write: () => Promise<unknown>): Promise<void> {
  try {
    await write()
  } catch (error) {
    if (!isConditionFailed(error)) throw error
  }
}
