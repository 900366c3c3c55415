/**
 * The metrics: which numeric members of log lines CloudWatch counts, by the message of the line. Alarms and dashboard (`deploy/operations`)
 * use these names.
 */
export const measures = {
  request: {
    ms: 'Milliseconds',
    calls: 'Count',
    units: 'Count',
    retries: 'Count',
    throttled: 'Count',
    cache_hits: 'Count',
    cache_misses: 'Count',
  },
  projection: { lag_ms: 'Milliseconds', failures: 'Count' },
  // `parked` counts the changes that the projector could not apply. It is above 0 until `npm run replay` has applied or dropped them.
  queue: { waiting: 'Count', oldest_unclaimed_s: 'Seconds', parked: 'Count' },
  webhook: { webhook_failures: 'Count' },
  letters: { letter_failures: 'Count' },
  export: { exported: 'Count' },
  'dependency away': { provider_failures: 'Count' },
} as const satisfies Record<string, Readonly<Record<string, Unit>>>

type Unit = 'Count' | 'Milliseconds' | 'Seconds'
type Message = keyof typeof measures
/** Members of lines for saved queries. They are not metrics, since CloudWatch bills each metric by the month. */
export const queriedMembers = ['faults', 'refusals', 'projected', 'queue_age_s'] as const
/** The name of a metric, or of a member for saved queries. */
export type Measure = { [M in Message]: keyof (typeof measures)[M] }[Message] | (typeof queriedMembers)[number]

const byMessage: ReadonlyMap<unknown, Readonly<Record<string, Unit>>> = new Map(Object.entries(measures))

/** The member `_aws` of a line, which names the metrics that CloudWatch reads from it. Undefined if the line has none. */
export function embedMetrics(
  line: Readonly<Record<string, unknown>>,
  namespace: string,
  milliseconds: number,
): object | undefined {
  const Metrics = Object.entries(byMessage.get(line.message) ?? {})
    .filter(([name]) => typeof line[name] === 'number')
    .map(([Name, Unit]) => ({ Name, Unit }))
  if (Metrics.length === 0) return undefined
  return { Timestamp: milliseconds, CloudWatchMetrics: [{ Namespace: namespace, Dimensions: [[]], Metrics }] }
}
