import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
export async function createTestTable(name: string): Promise<void> {
  const db = new DynamoDBClient({ region: 'us-east-1', endpoint: process.env.DYNAMODB_ENDPOINT, credentials: { accessKeyId: 'local', secretAccessKey: 'local' } })
  const idx = ['kind', 'every', 'owner', 'owner_kind']
  await db.send(new CreateTableCommand({ TableName: name, BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: ['pk', 'sk', ...idx.flatMap((i) => [`${i}_pk`, `${i}_sk`])].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }, { AttributeName: 'sk', KeyType: 'RANGE' }],
    GlobalSecondaryIndexes: idx.map((i) => ({ IndexName: i, KeySchema: [{ AttributeName: `${i}_pk`, KeyType: 'HASH' }, { AttributeName: `${i}_sk`, KeyType: 'RANGE' }], Projection: { ProjectionType: 'ALL' } })),
  }))
}
