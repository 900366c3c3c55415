import type { Scope } from '../../base/visibility.ts'
import type { SearchQuery, SortOrder } from '../../engines/search/index.ts'
import { openSearchModel } from '../../engines/search/index.ts'
import { getMany, itemAt, type Key, parse, type Stored } from '../../engines/table/index.ts'
import { type Actor, maySee, scopeOf } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { dataSource, type SourceFilter, type SourcePage } from '../sources/sources.ts'
import type { ClusterFilter, ClusterPage } from './clusters.ts'
import { cluster } from './items.ts'

/** Search finds and sorts the hits, best first without `sort`. Their present values are read from the table. */
type SearchOptions = { search?: string | undefined; sort?: SortOrder | undefined }
type PagePlace = { limit: number; offset: number }

/** Returns one page of the sources that match a text and that the caller may see. Searches once, reads once. */
export async function findSources(
  { source_type, access_tier, ingest_status, ...options }: SourceFilter & SearchOptions,
  actor: Actor | null,
  scope: Scope,
  place: PagePlace,
): Promise<SourcePage> {
  const { count, items } = await searchItems(
    { scope, resources: ['data_sources'], headings: { source_type, access_tier, ingest_status } },
    options,
    place,
    key.source,
  )
  const results = items
    .map((item) => parse(dataSource, item))
    .filter((source) => !source.deleted_at && maySee(actor, source))
  return { count, results }
}

/** Returns one page of the clusters whose names match a text. Searches once, reads once. */
export async function findClusters(
  { kind, locked, ...options }: ClusterFilter & SearchOptions,
  place: PagePlace,
): Promise<ClusterPage> {
  const query = {
    scope: scopeOf(null),
    resources: ['entity_clusters'],
    headings: { kind, locked: locked?.toString() },
  }
  const { count, items } = await searchItems(query, options, place, key.cluster)
  return { count, results: items.map((item) => parse(cluster, item)) }
}

async function searchItems(
  query: Pick<SearchQuery, 'scope' | 'resources' | 'headings'>,
  { search = '', sort }: SearchOptions,
  { limit, offset }: PagePlace,
  keyOf: (id: string) => Key,
): Promise<{ count: number; items: Stored[] }> {
  const { count, hits } = await (await openSearchModel()).search({
    ...query,
    text: search,
    literal: true,
    sort,
    limit,
    offset,
  })
  const loaded = await getMany(hits.map((hit) => keyOf(hit.id)))
  return { count, items: hits.map((hit) => itemAt(loaded, keyOf(hit.id))).filter((item) => item !== undefined) }
}
