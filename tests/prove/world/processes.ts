import { readFileSync } from 'node:fs'
import { registerHooks, stripTypeScriptTypes } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'

/**
 * Several processes in one: each has modules of its own, as each instance of a function has where it is deployed. The sources
 * are the project's, read as they are but for three things: what a process keeps in its memory can be forgotten (a cold
 * start), timers are those of the simulated time, and some clients and tables that a module keeps to itself are shown.
 */
export const ROOT = new URL('../../../', import.meta.url)
const OWN = [
  new URL('lib/', ROOT).href,
  new URL('functions/', ROOT).href,
  new URL('local/service/users.ts', ROOT).href,
  new URL('local/commands/import/', ROOT).href,
]
const SLEEP = new URL('./sleep.ts', import.meta.url).href

/** A change of one source, as a mutant has it: which file, and what stands where what stood. */
export type Cut = { file: string; from: number; to: number; with: string }
let cut: Cut | undefined
export const cutSource = (it: Cut): void => {
  cut = it
}

/** What a process keeps from one request to the next, by module: it goes with the process. */
const MEMORY: Readonly<Record<string, readonly string[]>> = {
  'lib/clock.ts': ['counter'],
  'lib/auth/jwt.ts': ['known'],
  'lib/cache/cached.ts': ['store', 'underWay'],
  'lib/health/prometheus.ts': ['kept'],
  'lib/table/two-phase/staged.ts': ['known'],
  'lib/table/sequence.ts': ['blocks'],
  'lib/leaderboard/keep.ts': ['closed'],
  'lib/search/model/follower.ts': ['ours'],
}

/** What modules keep to themselves and invariants look at. */
const SHOWN: Readonly<Record<string, string>> = {
  'lib/effects/repair-records.ts': 'export { derivedOf as shown_derivedOf }',
  'lib/ops/invoke.ts': 'export { client as shown_client }',
}

const DECLARED = 'export function defineItem<Id, S extends Schema>(item: ItemType<Id, S>): ItemType<Id, S> {'

function edited(path: string, source: string): string {
  let text = source
  if (cut?.file === path) text = text.slice(0, cut.from) + cut.with + text.slice(cut.to)
  for (const name of MEMORY[path] ?? []) {
    const declared = new RegExp(`^(?:export )?(?:const|let) ${name}(?:: [^=\\n]+)? = (.+)$`, 'm').exec(text)
    const empty = new RegExp(`^let ${name}: [^=\\n]+$`, 'm').exec(text)
    const found = declared ?? empty
    if (!found) throw new Error(`${path} keeps no ${name} any more: correct MEMORY in tests/prove/world/processes.ts`)
    text = text.replace(found[0], found[0].replace(/^(export )?const/, '$1let'))
    text += `\n;__memory.push(() => { ${name} = ${declared?.[1] ?? 'undefined'} })`
  }
  if (MEMORY[path]) text = `const __memory = (globalThis as any).proved.memoryOf(import.meta.url)\n${text}`
  if (path === 'lib/table/item.ts') {
    if (!text.includes(DECLARED)) throw new Error('lib/table/item.ts declares items in another way')
    text = text.replace(
      DECLARED,
      `${DECLARED} (globalThis as any).proved.typesOf(import.meta.url).set(item.type, item);`,
    )
  }
  return `${text}\n${SHOWN[path] ?? ''}`
}

const processIn = (url: string) => Number(/\?process=(\d+)$/.exec(url)?.[1] ?? -1)
const memories = new Map<number, (() => void)[]>()
// biome-ignore lint/suspicious/noExplicitAny: the types of items are as many as there are
type ItemTypes = Map<string, any>
const types = new Map<number, ItemTypes>()

const kept = <T>(all: Map<number, T>, of: number, empty: () => T): T => {
  const found = all.get(of) ?? empty()
  all.set(of, found)
  return found
}
Object.assign(globalThis, {
  proved: {
    memoryOf: (url: string) => kept(memories, processIn(url), () => []),
    typesOf: (url: string) => kept(types, processIn(url), () => new Map()),
  },
})

registerHooks({
  resolve(specifier, context, next) {
    const process = processIn(context.parentURL ?? '')
    if (process < 0) return next(specifier, context)
    if (specifier === 'node:timers/promises') return { url: SLEEP, shortCircuit: true, format: 'module-typescript' }
    const found = next(specifier, context)
    const isOwn = OWN.some((prefix) => found.url.startsWith(prefix))
    return isOwn ? { ...found, url: `${found.url}?process=${process}` } : found
  },
  load(url, context, next) {
    if (processIn(url) < 0) return next(url, context)
    const path = url.slice(ROOT.href.length).replace(/\?.*$/, '')
    const source = readFileSync(fileURLToPath(new URL(path, ROOT)), 'utf8')
    return { format: 'module', source: stripTypeScriptTypes(edited(path, source)), shortCircuit: true }
  },
})

/** A module of the project in one of the processes. */
// biome-ignore lint/suspicious/noExplicitAny: what it holds is known to who asks
export const moduleIn = (process: number, path: string): Promise<any> =>
  import(`${pathToFileURL(fileURLToPath(new URL(path, ROOT))).href}?process=${process}`)

/** The process ends, and another one starts in its place. */
export function forget(process: number): void {
  for (const empty of memories.get(process) ?? []) empty()
}

/** The types of items that a process knows. */
export const itemTypes = (process: number): ItemTypes => kept(types, process, () => new Map())
