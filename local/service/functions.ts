import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { createRequire } from 'node:module'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda'
import * as v from 'valibot'
import { root } from '../../deploy/root.ts'
import { endProcess, keepRunning } from './keep-running.ts'
import { directory } from './paths.ts'

/** What is needed to run a function: its bundle, its own environment variables, and its time limit in seconds. */
const Runnable = v.object({ file: v.string(), environment: v.record(v.string(), v.string()), timeout: v.number() })
export type Runnable = v.InferOutput<typeof Runnable>
/** What the process of serverless-offline sends once it serves, and after each reload. */
const Announcement = v.object({ functions: v.record(v.string(), Runnable) })
type Announcement = v.InferOutput<typeof Announcement>
const CallEnded = v.object({ call: v.number(), answer: v.optional(v.unknown()), failed: v.optional(v.string()) })

export type Invoke = (name: string, event: object) => Promise<unknown>
export type Functions = {
  /** Runs a function that has no endpoint, and returns its result. Throws when it failed. */
  invoke: Invoke
  /** The same in a process of its own, at a lower priority. For work of seconds, such as packing the snapshot of search. */
  invokeAlone: Invoke
}

/** Ends a part of the service. */
export type Stop = () => Promise<unknown>

/** Heap of each process in MB. The bundles of all endpoints take some 250 MB, and reloaded ones come on top. */
export const HEAP_MB = 1024
/** By default V8 takes 200 MB more for young objects, and is no faster for it. With 4 MB it spends an eighth more of the processor. */
const execArgv = ['--max-semi-space-size=16', `--max-old-space-size=${HEAP_MB}`, '--enable-source-maps']

/**
 * Starts the functions in two processes, so that background work holds up no request. One runs serverless-offline and
 * answers requests. The other runs the projector and the timed functions. Resolves when requests are answered. A process
 * that ends by itself is started again. Output goes to service.log, errors also to the terminal.
 */
export async function startFunctions(
  table: string,
  stops: { requests: Stop[]; background: Stop[] },
): Promise<Functions> {
  const env = { ...process.env, DYNAMODB_ENDPOINT: table, SLS_LOG_LEVEL: 'error' }
  // Ctrl-C reaches all processes of a group at once. In groups of their own these are ended in order, by the first one.
  const options = { cwd: root, env, execArgv, silent: true, detached: true }
  const log = openLog()
  const begin = (module: string, args: string[] = []) => logOutput(fork(module, args, options), log)
  const framework = createRequire(import.meta.url).resolve('serverless/bin/serverless.js')

  let runnables: Announcement['functions'] = {}
  const serve = () =>
    begin(framework, ['offline', 'start', '--stage', 'local']).on('message', (message) => {
      runnables = v.parse(Announcement, message).functions
    })
  const serving = serve()
  stops.requests.push(() => endProcess(serving))
  await Promise.race([once(serving, 'message'), failAtExit(serving)])

  const say = (sentence: string) => console.error(`${sentence} Its log is ${join(directory, 'service.log')}.`)
  const way = { heapMb: HEAP_MB, say }
  stops.requests.push(keepRunning(serving, { ...way, what: 'The process that answers requests', begin: serve }).stop)
  const inBackground = () => begin(backgroundModule)
  const background = keepRunning(inBackground(), { ...way, what: 'The background process', begin: inBackground })
  stops.background.push(background.stop)
  return {
    invoke: async (name, event) => callIn(await background.current(), name, event, runnables[name]),
    invokeAlone: async (name, event) => {
      const child = begin(backgroundModule)
      if (child.pid) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL)
      return callIn(child, name, event, runnables[name]).finally(() => child.connected && child.disconnect())
    },
  }
}

async function failAtExit(child: ChildProcess): Promise<never> {
  await once(child, 'exit')
  throw new Error(`The functions ended: see ${join(directory, 'service.log')}`)
}

/** The log file. If it cannot be written, for example on a full disk, the service goes on without it. */
function openLog(): NodeJS.WritableStream {
  const file = join(directory, 'service.log')
  const log = createWriteStream(file)
  log.on('error', (error) => console.error(`LOCAL_DATA: ${file} cannot be written (${error.message}).`))
  return log
}

const backgroundModule = join(import.meta.dirname, 'background.ts')

const BatchAnswer = v.nullish(v.object({ batchItemFailures: v.array(v.object({ itemIdentifier: v.string() })) }))

/** Makes a receiver of stream batches out of a function, as AWS does. It throws if the function fails. */
export const deliverTo =
  (invoke: Invoke, name: string) =>
  async (event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse | undefined> =>
    v.parse(BatchAnswer, await invoke(name, event)) ?? undefined

const ENDED = 'The process has ended.'

let calls = 0

/** Runs a function in a background process, from its newest bundle. */
export function callIn(
  child: ChildProcess,
  name: string,
  event: object,
  runnable: Runnable | undefined,
): Promise<unknown> {
  calls += 1
  const call = calls
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const onMessage = (message: unknown) => {
    const ended = v.parse(CallEnded, message)
    if (ended.call !== call) return
    if (ended.failed === undefined) resolve(ended.answer)
    else reject(new Error(ended.failed))
  }
  const onExit = () => reject(new Error(ENDED))
  child.setMaxListeners(0).on('message', onMessage).once('exit', onExit)
  child.send({ call, name, event, ...runnable }, (error) => error && reject(new Error(ENDED)))
  return promise.finally(() => child.off('message', onMessage).off('exit', onExit))
}

function logOutput(child: ChildProcess, log: NodeJS.WritableStream): ChildProcess {
  const { stdout, stderr } = child
  for (const stream of [stdout, stderr]) {
    if (!stream) continue
    createInterface({ input: stream }).on('line', (line) => {
      log.write(`${line}\n`)
      if (stream === stderr || line.includes('"level":"ERROR"')) console.error(line)
    })
  }
  return child
}
