/** Example: service `heritage-prod`, with its own metrics in namespace `heritage/prod`, and the name of its table. */
export type AlarmStack = { service: string; namespace: string; table: string }
type Metric = { namespace: string; name: string; dimensions?: Readonly<Record<string, unknown>> }
type MetricOf = (stack: AlarmStack) => Metric
type Alarm = {
  means: string
  /** One metric, or several: added up (`sum`), or the `largest` or the `least` of them. */
  metric: MetricOf | { sum: readonly MetricOf[] } | { largest: readonly MetricOf[] } | { least: readonly MetricOf[] }
  statistic: 'Sum' | 'Maximum' | 'SampleCount' | 'Average' | 'p99'
  above?: number
  below?: number
  minutes: number
  /** The number of periods in a row, each of `minutes`. */
  times?: number
  /** `wake`: people are without service, or something is being lost. `look`: in working hours is soon enough. */
  severity: 'wake' | 'look'
}

/** The functions that no request waits for. */
const workers = ['asset-files', 'exporter', 'importer', 'letters', 'merger', 'ocr', 'projector', 'sweeper', 'webhooks']
/** Those of them that schedules call. A call that failed, retries included, lies in the queue ScheduleFailures. */
const scheduled = ['exporter', 'importer', 'letters', 'merger', 'sweeper', 'webhooks']
/** Those of them that are called asynchronously: by a schedule, or by another function. */
const calledLater = [...scheduled, 'ocr']
const indexes = ['gsi1', 'gsi2', 'gsi3', 'gsi4']

const ofFunction =
  (name: string, metric: string): MetricOf =>
  ({ service }) => ({ namespace: 'AWS/Lambda', name: metric, dimensions: { FunctionName: `${service}-${name}` } })
const inQueue =
  (queue: string, name = 'ApproximateNumberOfMessagesVisible'): MetricOf =>
  () => ({ namespace: 'AWS/SQS', name, dimensions: { QueueName: { 'Fn::GetAtt': [queue, 'QueueName'] } } })
const ofGateway =
  (name: string): MetricOf =>
  () => ({ namespace: 'AWS/ApiGateway', name, dimensions: { ApiId: { Ref: 'HttpApi' } } })
/** The number of throttled calls of one sort, by any caller, to the table and to each of its indexes. */
const ofTable = (name: string): MetricOf[] => [
  ({ table }) => ({ namespace: 'AWS/DynamoDB', name, dimensions: { TableName: table } }),
  ...indexes.map(
    (index): MetricOf =>
      ({ table }) => ({
        namespace: 'AWS/DynamoDB',
        name,
        dimensions: { TableName: table, GlobalSecondaryIndexName: index },
      }),
  ),
]
/** A metric of the whole account, in this region. */
const ofAccount =
  (namespace: string, name: string): MetricOf =>
  () => ({ namespace, name })
const own =
  (name: string): MetricOf =>
  ({ namespace }) => ({ namespace, name })

/** To add an alarm, add an entry. `means` is the first line of the mail that wakes someone. */
const alarms: Readonly<Record<string, Alarm>> = {
  Faults: {
    means: 'Requests end in 5xx. Saved query: errors.',
    metric: ofGateway('5xx'),
    statistic: 'Sum',
    above: 4,
    minutes: 5,
    severity: 'wake',
  },
  Canary: {
    means: 'More than 2 requests in a minute ended in 5xx. While a release is tried, it is taken back.',
    metric: ofGateway('5xx'),
    statistic: 'Sum',
    above: 2,
    minutes: 1,
    severity: 'look',
  },
  Slow: {
    means: 'One request in a hundred takes over 3 seconds, for 15 minutes. Saved query: routes.',
    metric: ofGateway('Latency'),
    statistic: 'p99',
    above: 3000,
    minutes: 5,
    times: 3,
    severity: 'wake',
  },
  ProjectorLate: {
    means: 'Links, notifications and search are over a minute behind what was written. Saved query: errors.',
    metric: ofFunction('projector', 'IteratorAge'),
    statistic: 'Maximum',
    above: 60_000,
    minutes: 5,
    severity: 'wake',
  },
  ProjectorGaveUp: {
    means: 'A change was not taken in: its place in the stream is in the queue ProjectorFailures.',
    metric: inQueue('ProjectorFailures'),
    statistic: 'Maximum',
    above: 0,
    minutes: 5,
    severity: 'wake',
  },
  SweeperGaveUp: {
    means: `A visit of a scheduled function (${scheduled.join(', ')}) failed, retries included: the event is in the queue ScheduleFailures.`,
    metric: inQueue('ScheduleFailures'),
    statistic: 'Maximum',
    above: 0,
    minutes: 5,
    severity: 'look',
  },
  AssetsGaveUp: {
    means: 'A file of an asset was not cleared away, drawn small or read: the change is in the queue AssetFailures.',
    metric: inQueue('AssetFailures'),
    statistic: 'Maximum',
    above: 0,
    minutes: 5,
    severity: 'look',
  },
  AssetsLate: {
    means:
      'What changes of assets ask for (thumbnails, clearing away, text) is half an hour behind. Saved query: errors.',
    metric: ofFunction('asset-files', 'IteratorAge'),
    statistic: 'Maximum',
    above: 1_800_000,
    minutes: 5,
    severity: 'look',
  },
  SweeperSilent: {
    means: 'The sweeper, which comes by every minute, has come by less than thirty times in an hour.',
    metric: ofFunction('sweeper', 'Invocations'),
    statistic: 'Sum',
    below: 30,
    minutes: 60,
    severity: 'wake',
  },
  QueueUnseen: {
    means: 'For an hour the sweeper has not come to the end of its visit every 15 minutes. Saved query: errors.',
    metric: own('waiting'),
    statistic: 'SampleCount',
    below: 1,
    minutes: 60,
    severity: 'look',
  },
  ExportsSilent: {
    means: 'For 30 hours no run of the exporter has come to its end: readers have the files of the last that did.',
    metric: own('exported'),
    statistic: 'SampleCount',
    below: 1,
    minutes: 60,
    times: 30,
    severity: 'look',
  },
  TableThrottled: {
    means:
      'The table refused calls for their number, of requests or workers: a hot partition, the cap of the stage, or a limit of the account. Saved query: throttled.',
    metric: { sum: [...ofTable('ReadThrottleEvents'), ...ofTable('WriteThrottleEvents')] },
    statistic: 'Sum',
    above: 100,
    minutes: 5,
    severity: 'look',
  },
  QueueForgotten: {
    means: 'Something has waited for a reviewer for 14 days, and nobody has claimed it.',
    metric: own('oldest_unclaimed_s'),
    statistic: 'Maximum',
    above: 14 * 86_400,
    minutes: 60,
    severity: 'look',
  },
  WebhookFails: {
    means: 'The webhook did not take what was sent to it.',
    metric: own('webhook_failures'),
    statistic: 'Sum',
    above: 2,
    minutes: 15,
    severity: 'look',
  },
  LettersFail: {
    means: 'The mail service did not take letters, or gave no answer. Saved query: errors.',
    metric: own('letter_failures'),
    statistic: 'Sum',
    above: 5,
    minutes: 15,
    severity: 'look',
  },
  ChangesParked: {
    means:
      'The projector could not apply a change and put it aside: its links, notifications and place in search are missing. Saved query: errors. Then npm run replay -- --parked.',
    metric: own('parked'),
    statistic: 'Maximum',
    above: 0,
    minutes: 15,
    severity: 'wake',
  },
  ProviderAway: {
    means:
      'The identity provider does not answer, so people who sign in with it get 503. Keys and our own tokens go on.',
    metric: own('provider_failures'),
    statistic: 'Sum',
    above: 10,
    minutes: 5,
    severity: 'wake',
  },
  WorkersFail: {
    means:
      'Functions that no request waits for ended with an error: a time limit, too little memory, or a thrown error. Saved query: errors.',
    metric: { sum: workers.map((name) => ofFunction(name, 'Errors')) },
    statistic: 'Sum',
    above: 5,
    minutes: 15,
    severity: 'look',
  },
  WorkersLate: {
    means:
      'A call of a worker has waited for half an hour: too many functions run at once, or it fails again and again.',
    metric: { largest: calledLater.map((name) => ofFunction(name, 'AsyncEventAge')) },
    statistic: 'Maximum',
    above: 1_800_000,
    minutes: 15,
    severity: 'look',
  },
  SchedulesSilent: {
    means:
      'The importer, the letters, the merger or the webhooks, which schedules call, have come by less than fifteen times in an hour. Look at their rules in EventBridge.',
    metric: { least: ['importer', 'letters', 'merger', 'webhooks'].map((name) => ofFunction(name, 'Invocations')) },
    statistic: 'Sum',
    below: 15,
    minutes: 60,
    severity: 'look',
  },
  FunctionsThrottled: {
    means: 'AWS refused to run functions of this account: as many run at once as it may have. Ask for a higher limit.',
    metric: ofAccount('AWS/Lambda', 'Throttles'),
    statistic: 'Sum',
    above: 0,
    minutes: 5,
    severity: 'wake',
  },
  FunctionsMany: {
    means: 'Four fifths of the functions that may run at once do. Beyond the limit requests are refused.',
    metric: ofAccount('AWS/Lambda', 'ConcurrentExecutions'),
    statistic: 'Maximum',
    above: 0.8,
    minutes: 5,
    times: 2,
    severity: 'look',
  },
  GatewayThrottles: {
    means:
      'The gateway refused requests with 429, since there were more a second than the stage lets through. Saved query: routes.',
    metric: own('gateway_throttled'),
    statistic: 'Sum',
    above: 50,
    minutes: 5,
    severity: 'look',
  },
  LettersReturn: {
    means:
      'More than 2 of 100 letters come back. AWS stops an account that has 5. Look at: aws sesv2 list-suppressed-destinations.',
    metric: ofAccount('AWS/SES', 'Reputation.BounceRate'),
    statistic: 'Average',
    above: 0.02,
    minutes: 60,
    severity: 'look',
  },
  LettersUnwanted: {
    means: 'More than 5 of 10,000 letters are reported as unwanted. AWS stops an account that has 10.',
    metric: ofAccount('AWS/SES', 'Reputation.ComplaintRate'),
    statistic: 'Average',
    above: 0.0005,
    minutes: 60,
    severity: 'look',
  },
}

/** The alarms of a stack, as resources. `functionsAtOnce` is how many functions the account may run at once. */
export const alarmsOf = (
  stack: AlarmStack,
  functionsAtOnce: number,
): Record<string, { Type: string; Properties: object }> =>
  Object.fromEntries(
    Object.entries(alarms).map(([name, alarm]) => [
      `${name}Alarm`,
      alarmOf(stack, name, name === 'FunctionsMany' ? { ...alarm, above: 0.8 * functionsAtOnce } : alarm),
    ]),
  )

/** The topic that mails an alarm, by its severity. */
const topics = { wake: 'Alarms', look: 'Notices' } as const

function alarmOf(stack: AlarmStack, name: string, alarm: Alarm) {
  const { means, above, below, times = 1, severity } = alarm
  return {
    Type: 'AWS::CloudWatch::Alarm',
    Properties: {
      AlarmName: `${stack.service}-${name}`,
      AlarmDescription: means,
      ...metricsOf(stack, alarm),
      EvaluationPeriods: times,
      Threshold: above ?? below,
      ComparisonOperator: below === undefined ? 'GreaterThanThreshold' : 'LessThanThreshold',
      // Missing data is fine, except for what must run regularly (`below`).
      TreatMissingData: below === undefined ? 'notBreaching' : 'breaching',
      AlarmActions: [{ Ref: topics[severity] }],
      OKActions: [{ Ref: topics[severity] }],
    },
  }
}

/** The metric of an alarm, or the expression over its metrics. */
function metricsOf(stack: AlarmStack, { metric, statistic, minutes }: Alarm): object {
  const Period = minutes * 60
  if (typeof metric === 'function') return { ...namesOf(metric(stack)), Period, ...statisticOf(statistic) }
  const [[how = 'sum', several = []] = []] = Object.entries<readonly MetricOf[]>(metric)
  // A function that is never called has no data, which is read as 0.
  const least = `MIN([${several.map((_, i) => `FILL(m${i}, 0)`).join(', ')}])`
  const Expression = { sum: 'SUM(METRICS())', largest: 'MAX(METRICS())', least }[how]
  return {
    Metrics: [
      { Id: 'all', Expression, Label: 'all', ReturnData: true },
      ...several.map((one, i) => ({
        Id: `m${i}`,
        MetricStat: { Metric: namesOf(one(stack)), Period, Stat: statistic },
        ReturnData: false,
      })),
    ],
  }
}

const statisticOf = (statistic: Alarm['statistic']) =>
  statistic === 'p99' ? { ExtendedStatistic: statistic } : { Statistic: statistic }

const namesOf = ({ namespace, name, dimensions = {} }: Metric) => ({
  Namespace: namespace,
  MetricName: name,
  Dimensions: Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value })),
})
