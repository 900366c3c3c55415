import { logGroup } from './gateway.ts'

type Resources = Record<string, { Type: string; Properties: object; DependsOn?: readonly string[] }>

/** Of the calls of functions, how many leave a trace: X-Ray bills each. */
export const SAMPLED = 0.01

/** What an operator looks at: alarms and where they go, one dashboard, saved log queries. `service` is service-stage. */
export function operations(service: string, email: string): { Resources: Resources } {
  const namespace = service.replace('-', '/')
  return {
    Resources: {
      Alarms: { Type: 'AWS::SNS::Topic', Properties: { TopicName: `${service}-alarms` } },
      ...(email && {
        AlarmEmail: {
          Type: 'AWS::SNS::Subscription',
          Properties: { TopicArn: { Ref: 'Alarms' }, Protocol: 'email', Endpoint: email },
        },
      }),
      ...alarmsOf(service, namespace),
      Dashboard: {
        Type: 'AWS::CloudWatch::Dashboard',
        Properties: {
          DashboardName: service,
          DashboardBody: { 'Fn::Sub': JSON.stringify({ widgets: widgets(service, namespace) }) },
        },
      },
      ...queriesOf(service),
      Sampling: {
        Type: 'AWS::XRay::SamplingRule',
        Properties: { SamplingRule: samplingRule(service) },
      },
    },
  }
}

/** As serverless.yml names it: where what was given up lies. */
const letters = ['ProjectorFailures', 'AssetFailures', 'ScheduleFailures'] as const

type Metric = { namespace: string; name: string; dimensions?: Readonly<Record<string, unknown>> }
type Alarm = {
  means: string
  metric: Metric
  statistic: 'Sum' | 'Maximum' | 'SampleCount' | 'p99'
  above?: number
  below?: number
  minutes: number
  /** So many periods in a row. */
  times?: number
}

const ofFunction = (service: string, name: string, metric: string): Metric => ({
  namespace: 'AWS/Lambda',
  name: metric,
  dimensions: { FunctionName: `${service}-${name}` },
})
const inQueue = (queue: string, name = 'ApproximateNumberOfMessagesVisible'): Metric => ({
  namespace: 'AWS/SQS',
  name,
  dimensions: { QueueName: { 'Fn::GetAtt': [queue, 'QueueName'] } },
})
const ofGateway = (name: string): Metric => ({
  namespace: 'AWS/ApiGateway',
  name,
  dimensions: { ApiId: { Ref: 'HttpApi' } },
})

/** A new one is an entry here. What it means is the first line of the mail that wakes someone. */
function alarmsOf(service: string, namespace: string): Resources {
  const own = (name: string): Metric => ({ namespace, name })
  const alarms: Readonly<Record<string, Alarm>> = {
    Faults: {
      means: 'Requests end in 5xx. Saved query: errors.',
      metric: ofGateway('5xx'),
      statistic: 'Sum',
      above: 4,
      minutes: 5,
    },
    Slow: {
      means: 'One request in a hundred takes over 3 seconds, for 15 minutes. Saved query: routes.',
      metric: ofGateway('Latency'),
      statistic: 'p99',
      above: 3000,
      minutes: 5,
      times: 3,
    },
    ProjectorLate: {
      means: 'Links, notifications and search are over a minute behind what was written. Saved query: errors.',
      metric: ofFunction(service, 'projector', 'IteratorAge'),
      statistic: 'Maximum',
      above: 60_000,
      minutes: 5,
    },
    ProjectorGaveUp: {
      means: 'A change was not taken in: its place in the stream is in the queue ProjectorFailures.',
      metric: inQueue('ProjectorFailures'),
      statistic: 'Maximum',
      above: 0,
      minutes: 5,
    },
    SweeperGaveUp: {
      means: 'The sweeper, the exporter or the webhooks failed twice: the event is in the queue ScheduleFailures.',
      metric: inQueue('ScheduleFailures'),
      statistic: 'Maximum',
      above: 0,
      minutes: 5,
    },
    AssetsGaveUp: {
      means: 'A file of an asset was not cleared away, drawn small or read: the change is in the queue AssetFailures.',
      metric: inQueue('AssetFailures'),
      statistic: 'Maximum',
      above: 0,
      minutes: 5,
    },
    AssetsLate: {
      means:
        'What changes of assets ask for (thumbnails, clearing away, text) is half an hour behind. Saved query: errors.',
      metric: ofFunction(service, 'asset-files', 'IteratorAge'),
      statistic: 'Maximum',
      above: 1_800_000,
      minutes: 5,
    },
    SweeperSilent: {
      means: 'The sweeper, which comes by every minute, has come by less than thirty times in an hour.',
      metric: ofFunction(service, 'sweeper', 'Invocations'),
      statistic: 'Sum',
      below: 30,
      minutes: 60,
    },
    QueueUnseen: {
      means: 'For an hour the sweeper has not come to the end of its visit every 15 minutes. Saved query: errors.',
      metric: own('waiting'),
      statistic: 'SampleCount',
      below: 1,
      minutes: 60,
    },
    ExportsSilent: {
      means: 'For 30 hours no run of the exporter has come to its end: readers have the files of the last that did.',
      metric: own('exported'),
      statistic: 'SampleCount',
      below: 1,
      minutes: 60,
      times: 30,
    },
    TableThrottled: {
      means:
        'Calls to the table had to be made again: a hot partition, or a limit of the account. Saved query: throttled.',
      metric: own('retries'),
      statistic: 'Sum',
      above: 100,
      minutes: 5,
    },
    QueueForgotten: {
      means: 'Something has waited for a reviewer for 14 days, and nobody has claimed it.',
      metric: own('oldest_unclaimed_s'),
      statistic: 'Maximum',
      above: 14 * 86_400,
      minutes: 60,
    },
    WebhookFails: {
      means: 'The webhook did not take what was sent to it.',
      metric: own('webhook_failures'),
      statistic: 'Sum',
      above: 2,
      minutes: 15,
    },
  }
  return Object.fromEntries(
    Object.entries(alarms).map(([name, alarm]) => [`${name}Alarm`, alarmOf(service, name, alarm)]),
  )
}

function alarmOf(service: string, name: string, { means, metric, statistic, above, below, minutes, times = 1 }: Alarm) {
  return {
    Type: 'AWS::CloudWatch::Alarm',
    Properties: {
      AlarmName: `${service}-${name}`,
      AlarmDescription: means,
      ...measured(metric, statistic, minutes * 60),
      EvaluationPeriods: times,
      Threshold: above ?? below,
      ComparisonOperator: below === undefined ? 'GreaterThanThreshold' : 'LessThanThreshold',
      // Nothing to report is good news, except from what should come by.
      TreatMissingData: below === undefined ? 'notBreaching' : 'breaching',
      AlarmActions: [{ Ref: 'Alarms' }],
      OKActions: [{ Ref: 'Alarms' }],
    },
  }
}

function measured({ namespace, name, dimensions = {} }: Metric, statistic: Alarm['statistic'], Period: number): object {
  return {
    Namespace: namespace,
    MetricName: name,
    Dimensions: Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value })),
    Period,
    ...(statistic === 'p99' ? { ExtendedStatistic: statistic } : { Statistic: statistic }),
  }
}

type Line = readonly (string | object)[]

/** For CloudFormation to fill in. */
const filled = (name: string) => `\${${name}}`

/** Twelve columns each, two in a row. */
function widgets(service: string, namespace: string): object[] {
  const lambda = (name: string, metric: string, stat: string): Line => [
    'AWS/Lambda',
    metric,
    'FunctionName',
    `${service}-${name}`,
    { stat },
  ]
  const own = (name: string, stat: string, label = name): Line => [namespace, name, { stat, label }]
  const gateway = (name: string, stat: string): Line => [
    'AWS/ApiGateway',
    name,
    'ApiId',
    filled('HttpApi'),
    { stat, label: `${name} ${stat}` },
  ]
  const queue = (name: string, metric: string): Line => [
    'AWS/SQS',
    metric,
    'QueueName',
    filled(`${name}.QueueName`),
    { stat: 'Maximum', label: name },
  ]
  const panels: Readonly<Record<string, readonly Line[]>> = {
    'Requests and refusals': [
      gateway('Count', 'Sum'),
      gateway('4xx', 'Sum'),
      gateway('5xx', 'Sum'),
      own('throttled', 'Sum'),
    ],
    'Time, milliseconds': [
      gateway('Latency', 'p50'),
      gateway('Latency', 'p99'),
      own('ms', 'p99', 'in the function p99'),
    ],
    'Cost: calls and units per request': [own('calls', 'Average'), own('units', 'Average'), own('retries', 'Sum')],
    Table: [
      ['AWS/DynamoDB', 'ConsumedReadCapacityUnits', 'TableName', service, { stat: 'Sum' }],
      ['AWS/DynamoDB', 'ConsumedWriteCapacityUnits', 'TableName', service, { stat: 'Sum' }],
      ['AWS/DynamoDB', 'ReadThrottleEvents', 'TableName', service, { stat: 'Sum' }],
      ['AWS/DynamoDB', 'WriteThrottleEvents', 'TableName', service, { stat: 'Sum' }],
    ],
    'Projector: lag and failures': [
      own('lag_ms', 'Maximum'),
      own('failures', 'Sum'),
      lambda('projector', 'IteratorAge', 'Maximum'),
    ],
    'Queue: size, oldest unclaimed': [own('waiting', 'Maximum'), own('oldest_unclaimed_s', 'Maximum')],
    'Caches and webhook': [own('cache_hits', 'Sum'), own('cache_misses', 'Sum'), own('webhook_failures', 'Sum')],
    'Given up: messages in dead-letter queues': letters.map((name) =>
      queue(name, 'ApproximateNumberOfMessagesVisible'),
    ),
    'Files of assets: how far behind, milliseconds of the reader of text': [
      lambda('asset-files', 'IteratorAge', 'Maximum'),
      lambda('ocr', 'Duration', 'Maximum'),
    ],
    'Exports: records, milliseconds of a run': [own('exported', 'Maximum'), lambda('exporter', 'Duration', 'Maximum')],
    'Sweeper: visits, milliseconds': [
      lambda('sweeper', 'Invocations', 'Sum'),
      lambda('sweeper', 'Duration', 'Maximum'),
    ],
  }
  return Object.entries(panels).map(([title, metrics], i) => ({
    type: 'metric',
    x: (i % 2) * 12,
    y: Math.floor(i / 2) * 6,
    width: 12,
    height: 6,
    properties: { title, metrics, region: filled('AWS::Region'), view: 'timeSeries', period: 300 },
  }))
}

/** By the name under which CloudWatch Logs Insights lists them. */
const queries: Readonly<Record<string, readonly string[]>> = {
  routes: [
    "filter message = 'request'",
    'stats count(*) as requests, sum(faults) as faults, pct(ms, 50) as p50, pct(ms, 99) as p99, sum(units) as units by route',
    'sort p99 desc',
  ],
  errors: [
    "filter level = 'error'",
    'fields @timestamp, @logStream, message, route, error, request_id, stack',
    'sort @timestamp desc',
    'limit 100',
  ],
  'one-request': [
    "filter request_id = 'PUT THE X-Request-Id HERE'",
    'fields @timestamp, @logStream, message, route, status, ms, error, trace',
    'sort @timestamp asc',
  ],
  costly: [
    "filter message = 'request'",
    'stats sum(units) as total, avg(units) as each, max(units) as most by route',
    'sort total desc',
  ],
  throttled: [
    "filter message = 'request' and retries > 0",
    'stats sum(retries) as again, count(*) as requests by route',
    'sort again desc',
  ],
  queue: [
    "filter message = 'queue'",
    'fields @timestamp, waiting, queue_age_s, oldest_unclaimed_s',
    'sort @timestamp desc',
    'limit 100',
  ],
  refusals: [
    "filter message = 'request' and refusals = 1",
    'stats count(*) as requests by route, status',
    'sort requests desc',
  ],
  'cold-starts': [
    "filter @type = 'REPORT'",
    // A log stream is called DATE/FUNCTION[VERSION]NUMBER.
    'parse @logStream /\\d\\/(?<function>[\\w-]+)\\[/',
    'stats count(*) as calls, count(@initDuration) as cold, pct(@initDuration, 50) as ms, max(@maxMemoryUsed) / 1000000 as mb by function',
    'sort cold desc',
  ],
}

/** Before the rule that each account has, by which one call a second and one in twenty would be traced. */
const samplingRule = (service: string) => ({
  RuleName: `${service}-calls`.slice(0, 32),
  Priority: 1000,
  FixedRate: SAMPLED,
  ReservoirSize: 0,
  ServiceName: `${service}-*`,
  ServiceType: '*',
  Host: '*',
  HTTPMethod: '*',
  URLPath: '*',
  ResourceARN: '*',
  Version: 1,
})

function queriesOf(service: string): Resources {
  return Object.fromEntries(
    Object.entries(queries).map(([name, lines]) => [
      `${name.replace(/(^|-)(\w)/g, (_, _dash, letter: string) => letter.toUpperCase())}Query`,
      {
        Type: 'AWS::Logs::QueryDefinition',
        DependsOn: ['FunctionLogs'],
        Properties: { Name: `${service}/${name}`, QueryString: lines.join(' | '), LogGroupNames: [logGroup(service)] },
      },
    ]),
  )
}
