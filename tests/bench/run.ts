import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { renewed } from './tools/page.ts'

/**
 * `npm run bench [-- NAME...]`: all measurements, or the named ones. Prints what it measures and renews the section of each
 * in RESULTS.md; the other sections stay. `SIZES=1000,100000` sets the sizes of those that fill a table. Each is loaded when
 * what tests need has been made.
 */
const sizes = (process.env.SIZES ?? '1000,100000').split(',').map(Number)
const benches: Readonly<Record<string, () => Promise<void>>> = {
  house: async () => (await import('./house/house.ts')).benchHouse(),
  pipeline: async () => (await import('./pipeline.ts')).benchPipeline(),
  bundles: async () => (await import('./bundles.ts')).benchBundles(),
  conflicts: async () => (await import('./conflicts.ts')).benchConflicts(),
  import: async () => (await import('./import.ts')).benchImport(),
  imports: async () => (await import('./imports.ts')).benchImports(),
  cpu: async () => (await import('./cpu.ts')).benchCpu(),
  peer: async () => (await import('./peer.ts')).benchPeer(),
  trust: async () => (await import('./trust.ts')).benchTrust(),
  dependents: async () => (await import('./dependents.ts')).benchDependents(sizes),
  citations: async () => (await import('./citations.ts')).benchCitations(),
  costs: async () => (await import('./costs.ts')).benchCosts(),
  hot: async () => (await import('./hot.ts')).benchHot(),

  cost: async () => (await import('./cost.ts')).benchCost(sizes),
  queue: async () => (await import('./queue.ts')).benchQueue(sizes),
  projects: async () => (await import('./projects.ts')).benchProjects(),
  merging: async () => (await import('./merging.ts')).benchMerging(),
  uploads: async () => (await import('./uploads.ts')).benchUploads(),
  pictures: async () => (await import('./pictures.ts')).benchPictures(sizes),
  comments: async () => (await import('./comments.ts')).benchComments(sizes),
  changes: async () => (await import('./changes.ts')).benchChanges(sizes),
  answers: async () => (await import('./answers.ts')).benchAnswers(sizes),
  search: async () => (await import('./search/search.ts')).benchSearch(),
  freshness: async () => (await import('./search/freshness.ts')).benchFreshness(),
  engines: async () => (await import('./search/engines.ts')).benchEngines(Math.max(...sizes)),
  before: async () => (await import('./search/before.ts')).benchBefore(sizes),
  judged: async () => (await import('./search/judged.ts')).benchJudged(),
  community: async () => (await import('./community.ts')).benchCommunity(sizes),
  exports: async () => (await import('./exports.ts')).benchExports(sizes),
  fragments: async () => (await import('./fragments.ts')).benchFragments(sizes),
  doors: async () => (await import('./doors.ts')).benchDoors(sizes),
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
  const { serveTable } = await import('../harness/emulator.ts')
  const stop = await setup()
  const stopTable = await serveTable()
  await benches[name]?.()
  await stopTable()
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
    if (process.env.COLLECTION) settings.push('COLLECTION=FOLDER ')
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
