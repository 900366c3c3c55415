/** Example: service `heritage-prod`, with its own metrics in namespace `heritage/prod`. */
export type AlarmStack = { service: string; namespace: string }
type Metric = { namespace: string; name: string; dimensions?: Readonly<Record<string, unknown>> }
type MetricOf = (stack: AlarmStack) => Metric
type Alarm = {
  means: string
  metric: MetricOf
  statistic: 'Sum' | 'Maximum' | 'SampleCount' | 'p99'
  above?: number
  below?: number
  minutes: number
  /** The number of periods in a row, each of `minutes`. */
  times?: number
}

const ofFunction =
  (name: string, metric: string): MetricOf =>
  ({ service }) => ({ namespace: 'AWS/Lambda', name: metric, dimensions: { FunctionName: `${service}-${name}` } })
const inQueue =
  (queue: string, name = 'ApproximateNumberOfMessagesVisible'): MetricOf =>
  () => ({ namespace: 'AWS/SQS', name, dimensions: { QueueName: { 'Fn::GetAtt': [queue, 'QueueName'] } } })
const ofGateway =
  (name: string): MetricOf =>
  () => ({ namespace: 'AWS/ApiGateway', name, dimensions: { ApiId: { Ref: 'HttpApi' } } })
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
    metric: ofFunction('projector', 'IteratorAge'),
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
    means:
      'The sweeper, the exporter, the webhooks or the letters failed twice: the event is in the queue ScheduleFailures.',
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
    metric: ofFunction('asset-files', 'IteratorAge'),
    statistic: 'Maximum',
    above: 1_800_000,
    minutes: 5,
  },
  SweeperSilent: {
    means: 'The sweeper, which comes by every minute, has come by less than thirty times in an hour.',
    metric: ofFunction('sweeper', 'Invocations'),
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
  LettersFail: {
    means: 'The mail service did not take letters, or gave no answer. Saved query: errors.',
    metric: own('letter_failures'),
    statistic: 'Sum',
    above: 5,
    minutes: 15,
  },
}

/** The alarms of a stack, as resources. */
export const alarmsOf = (stack: AlarmStack): Record<string, { Type: string; Properties: object }> =>
  Object.fromEntries(Object.entries(alarms).map(([name, alarm]) => [`${name}Alarm`, alarmOf(stack, name, alarm)]))

function alarmOf(
  stack: AlarmStack,
  name: string,
  { means, metric, statistic, above, below, minutes, times = 1 }: Alarm,
) {
  return {
    Type: 'AWS::CloudWatch::Alarm',
    Properties: {
      AlarmName: `${stack.service}-${name}`,
      AlarmDescription: means,
      ...metricQuery(metric(stack), statistic, minutes * 60),
      EvaluationPeriods: times,
      Threshold: above ?? below,
      ComparisonOperator: below === undefined ? 'GreaterThanThreshold' : 'LessThanThreshold',
      // No data is good news, except from what must run regularly (`below`).
      TreatMissingData: below === undefined ? 'notBreaching' : 'breaching',
      AlarmActions: [{ Ref: 'Alarms' }],
      OKActions: [{ Ref: 'Alarms' }],
    },
  }
}

function metricQuery(
  { namespace, name, dimensions = {} }: Metric,
  statistic: Alarm['statistic'],
  Period: number,
): object {
  return {
    Namespace: namespace,
    MetricName: name,
    Dimensions: Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value })),
    Period,
    ...(statistic === 'p99' ? { ExtendedStatistic: statistic } : { Statistic: statistic }),
  }
}
