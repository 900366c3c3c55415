import type { DynamoDBRecord } from 'aws-lambda'
import * as v from 'valibot'
import { caller, discover, Page, streamOf } from '../../deploy/stand-ins/stream-pump.ts'

/** The stream of the test's own table, and the projector, which works when the test says so and never beside it. */
export type Following = {
  /** What the projector has been told. */
  told: readonly DynamoDBRecord[]
  /** What the table has told since the last time, which the projector does not hear of. */
  take: () => Promise<DynamoDBRecord[]>
  /** Tells the projector of all that has been written, by itself too, until nothing is left. */
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

/** As the run has read it, or read here: to take serverless.yml apart takes a tenth of a second. */
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
