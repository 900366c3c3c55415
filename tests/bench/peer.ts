import { type ChildProcess, execFileSync, fork, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../deploy/stand-ins/free-port.ts'
import type { App } from '../harness/app.ts'
import { hasPostgres, startPostgres } from './search/postgres.ts'
import { print, say } from './tools/table.ts'

const RECORDS = 300
const ROUNDS = 5
const REQUESTS = 500
/** Node compiles what is asked for often, and so does not measure as a process that has just begun. */
const WARMING_UP = 2000
const AT_ONCE = 8

/** One of the two sides: where it answers, and the processor time that it has spent, in microseconds. */
type Side = { port: number; token: string; spent: () => Promise<number>; stop: () => void }

/**
 * Processor time of the same requests to our functions behind a bare HTTP server and to a Django REST service with the same
 * records, turn by turn: database and emulator not counted. Lists are as the process remembers them, and nothing changes meanwhile. Says why where the peer cannot be had.
 */
export async function benchPeer(): Promise<void> {
  if (!hasPostgres || !hasDjango())
    return say('Peer: skipped, since PostgreSQL 15 or Django REST framework, psycopg2 and gunicorn are not here.')
  const { openApp } = await import('../harness/app.ts')
  const app = await openApp({ env: { LOG_LEVEL: 'silent' } })
  await (await import('./tools/fill.ts')).fillAndFind(RECORDS)
  const ours = await startOurs()
  const postgres = await startPostgres()
  const theirs = await startDjango(postgres.place, await rowsOf(app))
  const rows = []
  for (const asked of requests) rows.push(await compared(asked, ours, theirs))
  print('Processor time of a request, microseconds: median of rounds, turn by turn', rows)
  for (const side of [ours, theirs]) side.stop()
  await postgres.stop()
}

type Asked = { request: string; ours: string; theirs?: string; body?: (n: number) => object }
const requests: readonly Asked[] = [
  { request: 'a record, signed in', ours: '/cidoc/structures/100/', theirs: '/records/100/' },
  { request: 'a list of 20, signed in', ours: '/cidoc/structures/', theirs: '/records/' },
  {
    request: 'a searched list, signed in',
    ours: '/cidoc/structures/?search=shrine',
    theirs: '/records/?search=shrine',
  },
  { request: 'the caller', ours: '/data/user/me/' },
  { request: 'the search', ours: '/data/search/?q=shrine' },
  {
    request: 'a contribution of 8 values',
    ours: '/cidoc/structures/',
    theirs: '/records/',
    body: (n) => contribution(n),
  },
]

/** Its name is like no other, and it lies where nothing else does: neither is looked at again because of it. */
const contribution = (n: number) => ({
  name: `Measured ${crypto.randomUUID()}`,
  note: 'Measured',
  existence_status: 'Extant',
  construction_date: '1702',
  coordinates: `${(26 + (n % 4000) / 1000).toFixed(5)}, ${(80 + Math.floor(n / 4000) / 10).toFixed(5)}`,
  condition: 'Good',
  structure_type: 'Temple',
  description: 'A temple made to be measured.',
  assertion: { source_type: 'book', source_citation: 'Bench 2025', confidence: 'likely' },
})

async function compared({ request: what, ours: path, theirs: other, body }: Asked, ours: Side, theirs: Side) {
  const [own, their]: [number[], number[]] = [[], []]
  await cpuOf(ours, path, body, WARMING_UP)
  if (other) await cpuOf(theirs, other, body, WARMING_UP)
  for (let round = 0; round < ROUNDS; round += 1) {
    own.push(await cpuOf(ours, path, body))
    if (other) their.push(await cpuOf(theirs, other, body))
  }
  const [us, peer] = [median(own), median(their)]
  const told = { 'Django REST': other ? peer.toFixed(0) : '-', ratio: other ? (us / peer).toFixed(2) : '-' }
  return { request: what, ours: us.toFixed(0), ...told }
}

const median = (all: readonly number[]) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
let sent = 0

/** Processor time of one of many equal requests. */
async function cpuOf(side: Side, path: string, body?: Asked['body'], requests = REQUESTS): Promise<number> {
  const before = await side.spent()
  let left = requests
  const client = async () => {
    while (left-- > 0) await send(side, path, body?.(sent++))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, client))
  return ((await side.spent()) - before) / requests
}

async function send({ port, token }: Side, path: string, body?: object): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const asked = request({ port, host: '127.0.0.1', path, agent, headers, method: body ? 'POST' : 'GET' })
  // One that breaks before the answer fails below, and one that breaks within it where that is read.
  asked.on('error', () => undefined)
  asked.end(body && JSON.stringify(body))
  const [answer] = await once(asked, 'response')
  const text = Buffer.concat(await Array.fromAsync(answer)).toString()
  if (answer.statusCode >= 300) throw new Error(`${path}: ${answer.statusCode} ${text.slice(0, 300)}`)
  return text
}

/** The records of ours as the peer takes them. */
async function rowsOf(app: App): Promise<object[]> {
  const pages = [0, 100, 200].map((offset) => app.anon.get('/cidoc/structures/', { query: { limit: 100, offset } }))
  const rows: Record<string, unknown>[] = (await Promise.all(pages)).flatMap(({ body }) => body.results)
  const isValue = ([name, value]: [string, unknown]) => name !== 'id' && typeof value === 'string' && value !== ''
  return rows.map((row) => Object.fromEntries(Object.entries(row).filter(isValue)))
}

async function startOurs(): Promise<Side> {
  const child = fork(join(import.meta.dirname, 'peer/bare.ts'), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const [{ port }] = await once(child, 'message')
  const spent = async () => {
    child.send('spent')
    const [{ microseconds }] = await once(child, 'message')
    return microseconds
  }
  const side = { port, token: '', spent, stop: () => child.kill() }
  // Made by that process, whose clock goes on while that of tests stands still.
  const answer = await send(side, '/api/token/', { username: 'dev', password: 'heritage-local' })
  return { ...side, token: JSON.parse(answer).access }
}

const python = '/usr/bin/python3'
const hasDjango = () => spawnSync(python, ['-c', 'import rest_framework, psycopg2, gunicorn']).status === 0

async function startDjango(place: { host: string; port: number }, rows: readonly object[]): Promise<Side> {
  const cwd = join(import.meta.dirname, 'peer')
  const PEER_SECRET = crypto.randomUUID()
  const env = {
    ...process.env,
    PEER_HOST: place.host,
    PEER_PORT: String(place.port),
    PEER_SECRET,
    PYTHONDONTWRITEBYTECODE: '1',
  }
  const input = rows.map((row) => `${JSON.stringify(row)}\n`).join('')
  const token = execFileSync(python, ['service.py', 'load'], { cwd, env, input, encoding: 'utf8' }).trim()
  const port = await freePort()
  const how = [
    '-m',
    'gunicorn',
    '-w',
    '2',
    // With threads it keeps connections, as ours does; without, each request would have to be connected.
    '-k',
    'gthread',
    '--threads',
    '4',
    '-b',
    `127.0.0.1:${port}`,
    '--keep-alive',
    '600',
    '--log-level',
    'error',
    'service:application',
  ]
  const child = spawn(python, how, { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] })
  const side = { port, token, spent: async () => spentBelow(child), stop: () => child.kill() }
  for (let attempt = 1; ; attempt += 1) {
    const answer = await send(side, '/records/?limit=1').catch((error: unknown) => error)
    if (typeof answer === 'string') return side
    if (attempt === 100) throw answer
    await sleep(100)
  }
}

/** Processor time of the workers of a process, by the system's clock of 100 ticks a second. */
function spentBelow({ pid }: ChildProcess): number {
  const workers = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
  const ticks = workers.map((worker) => {
    const facts = readFileSync(`/proc/${worker}/stat`, 'utf8')
    const [user = 0, system = 0] = facts.slice(facts.lastIndexOf(')')).split(' ').slice(12, 14).map(Number)
    return user + system
  })
  return ticks.reduce((sum, n) => sum + n, 0) * 10_000
}
