import { config } from './config.ts'

/** Everything that a log line may hold. Nothing outside this list is ever written. */
export type Line = {
  level: 'info' | 'error'
  message: string
  request_id?: string
  method?: string
  route?: string
  status?: number
  ms?: number
  caller?: string
  calls?: number
  units?: number
  count?: number
  error?: string
  stack?: string
}

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
  'count',
  'error',
  'stack',
] as const satisfies readonly (keyof Line)[]

/** Writes one JSON line with the allowed members of `line`. */
export function log(line: Line): void {
  if (config.LOG_LEVEL === 'silent') return
  const allowed = Object.fromEntries(
    members.filter((name) => line[name] !== undefined).map((name) => [name, line[name]]),
  )
  console.log(JSON.stringify({ time: new Date().toISOString(), ...allowed }))
}
