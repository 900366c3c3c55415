import * as v from 'valibot'
import * as s from '../../base/shapes.ts'
import type { Scope } from '../../base/visibility.ts'
import type { Facets, Hit, Model, SearchQuery, SortOrder } from '../../engines/search/index.ts'
import { answerCache, openSearchModel, readWhere, type Where } from '../../engines/search/index.ts'
import { getMany, itemAt, type Key, parse, read, type Stored } from '../../engines/table/index.ts'
import { rememberRead } from '../../platform/cache/remembered.ts'
import { attributesOf } from '../../platform/cache/store.ts'
import { type Actor, maySee } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { kindKeys, kinds } from '../kinds/index.ts'
import { resourceOf } from '../kinds/resources.ts'
import { facetNames } from '../search-words/facets.ts'
import { RecordRow, recordItem, rowMembers } from './items.ts'
import type { RecordFilter, RecordPage, RowPage } from './lists.ts'
import { isPublished, withheldStatuses } from './rules/status.ts'
import { keysToShow, loadNamed } from './shown.ts'

/** How many hits each value of a facet has. Example: 12 temples, 3 wells. */
export const FacetsView = s.shape('Facets', () =>
  v.object({
    resource: v.record(v.string(), s.whole),
    status: v.record(v.string(), s.whole),
    ...v.entriesFromList(facetNames, v.optional(v.record(v.string(), s.whole))),
    when: v.optional(v.object({ certain: s.whole, possible: s.whole })),
  }),
)

/** A filter of lists, with what only the search model can do: a text, an order, facets, a place, years. */

export type RecordSearch = RecordFilter &
  Partial<Where> & {
    search?: string | undefined
    sort?: SortOrder | undefined
    facets?: boolean | undefined
  }
export type FoundRecords = RecordPage & { facets?: Facets }

/**
 * One page of records that a text finds, best first or in the order asked for. Without a text it lists what `listRecords` lists.
 * With one it also finds the caller's own unpublished records. Calls: the model's own, and one for the page with the items
 * under `also`.
 */
export async function searchRecords(
  filter: RecordSearch,
  actor: Actor | null,
  scope: Scope,
  place: Place,
  also: (hits: readonly Hit[]) => Key[] = () => [],
): Promise<FoundRecords> {
  const { hits, ...page } = await foundBy(await openSearchModel(), modelQueryFor(filter, actor, scope), filter, place)
  const found = await getMany([...hits.map((it) => key.head(it.id)), ...also(hits)])
  return { ...page, results: visibleIn(found, hits, actor, parseRecord), found }
}

/**
 * Like `searchRecords`, for callers that show rows: it reads only the members of a row. `found` holds the records and
 * people that rows name.
 */
export async function searchRecordRows(
  filter: RecordSearch,
  actor: Actor | null,
  scope: Scope,
  place: Place,
): Promise<RowPage & { facets?: Facets }> {
  const model = await openSearchModel()
  const query = modelQueryFor(filter, actor, scope)
  const { value } = await pages(model.state, [query, filter.facets, place.limit, place.offset], async () => {
    const { hits, ...page } = await foundBy(model, query, filter, place)
    return { ...page, ids: hits.map(({ id }) => id) }
  })
  const { ids, ...page } = value
  const { rows, found } = await rowsOf(ids)
  return { ...page, results: rows.filter((it) => isVisible(actor, it)), found }
}

/**
 * The ids of pages, kept while the model stays as it is. The query contains the scope, so readers with different rights
 * share none.
 */
const pages = answerCache<Omit<Page, 'hits'> & { ids: string[] }>(60)

/** A record that is missing from the table is left out. The process remembers the rows. */
const rowsOf = (ids: readonly string[]): Promise<{ rows: RecordRow[]; found: ReadonlyMap<string, Stored> }> =>
  rememberRead('records', JSON.stringify(['rows', ids]), async (beside) => {
    const found = await getMany([...ids.map(key.head), beside], false, rowsAndVersion)
    const rows = ids.flatMap((id) => {
      const stored = itemAt(found, key.head(id))
      return stored ? [read(RecordRow, recordItem, stored)] : []
    })
    return { value: { rows, found: await loadNamed(keysToShow(rows)) }, found }
  })
const rowsAndVersion = [...rowMembers, ...attributesOf('records')]

type Place = { limit: number; offset: number }
type Page = { count: number; hits: readonly Hit[]; facets?: Facets }

async function foundBy(
  model: Model,
  query: ModelQuery | undefined,
  { facets: wanted }: RecordSearch,
  { limit, offset }: Place,
): Promise<Page> {
  if (!query) return { count: 0, hits: [], ...(wanted && { facets: noFacets }) }
  const { count, hits, facets } = await model.search({ ...query, literal: true, limit, offset })
  return { count, hits, ...(facets && { facets }) }
}

const noFacets: Facets = { resource: {}, status: {} }

/** Reads the records of these hits that the caller may see, by review identity. One call for each hundred. */
export async function visibleRecords(hits: readonly Hit[], actor: Actor | null): Promise<Map<string, RecordRow>> {
  const heads = hits.map((it) => key.head(it.id))
  const found = await getMany(heads, false, rowMembers)
  const results = visibleIn(found, hits, actor, (stored) => read(RecordRow, recordItem, stored))
  return new Map(results.map((it) => [it.entity_id, it]))
}

const parseRecord = (stored: Stored) => parse(recordItem, stored)

/** The model may lag behind the table for a moment, so each hit is checked again. */
const visibleIn = <T extends RecordRow>(
  found: ReadonlyMap<string, Stored>,
  hits: readonly Hit[],
  actor: Actor | null,
  one: (stored: Stored) => T,
): T[] =>
  hits
    .flatMap((it): T[] => {
      const stored = itemAt(found, key.head(it.id))
      return stored ? [one(stored)] : []
    })
    .filter((it) => isVisible(actor, it))

const isVisible = (actor: Actor | null, it: RecordRow) => !it.deleted_at && maySee(actor, it)

type ModelQuery = Omit<SearchQuery, 'limit'>

/** Undefined if no record can match. */
function modelQueryFor(filter: RecordSearch, actor: Actor | null, scope: Scope): ModelQuery | undefined {
  const { kind, status, mine, all, contributor, category, search, sort, facets } = filter
  if (mine && !actor) return undefined
  const isWide = mine || status !== undefined || all === true
  const common = {
    text: search ?? '',
    // Staff find withheld records only with `mine`, `status` or `all`. Otherwise they find what others find.
    scope: { ...scope, everything: scope.everything && isWide },
    resources: kind === undefined ? records : [resourceOf(kind)],
    contributor: mine ? actor?.id : contributor,
    category,
    sort: sort ?? (search === undefined ? ('-created' as const) : undefined),
    facets,
    ...readWhere(filter),
  }
  if (status === undefined) return { ...common, ...(search === undefined && !mine && !all && { published: true }) }
  if (isPublished(status)) return { ...common, published: true }
  const known = withheldStatuses.find((one) => one === status)
  return known && { ...common, statuses: [known], published: false }
}

const records = kindKeys.filter((it) => kinds[it].record || it === 'entity').map(resourceOf)
