/** What CloudWatch counts and times: members of log lines, by the line's message. The one place that names metrics. */
export const measures = {
  request: {
    ms: 'Milliseconds',
    calls: 'Count',
    units: 'Count',
    retries: 'Count',
    faults: 'Count',
    refusals: 'Count',
    throttled: 'Count',
    cache_hits: 'Count',
    cache_misses: 'Count',
  },
  projection: { projected: 'Count', lag_ms: 'Milliseconds', failures: 'Count' },
  queue: { waiting: 'Count', queue_age_s: 'Seconds', oldest_unclaimed_s: 'Seconds' },
  webhook: { webhook_failures: 'Count' },
  export: { exported: 'Count' },
} as const satisfies Record<string, Readonly<Record<string, Unit>>>

type Unit = 'Count' | 'Milliseconds' | 'Seconds'
type Message = keyof typeof measures
export type Measure = { [M in Message]: keyof (typeof measures)[M] }[Message]

/** Each pair of a metric and a route is billed as a metric of its own, so these alone are kept by route. */
const byRoute: readonly Measure[] = ['ms', 'faults']

const byMessage: ReadonlyMap<unknown, Readonly<Record<string, Unit>>> = new Map(Object.entries(measures))

/** The member `_aws` of a line, by which CloudWatch takes metrics out of it; undefined where the line holds none. */
export function embedded(line: Readonly<Record<string, unknown>>, namespace: string, at: number): object | undefined {
  const Metrics = Object.entries(byMessage.get(line.message) ?? {})
    .filter(([name]) => typeof line[name] === 'number')
    .map(([Name, Unit]) => ({ Name, Unit }))
  if (Metrics.length === 0) return undefined
  const routed = Metrics.filter(({ Name }) => byRoute.some((name) => name === Name))
  const directive = { Namespace: namespace, Dimensions: [[]], Metrics }
  const perRoute =
    line.route === undefined || routed.length === 0 ? [] : [{ ...directive, Dimensions: [['route']], Metrics: routed }]
  return { Timestamp: at, CloudWatchMetrics: [directive, ...perRoute] }
}
