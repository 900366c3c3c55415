import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { benchAnswers } from './answers.ts'
import { benchBundles } from './bundles.ts'
import { benchComments } from './comments.ts'
import { benchCommunity } from './community.ts'
import { benchConflicts } from './conflicts.ts'
import { benchCost } from './cost.ts'
import { benchCosts } from './costs.ts'
import { benchCpu } from './cpu.ts'
import { benchExports } from './exports.ts'
import { benchImport } from './import.ts'
import { benchMerging } from './merging.ts'
import { renewed } from './page.ts'
import { benchPipeline } from './pipeline.ts'
import { benchProjects } from './projects.ts'
import { benchQueue } from './queue.ts'
import { benchSearch } from './search.ts'
import { benchFreshness } from './search-freshness.ts'
import { benchUploads } from './uploads.ts'

/**
 * `npm run bench [-- NAME...]`: all measurements, or the named ones. `SIZES=1000,100000` sets the sizes of those that fill
 * a table. `--write` puts what was measured into the README, each between marks of its own; the others there stay.
 */
const sizes = (process.env.SIZES ?? '1000,100000').split(',').map(Number)
const benches: Readonly<Record<string, () => Promise<void>>> = {
  pipeline: benchPipeline,
  bundles: benchBundles,
  conflicts: benchConflicts,
  import: benchImport,
  cpu: benchCpu,
  costs: benchCosts,

  cost: () => benchCost(sizes),
  queue: () => benchQueue(sizes),
  projects: benchProjects,
  merging: benchMerging,
  uploads: benchUploads,
  comments: () => benchComments(sizes),
  answers: () => benchAnswers(sizes),
  search: benchSearch,
  freshness: benchFreshness,
  community: () => benchCommunity(sizes),
  exports: () => benchExports(sizes),
}

const writes = process.argv.includes('--write')
const named = process.argv.slice(2).filter((word) => word !== '--write' && word !== 'all')
const unknown = named.filter((name) => !benches[name])
if (unknown.length > 0) {
  console.error(`No measurement is called ${unknown.join(', ')}. There are: ${Object.keys(benches).join(', ')}.`)
  process.exit(2)
}
const [only] = named
if (only && named.length === 1 && !writes) {
  const { default: setup } = await import('../harness/setup.ts')
  const stop = await setup()
  await benches[only]?.()
  await stop()
  process.exit(0)
}
const [pages, README] = ['.build/bench', 'README.md']
mkdirSync(pages, { recursive: true })
// Each in a process of its own: the configuration, and with it the table, is read once.
for (const name of named.length > 0 ? named : Object.keys(benches)) {
  const BENCH_PAGE = `${pages}/${name}.md`
  writeFileSync(BENCH_PAGE, '')
  const { status } = spawnSync(process.execPath, [process.argv[1] ?? '', name], {
    stdio: 'inherit',
    env: { ...process.env, BENCH_PAGE },
  })
  if (status !== 0) process.exit(status ?? 1)
  if (!writes) continue
  const command = `${process.env.SIZES ? `SIZES=${process.env.SIZES} ` : ''}npm run bench -- ${name}`
  const measured = { name, command, text: readFileSync(BENCH_PAGE, 'utf8') }
  writeFileSync(README, renewed(readFileSync(README, 'utf8'), measured, Object.keys(benches)))
}
