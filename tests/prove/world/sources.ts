import { globSync } from 'node:fs'
import { mkdir, readFile, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin, stop } from 'esbuild'

/**
 * The project's sources in one file, in which each module is loaded when it is asked for. They are read as they are but for
 * four things: what a process keeps in its memory can be forgotten (a cold start), some clients and tables that a module keeps to
 * itself are shown, large files have small parts, and what is beyond the world is part of it: the reader of images, the receivers
 * of hooks.
 */
export const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** A change of one source, as a mutant has it: which file, and what stands where what stood. */
export type Cut = { file: string; from: number; to: number; with: string }

/** No cut has this number: what is found then is found without one. */
export const NONE = -1

/** From where to where something stands in a source. */
export type Span = { from: number; to: number }
/** Something that a process evaluates, whose mark tells that it comes by. */
export type Mark = Span & { file: string }
/**
 * A condition or a wait that can be taken out while all is loaded, and put in again: `waited` is where what is waited for begins, and
 * `before` what its function has waited for by then.
 */
export type Switch = Cut & { sort: 'condition' | 'wait' | 'return'; waited: number; before: readonly Span[] }

/** What is changed of the sources: a cut in them, marks that tell when a process comes by, and a switch at each condition and wait. */
export type Changes = { cut?: Cut | undefined; marks?: readonly Mark[]; switches?: readonly Switch[] }

/** What a process keeps from one request to the next, by module: it goes with the process. */
const MEMORY: Readonly<Record<string, readonly string[]>> = {
  'lib/base/clock.ts': ['counter'],
  'lib/platform/auth/jwt.ts': ['known'],
  'lib/platform/auth/idp.ts': ['userOf'],
  'lib/platform/cache/cached.ts': ['store', 'underWay', 'raising'],
  'lib/platform/health/prometheus.ts': ['kept'],
  'lib/engines/table/two-phase/staged.ts': ['known'],
  'lib/engines/table/sequence.ts': ['blocks'],
  'lib/domain/leaderboard/keep.ts': ['closedMonth'],
  'lib/engines/search/model/follower.ts': ['ours'],
}

/** What modules keep to themselves and invariants look at. */
const SHOWN: Readonly<Record<string, string>> = {
  'lib/domain/effects/repair-records.ts': 'export { derivedOf as shown_derivedOf }',
  'lib/base/telemetry/invoke.ts': 'export { client as shown_client }',
  'lib/doors/letters/mail.ts': 'export { client as shown_client }',
}

/** What stands in another way in some modules: what stood, and what follows it or stands in its place. */
const CHANGED: Readonly<Record<string, readonly [was: string, is: string]>> = {
  'lib/engines/table/item.ts': [
    'export function defineItem<Id, S extends Schema>(item: ItemType<Id, S>): ItemType<Id, S> {',
    '$& (globalThis as any).proved.typesOf(import.meta.url).set(item.type, item);',
  ],
  'lib/base/telemetry/log.ts': [
    "  if (config.LOG_LEVEL === 'silent') return\n",
    ';(globalThis as any).proved.log(line)\n$&',
  ],
  // Reading is done by threads and takes seconds; what is proved is what becomes of it. A small picture is one that nobody can read.
  'lib/engines/ocr/engine.ts': [
    'export async function readImageText(\n  image: Uint8Array,\n  wanted: readonly OcrLanguage[],\n  seconds: number,\n): Promise<TextReading> {',
    "$&\n  if (image.length < 200) throw new UnreadableFile('Nobody can read it.')\n  if (image) return { text: 'Carved in stone', confidence: 90, words: [] }",
  ],
  // An identity provider answers at once.
  'lib/platform/auth/idp.ts': [
    'async function fetched(url: string, init: RequestInit): Promise<unknown> {',
    '$&\n  if (url) return (globalThis as any).proved.provider(init)',
  ],
  // Of what waits patiently it is known which of its calls have failed.
  'lib/engines/table/two-phase/patience.ts': [
    'export async function patiently<T>(work: () => Promise<T>): Promise<T> {\n',
    '$&  work = (globalThis as any).proved.patient(work)\n',
  ],
  // What is done under a lock is done while nobody else may do it.
  'lib/engines/table/lease.ts': [
    '  const holder = newId()\n',
    '$&  work = (globalThis as any).proved.guarded(at, work)\n',
  ],
  // The bucket of the world takes small parts, so that what is stored in parts needs not be large.
  'lib/engines/bucket/blobs.ts': ['const PART = 5 << 20', 'const PART = 1000'],
  // Nor need tables have many rows, or pictures be large, to come in several pieces.
  'lib/engines/media/admit.ts': ['const IN_ONE_PIECE = 5_000_000', 'const IN_ONE_PIECE = 1000'],
  'lib/engines/media/formats/source.ts': ['const WINDOW = 64 * 1024', 'const WINDOW = 200'],
  'lib/domain/imports/store.ts': ['export const CHUNK = 500', 'export const CHUNK = 2'],
  'lib/domain/imports/report.ts': ['if (lines.length === 500)', 'if (lines.length === 2)'],
}

/** What stands around a span, whose first letters may go. */
type Piece = Span & { opens: string; closes: string; without?: number }

/** The source with all of these, of which one may be inside of another; of two at one place the first is outside. */
function around(source: string, pieces: readonly Piece[]): string {
  const ends = pieces.flatMap(({ from, to, opens, closes, without = 0 }, i) => [
    { at: from, says: opens, without, order: i },
    // What begins last ends first.
    { at: to, says: closes, without: 0, order: -from - i / pieces.length },
  ])
  const inOrder = ends.sort((a, b) => a.at - b.at || a.order - b.order)
  const texts = inOrder.map(({ at, says, without }, i) => says + source.slice(at + without, inOrder[i + 1]?.at))
  return source.slice(0, inOrder[0]?.at) + texts.join('')
}

/** With a mark at each of these. */
const marked = (marks: readonly Mark[], path: string): Piece[] =>
  [...marks.entries()].flatMap(([n, { file, from, to }]) =>
    file === path ? [{ from, to, opens: `(${PROVED}.came(${n}), `, closes: ')' }] : [],
  )

/** What stands around what is waited for, so that the nth wait can be taken out: nothing of it is said twice, since it may hold others. */
const AROUND: Readonly<Record<Switch['sort'], (n: number, it: Switch) => Piece>> = {
  condition: (n, { from, to, with: always }) => ({
    ...{ from, to },
    opens: `(${PROVED}.isOut(${n}) ? ${always} : `,
    closes: ')',
  }),
  wait: (n, { waited: from, to }) => ({ from, to, opens: `${PROVED}.wait(${n}, async () => (`, closes: '))' }),
  return: (n, { from, waited, to }) => ({
    ...{ from, to, without: waited - from },
    opens: `(${PROVED}.given = [${PROVED}.last(${n}, async () => (`,
    closes: `))], ${PROVED}.isOut(${n})) ? ${PROVED}.given[0] : await ${PROVED}.given[0]`,
  }),
}
const PROVED = '(globalThis as any).proved'

/** With a switch at each condition and each wait. */
function switched(switches: readonly Switch[], path: string): Piece[] {
  const own = [...switches.entries()].filter(([, { file }]) => file === path)
  const cuts = own.map(([n, it]) => AROUND[it.sort](n, it))
  const each = own.flatMap(([n, { before }]) => before.map((span) => ({ ...span, n })))
  const earlier = [...Map.groupBy(each, ({ from }) => from).values()].map(([span, ...others]): Piece => {
    const { from, to } = span ?? { from: 0, to: 0 }
    const of = [span, ...others].map((it) => it?.n)
    return { from, to, opens: `${PROVED}.before([${of}], async () => (`, closes: '))' }
  })
  return [...cuts, ...earlier]
}

function edited(path: string, source: string, { cut, marks = [], switches = [] }: Changes): string {
  let text = around(source, [...marked(marks, path), ...switched(switches, path)])
  if (cut?.file === path) text = text.slice(0, cut.from) + cut.with + text.slice(cut.to)
  for (const name of MEMORY[path] ?? []) {
    const declared = new RegExp(`^(?:export )?(?:const|let) ${name}(?:: [^=\\n]+)? = (.+)$`, 'm').exec(text)
    const empty = new RegExp(`^let ${name}: [^=\\n]+$`, 'm').exec(text)
    const found = declared ?? empty
    if (!found) throw new Error(`${path} keeps no ${name} any more: correct MEMORY in tests/prove/world/sources.ts`)
    text = text.replace(found[0], found[0].replace(/^(export )?const/, '$1let'))
    text += `\n;(globalThis as any).proved.memoryOf(import.meta.url).push(() => { ${name} = ${declared?.[1] ?? 'undefined'} })`
  }
  const [was, is] = CHANGED[path] ?? []
  if (was !== undefined && is !== undefined) {
    if (!text.includes(was))
      throw new Error(`${path} says it in another way: correct tests/prove/world/sources.ts: ${was}`)
    text = text.replace(was, is)
  }
  return `${text}\n${SHOWN[path] ?? ''}`
}

/** Which modules can be asked for. */
const asked = () =>
  globSync(['lib/**/*.ts', 'functions/**/*.ts', 'local/service/users.ts', 'local/commands/import/*.ts'], { cwd: ROOT })

const reading = (changes: Changes): Plugin => ({
  name: 'prove',
  setup: (it) => {
    it.onResolve({ filter: /^node:https?$/ }, ({ path, importer }) =>
      importer.startsWith(join(ROOT, 'lib/domain/webhooks'))
        ? { path: join(ROOT, 'tests/prove/world/receiver.ts') }
        : { path, external: true },
    )
    it.onLoad({ filter: /\.ts$/ }, async ({ path }) => ({
      contents: edited(path.slice(ROOT.length), await readFile(path, 'utf8'), changes),
      loader: 'ts',
    }))
  },
})

/** Bundles the sources, changed or as they are, into a file of the folder of what is built; answers its path. */
export async function buildSources(changes: Changes): Promise<string> {
  const made = join(ROOT, '.build/prove', `${process.pid}.mjs`)
  await mkdir(dirname(made), { recursive: true })
  const loaders = asked().map((path) => `${JSON.stringify(path)}: () => import('./${path}'),`)
  await build({
    absWorkingDir: ROOT,
    stdin: { contents: `export const modules = {\n${loaders.join('\n')}\n}`, resolveDir: ROOT, loader: 'ts' },
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    packages: 'external',
    outfile: `${made}.part`,
    keepNames: true,
    logLevel: 'silent',
    plugins: [reading(changes)],
  })
  await stop()
  await rename(`${made}.part`, made)
  return made
}
