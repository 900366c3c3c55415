import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { newId } from '../../base/clock.ts'
import { getObject, putObject } from '../../engines/bucket/index.ts'
import { parse, queryAll } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { type GraphPointer, type GraphScope, graphPointer } from './items.ts'
import type { Graph } from './model.ts'
import type { GraphNode } from './node.ts'

/*
 * A graph is one object of the bucket. An item of the table says which one, and beside it stand the records that were hidden since it was
 * made. One query reads both.
 */

/** The place of a graph, and the records that no reader may see any more although they may still be in it. */
export type GraphPlace = { pointer: GraphPointer | undefined; hidden: ReadonlySet<string> }

/** Reads where the graph of a scope is. One strongly consistent query. */
export async function loadPlace(scope: GraphScope): Promise<GraphPlace> {
  const items = await queryAll(key.graph(scope).pk, '')
  const head = items.find(({ type }) => type === graphPointer.type)
  const hidden = items.flatMap(({ hidden: id }) => (typeof id === 'string' ? [id] : []))
  return { pointer: head && parse(graphPointer, head), hidden: new Set(hidden) }
}

// prove: memory
const kept = new Map<GraphScope, { object: string; graph: Graph }>()

/** The graph under a pointer: from the memory of this process, else from the bucket. Undefined if a newer graph has replaced it. */
export async function loadGraph({ scope, object }: GraphPointer): Promise<Graph | undefined> {
  const known = kept.get(scope)
  if (known?.object === object) return known.graph
  const stored = await getObject(object)
  if (!stored) return undefined
  const nodes: GraphNode[] = JSON.parse((await promisify(gunzip)(stored.bytes)).toString())
  const graph: Graph = new Map(nodes.map((node) => [node.id, node]))
  kept.set(scope, { object, graph })
  return graph
}

/** The key of a new object for the graph of a scope. */
export const newGraphKey = (scope: GraphScope): string => `graph/${scope}/${newId()}.json.gz`

/** Stores a graph as an object under a new key. */
export async function storeGraph(scope: GraphScope, object: string, graph: Graph): Promise<void> {
  await putObject(object, await promisify(gzip)(JSON.stringify([...graph.values()])), 'application/gzip')
  kept.set(scope, { object, graph })
}
