import { rmSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

// One version of the engine, in a process of its own: `node before-worker.ts ROOT SIZE`. It builds a model of SIZE documents with the code
// of the tree at ROOT. Each message is a list of questions; the reply is the processor time of each, in microseconds.

const [root = '', size = ''] = process.argv.slice(2)
const load = (path: string) => import(new URL(path, pathToFileURL(`${root}/`)).href)

await load('lib/domain/composition.ts')
const [{ documents }, { readRows }] = [
  await load('tests/bench/search/fill.ts'),
  await load('tests/bench/search/rows.ts'),
]
const { buildSnapshot } = await load('lib/engines/search/index/build.ts')
const { openSnapshotFile } = await load('lib/engines/search/index/snapshot-file.ts')
const { Corpus } = await load('lib/engines/search/model/corpus.ts')
const { createModel } = await load('lib/engines/search/model/engine.ts')

const path = `${process.cwd()}/.build/bench/before-${process.pid}.sqlite`
await buildSnapshot(path, documents(readRows(), Number(size)), 0)
const model = createModel(
  new Corpus(openSnapshotFile(path)),
  { text: 0.8, recency: 0.15, popularity: 0.05 },
  () => 'measured',
)
const scope = { signedIn: false, everything: false, own: null }

process.on('message', async (questions: string[]) => {
  const times: number[] = []
  for (const text of questions) {
    const before = process.cpuUsage()
    await model.search({ text, scope, limit: 10 })
    const { user, system } = process.cpuUsage(before)
    times.push(user + system)
  }
  process.send?.(times)
})
process.on('disconnect', () => {
  rmSync(path, { force: true })
  process.exit(0)
})
process.send?.([])
