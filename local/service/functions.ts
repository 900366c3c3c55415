import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { createRequire } from 'node:module'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda'
import * as v from 'valibot'
import { directory, root } from './paths.ts'

/** A function as it can be run: its bundle, what its environment has beside that of all, and how many seconds it may take. */
const Runnable = v.object({ file: v.string(), environment: v.record(v.string(), v.string()), timeout: v.number() })
export type Runnable = v.InferOutput<typeof Runnable>
/** What serverless-offline tells once it serves, and whenever functions have changed. */
const Told = v.object({ functions: v.record(v.string(), Runnable) })
const Ended = v.object({ call: v.number(), answer: v.optional(v.unknown()), failed: v.optional(v.string()) })

export type Invoke = (name: string, event: object) => Promise<unknown>
export type Functions = {
  /** Runs a function that nobody calls, and answers what it does. Fails when it failed. */
  invoke: Invoke
  /** The same in a process that is there for this one call, and that others go before. */
  invokeAlone: Invoke
  /** Told, in a sentence, when one of the processes has ended by itself. */
  ended: Promise<string>
}

/** Left to itself, V8 takes 200 MB more on a machine that has them, and is no faster for it. */
const execArgv = ['--max-semi-space-size=4', '--max-old-space-size=256', '--enable-source-maps']

/**
 * Runs the functions in two processes: serverless-offline answers requests in one; the other has the projector and what comes by, none of which
 * holds up a request where it is deployed. What works for seconds on end can have one for itself, so that it does not hold up the projector either.
 * Ready when requests are answered. What they print goes to service.log, errors to the terminal too.
 */
export async function startFunctions(table: string, running: (() => Promise<unknown>)[]): Promise<Functions> {
  const env = { ...process.env, DYNAMODB_ENDPOINT: table, SLS_LOG_LEVEL: 'error' }
  const options = { cwd: root, env, execArgv, silent: true }
  const log = createWriteStream(join(directory, 'service.log'))
  const begin = (module: string, args: string[] = []) => logged(fork(module, args, options), log)
  const framework = createRequire(import.meta.url).resolve('serverless/bin/serverless.js')
  const serving = begin(framework, ['offline', 'start', '--stage', 'local'])
  const background = begin(apart)
  const gone = [serving, background].map((child) => {
    const exit = once(child, 'exit')
    running.push(() => ended(child, exit))
    return exit
  })
  const over = Promise.race(gone).then(() => `The functions ended: see ${join(directory, 'service.log')}`)
  const functions = await Promise.race([told(serving), over])
  if (typeof functions === 'string') throw new Error(functions)
  return {
    invoke: through(background, functions),
    invokeAlone: async (name, event) => {
      const child = begin(apart)
      if (child.pid) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL)
      return through(child, functions)(name, event).finally(() => child.disconnect())
    },
    ended: over,
  }
}

const apart = join(import.meta.dirname, 'background.ts')

const Taken = v.nullish(v.object({ batchItemFailures: v.array(v.object({ itemIdentifier: v.string() })) }))

/** Hands a function changes of the table as AWS would. Fails when it failed. */
export const delivering =
  (invoke: Invoke, name: string) =>
  async (event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse | undefined> =>
    v.parse(Taken, await invoke(name, event)) ?? undefined

/** Answers what functions there are, once that is told. */
async function told(serving: ChildProcess): Promise<() => Readonly<Record<string, Runnable>>> {
  const [first] = await once(serving, 'message')
  let { functions } = v.parse(Told, first)
  serving.on('message', (message) => {
    functions = v.parse(Told, message).functions
  })
  return () => functions
}

/** Hands calls to a process in the background, each with the newest bundle of its function. */
function through(background: ChildProcess, functions: () => Readonly<Record<string, Runnable>>): Invoke {
  let calls = 0
  const under = new Map<number, PromiseWithResolvers<unknown>>()
  background.on('message', (message) => {
    const { call, answer, failed } = v.parse(Ended, message)
    const it = under.get(call)
    under.delete(call)
    if (failed === undefined) it?.resolve(answer)
    else it?.reject(new Error(failed))
  })
  background.once('exit', () => {
    for (const it of under.values()) it.reject(new Error('The process has ended.'))
  })
  return (name, event) => {
    const it = Promise.withResolvers<unknown>()
    calls += 1
    under.set(calls, it)
    background.send({ call: calls, name, event, ...functions()[name] })
    return it.promise
  }
}

function logged(child: ChildProcess, log: NodeJS.WritableStream): ChildProcess {
  const { stdout, stderr } = child
  for (const stream of [stdout, stderr]) {
    if (!stream) continue
    createInterface({ input: stream }).on('line', (line) => {
      log.write(`${line}\n`)
      if (stream === stderr || line.includes('"level":"error"')) console.error(line)
    })
  }
  return child
}

async function ended(child: ChildProcess, exit: Promise<unknown>): Promise<void> {
  child.kill('SIGTERM')
  const patience = setTimeout(() => child.kill('SIGKILL'), 5000)
  await exit
  clearTimeout(patience)
}
