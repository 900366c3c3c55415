import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { unzipSync } from 'fflate'
import type { FunctionFacts } from './template.ts'

/** Runs packages as Lambda does. */
export type Runtime = {
  invoke: (name: string, event: object) => Promise<unknown>
  /** Whether the process of a function ends at each event that it gets. */
  crash: (name: string, whenever: boolean) => void
  stop: () => void
  /** Lines that functions have written. */
  errors: string[]
}
type Where = {
  folder: string
  packages: (name: string) => string
  surroundings: (name: string) => NodeJS.ProcessEnv
  note: (name: string, action: string) => void
}
type Instance = { child: ChildProcess; busy: boolean; used: number }
type Reply = { id?: number; result?: unknown; error?: string; ready?: true; broken?: string }

/** So many processes live at once; who has waited longest makes room. */
const MOST = 24

/**
 * Each function's package in processes of its own, one event at a time in each, with its variables, memory and time limit,
 * and frozen between events. A function that takes longer, or ends, fails the call.
 */
export async function startRuntime(functions: readonly FunctionFacts[], where: Where): Promise<Runtime> {
  const folderOf = (name: string) => join(where.folder, 'packages', name)
  // At once, so that nothing changes under a run.
  for (const { name } of functions) await unpack(where.packages(name), folderOf(name))
  const instances = new Map<string, Instance[]>(functions.map(({ name }) => [name, []]))
  const errors: string[] = []
  const crashing = new Set<string>()
  let calls = 0
  return {
    errors,
    crash: (name, whenever) => {
      if (whenever) crashing.add(name)
      else crashing.delete(name)
    },
    stop: () => {
      for (const it of [...instances.values()].flat()) it.child.kill('SIGKILL')
    },
    invoke: async (name, event) => {
      const facts = functions.find((it) => it.name === name)
      if (!facts) throw new Error(`there is no function ${name}`)
      const free = instances.get(name)?.find((it) => !it.busy)
      const instance = free ?? (await start(facts))
      instance.busy = true
      calls += 1
      instance.used = calls
      instance.child.kill('SIGCONT')
      try {
        return await call(instance, facts, event)
      } finally {
        instance.busy = false
        // Lambda freezes what is left running.
        instance.child.kill('SIGSTOP')
      }
    },
  }

  async function start(facts: FunctionFacts): Promise<Instance> {
    makeRoom()
    const { name, handler, memory } = facts
    const folder = folderOf(name)
    const file = join(folder, `${handler.slice(0, handler.lastIndexOf('.'))}.mjs`)
    const child = fork(join(import.meta.dirname, 'bootstrap.ts'), [file, facts.fullName], {
      ...{ cwd: folder, silent: true, serialization: 'json' },
      // What Lambda's own runtime leaves to the heap.
      execArgv: [`--max-old-space-size=${Math.floor(memory * 0.9)}`],
      env: { ...facts.variables, ...where.surroundings(name), TMPDIR: await mkdtemp(join(where.folder, 'tmp-')) },
    })
    const instance: Instance = { child, busy: true, used: calls }
    instances.get(name)?.push(instance)
    child.once('exit', () => forget(name, instance))
    listen(name, child)
    where.note(name, 'logs:CreateLogStream')
    const reply = await heard(child)
    if (!reply?.ready) {
      child.kill('SIGKILL')
      errors.push(`${name}: does not start: ${reply?.broken ?? 'it ended'}`)
      throw new Error(`${name} does not start: ${reply?.broken ?? 'it ended'}`)
    }
    return instance
  }

  function makeRoom(): void {
    const all = [...instances].flatMap(([name, own]) => own.map((it) => ({ name, it })))
    if (all.length < MOST) return
    const [oldest] = all.filter(({ it }) => !it.busy).sort((a, b) => a.it.used - b.it.used)
    if (!oldest) return
    oldest.it.child.kill('SIGKILL')
    forget(oldest.name, oldest.it)
  }

  function forget(name: string, instance: Instance): void {
    instances.set(
      name,
      (instances.get(name) ?? []).filter((it) => it !== instance),
    )
  }

  function listen(name: string, child: ChildProcess): void {
    for (const stream of [child.stdout, child.stderr]) {
      if (!stream) continue
      createInterface({ input: stream }).on('line', (line) => {
        if (stream === child.stderr || line.includes('"level":"error"')) errors.push(`${name}: ${line}`)
      })
    }
  }

  async function call(instance: Instance, { name, timeout }: FunctionFacts, event: object): Promise<unknown> {
    const { child } = instance
    calls += 1
    const id = calls
    const late = setTimeout(() => {
      errors.push(`${name}: Task timed out after ${timeout} seconds`)
      child.kill('SIGKILL')
    }, timeout * 1000)
    try {
      child.send({ id, event, until: Date.now() + timeout * 1000 })
      // Lambda writes down that it begins and ends.
      where.note(name, 'logs:PutLogEvents')
      if (crashing.has(name)) child.kill('SIGKILL')
      for (;;) {
        const reply = await heard(child)
        if (!reply) throw new Error(`${name} ended`)
        if (reply.id !== id) continue
        if (reply.error === undefined) return reply.result
        errors.push(`${name}: ${reply.error}`)
        throw new Error(reply.error)
      }
    } finally {
      clearTimeout(late)
    }
  }
}

/** The next message of a process, or undefined when it ends. */
async function heard(child: ChildProcess): Promise<Reply | undefined> {
  const listening = new AbortController()
  const { signal } = listening
  try {
    const [reply]: Reply[] = await Promise.race([
      once(child, 'message', { signal }),
      once(child, 'exit', { signal }).then(() => []),
    ])
    return reply
  } finally {
    listening.abort()
  }
}

async function unpack(archive: string, folder: string): Promise<void> {
  for (const [path, bytes] of Object.entries(unzipSync(await readFile(archive)))) {
    if (path.endsWith('/')) continue
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), bytes)
  }
}
