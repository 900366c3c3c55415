import { spawnSync } from 'node:child_process'
import { benchBundles } from './bundles.ts'
import { benchCommunity } from './community.ts'
import { benchConflicts } from './conflicts.ts'
import { benchCost } from './cost.ts'
import { benchImport } from './import.ts'
import { benchPipeline } from './pipeline.ts'
import { benchQueue } from './queue.ts'

/** `npm run bench [-- NAME...]`: all measurements, or the named ones. `SIZES=1000,100000` sets the sizes of those that fill a table. */
const sizes = (process.env.SIZES ?? '1000,100000').split(',').map(Number)
const benches: Readonly<Record<string, () => Promise<void>>> = {
  pipeline: benchPipeline,
  bundles: benchBundles,
  conflicts: benchConflicts,
  import: benchImport,
  cost: () => benchCost(sizes),
  queue: () => benchQueue(sizes),
  community: () => benchCommunity(sizes),
}

const named = process.argv.slice(2)
const unknown = named.filter((name) => !benches[name])
if (unknown.length > 0) {
  console.error(`No measurement is called ${unknown.join(', ')}. There are: ${Object.keys(benches).join(', ')}.`)
  process.exit(2)
}
const [only] = named
if (only && named.length === 1) {
  const { default: setup } = await import('../setup.ts')
  const stop = await setup()
  await benches[only]?.()
  await stop()
  process.exit(0)
}
// Each in a process of its own: the configuration, and with it the table, is read once.
for (const name of named.length > 0 ? named : Object.keys(benches)) {
  const { status } = spawnSync(process.execPath, [process.argv[1] ?? '', name], { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
