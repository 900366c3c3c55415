import type { Scope } from '../../base/visibility.ts'
import type { SearchQuery, SortOrder } from '../../engines/search/index.ts'
import { openSearchModel } from '../../engines/search/index.ts'
import { getMany, itemAt, type Key, parse, type Stored } from '../../engines/table/index.ts'
import { type Actor, maySee, scopeOf } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { type SourcePage, source, type SourceFilter as WhichSources } from '../sources/sources.ts'
import { type ClusterPage, cluster, type ClusterFilter as WhichClusters } from './clusters.ts'

/** Search finds and sorts, best first unless `sort` says otherwise. What is shown is read from the table. */
type SearchOptions = { search?: string | undefined; sort?: SortOrder | undefined }
type PagePlace = { limit: number; offset: number }

/** One page of the sources that match a text and that the caller may see. One search and one call. */
export async function findSources(
  { source_type, access_tier, ingest_status, ...options }: WhichSources & SearchOptions,
  actor: Actor | null,
  scope: Scope,
  place: PagePlace,
): Promise<SourcePage> {
  const category = matchesHeading(source_type, access_tier, ingest_status)
  const { count, items } = await searchItems(
    { scope, resources: ['data_sources'], category },
    options,
    place,
    key.source,
  )
  const results = items.map((item) => parse(source, item)).filter((it) => !it.deleted_at && maySee(actor, it))
  return { count, results }
}

/** One page of the clusters whose names match a text. One search and one call. */
export async function findClusters(
  { kind, locked, ...options }: WhichClusters & SearchOptions,
  place: PagePlace,
): Promise<ClusterPage> {
  const which = {
    scope: scopeOf(null),
    resources: ['entity_clusters'],
    category: matchesHeading(kind, locked?.toString()),
  }
  const { count, items } = await searchItems(which, options, place, key.cluster)
  return { count, results: items.map((item) => parse(cluster, item)) }
}

/** Whether a heading (`sourceHeading`, `clusterHeading`) has the wanted parts, in their places. Undefined matches anything. */
const matchesHeading =
  (...wanted: (string | undefined)[]) =>
  (heading: string): boolean =>
    heading.split('|').every((part, i) => (wanted[i] ?? part) === part)

async function searchItems(
  which: Pick<SearchQuery, 'scope' | 'resources' | 'category'>,
  { search = '', sort }: SearchOptions,
  { limit, offset }: PagePlace,
  at: (id: string) => Key,
): Promise<{ count: number; items: Stored[] }> {
  const { count, hits } = await (await openSearchModel()).search({
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
