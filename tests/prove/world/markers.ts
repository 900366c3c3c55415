import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Node, parseSync } from 'oxc-parser'

/**
 * Markers in the sources: `// prove: client-token` stands above a statement, a member or a declaration that `npm run prove` changes in what
 * it loads. The change itself is a row of `CHANGES` (world/sources.ts) or of `mutants` (cuts/mutants.ts), by the name of the marker. So code may
 * be renamed, moved and formatted, as long as its marker goes with it.
 */
export const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** From where to where something stands in a source. */
export type Span = { from: number; to: number }

/** What stands under a marker: the outermost node that begins there, and the node that holds it. */
export type Marked = { marker: string; file: string; source: string; node: Node; parent: Node }

const MARKER = /^\s*prove: ([a-z-]+)$/

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value

/** The nodes directly inside a node, in no particular order. */
export const childrenOf = (node: Node): Node[] => Object.values(node).flat().filter(isNode)

/** A node and all that is in it, the outer ones first. */
export function* nodesIn(node: Node): Iterable<Node> {
  yield node
  for (const child of childrenOf(node)) yield* nodesIn(child)
}

/** The markers of one source, in their order. */
export function markersIn(file: string, source: string): Marked[] {
  if (!source.includes('// prove: ')) return []
  const { program, comments } = parseSync(file, source)
  return comments.flatMap(({ value, end }) => {
    const marker = MARKER.exec(value)?.[1]
    return marker ? [{ marker, file, source, ...nodeAfter(program, end, `${file}: ${marker}`) }] : []
  })
}

function nodeAfter(program: Node, from: number, name: string): { node: Node; parent: Node } {
  let first: { node: Node; parent: Node } | undefined
  for (const parent of nodesIn(program))
    for (const node of childrenOf(parent))
      if (node.start >= from && node.start < (first?.node.start ?? Number.POSITIVE_INFINITY)) first = { node, parent }
  if (!first) throw new Error(`nothing stands under the marker ${name}`)
  return first
}

/** All markers of the project. */
export const allMarkers = (): Marked[] =>
  globSync('{functions,lib}/**/*.ts', { cwd: ROOT })
    .sort()
    .flatMap((file) => markersIn(file, readFileSync(join(ROOT, file), 'utf8')))

/** The source text of a node. */
export const textOf = ({ source }: Pick<Marked, 'source'>, { start, end }: Node): string => source.slice(start, end)

/** The first node of this type under a marker, from outside to inside. */
export function firstOf<T extends Node['type']>(marked: Marked, type: T, within = marked.node): Node & { type: T } {
  for (const node of nodesIn(within)) if (isOfType(node, type)) return node
  throw new Error(`${marked.file}: there is no ${type} under the marker ${marked.marker}`)
}

const isOfType = <T extends Node['type']>(node: Node, type: T): node is Node & { type: T } => node.type === type

/** The value that is given under a marker: to a member, a constant or a variable, or as an argument. */
export function valueUnder({ node, file, marker }: Marked): Node {
  const declared = node.type === 'ExportNamedDeclaration' ? node.declaration : node
  if (declared?.type === 'VariableDeclaration' && declared.declarations[0]?.init) return declared.declarations[0].init
  if (node.type === 'Property') return node.value
  if (node.type === 'ExpressionStatement')
    return node.expression.type === 'AssignmentExpression' ? node.expression.right : node.expression
  if (node.type.endsWith('Expression')) return node
  throw new Error(`${file}: no value is given under the marker ${marker}`)
}
