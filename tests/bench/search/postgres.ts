import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { freePort } from '../../../deploy/stand-ins/free-port.ts'
import type { SearchDocument } from '../../../lib/engines/search/document.ts'

const binaries = '/usr/lib/postgresql/15/bin'
export const hasPostgres = existsSync(join(binaries, 'postgres'))

/** What it was given, in words, for the output. */
export const setUp = `PostgreSQL 15: a private cluster (shared_buffers 1 GB, work_mem 64 MB, no fsync, no jit, warm), a stored tsvector of
unaccented text with weights (names A, summary B, text C) under GIN, unaccented lower-case names under GIN with pg_trgm.
First full text, the last word as a prefix: the 64 best by ts_rank, these ranked by ts_rank_cd and the likeness of the names; fewer than ten rows and the
query has three letters or more: pg_trgm's word similarity of names as well. Only the ten best are asked for, no count.`

export type Postgres = {
  /** Where its socket is. */
  place: { host: string; port: number }
  load: (documents: Iterable<SearchDocument>) => Promise<{ seconds: number; indexBytes: number; bytes: number }>
  find: (text: string) => Promise<string[]>
  memory: () => number
  /** Processor time that the server has used, in milliseconds. */
  cpu: () => number
  stop: () => Promise<void>
}

/** Starts a cluster in a temporary directory, as a user that may run one. */
export async function startPostgres(): Promise<Postgres> {
  const directory = mkdtempSync(join(tmpdir(), 'heritage-postgres-'))
  chmodSync(directory, 0o777)
  const data = join(directory, 'data')
  const asUser =
    process.getuid?.() === 0
      ? (command: string) => ['su', 'postgres', '-c', command]
      : (command: string) => ['sh', '-c', command]
  const [shell = 'sh', ...init] = asUser(`${binaries}/initdb -D ${data} -A trust -U bench -E UTF8 --locale=C.UTF-8 -N`)
  execFileSync(shell, init, { stdio: 'ignore' })
  const port = await freePort()
  const settings = [
    'shared_buffers=1GB',
    'work_mem=64MB',
    'maintenance_work_mem=512MB',
    'fsync=off',
    'full_page_writes=off',
    'synchronous_commit=off',
    'wal_level=minimal',
    'max_wal_senders=0',
    'max_wal_size=8GB',
    'autovacuum=off',
    'jit=off',
    'effective_cache_size=8GB',
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${directory}`,
  ]
  const [run = 'sh', ...start] = asUser(
    `exec ${binaries}/postgres -D ${data} -p ${port} ${settings.map((it) => `-c ${it}`).join(' ')}`,
  )
  const server = spawn(run, start, { stdio: 'ignore' })
  const client = await connect(directory, port)
  const backend = Number((await client.query('SELECT pg_backend_pid() AS pid')).rows[0]?.pid)
  await client.query('CREATE EXTENSION unaccent; CREATE EXTENSION pg_trgm')
  return {
    place: { host: directory, port },
    load: (documents) => load(client, documents),
    find: (text) => find(client, text),
    memory: () => memoryOf(server),
    cpu: () => cpuOf(backend),
    stop: async () => {
      await client.end()
      const [stop = 'sh', ...how] = asUser(`${binaries}/pg_ctl -D ${data} -m immediate stop`)
      execFileSync(stop, how, { stdio: 'ignore' })
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

async function connect(host: string, port: number): Promise<pg.Client> {
  for (let attempt = 1; ; attempt += 1) {
    const client = new pg.Client({ host, port, user: 'bench', database: 'postgres' })
    try {
      await client.connect()
      return client
    } catch (error) {
      if (attempt === 100) throw error
      await sleep(100)
    }
  }
}

async function load(client: pg.Client, documents: Iterable<SearchDocument>) {
  await client.query('DROP TABLE IF EXISTS documents')
  await client.query(`CREATE UNLOGGED TABLE documents (
    id text, resource text, title text, names text, summary text, body text, status text, is_published boolean,
    access_tier text, updated_at timestamptz, name_norm text, tsv tsvector)`)
  const began = performance.now()
  let batch: SearchDocument[] = []
  const insert = async () => {
    await client.query(
      `INSERT INTO documents SELECT id, resource, title, names, summary, body, 'accepted', true, 'public', updated_at::timestamptz,
         lower(unaccent(title || ' ' || names)),
         setweight(to_tsvector('simple', unaccent(title || ' ' || names)), 'A') ||
         setweight(to_tsvector('simple', unaccent(summary)), 'B') || setweight(to_tsvector('simple', unaccent(body)), 'C')
       FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
         AS t (id, resource, title, names, summary, body, updated_at)`,
      [
        batch.map((it) => it.object_pk),
        batch.map((it) => it.resource),
        batch.map((it) => it.title),
        batch.map((it) => it.names.join(' ')),
        batch.map((it) => it.summary),
        batch.map((it) => it.text),
        batch.map((it) => it.updated_at),
      ],
    )
    batch = []
  }
  for (const it of documents) {
    batch.push(it)
    if (batch.length === 5000) await insert()
  }
  await insert()
  await client.query('CREATE INDEX documents_tsv ON documents USING gin (tsv)')
  await client.query('CREATE INDEX documents_name ON documents USING gin (name_norm gin_trgm_ops)')
  await client.query('VACUUM ANALYZE documents')
  const seconds = (performance.now() - began) / 1000
  const sizes = await client.query(
    "SELECT pg_indexes_size('documents') AS index, pg_total_relation_size('documents') AS total",
  )
  return { seconds, indexBytes: Number(sizes.rows[0]?.index), bytes: Number(sizes.rows[0]?.total) }
}

/** As the engine does: the 64 best by words first, then the likeness of their names. */
const CANDIDATES = 64
const score = `0.80 * greatest(ts_rank_cd(tsv, $2::tsquery, 32), word_similarity($1, name_norm) * 0.5 + similarity($1, name_norm) * 0.5)
  + 0.15 / (1 + extract(epoch FROM now() - updated_at) / 86400)`
const twoPhase = (where: string, first: string) => `
  SELECT id FROM (SELECT id, tsv, name_norm, updated_at FROM documents WHERE ${where} ORDER BY ${first} DESC LIMIT ${CANDIDATES}) AS best
  ORDER BY ${score} DESC, id LIMIT 10`

async function find(client: pg.Client, text: string): Promise<string[]> {
  const { rows: prepared } = await client.query({
    name: 'prepare',
    text: `SELECT lower(unaccent($1)) AS plain, tsvector_to_array(to_tsvector('simple', unaccent($1))) AS lexemes,
             plainto_tsquery('simple', unaccent($1))::text AS query`,
    values: [text],
  })
  const [{ plain = '', query = '' } = {}] = prepared
  if (!query) return []
  const asked = `${query}:*`
  const words = await client.query({
    name: 'words',
    text: twoPhase('tsv @@ $2::tsquery', 'ts_rank(tsv, $2::tsquery)'),
    values: [plain, asked],
  })
  const found = words.rows.map(({ id }) => String(id))
  if (found.length === 10 || plain.length < 3) return found
  const alike = await client.query({
    name: 'alike',
    text: twoPhase('name_norm %> $1', 'word_similarity($1, name_norm)'),
    values: [plain, asked],
  })
  return [...new Set([...found, ...alike.rows.map(({ id }) => String(id))])].slice(0, 10)
}

/** User and system time of a process, in milliseconds; the kernel counts it in nanoseconds. */
const cpuOf = (pid: number): number => Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6

/** Resident memory of the server with what its processes share, in bytes. */
function memoryOf(server: ChildProcess): number {
  const lines = execFileSync('ps', ['-eo', 'pid,ppid,rss'], { encoding: 'utf8' }).trim().split('\n').slice(1)
  const rows = lines.map((line) => line.trim().split(/\s+/).map(Number))
  const family = new Set([server.pid ?? 0])
  for (let grown = true; grown; ) {
    const before = family.size
    for (const [pid = 0, parent = 0] of rows) if (family.has(parent)) family.add(pid)
    grown = family.size > before
  }
  // The largest process stands for all: the buffers that they share are counted in each.
  return Math.max(...rows.filter(([pid = 0]) => family.has(pid)).map(([, , rss = 0]) => rss)) * 1024
}
