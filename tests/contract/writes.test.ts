import { globSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { type Node, parseSync } from 'oxc-parser'
import { expect, test } from 'vitest'
import { childrenOf, nodesIn, ROOT } from '../prove/world/markers.ts'

/**
 * House rule: what has no unit of work cannot write. The handler of a GET gets no unit: its type says so. But any code could open one.
 * So this test follows all that a handler refers to, from function to function through the imports. Nothing of it may reach
 * lib/engines/table/immediate.ts or two-phase/index.ts, which write without the unit of a request.
 */
const IMMEDIATE = ['lib/engines/table/immediate.ts', 'lib/engines/table/two-phase/index.ts']

/** What may write while a GET is answered, by file and name, with the reason. Nothing that a client reads depends on it. */
const INFRASTRUCTURE: Readonly<Record<string, string>> = {
  'lib/platform/cache/table.ts tableStore': 'keeps an answer for the next reader',
  'lib/platform/cache/cached.ts raiseVersions': 'makes cached answers stale',
  'lib/engines/search/model/snapshot.ts markUnreadable': 'notes a snapshot that no process can read',
  'lib/engines/search/model/rebuild.ts rebuildUnlessMade': 'makes the first snapshot of search',
  'lib/domain/leaderboard/keep.ts refreshFigures': 'counts the figures of a person again if they are old',
  'lib/engines/table/sequence.ts nextNumber': 'hands out a number; one that is not used leaves a gap',
  'lib/engines/search/withhold.ts appendSoon': 'takes from search what a commit has hidden',
}

/** What else the handler of a write may store beside its unit. Without the commit of the unit it is a gap, or is undone. */
const BESIDE_UNIT: Readonly<Record<string, string>> = {
  'lib/engines/table/write.ts addToNumber': 'hands out the next number of a comment, a file, a suggestion',
  'lib/engines/table/two-phase/commit.ts beginStaging': 'opens a two-phase commit, which the unit undoes',
  'lib/engines/table/two-phase/stage.ts stagePart': 'stages where readers ignore it',
  'lib/engines/table/two-phase/stage.ts stageCounters': 'stages where readers ignore it',
  'lib/engines/table/two-phase/settle.ts settle': 'settles after the switch',
  'lib/engines/table/two-phase/transaction.ts findTransaction': 'reads',
  'lib/engines/table/two-phase/commit.ts switchOrCallOff': 'commits the unit',
  'lib/engines/table/two-phase/transaction.ts keepOpen': 'commits the unit',
  'lib/domain/pictures/files.ts announceCopy':
    'notes a file before it is copied; unless a record names it, the sweeper deletes it',
  'lib/domain/projects/merge-job.ts savePartResult': 'keeps the result of a staged part for the worker',
  'lib/engines/search/withhold.ts appendSoon': 'takes from search what a commit has hidden',
  'lib/domain/graph/withhold.ts withholdFromGraph': 'takes from the graph what a commit has hidden',
  'lib/domain/merge-requests/requests.ts approveRequest': 'approves before it merges, which the unit undoes',
}

/** The values of one file: types are left out. */
type Module = {
  declared: Map<string, Node>
  /** Local name to file and name; `*` for all of a file. */
  imported: Map<string, [file: string, name: string]>
  reexported: Map<string, [file: string, name: string]>
}

const files = globSync('{functions,lib}/**/*.ts', { cwd: ROOT }).sort()
const modules = new Map(files.map((file) => [file, moduleOf(file)]))

function moduleOf(file: string): Module {
  const { program } = parseSync(file, readFileSync(join(ROOT, file), 'utf8'))
  const declared = new Map<string, Node>()
  const imported = new Map<string, [string, string]>()
  const reexported = new Map<string, [string, string]>()
  const target = (specifier: string) => posix.join(posix.dirname(file), specifier)
  const declare = (node: Node | null) => {
    if (node?.type === 'FunctionDeclaration' || node?.type === 'ClassDeclaration') {
      if (node.id) declared.set(node.id.name, node)
    } else if (node?.type === 'VariableDeclaration')
      for (const it of node.declarations)
        for (const id of nodesIn(it.id)) if (id.type === 'Identifier') declared.set(id.name, it)
  }
  for (const node of program.body) {
    if (node.type === 'ImportDeclaration') {
      if (!node.source.value.startsWith('.')) continue
      for (const it of node.specifiers)
        imported.set(it.local.name, [
          target(node.source.value),
          it.type === 'ImportSpecifier' ? nameOf(it.imported) : '*',
        ])
    } else if (node.type === 'ExportNamedDeclaration' && node.source) {
      for (const it of node.specifiers)
        reexported.set(nameOf(it.exported), [target(node.source.value), nameOf(it.local)])
    } else if (node.type === 'ExportAllDeclaration') {
      reexported.set(node.exported ? nameOf(node.exported) : '*', [target(node.source.value), '*'])
    } else declare(node.type === 'ExportNamedDeclaration' ? node.declaration : node)
  }
  return { declared, imported, reexported }
}

function nameOf(it: { type: string; name?: string; value?: unknown }): string {
  return it.name ?? String(it.value)
}

/** Where the name of a file is declared. */
function resolve(file: string, name: string): string[] {
  const it = modules.get(file)
  if (!it) return []
  if (name === '*') return [...it.declared.keys(), ...it.reexported.keys()].flatMap((each) => resolve(file, each))
  if (it.declared.has(name)) return [`${file} ${name}`]
  const again = it.reexported.get(name) ?? it.imported.get(name)
  return again ? resolve(...again) : []
}

/** Expressions that also hold a type. All other nodes of this sort are types alone. */
const TYPED = ['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression']

/** A node and the values in it, without types. */
function* valuesIn(node: Node): Iterable<Node> {
  if (node.type.startsWith('TS') && !TYPED.includes(node.type)) return
  yield node
  for (const child of childrenOf(node)) yield* valuesIn(child)
}

type NodeOf<T extends Node['type']> = Extract<Node, { type: T }>

/** The file of `import('...')`. */
const importedFile = (file: string, { source }: NodeOf<'ImportExpression'>): string =>
  posix.join(posix.dirname(file), source.type === 'Literal' ? String(source.value) : '')

/** The names that `const { name } = await import('...')` takes. Undefined for any other declaration. */
function partOfImport({ id, init }: NodeOf<'VariableDeclarator'>) {
  const from = init?.type === 'AwaitExpression' ? init.argument : undefined
  if (from?.type !== 'ImportExpression' || id.type !== 'ObjectPattern') return undefined
  const properties = id.properties.filter((it) => it.type === 'Property')
  if (properties.length < id.properties.length) return undefined
  return { from, names: properties.map((it) => nameOf(it.key as { type: string; name?: string })) }
}

/** The declarations that a node of this file refers to. Names of members count only behind a namespace. */
function referred(file: string, node: Node): string[] {
  const it = modules.get(file)
  const members = new Set<Node>()
  /** Imports of which only some names are taken: `const { name } = await import(...)`. */
  const narrowed = new Set<Node>()
  const all: string[] = []
  for (const each of valuesIn(node)) {
    if (each.type === 'MemberExpression' && !each.computed) {
      members.add(each.property)
      const from = each.object.type === 'Identifier' ? it?.imported.get(each.object.name) : undefined
      const namespace = from && namespaceOf(...from)
      if (namespace) {
        members.add(each.object)
        all.push(...resolve(namespace, nameOf(each.property as { type: string; name?: string })))
      }
    }
    if (each.type === 'Property' && !each.computed && !each.shorthand) members.add(each.key)
    const part = each.type === 'VariableDeclarator' ? partOfImport(each) : undefined
    if (part) {
      narrowed.add(part.from)
      for (const name of part.names) all.push(...resolve(importedFile(file, part.from), name))
    }
    if (each.type === 'ImportExpression' && !narrowed.has(each)) all.push(...resolve(importedFile(file, each), '*'))
    if (each.type === 'Identifier' && !members.has(each)) all.push(...resolve(file, each.name))
  }
  return all
}

/** The declarations to which each declaration refers, found once. */
const known = new Map<string, string[]>()
function referredBy(file: string, name: string): string[] {
  const declared = modules.get(file)?.declared.get(name)
  const all = known.get(`${file} ${name}`) ?? (declared ? [...new Set(referred(file, declared))] : [])
  known.set(`${file} ${name}`, all)
  return all
}

/** The file behind `import * as name`, or behind `export * as name` of an index. */
function namespaceOf(file: string, name: string): string | undefined {
  if (name === '*') return file
  const again = modules.get(file)?.reexported.get(name)
  return again && namespaceOf(...again)
}

/** How a route reaches a declaration of `IMMEDIATE`: the way from the route on; undefined if it does not. */
function wayToWrite(file: string, node: Node, allowed: readonly string[]): string[] | undefined {
  const from = new Map<string, string | undefined>(referred(file, node).map((at) => [at, undefined]))
  for (const at of from.keys()) {
    if (allowed.includes(at)) continue
    if (writers.has(at)) {
      const way: string[] = []
      for (let step: string | undefined = at; step !== undefined; step = from.get(step)) way.unshift(step)
      return way
    }
    const [to = '', name = ''] = at.split(' ')
    for (const next of referredBy(to, name)) if (!from.has(next)) from.set(next, at)
  }
  return undefined
}

const writers = new Set(IMMEDIATE.flatMap((entry) => resolve(entry, '*')))
const routes = files
  .filter((file) => file.startsWith('functions/'))
  .flatMap((file) =>
    [...(modules.get(file)?.declared.values() ?? [])]
      .flatMap((node) => [...nodesIn(node)])
      .flatMap((node) =>
        node.type === 'Property' && node.key.type === 'Literal' && /^[A-Z]+ \//.test(String(node.key.value))
          ? [{ route: String(node.key.value), file, node: node.value as Node }]
          : [],
      ),
  )

const writesBeside = (routesTo: (typeof routes)[number][], allowed: readonly string[]) =>
  routesTo.flatMap(({ route, file, node }) => {
    const way = wayToWrite(file, node, allowed)
    return way ? [{ route, way }] : []
  })

test('no GET reaches a write without a unit of work', () => {
  const reads = routes.filter(({ route }) => route.startsWith('GET '))
  expect(reads.length).toBeGreaterThan(100)
  expect(writesBeside(reads, Object.keys(INFRASTRUCTURE))).toEqual([])
})

test('the handler of a write stores by its unit of work alone', () => {
  const writes = routes.filter(({ route }) => !route.startsWith('GET '))
  expect(writes.length).toBeGreaterThan(80)
  expect(writesBeside(writes, [...Object.keys(INFRASTRUCTURE), ...Object.keys(BESIDE_UNIT)])).toEqual([])
  // The way is seen: without the exceptions some are found.
  expect(writesBeside(writes, []).length).toBeGreaterThan(5)
})

test('each exception still exists', () => {
  const missing = Object.keys({ ...INFRASTRUCTURE, ...BESIDE_UNIT }).filter((at) => {
    const [file = '', name = ''] = at.split(' ')
    return !modules.get(file)?.declared.has(name)
  })
  expect(missing).toEqual([])
})
