import { type Actor, maySee, type Scope, scopeOf } from '../permissions.ts'
import { searchModel } from '../search/open.ts'
import type { SearchQuery, Sort } from '../search/query.ts'
import { type Sources, source, type Filter as WhichSources } from '../sources/sources.ts'
import { parse } from '../table/item.ts'
import { type Key, key } from '../table/keys.ts'
import { getMany, itemAt, type Stored } from '../table/read.ts'
import { type Clusters, cluster, type Filter as WhichClusters } from './clusters.ts'

/** Lists of what is no record that the search model finds or sorts: best first, or in the order asked for. What is shown comes from the table. */
type SearchOptions = { search?: string | undefined; sort?: Sort | undefined }
type PagePlace = { limit: number; offset: number }

/** One page of the sources that a text finds and the caller may see. Costs one call beside the model's. */
export async function findSources(
  { source_type, access_tier, ingest_status, ...options }: WhichSources & SearchOptions,
  actor: Actor | null,
  scope: Scope,
  place: PagePlace,
): Promise<Sources> {
  const category = headed(source_type, access_tier, ingest_status)
  const { count, items } = await searchModelled(
    { scope, resources: ['data_sources'], category },
    options,
    place,
    key.source,
  )
  const results = items.map((item) => parse(source, item)).filter((it) => !it.deleted_at && maySee(actor, it))
  return { count, results }
}

/** One page of the clusters that a text finds by their names. Costs one call beside the model's. */
export async function findClusters(
  { kind, locked, ...options }: WhichClusters & SearchOptions,
  place: PagePlace,
): Promise<Clusters> {
  const which = { scope: scopeOf(null), resources: ['entity_clusters'], category: headed(kind, locked?.toString()) }
  const { count, items } = await searchModelled(which, options, place, key.cluster)
  return { count, results: items.map((item) => parse(cluster, item)) }
}

/** Whether a heading has the parts that are wanted, in their places. */
const headed =
  (...wanted: (string | undefined)[]) =>
  (heading: string): boolean =>
    heading.split('|').every((part, i) => (wanted[i] ?? part) === part)

async function searchModelled(
  which: Pick<SearchQuery, 'scope' | 'resources' | 'category'>,
  { search = '', sort }: SearchOptions,
  { limit, offset }: PagePlace,
  at: (id: string) => Key,
): Promise<{ count: number; items: Stored[] }> {
  const { count, hits } = await (await searchModel()).search({
    ...which,
    text: search,
    literal: true,
    sort,
    limit,
    offset,
  })
  const found = await getMany(hits.map((it) => at(it.id)))
  return { count, items: hits.map((it) => itemAt(found, at(it.id))).filter((it) => it !== undefined) }
}
