import { benchBundles } from './bundles.ts'
import { benchConflicts } from './conflicts.ts'
import { benchCost } from './cost.ts'
import { benchImport } from './import.ts'
import { benchPipeline } from './pipeline.ts'
import { benchQueue } from './queue.ts'

/** `npm run bench [-- cost|pipeline|bundles|import|conflicts|queue ...]`: all measurements, or the named ones. `SIZES=1000,100000` sets the sizes. */
const sizes = (process.env.SIZES ?? '1000,100000').split(',').map(Number)
const benches = {
  pipeline: benchPipeline,
  bundles: benchBundles,
  cost: () => benchCost(sizes),
  import: benchImport,
  conflicts: benchConflicts,
  queue: () => benchQueue(sizes),
}

const { default: setup } = await import('../setup.ts')
const stop = await setup()
const wanted = process.argv.slice(2)
for (const [name, bench] of Object.entries(benches)) if (wanted.length === 0 || wanted.includes(name)) await bench()
await stop()
process.exit(0)
