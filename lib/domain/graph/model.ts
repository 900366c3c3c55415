import type { GraphNode } from './node.ts'

/** The nodes of a graph, by review identity. A node keeps its links to records that are not listed. */
export type Graph = ReadonlyMap<string, GraphNode>

/** The most nodes of a graph. A reader can ask for no more. */
export const MOST_NODES = 2000

/**
 * The graph after records have changed: `changed` has the node of each, or null for a record that does not belong in it. If there are more
 * than `most` nodes, those with the fewest links to listed nodes go. Of equal nodes the later go first.
 */
export function withChanges(graph: Graph, changed: ReadonlyMap<string, GraphNode | null>, most = MOST_NODES): Graph {
  const next = new Map(graph)
  for (const [id, node] of changed) {
    if (node) next.set(id, node)
    else next.delete(id)
  }
  if (next.size <= most) return next
  const degrees = degreesIn(next)
  const order = [...next.keys()].map((id, place) => ({ id, place, degree: degrees.get(id) ?? 0 }))
  order.sort((a, b) => b.degree - a.degree || a.place - b.place)
  const kept = new Set(order.slice(0, most).map(({ id }) => id))
  return new Map([...next].filter(([id]) => kept.has(id)))
}

/** How many links between listed nodes each node has. */
export function degreesIn(graph: Graph): Map<string, number> {
  const degrees = new Map<string, number>()
  const add = (id: string) => degrees.set(id, (degrees.get(id) ?? 0) + 1)
  for (const { id, links } of graph.values())
    for (const { to } of links)
      if (graph.has(to)) {
        add(id)
        add(to)
      }
  return degrees
}

/** Records that are looked up because changed nodes link to them. */
const MOST_WANTED = 50

/**
 * The unlisted records that changed nodes link to: all while there is room, else those to which at least two listed nodes link. So a place
 * that many records name comes in, although it has no link of its own.
 */
export function wantedBy(graph: Graph, changed: ReadonlyMap<string, GraphNode | null>, most = MOST_NODES): string[] {
  const targets = [...changed.values()].flatMap((node) => node?.links.map(({ to }) => to) ?? [])
  const unlisted = [...new Set(targets)].filter((to) => !graph.has(to))
  if (unlisted.length === 0) return []
  const named = new Map<string, number>()
  for (const { links } of graph.values()) for (const { to } of links) named.set(to, (named.get(to) ?? 0) + 1)
  const hasRoom = graph.size < most
  return unlisted.filter((to) => hasRoom || (named.get(to) ?? 0) > 1).slice(0, MOST_WANTED)
}
