import { recordId } from '../../base/ids/address.ts'
import { getMany, itemIn, type Stored, walkTable } from '../../engines/table/index.ts'
import { type Actor, maySee } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { kindOfScope } from '../kinds/index.ts'
import { type RecordItem, recordItem } from '../records/items.ts'
import { valueEdges } from '../records/links.ts'
import type { GraphScope } from './items.ts'
import { degreesIn, type Graph } from './model.ts'
import type { GraphLink, GraphNode } from './node.ts'
import { loadGraph, loadPlace } from './store.ts'

export type GraphEdge = GraphLink & { from: string }
export type GraphPart = { nodes: GraphNode[]; edges: GraphEdge[] }

const ATTEMPTS = 5

/**
 * Reads the graph of a scope: its most linked nodes, and the links between them. What was hidden since it was made is left out. One query,
 * and one read of the bucket if this process does not have the present graph.
 */
export async function readGraph(
  scope: GraphScope,
  { nodes: mostNodes, edges: mostEdges }: { nodes: number; edges: number },
): Promise<GraphPart> {
  const graph = await presentGraph(scope)
  const degrees = degreesIn(graph)
  const degreeOf = ({ id }: GraphNode) => degrees.get(id) ?? 0
  const nodes = [...graph.values()].sort((a, b) => degreeOf(b) - degreeOf(a)).slice(0, mostNodes)
  const listed = new Set(nodes.map(({ id }) => id))
  const edges = nodes.flatMap(({ id: from, links }) =>
    links.filter(({ to }) => listed.has(to)).map((link) => ({ ...link, from })),
  )
  return { nodes, edges: edges.slice(0, mostEdges) }
}

/** The graph without what was hidden since. A newer graph may replace it between the two reads. Then both are repeated. */
async function presentGraph(scope: GraphScope): Promise<Graph> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const { pointer, hidden } = await loadPlace(scope)
    if (!pointer) break
    const graph = await loadGraph(pointer)
    if (graph) return new Map([...graph].filter(([id]) => !hidden.has(id)))
  }
  return new Map()
}

/** A record as the far end of a link. */
export type Neighbour = { direction: 'inbound' | 'outbound'; relation: string; record: RecordItem }
export type Neighbourhood = { record: RecordItem; neighbours: Neighbour[] }

/** The record that an address of a resource names: `.../resource/structure/7`. */
export function recordOfResource(uri: string): string | undefined {
  const [, segment = '', number = ''] = /\/resource\/([^/]+)\/([1-9]\d{0,11})\/?$/.exec(uri) ?? []
  const kind = kindOfScope(segment)
  return kind?.record ? recordId(kind.code, Number(number)) : undefined
}

/** The most pages of links that are read to find those that the caller may see. */
const MOST_PAGES = 10

/**
 * Reads what a record is linked to: the first links that the caller may see. Undefined for a record that the caller may not see. Two
 * calls, and two more for each further page: a link to a hidden record takes no place.
 */
export async function loadNeighbourhood(
  entity_id: string,
  limit: number,
  actor: Actor | null,
): Promise<Neighbourhood | undefined> {
  const neighbours: Neighbour[] = []
  let beyond: string | undefined
  for (let page = 1; ; page += 1) {
    const entries = await walkTable({ pk: `RELATED#${entity_id}`, forward: true, limit, beyond, consistent: false })
    const ids = [...new Set([entity_id, ...entries.map((entry) => String(entry.record))])]
    const found = await getMany(ids.map(key.head))
    const visible = (id: string) => {
      const head = itemIn(found, recordItem, { entity_id: id })
      return head && !head.deleted_at && maySee(actor, head) ? head : undefined
    }
    const record = visible(entity_id)
    if (!record) return undefined
    const own = new Set(valueEdges(record).map(({ relation, to }) => `${relation} ${to}`))
    neighbours.push(...entries.flatMap((entry) => neighbourIn(entry, own, visible(String(entry.record)))))
    if (neighbours.length >= limit || entries.length < limit || page === MOST_PAGES)
      return { record, neighbours: neighbours.slice(0, limit) }
    beyond = String(entries.at(-1)?.sk)
  }
}

/** The far end of a link. Empty if it is hidden. `own`: the links that the values of the record hold. */
function neighbourIn(entry: Stored, own: ReadonlySet<string>, other: RecordItem | undefined): Neighbour[] {
  if (!other) return []
  const relation = String(entry.sk).split('#').at(-1) ?? ''
  // Old entries have no `direction`. If the values of this record hold the link, it is outbound, else inbound.
  const isOutbound = entry.direction ? entry.direction === 'outbound' : own.has(`${relation} ${other.entity_id}`)
  return [{ direction: isOutbound ? 'outbound' : 'inbound', relation, record: other }]
}
