import { expect, test } from 'vitest'
import { degreesIn, type Graph, wantedBy, withChanges } from '../../../lib/domain/graph/model.ts'
import type { GraphNode } from '../../../lib/domain/graph/node.ts'

const node = (id: string, ...to: string[]): GraphNode => ({
  id,
  kind: 'structure',
  number: 1,
  label: id,
  comment: '',
  point: null,
  year: null,
  images: [],
  cluster: null,
  links: to.map((end) => ({ to: end, relation: 'near', isField: false })),
})
const graphOf = (...nodes: GraphNode[]): Graph => new Map(nodes.map((it) => [it.id, it]))
const changes = (...nodes: (GraphNode | string)[]) =>
  new Map(nodes.map((it): [string, GraphNode | null] => (typeof it === 'string' ? [it, null] : [it.id, it])))

test('a change replaces, adds and takes away', () => {
  const graph = withChanges(graphOf(node('a', 'b'), node('b')), changes(node('a'), 'b', node('c')))
  expect([...graph.keys()]).toEqual(['a', 'c'])
  expect(graph.get('a')?.links).toEqual([])
})

test('only links between listed nodes count', () => {
  expect(degreesIn(graphOf(node('a', 'b', 'x'), node('b')))).toEqual(
    new Map([
      ['a', 1],
      ['b', 1],
    ]),
  )
})

test('of too many the least linked go, of equal ones the latest', () => {
  const graph = withChanges(graphOf(node('a', 'b'), node('b'), node('c')), changes(node('d')), 3)
  expect([...graph.keys()]).toEqual(['a', 'b', 'c'])
})

test('what changed nodes link to is wanted while there is room, then only what several link to', () => {
  const changed = changes(node('a', 'x'), node('b', 'x', 'y'))
  const graph = withChanges(graphOf(), changed)
  expect(wantedBy(graph, changed)).toEqual(['x', 'y'])
  expect(wantedBy(graph, changed, 2)).toEqual(['x'])
})
