import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Model } from '../../lib/search/ask.ts'
import { createTestTable } from '../emulator.ts'
import { documents, questions, sorts, timed } from './search-fill.ts'
import { hasPostgres, type Postgres, setUp, startPostgres } from './search-postgres.ts'
import { finderOf, heldOutTables, judge, type Scores } from './search-relevance.ts'
import { hasRows, type Query, type Row, readQueries, readRows } from './search-rows.ts'

/** The search model beside PostgreSQL: the same rows, the same questions, one run. `SIZES` are numbers of documents; the real rows always come first. */
export async function benchSearch(): Promise<void> {
  if (!hasRows) return say('search: skipped, the shared rows are not here.')
  const sizes = (process.env.SIZES ?? '100000,1000000').split(',').map(Number)
  process.env.TABLE_NAME = `bench-search-${process.pid}`
  process.env.LOG_LEVEL = 'silent'
  await createTestTable(process.env.TABLE_NAME)
  const rows = readRows()
  const postgres = hasPostgres ? await startPostgres() : undefined
  say(postgres ? `${setUp}\n` : 'PostgreSQL 15 is not installed: measured without it.\n')
  try {
    for (const size of [rows.length, ...sizes]) await compare(rows, size, postgres)
  } finally {
    await postgres?.stop()
  }
}

async function compare(rows: readonly Row[], size: number, postgres: Postgres | undefined): Promise<void> {
  const ours = await openOurs(rows, size)
  const theirs = await postgres?.load(documents(rows, size))
  const real = size === rows.length
  const names = real ? rows.map(({ name }) => name) : namesOf(rows, size)
  const asked = questions(names, real ? 300 : 200)
  say(`\n### ${size.toLocaleString('en')} documents${real ? ', the real rows' : ''}\n`)
  table(['query', 'ours p50 ms', 'p99', ...(postgres ? ['PostgreSQL p50 ms', 'p99', 'p50 ratio', 'p99 ratio'] : [])])
  const find = finderOf(ours.model)
  for (const sort of sorts) {
    const queries = asked[sort]
    await timed(queries.slice(0, 50), find)
    const mine = await timed(queries, find)
    const cells = [sort, ms(mine.p50), ms(mine.p99)]
    if (postgres) {
      await timed(queries.slice(0, 20), postgres.find)
      const other = await timed(queries, postgres.find)
      cells.push(ms(other.p50), ms(other.p99), ratio(other.p50, mine.p50), ratio(other.p99, mine.p99))
    }
    row(cells)
  }
  say('')
  table(['what', 'ours', ...(postgres ? ['PostgreSQL'] : [])])
  row(['build, seconds', ours.seconds.toFixed(1), ...(theirs ? [theirs.seconds.toFixed(1)] : [])])
  row(['index without documents, MB', mb(ours.indexBytes), ...(theirs ? [mb(theirs.indexBytes)] : [])])
  row(['all of it, MB', mb(ours.bytes), ...(theirs ? [mb(theirs.bytes)] : [])])
  row(['compressed in the bucket, MB', mb(ours.stored), ...(theirs ? ['-'] : [])])
  row(['fresh process to first answer, s', ours.fresh.seconds.toFixed(2), ...(theirs ? ['-'] : [])])
  row(['resident then, MB', mb(ours.fresh.rss), ...(postgres ? [mb(postgres.memory())] : [])])
  // Among recombined names others answer a question as well as those that are expected.
  if (real) await relevance(rows, find, postgres)
  if (real) for (const line of await heldOutTables(rows, find, postgres?.find)) say(line)
  ours.close()
}

/** Builds and publishes a snapshot, opens it here, and once more in a process of its own that has nothing. */
async function openOurs(rows: readonly Row[], size: number) {
  const { build } = await import('../../lib/search/build.ts')
  const { openFile } = await import('../../lib/search/snapshot-file.ts')
  const { Corpus } = await import('../../lib/search/corpus.ts')
  const { modelOf } = await import('../../lib/search/engine.ts')
  const { loadPointer, newPlace, publish } = await import('../../lib/search/snapshot.ts')
  const { config } = await import('../../lib/config.ts')
  const { id, path } = await newPlace()
  const began = performance.now()
  const built = await build(path, documents(rows, size), 0)
  const seconds = (performance.now() - began) / 1000
  const snapshot = await publish(id, built, 0, await loadPointer())
  const corpus = new Corpus(openFile(path))
  const model: Model = modelOf(corpus, config.SEARCH_WEIGHTS, () => id)
  const empty = mkdtempSync(join(tmpdir(), 'heritage-fresh-'))
  // Not waiting for it in one go: the bucket is served by this process.
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [new URL('search-fresh.ts', import.meta.url).pathname],
    {
      env: { ...process.env, TMPDIR: empty },
    },
  )
  const fresh: { seconds: number; rss: number } = JSON.parse(stdout)
  rmSync(empty, { recursive: true })
  return {
    model,
    seconds,
    bytes: statSync(path).size,
    indexBytes: indexBytes(path),
    stored: snapshot?.bytes ?? 0,
    fresh,
    close: () => {
      corpus.close()
      rmSync(path)
    },
  }
}

/** What the file holds beside the documents themselves. */
function indexBytes(path: string): number {
  const script = `const { DatabaseSync } = require('node:sqlite')
    const row = new DatabaseSync(process.argv[1], { readOnly: true }).prepare("SELECT sum(pgsize) AS n FROM dbstat WHERE name <> 'document'").get()
    console.log(row.n)`
  try {
    return Number(execFileSync(process.execPath, ['-e', script, path], { encoding: 'utf8' }))
  } catch {
    return Number.NaN
  }
}

async function relevance(rows: readonly Row[], find: (text: string) => unknown, postgres: Postgres | undefined) {
  const known = new Set(rows.map(({ id }) => id))
  const queries: Query[] = readQueries()
  const ours = (await judge(queries, known, async (text) => toIds(await find(text)))).groups
  const theirs = postgres && (await judge(queries, known, postgres.find)).groups
  say('')
  table([
    ...['perturbation', 'queries', 'recall@1', 'recall@10', 'MRR'],
    ...(theirs ? ['PostgreSQL @1', '@10', 'MRR'] : []),
  ])
  for (const [name, scores] of ours) {
    const other = theirs?.get(name)
    row([name, String(scores.questions), ...figures(scores), ...(other ? figures(other) : [])])
  }
}

const toIds = (found: unknown): string[] => (Array.isArray(found) ? found.map(String) : [])
const figures = (it: Scores) => [it.first, it.ten, it.mrr].map((each) => each.toFixed(3))

function namesOf(rows: readonly Row[], size: number): string[] {
  const step = Math.max(1, Math.floor(size / 20_000))
  const names: string[] = []
  let at = 0
  for (const { title } of documents(rows, size)) if (at++ % step === 0) names.push(title)
  return names
}

const ms = (n: number) => n.toFixed(n < 10 ? 2 : 1)
const mb = (n: number) => (n / 1e6).toFixed(1)
const ratio = (a: number, b: number) => `${(a / b).toFixed(1)}x`
const say = (text: string) => void process.stdout.write(`${text}\n`)
const row = (cells: readonly string[]) => say(`| ${cells.join(' | ')} |`)
const table = (names: readonly string[]) => {
  row(names)
  row(names.map((_, i) => (i === 0 ? '---' : '---:')))
}
