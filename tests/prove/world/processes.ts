import { rm } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { buildSources, type Changes } from './sources.ts'

/** Several processes in one: each has modules of its own, as each instance of a function has where it is deployed. */
// biome-ignore lint/suspicious/noExplicitAny: what a module holds is known to who asks
type Modules = Readonly<Record<string, () => Promise<any>>>
// biome-ignore lint/suspicious/noExplicitAny: the types of items are as many as there are
type ItemTypes = Map<string, any>

const processIn = (url: string) => Number(/\?process=(\d+)$/.exec(url)?.[1])
const memories = new Map<number, (() => void)[]>()
const types = new Map<number, ItemTypes>()

const kept = <T>(all: Map<number, T>, of: number, empty: () => T): T => {
  const found = all.get(of) ?? empty()
  all.set(of, found)
  return found
}
/** What empties a process's memory, piece by piece. */
export const memoryOf = (process: number): (() => void)[] => kept(memories, process, () => [])

type Logged = { level: string; message: string; error?: string; stack?: string }
/** The last errors that the service has logged. */
export const logged: string[] = []
/** The marks in the sources that processes have come by, and those of them behind which something was written. */
export const passed = new Set<number>()
export const cameBy = new Set<number>()
Object.assign(globalThis, {
  proved: {
    memoryOf: (url: string) => memoryOf(processIn(url)),
    log: ({ level, message, error, stack }: Logged) => {
      if (level === 'error') logged.push(stack ?? error ?? message)
      if (logged.length > 3) logged.shift()
    },
    typesOf: (url: string) => kept(types, processIn(url), () => new Map()),
  },
})

const processes = new Map<number, Modules>()

/** Starts so many processes, all of the same sources, changed or as they are. */
export async function startProcesses(many: number, changes: Changes): Promise<void> {
  const file = await buildSources(changes)
  for (let process = 0; process < many; process += 1) {
    const { modules }: { modules: Modules } = await import(`${pathToFileURL(file).href}?process=${process}`)
    processes.set(process, modules)
  }
  await rm(file)
}

/** A module of the project in one of the processes. */
export function moduleIn(process: number, path: string): ReturnType<Modules[string]> {
  const load = processes.get(process)?.[path]
  if (!load) throw new Error(`process ${process} has no ${path}`)
  return load()
}

/** The process ends, and another one starts in its place. */
export function forget(process: number): void {
  for (const empty of memoryOf(process)) empty()
}

/** The types of items that a process knows. */
export const itemTypes = (process: number): ItemTypes => kept(types, process, () => new Map())
