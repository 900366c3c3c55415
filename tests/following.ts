import type { DynamoDBRecord } from 'aws-lambda'

/** The stream of the test's own table, and the projector, which works when the test says so and never beside it. */
export type Following = {
  /** What the projector has been told. */
  told: readonly DynamoDBRecord[]
  /** What the table has told since the last time, which the projector does not hear of. */
  take: () => Promise<DynamoDBRecord[]>
  /** Tells the projector of all that has been written, by itself too, until nothing is left. */
  settled: () => Promise<void>
}

/** As many as the projector gets at once where it is deployed. */
const BATCH = 100

/** Follows the table that was opened last, from its beginning. */
export async function followTable(): Promise<Following> {
  const told: DynamoDBRecord[] = []
  const { handler } = await import('../functions/projector.ts')
  const take = await reader()
  return {
    told,
    take,
    settled: async () => {
      for (let records = await take(); records.length > 0; records = await take()) {
        for (let from = 0; from < records.length; from += BATCH) {
          const Records = records.slice(from, from + BATCH)
          const { batchItemFailures } = await handler({ Records })
          if (batchItemFailures.length > 0) throw new Error('the projector failed')
          told.push(...Records)
        }
      }
    },
  }
}

async function reader(): Promise<() => Promise<DynamoDBRecord[]>> {
  const { DYNAMODB_ENDPOINT: endpoint = '', TABLE_NAME } = process.env
  // biome-ignore lint/suspicious/noExplicitAny: the stream API has no client here
  const call = async (operation: string, input: object): Promise<any> => {
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': `DynamoDBStreams_20120810.${operation}`,
        'x-amz-date': new Date().toISOString().replace(/[-:]|\.\d+/g, ''),
        authorization:
          'AWS4-HMAC-SHA256 Credential=local/20250101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
      },
      body: JSON.stringify(input),
    })
    if (!response.ok) throw new Error(`${operation}: ${await response.text()}`)
    return response.json()
  }
  const { Streams } = await call('ListStreams', { TableName: TABLE_NAME })
  const { StreamArn } = Streams.at(-1)
  const { StreamDescription } = await call('DescribeStream', { StreamArn })
  let iterators: string[] = await Promise.all(
    StreamDescription.Shards.map(async ({ ShardId }: { ShardId: string }) => {
      const from = { StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' }
      return (await call('GetShardIterator', from)).ShardIterator
    }),
  )
  return async () => {
    const taken: DynamoDBRecord[] = []
    for (let more = true; more; ) {
      const pages = await Promise.all(
        iterators.map((ShardIterator) => call('GetRecords', { ShardIterator, Limit: 1000 })),
      )
      iterators = pages.flatMap((it) => it.NextShardIterator ?? [])
      const records: DynamoDBRecord[] = pages.flatMap((it) => it.Records)
      taken.push(...records)
      more = records.length > 0
    }
    return taken
  }
}
