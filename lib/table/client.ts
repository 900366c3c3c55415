import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { SignatureV4 } from '@smithy/signature-v4'
import { config } from '../config.ts'
import { localCredentials } from '../ops/local-credentials.ts'
import { count, noteAttempts } from '../ops/request-cost.ts'
import { HttpHandler } from './wire/http-handler.ts'
import { lean } from './wire/lean.ts'
import { Sha256 } from './wire/sha256.ts'

const client: DynamoDBClient = new DynamoDBClient({
  region: config.AWS_REGION,
  maxAttempts: 4,
  requestHandler: new HttpHandler(),
  // One for all requests: it keeps the signing key of the day.
  signer: async () => signer(),
  ...(config.DYNAMODB_ENDPOINT && {
    endpoint: config.DYNAMODB_ENDPOINT,
    credentials: localCredentials,
  }),
})

let kept: SignatureV4 | undefined
function signer(): SignatureV4 {
  kept ??= new SignatureV4({
    credentials: client.config.credentials,
    region: config.AWS_REGION,
    service: 'dynamodb',
    sha256: Sha256,
    applyChecksum: false,
  })
  return kept
}

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
export const db = lean(client, DynamoDBDocumentClient.from(client))
export const TableName = config.TABLE_NAME
