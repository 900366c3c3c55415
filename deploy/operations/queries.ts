import { logGroup } from '../gateway.ts'

/** Saved queries of CloudWatch Logs Insights, by name. The lines are joined with `|`. */
const queries: Readonly<Record<string, readonly string[]>> = {
  routes: [
    "filter message = 'request'",
    'stats count(*) as requests, sum(faults) as faults, pct(ms, 50) as p50, pct(ms, 99) as p99, sum(units) as units by route',
    'sort p99 desc',
  ],
  errors: [
    "filter level = 'ERROR'",
    'fields @timestamp, function_name, message, route, dependency, error, request_id, stack',
    'sort @timestamp desc',
    'limit 100',
  ],
  'one-request': [
    "filter request_id = 'PUT THE X-Request-Id HERE'",
    'fields @timestamp, @logStream, message, route, status, ms, calls, units, error, function_name, function_version, cold_start, function_request_id, xray_trace_id',
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
    // The name of a log stream is DATE/FUNCTION[VERSION]NUMBER.
    'parse @logStream /\\d\\/(?<function>[\\w-]+)\\[/',
    'stats count(*) as calls, count(@initDuration) as cold, pct(@initDuration, 50) as ms, max(@maxMemoryUsed) / 1000000 as mb by function',
    'sort cold desc',
  ],
}

/** The saved queries of a stack, as resources. */
export function queriesOf(service: string): Record<string, { Type: string; Properties: object; DependsOn: string[] }> {
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
