import { marshall } from '@aws-sdk/util-dynamodb'
import type { DynamoDBStreamEvent } from 'aws-lambda'
import prices from '../../local/prices.json' with { type: 'json' }
import type { Answer } from '../app.ts'
import { print, say } from './table.ts'

/** What is assumed where this machine cannot tell: of Lambda the time, of the platform its own log lines. */
const assumed = {
  memory_gb: 1,
  read_seconds: 0.03,
  write_seconds: 0.08,
  projector_seconds_per_batch: 0.1,
  /** Changes of one contribution come in so many batches. */
  batches: 1,
  platform_log_bytes: 700,
  stored_gb: 1,
}

/** What the service costs by the prices in local/prices.json: of units that were measured, and of what is assumed above. */
export async function benchCosts(): Promise<void> {
  const { openApp } = await import('../app.ts')
  const app = await openApp({ env: { LOG_LEVEL: 'info' } })
  const spent = await ledger()
  const token = async (username: string) =>
    app.as((await app.anon.post('/api/token/', { body: { username, password: 'heritage-local' } })).body.access)
  const [dev, reviewer] = [await token('dev'), await token('reviewer')]
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
  const afterContribution = await spent.of(() => projected(made.cultural_entity_id))
  const at = `/data/review-workspace/${made.cultural_entity_id}/`
  const review = await spent.of(async () => [
    await reviewer.get('/data/review-queue/'),
    await reviewer.get(at),
    await reviewer.post(`${at}decide/`, { body: { verdict: 'accept' } }),
  ])
  const afterReview = await spent.of(() => projected(made.cultural_entity_id))
  const { handler: sweep } = await import('../../functions/sweeper.ts')
  const visit = await spent.of(async () => {
    await sweep()
    return []
  })

  const perRead = { ...scaled(reads, 1 / reads.requests), seconds: assumed.read_seconds }
  const rows = [
    row('100,000 reads', 100_000, [perRead]),
    row('1,000 contributions', 1000, [{ ...contribution, seconds: assumed.write_seconds }, behind(afterContribution)]),
    row('1,000 reviews (queue, workspace, verdict)', 1000, [
      { ...review, seconds: assumed.write_seconds + 2 * assumed.read_seconds },
      behind(afterReview),
    ]),
    idle(visit),
  ]
  print(`What it costs, in ${prices.currency}: list prices of ${prices.region}, ${prices.date}, no free tier`, rows)
  say(
    `\nUnits are measured, the projector's included. Assumed: ${assumed.memory_gb} GB of memory, ${assumed.read_seconds * 1000} ms for a read and ${assumed.write_seconds * 1000} ms for a write, every request traced. Beyond this, each metric costs ${prices.per_month.custom_metric} in a month in which it is sent every hour: 9 of all requests, 2 for each route that is in use.\n`,
  )
}

const values = {
  note: 'Measured',
  existence_status: 'Extant',
  construction_date: '1702',
  condition: 'Good',
  structure_type: 'Temple',
  description: 'A temple made to be measured.',
}

type Spent = { reads: number; writes: number; requests: number; bytes: number; logged: number }

/** Keeps read and write units apart, which the meter does not. */
async function ledger() {
  const { db } = await import('../../lib/table/client.ts')
  let units = { reads: 0, writes: 0 }
  db.middlewareStack.add(
    (next, context) => async (args) => {
      const result = await next(args)
      const { ConsumedCapacity = [] }: { ConsumedCapacity?: { CapacityUnits?: number }[] } = Object(result.output)
      const consumed = [ConsumedCapacity].flat().reduce((sum, each) => sum + (each.CapacityUnits ?? 0), 0)
      units[/^(Get|Query|BatchGet|TransactGet)/.test(String(context.commandName)) ? 'reads' : 'writes'] += consumed
      return result
    },
    // Outside of the one that asks for the capacity.
    { step: 'initialize', name: 'ledger', priority: 'high' },
  )
  return {
    of: async (work: () => Promise<Answer[]>): Promise<Spent> => {
      units = { reads: 0, writes: 0 }
      const answers = await work()
      for (const { status, text } of answers) if (status >= 400) throw new Error(`${status} ${text}`)
      const bytes = answers.reduce((sum, each) => sum + each.bytes.length + JSON.stringify(each.headers).length, 0)
      return { ...units, requests: answers.length, bytes, logged: LINE_BYTES * answers.length }
    },
  }
}

/** A request's own line with its metrics, and that of the gateway. */
const LINE_BYTES = 950

/** The projector over all that is stored of a record, as if the stream had just told of it. */
async function projected(entity_id: string): Promise<Answer[]> {
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
  return []
}

const scaled = ({ reads, writes, requests, bytes, logged }: Spent, by: number): Spent => ({
  reads: reads * by,
  writes: writes * by,
  requests: requests * by,
  bytes: bytes * by,
  logged: logged * by,
})

/** What happens after the answer: no gateway, a function of its own. */
const behind = (spent: Spent) => ({
  ...spent,
  seconds: assumed.projector_seconds_per_batch,
  invocations: assumed.batches,
})

type Part = Spent & { seconds: number; invocations?: number }

function row(what: string, times: number, parts: readonly Part[]): Record<string, string> {
  const million = prices.per_million
  const sum = (of: (part: Part) => number) => parts.reduce((total, part) => total + of(part), 0) * times
  const calls = sum((it) => it.invocations ?? it.requests)
  const table =
    (sum((it) => it.reads) * million.dynamodb_read_units + sum((it) => it.writes) * million.dynamodb_write_units) / 1e6
  const gateway = (sum((it) => it.requests) * million.http_api_requests) / 1e6
  const lambda =
    (calls * million.lambda_requests) / 1e6 +
    sum((it) => it.seconds) * assumed.memory_gb * prices.per_gb.lambda_arm64_seconds
  const logs = ((sum((it) => it.logged) + calls * assumed.platform_log_bytes) * prices.per_gb.logs_taken_in) / 1e9
  const traces = (calls * million.xray_traces) / 1e6
  const out = (sum((it) => it.bytes) * prices.per_gb.data_out) / 1e9
  const read = sum((it) => it.reads) / times
  const written = sum((it) => it.writes) / times
  return line(what, `${read.toFixed(1)} / ${written.toFixed(1)}`, {
    table,
    gateway,
    lambda,
    'logs, metrics': logs,
    traces,
    out,
  })
}

/** A month in which nobody calls: the sweeper comes by, and what is stored, watched and shown is paid for. */
function idle(visit: Spent): Record<string, string> {
  const visits = (30 * 24 * 60) / 15
  const { per_gb_month: kept, per_month: month } = prices
  const one = row('', visits, [{ ...visit, requests: 0, logged: LINE_BYTES * 2, seconds: 0.3, invocations: 1 }])
  const storage = assumed.stored_gb * (kept.dynamodb_storage + kept.dynamodb_pitr + kept.s3_storage)
  const watching = month.alarm * ALARMS + month.dashboard + month.custom_metric * QUEUE_METRICS
  return line(
    `idle, a month (${assumed.stored_gb} GB stored, alarms, dashboard)`,
    String(one['units read / written, each']),
    {
      table: Number(one.table) + storage,
      gateway: 0,
      lambda: Number(one.lambda),
      'logs, metrics': Number(one['logs, metrics']) + watching,
      traces: Number(one.traces),
      out: 0,
    },
  )
}

const ALARMS = 9
/** What the sweeper's visits tell; the metrics of requests are paid for in the hours in which there are any. */
const QUEUE_METRICS = 3

type Shares = Readonly<Record<'table' | 'gateway' | 'lambda' | 'logs, metrics' | 'traces' | 'out', number>>

function line(what: string, units: string, shares: Shares): Record<string, string> {
  const all = Object.values(shares).reduce((sum, n) => sum + n, 0)
  const texts = Object.fromEntries(Object.entries(shares).map(([name, n]) => [name, n.toFixed(3)]))
  return { what, 'units read / written, each': units, ...texts, dollars: all.toFixed(2) }
}
