import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import prices from '../../deploy/prices.json' with { type: 'json' }
import { RehearsedStack } from '../../deploy/rehearse/template.ts'
import { measures } from '../../lib/base/telemetry/emf.ts'
import type { Answer, App } from '../harness/app.ts'
import { billOf, sumOf, totalOf, type Use } from './bill.ts'
import { projected } from './projected.ts'
import { print, say } from './tools/table.ts'

/** What is assumed where this machine cannot tell. */
const assumed = {
  read_seconds: 0.03,
  write_seconds: 0.08,
  /** Of the authorizer of a large part, which reads the part before; and of putting three together. */
  part_seconds: 0.25,
  whole_seconds: 1,
  projector_seconds: 0.1,
  /** Of a visit that finds nothing to do, by the function and the input of its schedule. */
  visit_seconds: {
    'sweeper often': 0.1,
    'sweeper seldom': 0.5,
    exporter: 1,
    importer: 0.05,
    letters: 0.05,
    merger: 0.05,
    webhooks: 0.02,
  },
  /** An image that is drawn for a reader, and how many of the reads are that. */
  drawn_seconds: 0.3,
  drawn: 0.01,
  /** A record that is exported. */
  exported_seconds: 0.002,
  /** A request's own line with its metrics and that of the gateway; a line of the sweeper; the platform's own of each call. */
  request_bytes: 950,
  line_bytes: 300,
  platform_bytes: 700,
  stored_gb: 1,
  /** Of all reads, how many the dispatcher hands on: those without the last slash, and roots that others lie under. */
  dispatched: 0.02,
}
const MINUTES = 30 * 24 * 60

/** What the service costs by the prices in deploy/prices.json: of units that were measured, and of what is assumed above. */
export async function benchCosts(): Promise<void> {
  const { openApp } = await import('../harness/app.ts')
  const app = await openApp({ env: { LOG_LEVEL: 'info' } })
  const spent = await ledger()
  const token = async (username: string): Promise<string> =>
    (await app.anon.post('/api/token/', { body: { username, password: 'heritage-local' } })).body.access
  const access = await token('dev')
  const [dev, reviewer] = [app.as(access), app.as(await token('reviewer'))]
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
  // What has just been written is dealt with; from then on the service is idle.
  await sweep()
  const stack = await packageStage()
  const visits = await measureVisits(stack, spent)
  const exported = { reads: ((fullExport.reads ?? 0) - (emptyExport.reads ?? 0)) / PUBLISHED }

  const parts = await measureParts(dev, access, spent)

  const idle = sumOf(
    ...visits.map((visit): [number, Use] => [visit.times, visit.use]),
    // It exports nothing.
    [30, { reads: (emptyExport.reads ?? 0) - (fullExport.reads ?? 0) }],
    [1, { table_gb_months: assumed.stored_gb, file_gb_months: assumed.stored_gb }],
    // A function that reads the table asks for its key every five minutes.
    [MINUTES / 5, { key_requests: 1 }],
    // Those of the queue in every hour, that of the exporter in one of a day.
    [1, { ...monthly(stack), metrics: Object.keys(measures.queue).length + 1 / 24 }],
  )
  const read = sumOf(
    [1 / reads.answers, reads.use],
    [1, callOf(stack, 'records', assumed.read_seconds)],
    [assumed.dispatched, callOf(stack, 'dispatcher', assumed.read_seconds)],
    [assumed.drawn, callOf(stack, 'iiif', assumed.drawn_seconds)],
  )
  const contributed = sumOf(
    [1, contribution.use],
    [1, callOf(stack, 'records', assumed.write_seconds)],
    [1, afterContribution],
    [1, callOf(stack, 'projector', assumed.projector_seconds, 1)],
  )
  const reviewed = sumOf(
    [1, review.use],
    [1, callOf(stack, 'queue', assumed.read_seconds)],
    [1, callOf(stack, 'reviews', assumed.read_seconds)],
    [1, callOf(stack, 'reviews', assumed.write_seconds)],
    [1, afterReview],
    [1, callOf(stack, 'projector', assumed.projector_seconds, 1)],
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
      sumOf([1, exported], [1, { gb_seconds: callOf(stack, 'exporter', assumed.exported_seconds).gb_seconds ?? 0 }]),
    ),
    row(
      '1 GB of documents of 18 MiB, in parts of 6 MiB',
      1e9 / (3 * PART),
      sumOf(
        [1, parts],
        [3, { rest_requests: 1, puts: 1, ...callOf(stack, 'scans', assumed.part_seconds) }],
        [1, { rest_requests: 2, ...callOf(stack, 'scans', assumed.whole_seconds) }],
        // Parts lie for three days, and for one more as earlier versions.
        [1, { file_gb_months: ((3 * PART) / 1e9) * (4 / 30) }],
      ),
    ),
    row('idle, a month', 1, idle),
    row('1,000,000 requests a day, a month', 1, busy),
  ])
  print('Item by item, a month', items({ idle, 'of 1,000,000 requests a day': busy }))
  const { alarm_metrics } = monthly(stack)
  say(
    `Units, calls to the bucket and answers are measured, what the projector does included. Memory, processors (arm or x86), schedules, alarms, dashboards and traces are those of the packaged template of prod. Assumed: ${assumed.read_seconds * 1000} ms for a read, ${assumed.write_seconds * 1000} for a write, ${assumed.projector_seconds * 1000} for the projector; ${Object.entries(
      assumed.visit_seconds,
    )
      .map(([name, seconds]) => `${name} ${seconds * 1000}`)
      .join(
        ', ',
      )} ms for a visit with nothing to do; ${assumed.dispatched * 100} % of the reads through the dispatcher, ${assumed.drawn * 100} % draw an image (${assumed.drawn_seconds * 1000} ms); ${assumed.stored_gb} GB in the table and ${assumed.stored_gb} in the bucket. Idle: ${visits.reduce((sum, { times }) => sum + times, 0).toLocaleString('en')} visits of schedules, alarms on ${alarm_metrics} metrics, ${Object.keys(measures.queue).length} metrics of the queue. Schedules and what a function reads of the stream are free. A day of 1,000,000 requests: 960,000 reads, 10,000 contributions, 10,000 reviews of two reads and a verdict each; on top of what idle costs.`,
  )
}

/** So many records are published when the exporter is measured. */
const PUBLISHED = 22

type Packaged = RehearsedStack

/** The packaged template of prod. Memory, processors, schedules, alarms and traces are taken from it, and from nothing else. */
async function packageStage(): Promise<Packaged> {
  const directory = '.build/costs'
  execFileSync('node_modules/.bin/serverless', ['package', '--stage', 'prod', '--package', directory], {
    stdio: 'ignore',
    env: { ...process.env, BUNDLES: 'kept' },
  })
  return new RehearsedStack(
    JSON.parse(await readFile(join(directory, 'cloudformation-template-update-stack.json'), 'utf8')),
  )
}

/**
 * A call of a function with the memory and the processor that the template gives it. `lines`: what it writes to the log itself, beside the
 * lines of requests. Where the template traces it, each call counts as a trace. That is the most: X-Ray takes the first of each second, so
 * every visit of a schedule, and one in twenty of the others.
 */
export function callOf(stack: Packaged, name: string, seconds: number, lines = 0): Use {
  const found = Object.values(stack.resources).find(
    ({ Properties }) => Object(Properties).FunctionName === `heritage-prod-${name}`,
  )
  if (!found) throw new Error(`The template has no function ${name}.`)
  const { MemorySize, Architectures = ['x86_64'], TracingConfig } = Object(found.Properties)
  const gb_seconds = (MemorySize / 1024) * seconds
  return {
    invocations: 1,
    ...(Architectures[0] === 'arm64' ? { gb_seconds } : { gb_seconds_x86: gb_seconds }),
    ...(TracingConfig?.Mode === 'Active' && { traces: 1 }),
    logged_bytes: assumed.platform_bytes + lines * assumed.line_bytes,
  }
}

/** How often a schedule fires in a month of 30 days. */
export function timesInMonth(expression: string): number {
  const [, many = '1', unit = ''] = /^rate\((\d+) (\w+?)s?\)$/.exec(expression) ?? []
  if (unit) return MINUTES / (Number(many) * { minute: 1, hour: 60, day: 1440 }[unit as 'minute' | 'hour' | 'day'])
  const [, minutes = '', hours = ''] = /^cron\((\S+) (\S+) \* \* \? \*\)$/.exec(expression) ?? []
  const inHour = minutes.includes('/') ? 60 / Number(minutes.split('/')[1]) : minutes.split(',').length
  if (minutes === '' || Number.isNaN(inHour)) throw new Error(`What does ${expression} cost?`)
  return 30 * inHour * (hours === '*' ? 24 : hours.split(',').length)
}

/** What each schedule of the template costs while there is nothing to do: its units are measured. */
async function measureVisits(stack: Packaged, { unasked }: Awaited<ReturnType<typeof ledger>>) {
  const visits: { times: number; use: Use }[] = []
  for (const { target, expression, input } of stack.schedules()) {
    const name = target.split(':')[6]?.replace('heritage-prod-', '') ?? ''
    const chores: unknown = Object(input).chores
    const seconds = Object(assumed.visit_seconds)[chores ? `${name} ${chores}` : name]
    if (seconds === undefined) throw new Error(`How long does a visit of ${name} take?`)
    const { handler } = await import(`../../functions/${name}.ts`)
    const measured = await unasked(() => handler(chores ? { chores } : {}))
    visits.push({ times: timesInMonth(expression), use: sumOf([1, measured], [1, callOf(stack, name, seconds, 1)]) })
  }
  return visits
}

/** What the stack has that is paid for by the month: metrics under alarms, and dashboards. */
function monthly(stack: Packaged): { alarm_metrics: number; dashboards: number } {
  const ofType = (type: string) => Object.values(stack.resources).filter(({ Type }) => Type === type)
  const metricsOf = (alarm: object) => {
    const { Metrics = [] }: { Metrics?: readonly object[] } = Object(Object(alarm).Properties)
    return Metrics.filter((one) => 'MetricStat' in one).length || 1
  }
  return {
    alarm_metrics: ofType('AWS::CloudWatch::Alarm').reduce((sum, alarm) => sum + metricsOf(alarm), 0),
    dashboards: ofType('AWS::CloudWatch::Dashboard').length,
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

/** The bytes of a part that the dashboard sends. */
const PART = 6 * 1024 * 1024

/** What a document in three large parts asks of table and bucket, but for what the REST API stores itself. */
async function measureParts(dev: App['anon'], access: string, { unasked }: Awaited<ReturnType<typeof ledger>>) {
  const { askForPart, storePart } = await import('../harness/rest-parts.ts')
  let stored: Use = {}
  const use = await unasked(async () => {
    const announced = { filename: 'register.png', byte_size: 3 * PART, media_type: 'image' }
    const { body } = await dev.post('/data/ocr-chunk-uploads/', { body: announced })
    for (let n = 0; n < 3; n += 1) {
      const { key, status } = await askForPart(body.id, { Authorization: `Bearer ${access}` })
      if (status !== 200) throw new Error(`a part was answered by ${status}`)
      await storePart(key, Buffer.alloc(PART))
    }
    const { status } = await dev.post(`/data/ocr-chunk-uploads/${body.id}/complete/`)
    if (status !== 201) throw new Error(`the parts were answered by ${status}`)
    stored = { puts: -3 }
  })
  return sumOf([1, use], [1, stored])
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
