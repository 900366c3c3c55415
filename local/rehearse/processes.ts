import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { unzipSync } from 'fflate'
import type { FunctionFacts } from './template.ts'

export type Where = {
  folder: string
  packages: (name: string) => string
  surroundings: (name: string) => NodeJS.ProcessEnv
  /** Hears what the runtime itself does with the rights of a function. */
  note: (name: string, action: string) => void
}
/** A process of a function: `used` is the number of the call that used it last. */
export type Instance = { child: ChildProcess; busy: boolean; used: number }
export type Reply = { id?: number; result?: unknown; error?: string; ready?: true; broken?: string }

/** So many processes live at once, more than there are functions; who has waited longest makes room. */
const MOST = 44

/** The processes of all functions, each from its unpacked package. */
export class Processes {
  /** Lines that functions have written. */
  readonly errors: string[] = []
  readonly #instances = new Map<string, Instance[]>()
  readonly #where: Where

  constructor(where: Where) {
    this.#where = where
  }

  /** Unpacks all packages at once, so that nothing changes under a run. */
  async unpack(names: readonly string[]): Promise<void> {
    for (const name of names) await unpack(this.#where.packages(name), this.#folderOf(name))
  }

  /** One that is free, or a new one; it is busy from now on. Fails when it does not start. */
  async take(facts: FunctionFacts): Promise<Instance> {
    const free = this.#instances.get(facts.name)?.find((it) => !it.busy)
    if (free) free.busy = true
    return free ?? this.#start(facts)
  }

  /** Ends those of a function that are free. */
  cool(name: string): void {
    for (const it of (this.#instances.get(name) ?? []).filter(({ busy }) => !busy)) {
      it.child.kill('SIGKILL')
      this.#forget(name, it)
    }
  }

  /** Ends them all. */
  stop(): void {
    for (const it of [...this.#instances.values()].flat()) it.child.kill('SIGKILL')
  }

  #folderOf = (name: string) => join(this.#where.folder, 'packages', name)

  async #start(facts: FunctionFacts): Promise<Instance> {
    this.#makeRoom()
    const { name } = facts
    const instance: Instance = { child: await this.#forked(facts), busy: true, used: 0 }
    const { child } = instance
    this.#instances.set(name, [...(this.#instances.get(name) ?? []), instance])
    child.once('exit', () => this.#forget(name, instance))
    this.#listen(name, child)
    this.#where.note(name, 'logs:CreateLogStream')
    const reply = await heard(child)
    if (reply?.ready) return instance
    child.kill('SIGKILL')
    const why = `${name} does not start: ${reply?.broken ?? 'it ended'}`
    this.errors.push(why)
    throw new Error(why)
  }

  async #forked({ name, handler, memory, variables, fullName }: FunctionFacts): Promise<ChildProcess> {
    const { folder, surroundings } = this.#where
    const cwd = this.#folderOf(name)
    const file = join(cwd, `${handler.slice(0, handler.lastIndexOf('.'))}.mjs`)
    return fork(join(import.meta.dirname, 'bootstrap.ts'), [file, fullName], {
      ...{ cwd, silent: true, serialization: 'json' },
      // What Lambda's own runtime leaves to the heap.
      execArgv: [`--max-old-space-size=${Math.floor(memory * 0.9)}`],
      env: { ...variables, ...surroundings(name), TMPDIR: await mkdtemp(join(folder, 'tmp-')) },
    })
  }

  #makeRoom(): void {
    const all = [...this.#instances].flatMap(([name, own]) => own.map((it) => ({ name, it })))
    if (all.length < MOST) return
    const [oldest] = all.filter(({ it }) => !it.busy).sort((a, b) => a.it.used - b.it.used)
    if (!oldest) return
    oldest.it.child.kill('SIGKILL')
    this.#forget(oldest.name, oldest.it)
  }

  #forget(name: string, instance: Instance): void {
    const others = (this.#instances.get(name) ?? []).filter((it) => it !== instance)
    this.#instances.set(name, others)
  }

  #listen(name: string, child: ChildProcess): void {
    for (const stream of [child.stdout, child.stderr]) {
      if (!stream) continue
      createInterface({ input: stream }).on('line', (line) => {
        if (stream === child.stderr || line.includes('"level":"error"')) this.errors.push(`${name}: ${line}`)
      })
    }
  }
}

/** The next message of a process, or undefined when it ends. */
export async function heard(child: ChildProcess): Promise<Reply | undefined> {
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
