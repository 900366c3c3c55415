import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { BuildResult } from '../../../lib/engines/search/index/build.ts'
import type { Model } from '../../../lib/engines/search/query.ts'
import { createTestTable } from '../../harness/emulator.ts'
import { print, say } from '../tools/table.ts'
import { documents, questions, sorts, timed } from './fill.ts'
import { bm25BesideHidden, setUp as fts5SetUp, openFts5 } from './fts5.ts'
import { hasPostgres, type Postgres, setUp, startPostgres } from './postgres.ts'
import { finderOf, relevance } from './relevance.ts'
import { hasRows, type Row, readRows } from './rows.ts'

/** The search model beside SQLite's FTS5 and PostgreSQL: the same rows, the same questions, one run. `SIZES` are numbers of documents; the real rows always come first. */
export async function benchSearch(): Promise<void> {
  if (!hasRows) return say('search: skipped, the shared rows are not here.')
  const sizes = (process.env.SIZES ?? '100000,1000000').split(',').map(Number)
  // What is imported above has read the configuration already: this process and those that it starts use its table.
  const { config } = await import('../../../lib/base/config.ts')
  Object.assign(process.env, { TABLE_NAME: config.TABLE_NAME, LOG_LEVEL: 'silent' })
  await createTestTable(config.TABLE_NAME)
  const rows = readRows()
  const postgres = hasPostgres ? await startPostgres() : undefined
  say(postgres ? setUp : 'PostgreSQL 15 is not installed: measured without it.')
  say(fts5SetUp)
  hiddenMove()
  try {
    for (const size of [rows.length, ...sizes]) await compare(rows, size, postgres)
  } finally {
    await postgres?.stop()
  }
}

async function compare(rows: readonly Row[], size: number, postgres: Postgres | undefined): Promise<void> {
  const ours = await openOurs(size)
  const fts5 = size <= MOST_FTS5 ? openFts5(documents(rows, size)) : undefined
  const theirs = await postgres?.load(documents(rows, size))
  const real = size === rows.length
  const names = real ? rows.map(({ name }) => name) : namesOf(rows, size)
  const asked = questions(names, real ? 300 : 200)
  const of = `${size.toLocaleString('en')} documents${real ? ', the real rows' : ''}`
  const find = finderOf(ours.model)
  const times: Record<string, string>[] = []
  for (const sort of sorts) {
    const queries = asked[sort]
    const mine = await timed(queries, find, 50)
    const sqlite = fts5 && (await timed(real ? queries : queries.slice(0, 25), fts5.find, 5))
    const other = postgres && (await timed(queries, postgres.find, 20, postgres.cpu))
    times.push({
      query: sort,
      'ours cpu p50 ms': ms(mine.cpu.p50),
      'cpu p99': ms(mine.cpu.p99),
      'wall p50': ms(mine.wall.p50),
      'wall p99': ms(mine.wall.p99),
      'FTS5 wall p50': sqlite ? ms(sqlite.wall.p50) : '-',
      ...(other && {
        'PostgreSQL cpu p50': ms(other.cpu.p50),
        'its cpu p99': ms(other.cpu.p99),
        'its wall p50': ms(other.wall.p50),
        'its wall p99': ms(other.wall.p99),
        'cpu ratio p50': ratio(other.cpu.p50, mine.cpu.p50),
        'cpu ratio p99': ratio(other.cpu.p99, mine.cpu.p99),
      }),
    })
  }
  print(`Questions over ${of}`, times)
  const row = (what: string, mine: string, sqlite = '-', other = '-') => ({
    what,
    ours: mine,
    FTS5: sqlite,
    ...(postgres && { PostgreSQL: other }),
  })
  print(`The model of ${of}`, [
    row('build, seconds', ours.build.seconds.toFixed(1), fts5?.seconds.toFixed(1), theirs?.seconds.toFixed(1)),
    row('its processor time, s', ours.build.cpu.toFixed(1)),
    row('its memory at most, MB', mb(ours.build.rss)),
    row('index without documents, MB', mb(ours.indexBytes), fts5 && mb(fts5.bytes), theirs && mb(theirs.indexBytes)),
    row('all of it, MB', mb(ours.bytes), '-', theirs && mb(theirs.bytes)),
    row('compressed in the bucket, MB', mb(ours.stored)),
    row('fresh process to first answer, s', ours.fresh.seconds.toFixed(2)),
    row('its processor time, s', ours.fresh.cpu.toFixed(2)),
    row('the same where the file is there, s', ours.again.seconds.toFixed(2)),
    row('its processor time, s', ours.again.cpu.toFixed(2)),
    row('resident then, MB', mb(ours.again.rss), '-', postgres && mb(postgres.memory())),
  ])
  // Among recombined names others answer a question as well as those that are expected.
  if (real)
    await relevance(rows, {
      ours: find,
      ...(fts5 && { FTS5: fts5.find }),
      ...(postgres && { PostgreSQL: postgres.find }),
    })
  fts5?.close()
  ours.close()
}

/** Of more documents each of its questions takes seconds, and making its file as long as all the rest. */
const MOST_FTS5 = 100_000

const run = promisify(execFile)
/** Runs a script beside this one in a process of its own, and reads what it says. */
async function saidBy<T>(script: string, args: readonly string[], env: Record<string, string> = {}): Promise<T> {
  const path = new URL(script, import.meta.url).pathname
  // Not waiting for it in one go: the bucket is served by this process.
  const { stdout } = await run(process.execPath, [path, ...args], { env: { ...process.env, ...env } })
  return JSON.parse(stdout)
}
type Spent = { seconds: number; cpu: number; rss: number }

/** Builds and publishes a snapshot, opens it here, and twice in processes of their own: one that has nothing, one that finds the file. */
async function openOurs(size: number) {
  const { openSnapshotFile } = await import('../../../lib/engines/search/index/snapshot-file.ts')
  const { Corpus } = await import('../../../lib/engines/search/model/corpus.ts')
  const { createModel } = await import('../../../lib/engines/search/model/engine.ts')
  const { loadPointer, newSnapshotPath, publishSnapshot } = await import(
    '../../../lib/engines/search/model/snapshot.ts'
  )
  const { config } = await import('../../../lib/base/config.ts')
  const { id, path } = await newSnapshotPath()
  const build = await saidBy<Spent & { built: BuildResult }>('build.ts', [path, String(size)])
  const snapshot = await publishSnapshot(id, build.built, 0, await loadPointer())
  const corpus = new Corpus(openSnapshotFile(path))
  const model: Model = createModel(corpus, config.SEARCH_WEIGHTS, () => id)
  const empty = mkdtempSync(join(tmpdir(), 'heritage-fresh-'))
  const fresh = await saidBy<Spent>('fresh.ts', [], { TMPDIR: empty })
  const again = await saidBy<Spent>('fresh.ts', [], { TMPDIR: empty })
  rmSync(empty, { recursive: true })
  return {
    model,
    build,
    bytes: statSync(path).size,
    indexBytes: indexBytes(path),
    stored: snapshot?.bytes ?? 0,
    fresh,
    again,
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

/** Why bm25() of FTS5 is no score here: rows that the caller may not see move it. */
function hiddenMove() {
  const { titles, before, after } = bm25BesideHidden()
  print(
    'bm25() of two public rows for "shiva kumari"',
    titles.map((title, i) => ({
      title,
      before: before[i]?.toFixed(3) ?? '',
      'after 20 hidden rows': after[i]?.toFixed(3) ?? '',
    })),
  )
}

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
