import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { config } from '../config.ts'
import { count } from '../meter.ts'

const client = new DynamoDBClient({
  region: config.AWS_REGION,
  maxAttempts: 4,
  ...(config.DYNAMODB_ENDPOINT && {
    endpoint: config.DYNAMODB_ENDPOINT,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  }),
})

type Consumed = { CapacityUnits?: number | undefined }

// Every call asks for its consumed capacity and tells the meter, so no call can be forgotten.
client.middlewareStack.add(
  (next, context) => async (args) => {
    const input = { ...args.input, ReturnConsumedCapacity: 'TOTAL' }
    const result = await next({ ...args, input } as typeof args)
    const consumed = (result.output as { ConsumedCapacity?: Consumed | Consumed[] }).ConsumedCapacity
    const units = [consumed ?? []].flat().reduce((sum, each) => sum + (each.CapacityUnits ?? 0), 0)
    count(String(context.commandName), units)
    return result
  },
  { step: 'initialize', name: 'meter' },
)

/** The document client; only lib/table speaks to it. */
export const db = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } })
export const TableName = config.TABLE_NAME
