import type { AlarmStack } from './alarms.ts'

type Line = readonly (string | object)[]
type LineOf = (stack: AlarmStack) => Line

/** The dead-letter queues, by their logical ids in serverless.yml. */
const letters = ['ProjectorFailures', 'AssetFailures', 'ScheduleFailures'] as const

/** A variable that CloudFormation replaces. */
const variableNamed = (name: string) => `\${${name}}`

const lambda =
  (name: string, metric: string, stat: string): LineOf =>
  ({ service }) => ['AWS/Lambda', metric, 'FunctionName', `${service}-${name}`, { stat }]
const own =
  (name: string, stat: string, label = name): LineOf =>
  ({ namespace }) => [namespace, name, { stat, label }]
const gateway =
  (name: string, stat: string): LineOf =>
  () => ['AWS/ApiGateway', name, 'ApiId', variableNamed('HttpApi'), { stat, label: `${name} ${stat}` }]
const table =
  (name: string): LineOf =>
  (stack) => ['AWS/DynamoDB', name, 'TableName', stack.table, { stat: 'Sum' }]
const queue =
  (name: string, metric: string): LineOf =>
  () => ['AWS/SQS', metric, 'QueueName', variableNamed(`${name}.QueueName`), { stat: 'Maximum', label: name }]

/** The panels by title, each with its lines. */
const panels: Readonly<Record<string, readonly LineOf[]>> = {
  'Requests and refusals': [
    gateway('Count', 'Sum'),
    gateway('4xx', 'Sum'),
    gateway('5xx', 'Sum'),
    own('throttled', 'Sum'),
    own('gateway_throttled', 'Sum'),
  ],
  'Time, milliseconds': [gateway('Latency', 'p50'), gateway('Latency', 'p99'), own('ms', 'p99', 'in the function p99')],
  'Cost: calls and units per request': [own('calls', 'Average'), own('units', 'Average'), own('retries', 'Sum')],
  Table: [
    table('ConsumedReadCapacityUnits'),
    table('ConsumedWriteCapacityUnits'),
    table('ReadThrottleEvents'),
    table('WriteThrottleEvents'),
  ],
  'Projector: lag and failures': [
    own('lag_ms', 'Maximum'),
    own('failures', 'Sum'),
    own('parked', 'Maximum'),
    lambda('projector', 'IteratorAge', 'Maximum'),
  ],
  'Queue: size, oldest unclaimed': [own('waiting', 'Maximum'), own('oldest_unclaimed_s', 'Maximum')],
  'Caches, webhook and letters': [
    own('cache_hits', 'Sum'),
    own('cache_misses', 'Sum'),
    own('webhook_failures', 'Sum'),
    own('letter_failures', 'Sum'),
    own('provider_failures', 'Sum'),
  ],
  'Given up: messages in dead-letter queues': letters.map((name) => queue(name, 'ApproximateNumberOfMessagesVisible')),
  'Files of assets: how far behind, milliseconds of the reader of text': [
    lambda('asset-files', 'IteratorAge', 'Maximum'),
    lambda('ocr', 'Duration', 'Maximum'),
  ],
  'Exports: records, milliseconds of a run': [own('exported', 'Maximum'), lambda('exporter', 'Duration', 'Maximum')],
  'Sweeper: visits, milliseconds': [lambda('sweeper', 'Invocations', 'Sum'), lambda('sweeper', 'Duration', 'Maximum')],
}

/** The panels as widgets of CloudWatch, two in a row of 24 columns. */
export const widgets = (stack: AlarmStack): object[] =>
  Object.entries(panels).map(([title, lines], i) => ({
    type: 'metric',
    x: (i % 2) * 12,
    y: Math.floor(i / 2) * 6,
    width: 12,
    height: 6,
    properties: {
      title,
      metrics: lines.map((line) => line(stack)),
      region: variableNamed('AWS::Region'),
      view: 'timeSeries',
      period: 300,
    },
  }))
