import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import { root } from '../../deploy/root.ts'
import { indexEmulator, startEmulator } from '../../deploy/stand-ins/emulator.ts'
import { sharePages, startPump } from '../../deploy/stand-ins/stream-pump.ts'
import { loadFollowers, loadProjector, through } from '../service/followers.ts'
import { callIn, deliverTo, HEAP_MB, type Invoke, type Stop } from '../service/functions.ts'
import { keepRunning } from '../service/keep-running.ts'
import { migrateTable } from '../service/layout.ts'
import { buildServed, servedFunctions } from './build.ts'
import { serveCalls } from './calls.ts'
import { readSettings, type ServeSettings } from './settings.ts'
import { prepareStore, storeIn, streamCaller } from './store.ts'
import { timers } from './timers.ts'

/** The longest time of a call in the background, in seconds. */
const LONGEST_S = 900
const DAY_MS = 86_400_000
/** Between two readings of the table by a store without streams, in milliseconds. */
const READING_MS = 60_000

const stops: Stop[] = []
let isEnding = false
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void end(0))
try {
  await serve()
} catch (error) {
  console.error(`Cannot start: ${error instanceof Error ? error.message : error}`)
  await end(1)
}

/** Starts the functions, the followers of the table's changes and the timers. Each process that ends is started again. */
async function serve(): Promise<void> {
  const settings = readSettings(process.env)
  const names = servedFunctions()
  const files = await buildServed()
  await mkdir(settings.folder, { recursive: true })
  const store = storeIn(process.env)
  if (settings.tableFile) {
    const table = await startEmulator({ port: Number(new URL(store.dynamodb).port), file: settings.tableFile })
    stops.push(table.stop)
    table.process.once('exit', () => {
      if (!isEnding) say('The store of the table ended, so all ends: whoever started this starts it again.')
      void end(1)
    })
  }
  await prepareStore(store)
  if (settings.tableFile) indexEmulator(settings.tableFile)
  // The configuration is read here: a fault ends the start with one message.
  await migrateTable()

  const background = supervise('The background process', join(root, 'local/service/background.ts'))
  const invoke: Invoke = async (name, event) => {
    const file = name === READER ? 'local/serve/read-changes.ts' : (files[name] ?? '')
    return callIn(await background.current(), name, event, { file, environment: {}, timeout: LONGEST_S })
  }
  const calls = await serveCalls(names, invoke)
  stops.push(calls.stop)
  process.env.LAMBDA_ENDPOINT = calls.endpoint
  const { host, port } = settings
  const web = supervise('The process that answers requests', join(root, 'local/serve/web.ts'), { host, port, files })
  await Promise.race([once(await web.current(), 'message'), failAtExit(await web.current())])
  if (settings.hasStreams) await followStream(settings, invoke)
  else await followByReading(settings, invoke)
  for (const { name, seconds, event = {} } of timers) visitEvery(seconds, () => invoke(name, event))
  say(
    `It answers at http://${host}:${port}. Processes: ${(await web.current()).pid} answers requests, ${(await background.current()).pid} works in the background.`,
  )
}

const READER = 'read-changes'

/** Starts a process, and starts it again whenever it ends. Its first message is `begin`. */
function supervise(what: string, module: string, begin?: object) {
  const start = (): ChildProcess => {
    const child = fork(module, [], {
      cwd: root,
      env: process.env,
      execArgv: [`--max-old-space-size=${HEAP_MB}`, '--enable-source-maps'],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    if (begin) child.send(begin)
    return child
  }
  const kept = keepRunning(start(), { what, begin: start, heapMb: HEAP_MB, say })
  stops.push(kept.stop)
  return kept
}

async function failAtExit(child: ChildProcess): Promise<never> {
  const [code] = await once(child, 'exit')
  throw new Error(`the process that answers requests ended (${code}).`)
}

/** Hands every change of the table to the projector and the other followers, each at its own pace. */
async function followStream({ folder }: ServeSettings, invoke: Invoke): Promise<void> {
  const store = storeIn(process.env)
  const call = sharePages(streamCaller(store))
  const at = { endpoint: store.dynamodb, table: store.table, call }
  const { wants, batchSize } = loadProjector()
  const projecting = { ...at, wants, batchSize, maximumAgeMs: DAY_MS, directory: folder }
  stops.push(startPump(projecting, deliverTo(invoke, 'projector')).stop)
  for (const follower of loadFollowers()) {
    const directory = join(folder, follower.name)
    await mkdir(directory, { recursive: true })
    const pump = startPump(
      { ...at, directory, batchSize: follower.batchSize },
      through(follower, deliverTo(invoke, follower.name)),
    )
    stops.push(pump.stop)
  }
}

const Read = v.object({ until: v.number() })

/** Reads the table every minute, and keeps the time up to which it was read. */
async function followByReading({ folder }: ServeSettings, invoke: Invoke): Promise<void> {
  const file = join(folder, 'read.json')
  const stored = v.safeParse(Read, await readFile(file, 'utf8').then(JSON.parse, () => undefined))
  let since = stored.success ? stored.output.until : 0
  visitEvery(READING_MS / 1000, async () => {
    const { until } = v.parse(Read, await invoke(READER, { since }))
    since = until
    await writeFile(file, JSON.stringify({ until }))
  })
}

/** Visits at once, then every few seconds, one visit after the other. */
function visitEvery(seconds: number, visit: () => Promise<unknown>): void {
  let timer: NodeJS.Timeout | undefined
  const come = async () => {
    await visit().catch((error: unknown) => say(error instanceof Error ? error.message : String(error)))
    if (!isEnding) timer = setTimeout(() => void come(), seconds * 1000)
  }
  void come()
  stops.push(async () => clearTimeout(timer))
}

function say(sentence: string): void {
  console.log(JSON.stringify({ level: 'INFO', message: 'serve', timestamp: new Date().toISOString(), text: sentence }))
}

/** Stops all parts, the newest first, and ends this process. */
async function end(code: number): Promise<void> {
  if (isEnding) return
  isEnding = true
  // Even if something hangs: the children end with this process.
  setTimeout(() => process.exit(code), 30_000).unref()
  for (const stop of stops.reverse()) await stop().catch(() => undefined)
  process.exit(code)
}
