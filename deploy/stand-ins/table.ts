import {
  CreateTableCommand,
  DynamoDBClient,
  ResourceInUseException,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb'
import type { LocalStack } from '../stack.ts'

/** Creates the table that serverless.yml describes, under this name. An existing table stays as it is. */
export async function createTable(
  endpoint: string,
  TableName: string,
  table: LocalStack['table'],
  by: { region: string; credentials: { accessKeyId: string; secretAccessKey: string } } = {
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  },
): Promise<void> {
  const client = new DynamoDBClient({ endpoint, ...by })
  const { TimeToLiveSpecification, StreamSpecification, ...shape } = table
  try {
    await client.send(
      new CreateTableCommand({
        ...shape,
        TableName,
        StreamSpecification: { ...StreamSpecification, StreamEnabled: true },
      }),
    )
    await waitUntilTableExists({ client, minDelay: 1, maxWaitTime: 20 }, { TableName })
    await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }))
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error
  } finally {
    client.destroy()
  }
}
