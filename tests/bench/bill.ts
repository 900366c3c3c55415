import prices from '../../deploy/prices.json' with { type: 'json' }

const { per_million: million, per_gb: gb, per_gb_month: kept, per_month: month } = prices

/** What is paid for: under which heading, and dollars for one. Bytes by the billion, as the bill counts them. */
const tariff = {
  reads: ['table', million.dynamodb_read_units / 1e6],
  writes: ['table', million.dynamodb_write_units / 1e6],
  table_gb_months: ['table', kept.dynamodb_storage + kept.dynamodb_pitr],
  key_requests: ['table', million.kms_requests / 1e6],
  requests: ['gateway', million.http_api_requests / 1e6],
  rest_requests: ['gateway', million.rest_api_requests / 1e6],
  invocations: ['lambda', million.lambda_requests / 1e6],
  gb_seconds: ['lambda', gb.lambda_arm64_seconds],
  gb_seconds_x86: ['lambda', gb.lambda_x86_seconds],
  logged_bytes: ['logs, metrics', gb.logs_taken_in / 1e9],
  alarm_metrics: ['logs, metrics', month.alarm],
  metrics: ['logs, metrics', month.custom_metric],
  dashboards: ['logs, metrics', month.dashboard],
  traces: ['traces', million.xray_traces / 1e6],
  stream_reads: ['stream, queues', million.dynamodb_stream_reads / 1e6],
  queue_requests: ['stream, queues', million.sqs_requests / 1e6],
  puts: ['files', million.s3_puts / 1e6],
  gets: ['files', million.s3_gets / 1e6],
  file_gb_months: ['files', kept.s3_storage],
  sent_bytes: ['out', gb.data_out / 1e9],
} as const satisfies Record<string, readonly [heading: string, dollars: number]>

/** So much of each thing that is paid for. */
export type Use = Partial<Record<keyof typeof tariff, number>>
export type Heading = (typeof tariff)[keyof typeof tariff][0]
export type Bill = Readonly<Record<Heading, number>>

/** Uses taken together, each so many times. */
export const sumOf = (...uses: readonly (readonly [times: number, use: Use])[]): Use => {
  const sum: Record<string, number> = {}
  for (const [times, use] of uses) for (const [name, n] of Object.entries(use)) sum[name] = (sum[name] ?? 0) + times * n
  return sum
}

/** What a use costs, in dollars by heading. */
export function billOf(use: Use): Bill {
  const bill = { ...NOTHING }
  for (const [name, [heading, dollars]] of Object.entries(tariff))
    bill[heading] += (use[name as keyof Use] ?? 0) * dollars
  return bill
}

const NOTHING: Record<Heading, number> = {
  table: 0,
  gateway: 0,
  lambda: 0,
  'logs, metrics': 0,
  traces: 0,
  'stream, queues': 0,
  files: 0,
  out: 0,
}

/** All headings together. */
export const totalOf = (bill: Bill): number => Object.values(bill).reduce((sum, dollars) => sum + dollars, 0)
