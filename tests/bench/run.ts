import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { benchAnswers } from './answers.ts'
import { benchBundles } from './bundles.ts'
import { benchChanges } from './changes.ts'
import { benchComments } from './comments.ts'
import { benchCommunity } from './community.ts'
import { benchConflicts } from './conflicts.ts'
import { benchCost } from './cost.ts'
import { benchCosts } from './costs.ts'
import { benchCpu } from './cpu.ts'
import { benchExports } from './exports.ts'
import { benchHot } from './hot.ts'
import { benchHouse } from './house.ts'
import { benchImport } from './import.ts'
import { benchImports } from './imports.ts'
import { benchMerging } from './merging.ts'
import { renewed } from './page.ts'
import { benchPeer } from './peer.ts'
import { benchPipeline } from './pipeline.ts'
import { benchProjects } from './projects.ts'
import { benchQueue } from './queue.ts'
import { benchSearch } from './search.ts'
import { benchFreshness } from './search-freshness.ts'
import { benchJudged } from './search-judged.ts'
import { benchUploads } from './uploads.ts'

/**
 * `npm run bench [-- NAME...]`: all measurements, or the named ones. Prints what it measures and renews the section of each
 * in RESULTS.md; the other sections stay. `SIZES=1000,100000` sets the sizes of those that fill a table.
 */
const sizes = (process.env.SIZES ?? '1000,100000').split(',').map(Number)
const benches: Readonly<Record<string, () => Promise<void>>> = {
  house: benchHouse,
  pipeline: benchPipeline,
  bundles: benchBundles,
  conflicts: benchConflicts,
  import: benchImport,
  imports: benchImports,
  cpu: benchCpu,
  peer: benchPeer,
  costs: benchCosts,
  hot: benchHot,

  cost: () => benchCost(sizes),
  queue: () => benchQueue(sizes),
  projects: benchProjects,
  merging: benchMerging,
  uploads: benchUploads,
  comments: () => benchComments(sizes),
  changes: () => benchChanges(sizes),
  answers: () => benchAnswers(sizes),
  search: benchSearch,
  freshness: benchFreshness,
  judged: benchJudged,
  community: () => benchCommunity(sizes),
  exports: () => benchExports(sizes),
}

const named = process.argv.slice(2)
const unknown = named.filter((name) => !benches[name])
if (unknown.length > 0) {
  console.error(`No measurement is called ${unknown.join(', ')}. There are: ${Object.keys(benches).join(', ')}.`)
  process.exit(2)
}
await (process.env.BENCH_PAGE ? measure(named[0] ?? '') : renew(named.length > 0 ? named : Object.keys(benches)))

/** One measurement in this process; what it prints goes onto the page BENCH_PAGE, too. */
async function measure(name: string): Promise<void> {
  const { default: setup } = await import('../harness/setup.ts')
  const stop = await setup()
  await benches[name]?.()
  await stop()
  process.exit(0)
}

/** Measures each in a process of its own, since the configuration, and with it the table, is read once, and renews its section. */
function renew(names: readonly string[]): void {
  const [pages, results] = ['.build/bench', new URL('RESULTS.md', import.meta.url)]
  mkdirSync(pages, { recursive: true })
  for (const name of names) {
    const BENCH_PAGE = `${pages}/${name}.md`
    writeFileSync(BENCH_PAGE, '')
    const env = { ...process.env, BENCH_PAGE }
    const { status } = spawnSync(process.execPath, [import.meta.filename, name], { stdio: 'inherit', env })
    if (status !== 0) process.exit(status ?? 1)
    const settings = ['SIZES', 'MERGE'].map((it) => (process.env[it] ? `${it}=${process.env[it]} ` : ''))
    const command = `${settings.join('')}npm run bench -- ${name}`
    const measured = { name, command, machine: machine(), text: readFileSync(BENCH_PAGE, 'utf8') }
    writeFileSync(results, renewed(readFileSync(results, 'utf8'), measured, Object.keys(benches)))
  }
}

/** What times depend on, in a line. */
function machine(): string {
  const cores = availableParallelism()
  const model = cpus()[0]?.model.trim() ?? process.arch
  return `${cores} cores (${model}), ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.versions.node}; all on one machine`
}
