import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { config } from '../config.ts'
import { localCredentials } from '../ops/local-credentials.ts'
import { count, noteAttempts } from '../ops/request-cost.ts'

const client = new DynamoDBClient({
  region: config.AWS_REGION,
  maxAttempts: 4,
  ...(config.DYNAMODB_ENDPOINT && {
    endpoint: config.DYNAMODB_ENDPOINT,
    credentials: localCredentials,
  }),
})

// Both work for nobody: one copies every input and output for a logger that writes nothing, the other spells the name of the
// SDK in two headers. Without them a query takes 0.7 to 0.8 times the processor time (`npm run bench -- cpu`).
for (const idle of ['loggerMiddleware', 'getUserAgentMiddleware']) client.middlewareStack.remove(idle)

type Consumed = { CapacityUnits?: number | undefined }
type Output = { ConsumedCapacity?: Consumed | Consumed[]; $metadata?: { attempts?: number } }

// Every call asks for its consumed capacity and tells the meter, so no call can be forgotten.
client.middlewareStack.add(
  (next, context) => async (args) => {
    const input = { ...args.input, ReturnConsumedCapacity: 'TOTAL' }
    const result = await next({ ...args, input } as typeof args).catch((error: Output) => {
      noteAttempts(error.$metadata?.attempts)
      throw error
    })
    const { ConsumedCapacity, $metadata } = result.output as Output
    const units = [ConsumedCapacity ?? []].flat().reduce((sum, each) => sum + (each.CapacityUnits ?? 0), 0)
    count(String(context.commandName), units)
    noteAttempts($metadata?.attempts)
    return result
  },
  { step: 'initialize', name: 'meter' },
)

/** The document client; only lib/table speaks to it. */
export const db = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } })
export const TableName = config.TABLE_NAME
