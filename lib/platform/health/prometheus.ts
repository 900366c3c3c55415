import { cpuUsage, memoryUsage, version as node, uptime } from 'node:process'
import { clock } from '../../base/clock.ts'
import { audienceOf, openTier } from '../../base/visibility.ts'
import { countKeys, getMany, sumOf } from '../../engines/table/index.ts'
import { countsOfKinds } from '../table/lists.ts'
import { runWithin } from './within.ts'

type Labels = Readonly<Record<string, string>>
type Family = { name: string; type: 'gauge' | 'counter'; help: string; samples: readonly (readonly [Labels, number])[] }

/**
 * The state of the service and of this process in Prometheus' text format. Never fails: without the table it says so
 * and tells of the process alone. Anyone may ask, so it counts what everyone may see and nothing else: the log and its metrics
 * (lib/base/telemetry/emf.ts) are for whoever runs the service. The table is asked every 10 seconds at most.
 */
export async function metricsText(
  build: { version: string; stage: string },
  recordKinds: readonly string[],
): Promise<string> {
  const takeCensus = await latestCensus(recordKinds)
  return [
    gauge('heritage_build_info', 'The version of the service.', [[{ ...build, node }, 1]]),
    gauge('heritage_table_up', 'Whether the table answers.', [[{}, takeCensus ? 1 : 0]]),
    ...(takeCensus ?? []),
    ...processFamilies(),
  ]
    .map(exposition)
    .join('')
}

const KEPT_MS = 10_000
const TIME_LIMIT_MS = 1000

// prove: memory
let latest: { until: number; census: Promise<Family[] | undefined> } | undefined

/** Scrapes that come together share one census. One that failed is not kept. */
async function latestCensus(recordKinds: readonly string[]): Promise<Family[] | undefined> {
  const at = clock.now().getTime()
  if (!latest || latest.until <= at)
    latest = { until: at + KEPT_MS, census: runWithin(TIME_LIMIT_MS, () => census(recordKinds)) }
  const mine = latest
  const found = await mine.census
  if (!found && latest === mine) latest = undefined
  return found
}

const started = Date.now() / 1000 - uptime()

const openSources = `SOURCE#TIER#${openTier}`
const lists = ['USER', openSources, 'CLUSTER'] as const

/** Exact sizes from the counters that every write keeps: one call per shard and one more. */
async function census(recordKinds: readonly string[]): Promise<Family[]> {
  const [records, found] = await Promise.all([countsOfKinds(), getMany(countKeys(lists))])
  const size = (list: (typeof lists)[number]) => sumOf([list], found)
  return [
    gauge(
      'heritage_records',
      'Records by kind, standing and access.',
      [...new Set([...recordKinds, ...records.keys()])].flatMap((sort) =>
        recordSample(sort, records.get(sort)?.get(everyone) ?? 0),
      ),
    ),
    gauge('heritage_users', 'Users.', [[{}, size('USER')]]),
    gauge('heritage_data_sources', 'Data sources by access.', [[{ access: openTier }, size(openSources)]]),
    gauge('heritage_entity_clusters', 'Entity clusters.', [[{}, size('CLUSTER')]]),
  ]
}

const everyone = audienceOf(openTier)
/** What stands as `published` is for everyone; the others are nobody's business. Of a kind there may be none, which is a figure too. */
function recordSample(sort: string, n: number): [Labels, number][] {
  const [kind, category] = sort.split(':')
  if (!kind) return []
  return [[{ kind, standing: everyone, access: openTier, ...(category && { category }) }, n]]
}

function processFamilies(): Family[] {
  const { user, system } = cpuUsage()
  return [
    {
      name: 'process_cpu_seconds_total',
      type: 'counter',
      help: 'Processor time of this process.',
      samples: [[{}, (user + system) / 1e6]],
    },
    gauge('process_resident_memory_bytes', 'Memory of this process.', [[{}, memoryUsage.rss()]]),
    gauge('process_start_time_seconds', 'When this process began, in seconds since 1970.', [[{}, started]]),
  ]
}

const gauge = (name: string, help: string, samples: Family['samples']): Family => ({
  name,
  type: 'gauge',
  help,
  samples,
})

/** One family as lines; samples in the order of their labels, so that two scrapes compare. */
function exposition({ name, type, help, samples }: Family): string {
  const lines = samples.map(([labels, value]) => `${name}${labelText(labels)} ${value}\n`).sort()
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`)
  return pairs.length > 0 ? `{${pairs.join(',')}}` : ''
}

const escapeLabel = (text: string) => text.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n')
