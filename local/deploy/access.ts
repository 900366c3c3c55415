import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * `npm run access`: compares what the functions may do (access.json) with what the last whole run of the tests has seen
 * them do. It fails when something was used that is not granted, and when something is granted that was not used: that is
 * taken away, or gets the test that needs it. `-- --write` writes down what was seen; it is part of the change that caused it.
 */
const file = join(import.meta.dirname, 'access.json')
const traces = process.env.TRACES ?? join(import.meta.dirname, '../../.build/traces')

const seen = new Map<string, Set<string>>()
for (const name of readdirSync(traces)) {
  for (const line of readFileSync(join(traces, name), 'utf8').trimEnd().split('\n')) {
    const [owner = '', action = '', resource = ''] = line.split(' ')
    seen.set(owner, (seen.get(owner) ?? new Set()).add(`${action} ${resource}`))
  }
}
const found = Object.fromEntries([...seen].sort(byName).map(([name, uses]) => [name, [...uses].sort()]))

if (process.argv.includes('--write')) writeFileSync(file, `${JSON.stringify(found, null, 2)}\n`)
const granted: Record<string, string[]> = JSON.parse(readFileSync(file, 'utf8'))
const names = [...new Set([...Object.keys(found), ...Object.keys(granted)])].sort()
const lacking = names.flatMap((name) =>
  missing(found[name], granted[name]).map((use) => `${name} uses ${use}, which access.json does not name`),
)
const idle = names.flatMap((name) =>
  missing(granted[name], found[name]).map((use) => `${name} may do ${use}, which this run has not used`),
)
console.log([...lacking, ...idle].join('\n') || `${seen.size} functions use exactly what they may.`)
process.exit(lacking.length + idle.length > 0 ? 1 : 0)

function missing(wanted: readonly string[] = [], there: readonly string[] = []): string[] {
  return wanted.filter((use) => !there.includes(use))
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1
}
