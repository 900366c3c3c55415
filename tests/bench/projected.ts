import { marshall } from '@aws-sdk/util-dynamodb'
import type { DynamoDBStreamEvent } from 'aws-lambda'

/** The projector over all that is stored of a record, as if the stream had just told of it. */
export async function projected(entity_id: string): Promise<void> {
  const { handler } = await import('../../functions/projector.ts')
  const { queryAll } = await import('../../lib/engines/table/read.ts')
  const items = await queryAll(`ENTITY#${entity_id}`, '')
  const Records = items.map((item, i) => ({
    dynamodb: {
      Keys: marshall({ pk: item.pk, sk: item.sk }),
      NewImage: marshall(item),
      SequenceNumber: String(i),
      ApproximateCreationDateTime: Date.now() / 1000,
    },
  }))
  await handler({ Records } as DynamoDBStreamEvent)
}
