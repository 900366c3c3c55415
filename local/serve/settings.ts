import { readFileSync } from 'node:fs'

/** Settings of `npm run serve` beside those of the service. */
export type ServeSettings = {
  host: string
  port: number
  /** Where the places of the stream's followers are kept. */
  folder: string
  /** The file of the table, if this server runs the store of the table itself. */
  tableFile: string | undefined
  /** Whether the table's store has streams. Without them, changes are found by reading the table every minute. */
  hasStreams: boolean
}

/** Settings that a server of one's own cannot do without. */
const required = [
  'TABLE_NAME',
  'BUCKET_NAME',
  'DYNAMODB_ENDPOINT',
  'S3_ENDPOINT',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'SECRET_KEY',
  'WEBHOOK_SECRET',
]

/** Settings that a file may hold. */
const secrets = [...required, 'SECRET_KEY_FALLBACKS', 'METRICS_TOKEN', 'ASSISTANT_API_KEY', 'SEARCH_URL']

/**
 * Completes the environment, and returns the settings of the server. `NAME_FILE` names a file that holds the value of NAME, as Docker gives
 * secrets. Throws one sentence that names every fault. There is no way to the stage `local`, so no door of dev mode can be open.
 */
export function readSettings(environment: NodeJS.ProcessEnv): ServeSettings {
  takeFiles(environment)
  environment.STAGE ||= 'prod'
  // Nothing is cached across processes but through the table. What was hidden is hidden at once.
  environment.CACHE_URL ||= 'dynamodb:'
  environment.CACHE_KEY_PREFIX ||= `heritage:${environment.STAGE}:`
  const faults = required.filter((name) => !environment[name]).map((name) => `${name} is missing`)
  if (!['staging', 'prod'].includes(environment.STAGE)) faults.push('STAGE must be staging or prod')
  if (environment.SERVICE_DEV_AUTH) faults.push('SERVICE_DEV_AUTH must be empty')
  const port = environment.PORT ?? '8000'
  const streams = environment.STREAMS ?? 'on'
  if (!/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65_535) faults.push('PORT must be a port')
  if (!['on', 'off'].includes(streams)) faults.push('STREAMS must be on or off')
  if (environment.TABLE_FILE && !/^http:\/\/127\.0\.0\.1:\d+\/?$/.test(environment.DYNAMODB_ENDPOINT ?? ''))
    faults.push('DYNAMODB_ENDPOINT must be http://127.0.0.1:PORT beside TABLE_FILE')
  if (faults.length > 0) throw new Error(`Configuration: ${faults.join('; ')}.`)
  return {
    host: environment.HOST ?? '127.0.0.1',
    port: Number(port),
    folder: environment.SERVE_DATA ?? '.serve',
    tableFile: environment.TABLE_FILE || undefined,
    hasStreams: streams === 'on',
  }
}

function takeFiles(environment: NodeJS.ProcessEnv): void {
  for (const name of secrets) {
    const path = environment[`${name}_FILE`]
    if (path && !environment[name]) environment[name] = readFileSync(path, 'utf8').trim()
  }
}
