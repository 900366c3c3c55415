import { marshall } from '@aws-sdk/util-dynamodb'
import type { DynamoDBStreamEvent } from 'aws-lambda'
import { measures } from '../../lib/ops/emf.ts'
import prices from '../../local/deploy/prices.json' with { type: 'json' }
import type { Answer } from '../harness/app.ts'
import { billOf, sumOf, totalOf, type Use } from './bill.ts'
import { print, say } from './table.ts'

/** What is assumed where this machine cannot tell. */
const assumed = {
  read_seconds: 0.03,
  write_seconds: 0.08,
  projector_seconds: 0.1,
  /** Of the sweeper every minute and every 15, of the webhooks, of an empty run of the exporter. */
  often_seconds: 0.1,
  seldom_seconds: 0.5,
  webhooks_seconds: 0.02,
  exporter_seconds: 1,
  /** A record that is exported. */
  exported_seconds: 0.002,
  /** A request's own line with its metrics and that of the gateway; a line of the sweeper; the platform's own of each call. */
  request_bytes: 950,
  line_bytes: 300,
  platform_bytes: 700,
  stored_gb: 1,
  /** A new table on demand has four partitions, and its stream a shard for each. */
  shards: 4,
  /** How often a pipe asks each of them, per second. */
  shard_reads: 4,
  /** So many wait at each queue that feeds a function, each asking anew after 20 seconds without a message. */
  pollers: 5,
}
const MINUTES = 30 * 24 * 60

/** What the service costs by the prices in local/deploy/prices.json: of units that were measured, and of what is assumed above. */
export async function benchCosts(): Promise<void> {
  const { openApp } = await import('../harness/app.ts')
  const app = await openApp({ env: { LOG_LEVEL: 'info' } })
  const spent = await ledger()
  const token = async (username: string) =>
    app.as((await app.anon.post('/api/token/', { body: { username, password: 'heritage-local' } })).body.access)
  const [dev, reviewer] = [await token('dev'), await token('reviewer')]
  const { makeExports } = await import('../../lib/exports/make.ts')
  const emptyExport = await spent.unasked(makeExports)
  let n = 0
  const contribute = () =>
    dev.post('/cidoc/structures/', {
      body: { ...values, name: `Measured ${++n}`, coordinates: `29.${60000 + n * 700}, 81.4` },
    })
  const first = (await contribute()).body
  await reviewer.post(`/data/review-workspace/${first.cultural_entity_id}/decide/`, { body: { verdict: 'accept' } })
  for (let i = 0; i < 25; i += 1) {
    const { body } = await contribute()
    if (i < 20)
      await reviewer.post(`/data/review-workspace/${body.cultural_entity_id}/decide/`, { body: { verdict: 'accept' } })
  }

  // Reading: three in four look at a record, one at a page of a list.
  const reads = await spent.of(async () => {
    const answers: Answer[] = []
    for (let i = 0; i < 3; i += 1) answers.push(await app.anon.get(`/cidoc/structures/${first.id}/`))
    return [...answers, await app.anon.get('/cidoc/structures/')]
  })
  let made = first
  const contribution = await spent.of(async () => {
    const answer = await contribute()
    made = answer.body
    return [answer]
  })
  const afterContribution = await spent.unasked(() => projected(made.cultural_entity_id))
  const at = `/data/review-workspace/${made.cultural_entity_id}/`
  const review = await spent.of(async () => [
    await reviewer.get('/data/review-queue/'),
    await reviewer.get(at),
    await reviewer.post(`${at}decide/`, { body: { verdict: 'accept' } }),
  ])
  const afterReview = await spent.unasked(() => projected(made.cultural_entity_id))
  const fullExport = await spent.unasked(makeExports)
  const { handler: sweep } = await import('../../functions/sweeper.ts')
  const { handler: webhooks } = await import('../../functions/webhooks.ts')
  const often = await spent.unasked(() => sweep({ chores: 'often' }))
  const seldom = await spent.unasked(() => sweep({ chores: 'seldom' }))
  const deliveries = await spent.unasked(webhooks)
  const watched = await watching()
  const exported = { reads: ((fullExport.reads ?? 0) - (emptyExport.reads ?? 0)) / PUBLISHED }

  const idle = sumOf(
    [MINUTES, sumOf([1, often], [1, call(assumed.often_seconds, { gb: 2, lines: 1 })])],
    [MINUTES / 15, sumOf([1, seldom], [1, call(assumed.seldom_seconds, { gb: 2, lines: 2 })])],
    [MINUTES, sumOf([1, deliveries], [1, call(assumed.webhooks_seconds)])],
    [
      30,
      sumOf([1, { ...fullExport, reads: emptyExport.reads ?? 0 }], [1, call(assumed.exporter_seconds, { lines: 1 })]),
    ],
    [1, { table_gb_months: assumed.stored_gb, file_gb_months: assumed.stored_gb }],
    // A function that reads the table asks for its key every five minutes.
    [MINUTES / 5, { key_requests: 1 }],
    [MINUTES * 60, { stream_reads: assumed.shards * assumed.shard_reads }],
    [MINUTES * 3, { queue_requests: assumed.pollers * watched.queues }],
    // Those of the queue in every hour, that of the exporter in one of a day.
    [1, { alarm_metrics: watched.alarm_metrics, dashboards: 1, metrics: Object.keys(measures.queue).length + 1 / 24 }],
  )
  print(`What it costs, in ${prices.currency}: list prices of ${prices.region}, ${prices.date}, no free tier`, [
    row('100,000 reads', 100_000, sumOf([1 / reads.answers, reads.use], [1, call(assumed.read_seconds)])),
    row(
      '1,000 contributions',
      1000,
      sumOf(
        [1, contribution.use],
        [1, call(assumed.write_seconds)],
        [1, afterContribution],
        [1, call(assumed.projector_seconds, { lines: 1 })],
      ),
    ),
    row(
      '1,000 reviews (queue, workspace, verdict)',
      1000,
      sumOf(
        [1, review.use],
        [2, call(assumed.read_seconds)],
        [1, call(assumed.write_seconds)],
        [1, afterReview],
        [1, call(assumed.projector_seconds, { lines: 1 })],
      ),
    ),
    row(
      'daily exports, a month, of 1,000 records',
      30_000,
      sumOf([1, exported], [assumed.exported_seconds, { gb_seconds: 1 }]),
    ),
    row('idle, a month', 1, idle),
  ])
  say(
    `Units, calls to the bucket and answers are measured, what the projector does included. Assumed: 1 GB of memory (sweeper 2), ${assumed.read_seconds * 1000} ms for a read, ${assumed.write_seconds * 1000} for a write, ${assumed.projector_seconds * 1000} for the projector; every call traced; ${assumed.stored_gb} GB in the table and ${assumed.stored_gb} in the bucket. Idle: the sweeper every minute (${assumed.often_seconds * 1000} ms) and every 15 (${assumed.seldom_seconds * 1000}), the webhooks every minute, the exporter every day; a pipe that asks ${assumed.shards} shards of the stream ${assumed.shard_reads} times a second; ${watched.queues} queues at which ${assumed.pollers} pollers wait for 20 s at a time; alarms on ${watched.alarm_metrics} metrics, one dashboard, ${Object.keys(measures.queue).length} metrics of the queue. Schedules and what a function reads of the stream are free. Beyond this, each metric costs ${prices.per_month.custom_metric} in a month in which it is sent every hour: ${Object.keys(measures.request).length} of all requests, 2 for each route that is in use.`,
  )
}

/** So many records are published when the exporter is measured. */
const PUBLISHED = 22

/** A call of a function: its time, what the platform and itself write to the log, its trace. */
const call = (seconds: number, { gb = 1, lines = 0 } = {}): Use => ({
  invocations: 1,
  gb_seconds: gb * seconds,
  traces: 1,
  logged_bytes: assumed.platform_bytes + lines * assumed.line_bytes,
})

/** What the stack has that is paid for by the month: metrics under alarms, and queues that feed functions. */
async function watching(): Promise<{ alarm_metrics: number; queues: number }> {
  const { operations } = await import('../../local/deploy/operations.ts')
  const { loadFollowers } = await import('../../local/service/followers.ts')
  const alarms = Object.values(operations('heritage-prod', [], '').Resources).filter(
    ({ Type }) => Type === 'AWS::CloudWatch::Alarm',
  )
  const metricsOf = ({ Metrics }: { Metrics?: object[] }) => Metrics?.filter((it) => 'MetricStat' in it).length ?? 1
  return {
    alarm_metrics: alarms.reduce((sum, { Properties }) => sum + metricsOf(Properties), 0),
    queues: loadFollowers().length,
  }
}

const values = {
  note: 'Measured',
  existence_status: 'Extant',
  construction_date: '1702',
  condition: 'Good',
  structure_type: 'Temple',
  description: 'A temple made to be measured.',
}

type Spent = { use: Use; answers: number }

/** Keeps read and write units apart, which the meter does not, and counts what the bucket is asked. */
async function ledger() {
  const { db } = await import('../../lib/table/client.ts')
  const { s3 } = await import('../../lib/files/blobs.ts')
  let use = { reads: 0, writes: 0, puts: 0, gets: 0 }
  db.middlewareStack.add(
    (next, context) => async (args) => {
      const result = await next(args)
      const { ConsumedCapacity = [] }: { ConsumedCapacity?: { CapacityUnits?: number }[] } = Object(result.output)
      const consumed = [ConsumedCapacity].flat().reduce((sum, each) => sum + (each.CapacityUnits ?? 0), 0)
      use[/^(Get|Query|BatchGet|TransactGet)/.test(String(context.commandName)) ? 'reads' : 'writes'] += consumed
      return result
    },
    // Outside of the one that asks for the capacity.
    { step: 'initialize', name: 'ledger', priority: 'high' },
  )
  s3.middlewareStack.add(
    (next, context) => (args) => {
      const command = String(context.commandName)
      // Removing costs nothing.
      if (!command.startsWith('Delete')) use[/^(Get|Head)/.test(command) ? 'gets' : 'puts'] += 1
      return next(args)
    },
    { step: 'initialize', name: 'ledger', priority: 'high' },
  )
  const measured = async <T>(work: () => Promise<T>): Promise<[T, Use]> => {
    use = { reads: 0, writes: 0, puts: 0, gets: 0 }
    const result = await work()
    return [result, { ...use }]
  }
  return {
    /** What nobody waits for. */
    unasked: async (work: () => Promise<unknown>): Promise<Use> => (await measured(work))[1],
    of: async (work: () => Promise<Answer[]>): Promise<Spent> => {
      const [answers, spent] = await measured(work)
      for (const { status, text } of answers) if (status >= 400) throw new Error(`${status} ${text}`)
      const sent_bytes = answers.reduce((sum, each) => sum + each.bytes.length + JSON.stringify(each.headers).length, 0)
      const requests = answers.length
      const logged_bytes = requests * assumed.request_bytes
      return { answers: requests, use: { ...spent, requests, sent_bytes, logged_bytes } }
    },
  }
}

/** The projector over all that is stored of a record, as if the stream had just told of it. */
async function projected(entity_id: string): Promise<void> {
  const { handler } = await import('../../functions/projector.ts')
  const { queryAll } = await import('../../lib/table/read.ts')
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

/** A row of the table: a use so many times over. */
function row(what: string, times: number, use: Use): Record<string, string> {
  const bill = billOf(sumOf([times, use]))
  const texts = Object.fromEntries(Object.entries(bill).map(([heading, dollars]) => [heading, dollars.toFixed(3)]))
  const units = times === 1 ? '-' : `${(use.reads ?? 0).toFixed(1)} / ${(use.writes ?? 0).toFixed(1)}`
  return { what, 'units read / written, each': units, ...texts, dollars: totalOf(bill).toFixed(2) }
}
