import { globSync } from 'node:fs'
import { mkdir, readFile, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { build, type Plugin, stop } from 'esbuild'
import type { Node } from 'oxc-parser'
import { firstOf, type Marked, markersIn, ROOT, type Span, textOf, valueUnder } from './markers.ts'

/**
 * The project's sources in one file, in which each module is loaded when it is asked for. They are read as they are but for
 * four things: what a process keeps in its memory can be forgotten (a cold start), some clients and tables that a module keeps to
 * itself are shown, large files have small parts, and what is beyond the world is part of it: the reader of images, the receivers
 * of hooks.
 */
export { ROOT, type Span }

/** A change of one source, as a mutant has it: which file, and what stands where what stood. */
export type Cut = { file: string; from: number; to: number; with: string }

/** No cut has this number: what is found then is found without one. */
export const NONE = -1

/** Something that a process evaluates, whose mark tells that it comes by. */
export type Mark = Span & { file: string }
/**
 * Something that can be taken out while all is loaded, and put in again: `waited` is where what is waited for begins, and `before` what its
 * function has waited for by then. `both`: the two waits that change places.
 */
export type Switch = Cut & {
  sort: 'condition' | 'wait' | 'return' | 'sum' | 'comparison' | 'order'
  waited: number
  before: readonly Span[]
  both?: readonly [first: Span & { text: string }, second: Span & { text: string }]
}

/** What is changed of the sources: a cut in them, marks that tell when a process comes by, and a switch at each condition and wait. */
export type Changes = { cut?: Cut | undefined; marks?: readonly Mark[]; switches?: readonly Switch[] }

/** A change at a marker of the sources: pieces of the source that are replaced or inserted. */
type Change = (marked: Marked) => readonly Piece[]

const PROVED = '(globalThis as any).proved'
const replaced = ({ start: from, end: to }: Node, text: string): Piece => ({
  ...{ from, to, opens: text, closes: '' },
  without: to - from,
})
const inserted = (at: number, text: string): Piece => ({ from: at, to: at, opens: text, closes: '' })
const appended = ({ source }: Marked, text: string): Piece => inserted(source.length, `\n;${text}\n`)

const declarationIn = (node: Node): Node => (node.type === 'ExportNamedDeclaration' && node.declaration) || node

/** The name and the value of the variable, or the name of the function, that is declared under a marker. */
function declared(marked: Marked): { name: string; value: string | undefined; declaration: Node } {
  const declaration = declarationIn(marked.node)
  const it = declaration.type === 'VariableDeclaration' ? declaration.declarations[0] : declaration
  if ((it?.type !== 'VariableDeclarator' && it?.type !== 'FunctionDeclaration') || it.id?.type !== 'Identifier')
    throw new Error(`${marked.file}: nothing is declared under the marker ${marked.marker}`)
  const init = it.type === 'VariableDeclarator' ? it.init : undefined
  return { name: it.id.name, value: init ? textOf(marked, init) : undefined, declaration }
}

/** A process that starts cold has the variable with its first value again. */
const forgotten: Change = (marked) => {
  const { name, value, declaration } = declared(marked)
  const isConst = declaration.type === 'VariableDeclaration' && declaration.kind === 'const'
  const { start: from } = declaration
  const asLet: Piece = { from, to: from + 'const'.length, opens: 'let', closes: '', without: 'const'.length }
  return [
    ...(isConst ? [asLet] : []),
    appended(marked, `${PROVED}.memoryOf(import.meta.url).push(() => { ${name} = ${value ?? 'undefined'} })`),
  ]
}

/** What the module keeps to itself is exported under this name. */
const shownAs =
  (name: string): Change =>
  (marked) => [appended(marked, `export { ${declared(marked).name} as ${name} }`)]

/** Something else is done at the begin of the function; `text` gets the names of its parameters. */
const beginning =
  (text: (...parameters: string[]) => string): Change =>
  (marked) => {
    const { params, body } = firstOf(marked, 'FunctionDeclaration')
    if (!body) throw new Error(`${marked.file}: no function is under the marker ${marked.marker}`)
    const names = params.map((it) => (it.type === 'Identifier' ? it.name : ''))
    return [inserted(body.start + 1, `\n${text(...names)};`)]
  }

/** A constant has another value. */
const valued =
  (text: string): Change =>
  (marked) => [replaced(valueUnder(marked), text)]

/** What is changed of the sources at each marker, `// prove: memory`. */
const CHANGES: Readonly<Record<string, Change>> = {
  // What a process keeps from one request to the next goes with the process.
  memory: forgotten,
  // What modules keep to themselves, and the world or an invariant needs.
  'lambda-client': shownAs('shown_client'),
  'mail-client': shownAs('shown_client'),
  'derived-items': shownAs('shown_derivedOf'),
  'item-types': beginning((item) => `${PROVED}.typesOf(import.meta.url).set(${item}.type, ${item})`),
  'logged-line': beginning((line) => `${PROVED}.log(${line})`),
  // Reading is done by threads and takes seconds. What is proved is what becomes of the text. A small picture is one that cannot be read.
  'image-text': beginning(
    (image) => `if (${image}.length < 200) throw new UnreadableFile('Nobody can read it.')
      if (${image}) return { text: 'Carved in stone', confidence: 90, words: [] }`,
  ),
  // An identity provider answers at once.
  'identity-provider': beginning((url, init) => `if (${url}) return ${PROVED}.provider(${init})`),
  // The world knows which calls failed of work that is tried again patiently.
  patient: beginning((work) => `${work} = ${PROVED}.patient(${work})`),
  // While a lock is held, the world checks that nobody else does the work.
  'guarded-lock': beginning(
    (lock, _, work) =>
      `${work} = ${PROVED}.guarded(typeof ${lock} === 'string' ? key.lock(${lock}) : ${lock}, ${work})`,
  ),
  // Small parts, so that small files, tables and pictures come in several pieces, too.
  'upload-part': valued('1000'),
  'one-piece': valued('1000'),
  'file-window': valued('200'),
  'rows-in-object': valued('2'),
  'lines-at-once': valued('2'),
}
/** The markers at which the world changes the sources. */
export const changedMarkers: readonly string[] = Object.keys(CHANGES)

/** The changes of one source. The markers are noted, so that one that is gone is missed. */
function changesAt(path: string, source: string): Piece[] {
  return markersIn(path, source).flatMap((marked) => {
    const change = CHANGES[marked.marker]
    if (!change) return []
    unseen.delete(marked.marker)
    return change(marked)
  })
}
const unseen = new Set(changedMarkers)

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
const AROUND: Readonly<Record<Switch['sort'], (n: number, it: Switch) => readonly Piece[]>> = {
  condition: (n, { from, to, with: always }) => [
    { from, to, opens: `(${PROVED}.isOut(${n}) ? ${always} : `, closes: ')' },
  ],
  wait: (n, { waited: from, to }) => [{ from, to, opens: `${PROVED}.wait(${n}, async () => (`, closes: '))' }],
  return: (n, { from, waited, to }) => [
    {
      ...{ from, to, without: waited - from },
      opens: `(${PROVED}.given = [${PROVED}.last(${n}, async () => (`,
      closes: `))], ${PROVED}.isOut(${n})) ? ${PROVED}.given[0] : await ${PROVED}.given[0]`,
    },
  ],
  sum: (n, { from, to }) => [{ from, to, opens: `${PROVED}.added(${n}, `, closes: ')' }],
  comparison: (n, { from, to }) => [{ from, to, opens: `${PROVED}.turned(${n}, `, closes: ')' }],
  // A statement that begins with a word needs no semicolon before it.
  order: (n, { both = [] }) =>
    both.map(({ from, to }, i) => ({
      ...{ from, to },
      opens: `void (${PROVED}.isOut(${n}) ? ${both[1 - i]?.text} : `,
      closes: ')',
    })),
}

/** With a switch at each condition and each wait. */
function switched(switches: readonly Switch[], path: string): Piece[] {
  const own = [...switches.entries()].filter(([, { file }]) => file === path)
  const cuts = own.flatMap(([n, it]) => AROUND[it.sort](n, it))
  const each = own.flatMap(([n, { before }]) => before.map((span) => ({ ...span, n })))
  const earlier = [...Map.groupBy(each, ({ from }) => from).values()].map(([span, ...others]): Piece => {
    const { from, to } = span ?? { from: 0, to: 0 }
    const of = [span, ...others].map((it) => it?.n)
    return { from, to, opens: `${PROVED}.before([${of}], async () => (`, closes: '))' }
  })
  return [...cuts, ...earlier]
}

function edited(path: string, source: string, { cut, marks = [], switches = [] }: Changes): string {
  const cuts: Piece[] =
    cut?.file === path ? [{ from: cut.from, to: cut.to, opens: cut.with, closes: '', without: cut.to - cut.from }] : []
  return around(source, [...cuts, ...marked(marks, path), ...switched(switches, path), ...changesAt(path, source)])
}

/** Which modules can be asked for. */
const asked = () =>
  globSync(['lib/**/*.ts', 'functions/**/*.ts', 'deploy/stand-ins/users.ts', 'local/commands/import/*.ts'], {
    cwd: ROOT,
  })

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
  if (unseen.size > 0)
    throw new Error(`no source has the markers ${[...unseen].map((it) => `"// prove: ${it}"`).join()}`)
  await rename(`${made}.part`, made)
  return made
}
