import type { DynamoDBRecord } from 'aws-lambda'
import * as v from 'valibot'
import { caller, discover, Page, streamOf } from '../../deploy/stand-ins/stream-pump.ts'

/** The stream of the test's table and the projector, which runs only when the test calls `settled`. */
export type Following = {
  /** All changes that the projector has received. */
  told: readonly DynamoDBRecord[]
  /** Takes the new changes out of the stream, so that the projector does not receive them. */
  take: () => Promise<DynamoDBRecord[]>
  /** Gives the projector all new changes, then those that it wrote itself, until none are left. */
  settled: () => Promise<void>
}

/** Follows the table that was opened last, from its beginning. */
export async function followTable(): Promise<Following> {
  const told: DynamoDBRecord[] = []
  const { handler } = await import('../../functions/projector.ts')
  const take = await reader()
  const batchSize = await batchOfProjector()
  return {
    told,
    take,
    settled: async () => {
      for (let records = await take(); records.length > 0; records = await take()) {
        for (let from = 0; from < records.length; from += batchSize) {
          const Records = records.slice(from, from + batchSize)
          const { batchItemFailures } = await handler({ Records })
          if (batchItemFailures.length > 0) throw new Error('the projector failed')
          told.push(...Records)
        }
      }
    },
  }
}

/** The batch size of the projector. `setup.ts` puts it into the environment, because parsing serverless.yml takes 0.1 s. */
async function batchOfProjector(): Promise<number> {
  const { PROJECTOR_BATCH } = process.env
  return PROJECTOR_BATCH
    ? Number(PROJECTOR_BATCH)
    : (await import('../../local/service/followers.ts')).loadProjector().batchSize
}

async function reader(): Promise<() => Promise<DynamoDBRecord[]>> {
  const { DYNAMODB_ENDPOINT: endpoint = '', TABLE_NAME: table = '' } = process.env
  const call = caller(endpoint)
  const iterators = new Map<string, string>()
  await discover(call, await streamOf(call, table), new Map(), iterators)
  return async () => {
    const taken: DynamoDBRecord[] = []
    for (let more = true; more; ) {
      more = false
      for (const [shard, ShardIterator] of iterators) {
        const { Records, NextShardIterator } = v.parse(Page, await call('GetRecords', { ShardIterator, Limit: 1000 }))
        if (NextShardIterator) iterators.set(shard, NextShardIterator)
        else iterators.delete(shard)
        taken.push(...Records)
        more ||= Records.length > 0
      }
    }
    return taken
  }
}
