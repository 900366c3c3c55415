import type * as v from 'valibot'
import { invalid } from '../../base/errors.ts'
import type { Scope } from '../../base/visibility.ts'
import { resources } from '../../domain/kinds/resources.ts'
import { facetNames } from '../../domain/search-words/facets.ts'
import { readWhere } from '../../engines/search/index.ts'
import type { Actor } from '../../platform/permissions.ts'
import type { SearchParams } from './queries.ts'

/** Makes the filters of a query for this caller. */
export function readFilters(query: v.InferOutput<typeof SearchParams>, actor: Actor | null, scope: Scope) {
  const { q, resource, status, published, literal, without, sort } = query
  if (sort === 'distance' && !query.near) throw invalid({ sort: ['Give near as well: the point to measure from.'] })
  const values = Object.fromEntries(facetNames.map((facet) => [facet, query[facet]]))
  return {
    text: q,
    scope,
    resources: resource ?? resources,
    statuses: status,
    // Without `published`, callers who are not signed in get published records. They may see no others.
    published: published ?? (actor ? undefined : true),
    literal,
    without,
    values,
    ...readWhere(query),
  }
}
