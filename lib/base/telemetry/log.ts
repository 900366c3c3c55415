import { config } from '../config.ts'
import type { Dependency } from '../errors.ts'
import { embedMetrics, type Measure } from './emf.ts'
import { currentInvocation, type Invocation } from './invocation.ts'
import { currentMeter } from './request-cost.ts'

/** The members that a caller of `log` may give. Other members of a line are left out. */
export type Line = {
  /** Lines of `debug` are written only for calls that are sampled. */
  level: 'debug' | 'info' | 'error'
  message: string
  request_id?: string | undefined
  method?: string
  route?: string
  status?: number
  caller?: string
  count?: number
  /** A call of a dependency, in lines of `debug`. Example: `Query`. */
  operation?: string
  /** The service that could not be reached. Example: `table`. */
  dependency?: string | undefined
  error?: string
  stack?: string
} & Partial<Record<Measure, number>>

const members = [
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
  'operation',
  'dependency',
  'error',
  'stack',
] as const satisfies readonly Exclude<keyof Line, 'level' | 'message'>[]

/**
 * Writes one JSON line with the allowed members of `line`. If `line` names no request, the id of the current request is added. Members
 * that Powertools for AWS also writes have the same names: level, message, timestamp, service, function_name, function_request_id,
 * cold_start, xray_trace_id, sampling_rate. CloudWatch reads the metrics of lib/base/telemetry/emf.ts from the line.
 */
// prove: logged-line
export function log(line: Line): void {
  const invocation = currentInvocation()
  if (config.LOG_LEVEL === 'silent' || (line.level === 'debug' && !invocation?.isSampled)) return
  const at = new Date()
  const named = { request_id: currentMeter()?.request_id, ...line }
  const allowed = Object.fromEntries(
    members.filter((name) => named[name] !== undefined).map((name) => [name, named[name]]),
  )
  const { message } = line
  const _aws = onLambda ? embedMetrics({ message, ...allowed }, `heritage/${config.STAGE}`, at.getTime()) : undefined
  write(
    JSON.stringify({
      level: line.level.toUpperCase(),
      message,
      timestamp: at.toISOString(),
      service: 'heritage',
      ...callOf(invocation),
      ...allowed,
      ...(_aws && { _aws }),
    }),
  )
}

/** The members that say which call of which function wrote a line. Unknown members are left out. */
const callOf = (invocation: Invocation | undefined) => ({
  function_name: process.env.AWS_LAMBDA_FUNCTION_NAME ?? invocation?.function_name,
  function_version: process.env.AWS_LAMBDA_FUNCTION_VERSION,
  ...(invocation && { cold_start: invocation.cold_start, function_request_id: invocation.function_request_id }),
  xray_trace_id: trace(),
  ...(invocation?.isSampled && { sampling_rate: config.LOG_LEVEL === 'debug' ? 1 : config.LOG_SAMPLE_RATE }),
})

/** Writes a line of `debug` about a call of a dependency that began at `began`, in milliseconds of `performance.now()`. */
export function logCall(dependency: Dependency, operation: string, began: number, units?: number): void {
  if (!currentInvocation()?.isSampled) return
  const ms = Math.round((performance.now() - began) * 10) / 10
  log({ level: 'debug', message: 'call', dependency, operation, ms, ...(units !== undefined && { units }) })
}

const onLambda = config.STAGE !== 'local'

/**
 * Lambda's `console` puts a prefix before each line. CloudWatch reads metrics only from lines that are JSON as a whole.
 */
const write = onLambda ? (text: string) => process.stdout.write(`${text}\n`) : (text: string) => console.log(text)

/** The id under which X-Ray shows the same request. */
const trace = () => /Root=([\w-]+)/.exec(process.env._X_AMZN_TRACE_ID ?? '')?.[1]
