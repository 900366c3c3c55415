import { config } from '../config.ts'
import { embedMetrics, type Measure } from './emf.ts'
import { currentMeter } from './request-cost.ts'

/** The members that a log line may contain. No other member is ever written. */
export type Line = {
  level: 'info' | 'error'
  message: string
  request_id?: string | undefined
  method?: string
  route?: string
  status?: number
  caller?: string
  count?: number
  /** The service that could not be reached. Example: `table`. */
  dependency?: string | undefined
  error?: string
  stack?: string
} & Partial<Record<Measure, number>>

const members = [
  'level',
  'message',
  'request_id',
  'method',
  'route',
  'status',
  'ms',
  'caller',
  'calls',
  'units',
  'retries',
  'faults',
  'refusals',
  'throttled',
  'cache_hits',
  'cache_misses',
  'projected',
  'lag_ms',
  'failures',
  'waiting',
  'queue_age_s',
  'oldest_unclaimed_s',
  'parked',
  'webhook_failures',
  'letter_failures',
  'exported',
  'provider_failures',
  'count',
  'dependency',
  'error',
  'stack',
] as const satisfies readonly (keyof Line)[]

/**
 * Writes one JSON line with the allowed members of `line`. It has the id of the present request if it names no other.
 * CloudWatch reads the metrics of lib/base/telemetry/emf.ts from it.
 */
// prove: logged-line
export function log(line: Line): void {
  if (config.LOG_LEVEL === 'silent') return
  const at = new Date()
  const named = { request_id: currentMeter()?.request_id, ...line }
  const allowed = Object.fromEntries(
    members.filter((name) => named[name] !== undefined).map((name) => [name, named[name]]),
  )
  const _aws = onLambda ? embedMetrics(allowed, `heritage/${config.STAGE}`, at.getTime()) : undefined
  write(JSON.stringify({ time: at.toISOString(), ...allowed, ...(_aws && { trace: trace(), _aws }) }))
}

const onLambda = config.STAGE !== 'local'

/**
 * Lambda's `console` puts a prefix before each line. CloudWatch reads metrics only from lines that are JSON as a whole.
 */
const write = onLambda ? (text: string) => process.stdout.write(`${text}\n`) : (text: string) => console.log(text)

/** The id under which X-Ray shows the same request. */
const trace = () => /Root=([\w-]+)/.exec(process.env._X_AMZN_TRACE_ID ?? '')?.[1]
