import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { benchBundles } from './bundles.ts'
import { benchConflicts } from './conflicts.ts'
import { benchCost } from './cost.ts'

import { benchCosts } from './costs.ts'
import { benchCpu } from './cpu.ts'
import { benchImport } from './import.ts'
import { writePage } from './page.ts'
import { benchPipeline } from './pipeline.ts'
import { benchQueue } from './queue.ts'
import { benchSearch } from './search.ts'
import { benchFreshness } from './search-freshness.ts'

/**
 * `npm run bench [-- NAME...]`: all measurements, or the named ones. `SIZES=1000,100000` sets the sizes of those that fill
 * a table. `--write` puts what was measured into the README, between the marks of its own section.
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
  search: benchSearch,
  freshness: benchFreshness,
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
  const { default: setup } = await import('../setup.ts')
  const stop = await setup()
  await benches[only]?.()
  await stop()
  process.exit(0)
}
const pages = '.build/bench'
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
}
if (writes) writePage(pages, Object.keys(benches))
