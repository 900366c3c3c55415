import type { routes } from '../../../functions/clusters.ts'
import { type Answers, made, ok, page } from '../answer.ts'
import { Cluster, ClusterMembers, Suggestions } from '../shapes/cluster.ts'

const lock = 'Another version than `expected_version` is 409, and so is a cluster that is in this state already.'

export const clusters: Answers<typeof routes> = {
  'GET /cidoc/entity-clusters/': { says: 'List the clusters', gives: page(Cluster) },
  'POST /cidoc/entity-clusters/': { says: 'Make a cluster', gives: made(Cluster) },
  'GET /cidoc/entity-clusters/suggest-duplicates/': {
    says: 'Find what may be there already under a name',
    gives: ok(Suggestions),
  },
  'GET /cidoc/entity-clusters/{id}/': { says: 'Read a cluster', gives: ok(Cluster) },
  'GET /cidoc/entity-clusters/{id}/members/': { says: 'List the members of a cluster', gives: ok(ClusterMembers) },
  'PUT /cidoc/entity-clusters/{id}/': { says: 'Replace a cluster', gives: ok(Cluster) },
  'PATCH /cidoc/entity-clusters/{id}/': {
    says: 'Change a cluster',
    more: '`expected_version` refuses the change when others were faster.',
    gives: ok(Cluster),
  },
  'POST /cidoc/entity-clusters/{id}/lock/': { says: 'Lock a cluster', more: lock, gives: ok(Cluster), refuses: [409] },
  'POST /cidoc/entity-clusters/{id}/unlock/': {
    says: 'Unlock a cluster',
    more: lock,
    gives: ok(Cluster),
    refuses: [409],
  },
}
