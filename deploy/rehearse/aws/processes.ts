import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { unzip } from '../../packages/zip.ts'
import type { FunctionFacts } from '../template.ts'

export type Where = {
  folder: string
  packages: (name: string) => string
  surroundings: (name: string) => NodeJS.ProcessEnv
  /** Called when the runtime itself uses a right of a function, such as writing its log. */
  note: (name: string, action: string) => void
}
/** A version of all functions that is not the packaged one alone: variables that differ, whether its own or those that Lambda adds. */
export type Release = { name: string; variables: Readonly<Record<string, string>> }
/** A function, in a release of its own or as it is packaged. */
export type Versioned = FunctionFacts & { release?: Release | undefined }
/** A process of a function: `used` is the number of the call that used it last. */
export type Instance = { child: ChildProcess; busy: boolean; used: number }
export type ProcessReply = { id?: number; result?: unknown; error?: string; ready?: true; broken?: string }

/**
 * How many processes are kept. To make room, the free one that was unused for longest is ended; if none is free, one more starts. There are
 * 47 functions, and some answer several calls at once. With fewer places each round of calls would start most of them anew.
 */
const MOST = 72

/** The processes of all functions, each from its unpacked package. */
export class Processes {
  /** Error lines that functions have written. */
  readonly errors: string[] = []
  readonly #instances = new Map<string, Instance[]>()
  readonly #where: Where

  constructor(where: Where) {
    this.#where = where
  }

  /** Unpacks all packages before the first call, so that a new build does not change a run. */
  async unpack(names: readonly string[]): Promise<void> {
    for (const name of names) await unzip(this.#where.packages(name), this.#folderOf(name))
  }

  /** Takes a free process, or starts one. It is busy until the caller frees it. Fails if it does not start. */
  async take(facts: Versioned): Promise<Instance> {
    const free = this.#instances.get(placeOf(facts))?.find((it) => !it.busy)
    if (free) free.busy = true
    return free ?? this.#start(facts)
  }

  /** Ends the free processes of a function. */
  cool(name: string): void {
    for (const it of (this.#instances.get(name) ?? []).filter(({ busy }) => !busy)) {
      it.child.kill('SIGKILL')
      this.#forget(name, it)
    }
  }

  /** Ends all processes of a function, at whatever they are. */
  kill(name: string): void {
    for (const it of this.#instances.get(name) ?? []) it.child.kill('SIGKILL')
  }

  /** Ends all processes. */
  stop(): void {
    for (const it of [...this.#instances.values()].flat()) it.child.kill('SIGKILL')
  }

  #folderOf = (name: string) => join(this.#where.folder, 'packages', name)

  async #start(facts: Versioned): Promise<Instance> {
    this.#makeRoom()
    const { name } = facts
    const place = placeOf(facts)
    const instance: Instance = { child: await this.#forked(facts), busy: true, used: 0 }
    const { child } = instance
    this.#instances.set(place, [...(this.#instances.get(place) ?? []), instance])
    child.once('exit', () => this.#forget(place, instance))
    this.#listen(name, child)
    this.#where.note(name, 'logs:CreateLogStream')
    const reply = await heard(child)
    if (reply?.ready) return instance
    child.kill('SIGKILL')
    const why = `${name} does not start: ${reply?.broken ?? 'it ended'}`
    this.errors.push(why)
    throw new Error(why)
  }

  async #forked({ name, handler, memory, variables, fullName, release }: Versioned): Promise<ChildProcess> {
    const { folder, surroundings } = this.#where
    const cwd = this.#folderOf(name)
    const file = join(cwd, `${handler.slice(0, handler.lastIndexOf('.'))}.mjs`)
    return fork(join(import.meta.dirname, 'bootstrap.ts'), [file, fullName], {
      cwd,
      silent: true,
      serialization: 'json',
      // Lambda leaves about nine tenths of the memory to the heap.
      execArgv: [`--max-old-space-size=${Math.floor(memory * 0.9)}`],
      env: {
        ...variables,
        ...surroundings(name),
        ...release?.variables,
        TMPDIR: await mkdtemp(join(folder, 'tmp-')),
        // A package is compiled at its first start only.
        NODE_COMPILE_CACHE: join(folder, 'compiled'),
      },
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
        if (stream === child.stderr || line.includes('"level":"ERROR"')) this.errors.push(`${name}: ${line}`)
      })
    }
  }
}

const placeOf = ({ name, release }: Versioned) => (release ? `${name} of ${release.name}` : name)

/** The next message of a process; undefined if it ends first. */
export async function heard(child: ChildProcess): Promise<ProcessReply | undefined> {
  const listening = new AbortController()
  const { signal } = listening
  try {
    const [reply]: ProcessReply[] = await Promise.race([
      once(child, 'message', { signal }),
      once(child, 'exit', { signal }).then(() => []),
    ])
    return reply
  } finally {
    listening.abort()
  }
}
