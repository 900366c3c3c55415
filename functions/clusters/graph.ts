import * as v from 'valibot'
import { impossible } from '../../lib/base/errors.ts'
import { MOST_NODES } from '../../lib/domain/graph/model.ts'
import { loadNeighbourhood, readGraph, recordOfResource } from '../../lib/domain/graph/read.ts'
import { assertionList } from '../../lib/domain/records/claim-packs.ts'
import {
  GraphStatsView,
  GraphView,
  graphView,
  NeighbourhoodView,
  neighbourhoodView,
  statsView,
} from '../../lib/doors/linked/graph.ts'
import { countKeys, getMany, sumOf } from '../../lib/engines/table/index.ts'
import { ok } from '../../lib/platform/http/answer.ts'
import { QueryText, queryChoice, wholeNumber } from '../../lib/platform/http/params.ts'
import { publicRoute, type Routes } from '../../lib/platform/http/route.ts'
import { mayReview } from '../../lib/platform/permissions.ts'
import { countsOfKinds } from '../../lib/platform/table/lists.ts'

const include_lux = queryChoice(['linked', 'none'])
const MOST_EDGES = 10_000

/** Records and their links, as one picture. */
export const graph = {
  'GET /cidoc/kg/graph/': publicRoute({
    permission: 'graph.read',
    summary: 'Read records and their links as a graph',
    description:
      'The most linked records first. `scope=all` also holds what waits, for reviewers; others get `reviewed`. Objects of LUX are not linked here.',
    answer: ok(GraphView),
    query: v.object({
      scope: queryChoice(['reviewed', 'all']),
      include_lux,
      node_limit: wholeNumber(600, MOST_NODES),
      edge_limit: wholeNumber(3000, MOST_EDGES),
    }),
    handle: async ({ query, actor, request }) => {
      const scope = query.scope === 'all' && mayReview(actor) ? 'all' : 'reviewed'
      const part = await readGraph(scope, { nodes: query.node_limit, edges: query.edge_limit })
      return graphView(part, scope, query.include_lux === 'linked', request.origin)
    },
  }),

  'GET /cidoc/kg/neighborhood/': publicRoute({
    permission: 'graph.read',
    summary: 'Read what a record is linked to',
    description: '`uri` ends with `/resource/KIND/NUMBER`. One that names nothing has no edges.',
    answer: ok(NeighbourhoodView),
    query: v.object({ uri: QueryText, limit: wholeNumber(50, 200), include_lux }),
    handle: async ({ query: { uri, limit, include_lux: lux }, actor }) => {
      if (uri === undefined) throw impossible('Give the address of a resource in uri.')
      const record = recordOfResource(uri)
      const found = record === undefined ? undefined : await loadNeighbourhood(record, limit, actor)
      return neighbourhoodView(uri, found, limit, lux === 'linked')
    },
  }),

  'GET /cidoc/kg/stats/': publicRoute({
    permission: 'graph.read',
    summary: 'Count what the graph holds',
    answer: ok(GraphStatsView),
    handle: async () => {
      const accepted = assertionList('accepted', 'published')
      const [kinds, found] = await Promise.all([countsOfKinds(), getMany(countKeys([accepted]))])
      const published = new Map([...kinds].map(([kind, sizes]) => [kind, sizes.get('published') ?? 0]))
      return statsView(published, sumOf([accepted], found))
    },
  }),
} satisfies Routes
