import { cpuUsage, memoryUsage, version as node, uptime } from 'node:process'
import { clock } from '../../base/clock.ts'
import { audienceOf, openTier } from '../../base/visibility.ts'
import { countKeys, getMany, sumOf } from '../../engines/table/index.ts'
import { countsOfKinds } from '../table/lists.ts'
import { runWithin } from './within.ts'

type Labels = Readonly<Record<string, string>>
type Family = { name: string; type: 'gauge' | 'counter'; help: string; samples: readonly (readonly [Labels, number])[] }

/**
 * The state of the service and of this process in Prometheus' text format. Never fails: without the table, `heritage_table_up` is 0 and
 * only the figures of the process follow. It counts only what everyone may see; operators also have the metrics of the log
 * (lib/base/telemetry/emf.ts). While the table answers, it is read at most once in 10 seconds.
 */
export async function metricsText(
  build: { version: string; stage: string },
  recordKinds: readonly string[],
): Promise<string> {
  const census = await latestCensus(recordKinds)
  return [
    gauge('heritage_build_info', 'The version of the service.', [[{ ...build, node }, 1]]),
    gauge('heritage_table_up', 'Whether the table answers.', [[{}, census ? 1 : 0]]),
    ...(census ?? []),
    ...processFamilies(),
  ]
    .map(exposition)
    .join('')
}

/** Milliseconds for which a census is reused. */
const CENSUS_MS = 10_000
/** The longest wait for the table, in milliseconds. */
const TIME_LIMIT_MS = 1000

// prove: memory
let latest: { until: number; census: Promise<Family[] | undefined> } | undefined

/** The latest census, or a new one. Concurrent scrapes share one census. A failed census is not reused. */
async function latestCensus(recordKinds: readonly string[]): Promise<Family[] | undefined> {
  const time = clock.now().getTime()
  if (!latest || latest.until <= time)
    latest = { until: time + CENSUS_MS, census: runWithin(TIME_LIMIT_MS, () => takeCensus(recordKinds)) }
  const mine = latest
  const census = await mine.census
  if (!census && latest === mine) latest = undefined
  return census
}

/** The start of this process, in seconds since 1970. */
const started = Date.now() / 1000 - uptime()

const openSources = `SOURCE#TIER#${openTier}`
const lists = ['USER', openSources, 'CLUSTER'] as const

/** Reads exact sizes from the counters: one call per shard and one more. */
async function takeCensus(recordKinds: readonly string[]): Promise<Family[]> {
  const [records, counters] = await Promise.all([countsOfKinds(), getMany(countKeys(lists))])
  const size = (list: (typeof lists)[number]) => sumOf([list], counters)
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
/** The sample of a kind: its published records, which everyone may read. A kind without records has the sample 0. */
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

/** One family as lines. Samples are sorted by their labels, so that two scrapes can be compared. */
function exposition({ name, type, help, samples }: Family): string {
  const lines = samples.map(([labels, value]) => `${name}${labelText(labels)} ${value}\n`).sort()
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`)
  return pairs.length > 0 ? `{${pairs.join(',')}}` : ''
}

const escapeLabel = (text: string) => text.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n')
