/**
 * Metrics: members of log lines that are counted or timed, by the message of the line. No other place names metrics.
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
  queue: { waiting: 'Count', oldest_unclaimed_s: 'Seconds' },
  webhook: { webhook_failures: 'Count' },
  letters: { letter_failures: 'Count' },
  export: { exported: 'Count' },
} as const satisfies Record<string, Readonly<Record<string, Unit>>>

type Unit = 'Count' | 'Milliseconds' | 'Seconds'
type Message = keyof typeof measures
/** Members of lines that saved queries ask for. As metrics they would be billed by the month, and by route one for each. */
export const queriedMembers = ['faults', 'refusals', 'projected', 'queue_age_s'] as const
export type Measure = { [M in Message]: keyof (typeof measures)[M] }[Message] | (typeof queriedMembers)[number]

const byMessage: ReadonlyMap<unknown, Readonly<Record<string, Unit>>> = new Map(Object.entries(measures))

/** The member `_aws` of a line, by which CloudWatch takes metrics out of it. Undefined if the line holds none. */
export function embedMetrics(
  line: Readonly<Record<string, unknown>>,
  namespace: string,
  at: number,
): object | undefined {
  const Metrics = Object.entries(byMessage.get(line.message) ?? {})
    .filter(([name]) => typeof line[name] === 'number')
    .map(([Name, Unit]) => ({ Name, Unit }))
  if (Metrics.length === 0) return undefined
  return { Timestamp: at, CloudWatchMetrics: [{ Namespace: namespace, Dimensions: [[]], Metrics }] }
}
