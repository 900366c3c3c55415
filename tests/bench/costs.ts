import { marshall } from '@aws-sdk/util-dynamodb'
import type { DynamoDBStreamEvent } from 'aws-lambda'
import { SAMPLED } from '../../deploy/operations.ts'
import prices from '../../deploy/prices.json' with { type: 'json' }
import { measures } from '../../lib/base/telemetry/emf.ts'
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
  /** Of all calls, how many are traced: what the sampling rule in deploy/operations.ts says. */
  traced: SAMPLED,
  /** Of all reads, how many the dispatcher hands on: those without the last slash, and roots that others lie under. */
  dispatched: 0.02,
}
const MINUTES = 30 * 24 * 60

/** What the service costs by the prices in deploy/prices.json: of units that were measured, and of what is assumed above. */
export async function benchCosts(): Promise<void> {
  const { openApp } = await import('../harness/app.ts')
  const app = await openApp({ env: { LOG_LEVEL: 'info' } })
  const spent = await ledger()
  const token = async (username: string) =>
    app.as((await app.anon.post('/api/token/', { body: { username, password: 'heritage-local' } })).body.access)
  const [dev, reviewer] = [await token('dev'), await token('reviewer')]
  const { makeExports } = await import('../../lib/doors/exports/make.ts')
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
  // What has just been written is dealt with; from then on the service is idle.
  await sweep()
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
    // Those of the queue in every hour, that of the exporter in one of a day.
    [
      1,
      {
        alarm_metrics: watched.alarm_metrics,
        dashboards: watched.dashboards,
        metrics: Object.keys(measures.queue).length + 1 / 24,
      },
    ],
  )
  const read = sumOf(
    [1 / reads.answers, reads.use],
    [1, call(assumed.read_seconds)],
    [assumed.dispatched, call(assumed.read_seconds, { gb: 0.5 })],
  )
  const contributed = sumOf(
    [1, contribution.use],
    [1, call(assumed.write_seconds)],
    [1, afterContribution],
    [1, call(assumed.projector_seconds, { lines: 1 })],
  )
  const reviewed = sumOf(
    [1, review.use],
    [2, call(assumed.read_seconds)],
    [1, call(assumed.write_seconds)],
    [1, afterReview],
    [1, call(assumed.projector_seconds, { lines: 1 })],
  )
  // Of a review's requests two are reads.
  const busy = sumOf(
    [1, idle],
    [30 * 960_000, read],
    [30 * 10_000, contributed],
    [30 * 10_000, reviewed],
    [1, { metrics: Object.values(measures).flatMap((each) => Object.keys(each)).length }],
    [-1, { metrics: idle.metrics ?? 0 }],
  )
  print(`What it costs, in ${prices.currency}: list prices of ${prices.region}, ${prices.date}, no free tier`, [
    row('100,000 reads', 100_000, read),
    row('1,000 contributions', 1000, contributed),
    row('1,000 reviews (queue, workspace, verdict)', 1000, reviewed),
    row(
      'daily exports, a month, of 1,000 records',
      30_000,
      sumOf([1, exported], [assumed.exported_seconds, { gb_seconds: 1 }]),
    ),
    row('idle, a month', 1, idle),
    row('1,000,000 requests a day, a month', 1, busy),
  ])
  print('Item by item, a month', items({ idle, 'of 1,000,000 requests a day': busy }))
  say(
    `Units, calls to the bucket and answers are measured, what the projector does included. Assumed: 1 GB of memory (sweeper 2), ${assumed.read_seconds * 1000} ms for a read, ${assumed.write_seconds * 1000} for a write, ${assumed.projector_seconds * 1000} for the projector; one call in ${1 / assumed.traced} traced; ${assumed.dispatched * 100} % of the reads through the dispatcher; ${assumed.stored_gb} GB in the table and ${assumed.stored_gb} in the bucket. Idle: the sweeper every minute (${assumed.often_seconds * 1000} ms) and every 15 (${assumed.seldom_seconds * 1000}), the webhooks every minute, the exporter every day; alarms on ${watched.alarm_metrics} metrics, ${Object.keys(measures.queue).length} metrics of the queue. Schedules and what a function reads of the stream are free. A day of 1,000,000 requests: 960,000 reads, 10,000 contributions, 10,000 reviews of two reads and a verdict each; on top of what idle costs.`,
  )
}

/** So many records are published when the exporter is measured. */
const PUBLISHED = 22

/** A call of a function: its time, what the platform and itself write to the log, its trace. */
const call = (seconds: number, { gb = 1, lines = 0 } = {}): Use => ({
  invocations: 1,
  gb_seconds: gb * seconds,
  traces: assumed.traced,
  logged_bytes: assumed.platform_bytes + lines * assumed.line_bytes,
})

/** What the stack has that is paid for by the month: metrics under alarms, and dashboards. */
async function watching(): Promise<{ alarm_metrics: number; dashboards: number }> {
  const { operations } = await import('../../deploy/operations.ts')
  const watching = Object.values(operations('heritage-prod', '').Resources)
  const ofType = (type: string) => watching.filter(({ Type }) => Type === type).length
  // Each alarm looks at one metric.
  return { alarm_metrics: ofType('AWS::CloudWatch::Alarm'), dashboards: ofType('AWS::CloudWatch::Dashboard') }
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
  const { db } = await import('../../lib/engines/table/client.ts')
  const { s3 } = await (await import('../../lib/engines/bucket/blobs.ts')).bucket()
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

/** Each thing that is paid for, in dollars, in each of some months. */
function items(months: Readonly<Record<string, Use>>): Record<string, string>[] {
  const names = [...new Set(Object.values(months).flatMap((use) => Object.keys(use)))]
  const dollarsOf = (use: Use, name: string) => totalOf(billOf({ [name]: Object(use)[name] ?? 0 }))
  const line = (what: string, of: (use: Use) => number) => ({
    what,
    ...Object.fromEntries(Object.entries(months).map(([month, use]) => [month, of(use).toFixed(2)])),
  })
  const rows = names.map((name) => line(name.replaceAll('_', ' '), (use) => dollarsOf(use, name)))
  return [...rows, line('together', (use) => totalOf(billOf(use)))]
}

/** A row of the table: a use so many times over. */
function row(what: string, times: number, use: Use): Record<string, string> {
  const bill = billOf(sumOf([times, use]))
  const texts = Object.fromEntries(Object.entries(bill).map(([heading, dollars]) => [heading, dollars.toFixed(3)]))
  const units = times === 1 ? '-' : `${(use.reads ?? 0).toFixed(1)} / ${(use.writes ?? 0).toFixed(1)}`
  return { what, 'units read / written, each': units, ...texts, dollars: totalOf(bill).toFixed(2) }
}
