import * as v from 'valibot'
import * as s from '../../base/shapes.ts'
import type { Scope } from '../../base/visibility.ts'
import {
  answerCache,
  type Facets,
  type Hit,
  type Model,
  needsSearch,
  openSearchModel,
  readWhere,
  type SearchQuery,
  type SortOrder,
  type Where,
} from '../../engines/search/index.ts'
import {
  getMany,
  itemAt,
  type Key,
  type PageRequest,
  type PageResult,
  parse,
  read,
  type Stored,
} from '../../engines/table/index.ts'
import { rememberRead } from '../../platform/cache/remembered.ts'
import { parts } from '../../platform/cache/rules.ts'
import { versionsAt } from '../../platform/cache/store.ts'
import { type Actor, maySee, scopeOf } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { kindKeys, kinds } from '../kinds/index.ts'
import { resourceOf } from '../kinds/resources.ts'
import { facetNames } from '../search-words/facets.ts'
import { RecordRow, recordItem, rowMembers } from './items.ts'
import { listRecordRows, type RecordFilter, type RecordPage, type RowPage } from './lists.ts'
import { loadNames, loadRows, partOfRow, partsOfNames } from './rows.ts'
import { isPublished, withheldStatuses } from './rules/status.ts'
import { showLoaded, type Visible } from './shown.ts'

/** How many hits each value of a facet has. Example: 12 temples, 3 wells. */
export const FacetsView = s.shape('Facets', () =>
  v.object({
    resource: v.record(v.string(), s.whole),
    status: v.record(v.string(), s.whole),
    ...v.entriesFromList(facetNames, v.optional(v.record(v.string(), s.whole))),
    when: v.optional(v.object({ certain: s.whole, possible: s.whole })),
  }),
)

/** A filter of lists, and what only the search model can do: a text, an order, facets, a place, years. */
export type RecordSearch = RecordFilter &
  Partial<Where> & {
    search?: string | undefined
    sort?: SortOrder | undefined
    facets?: boolean | undefined
  }
export type FoundRecords = RecordPage & { facets?: Facets }

/**
 * Returns one page of the records that a text finds, best first or in the order of `sort`. Without a text it returns the same
 * records as `listRecords`. With a text it also finds the caller's own unpublished records. Calls: the model's own, and one for
 * the page with the items under `keysToAdd`.
 */
export async function searchRecords(
  filter: RecordSearch,
  actor: Actor | null,
  scope: Scope,
  slice: Slice,
  keysToAdd: (hits: readonly Hit[]) => Key[] = () => [],
): Promise<FoundRecords> {
  const { hits, ...page } = await searchPage(
    await openSearchModel(),
    modelQueryFor(filter, actor, scope),
    filter,
    slice,
  )
  const found = await getMany([...hits.map(({ id }) => key.head(id)), ...keysToAdd(hits)])
  return { ...page, results: visibleIn(found, hits, actor, parseRecord), found }
}

/**
 * Like `searchRecords`, for callers that show rows: it reads only the members of a row. `found` holds the records and
 * people that rows name.
 */
async function searchRecordRows(
  filter: RecordSearch,
  actor: Actor | null,
  scope: Scope,
  slice: Slice,
): Promise<RowPage & { facets?: Facets }> {
  const model = await openSearchModel()
  const query = modelQueryFor(filter, actor, scope)
  const { value } = await pageCache(model.state, [query, filter.facets, slice.limit, slice.offset], async () => {
    const { hits, ...page } = await searchPage(model, query, filter, slice)
    return { ...page, ids: hits.map(({ id }) => id) }
  })
  const { ids, ...page } = value
  const { rows, found } = await readRows(ids)
  return { ...page, results: rows.filter((row) => isVisible(actor, row)), found }
}

/** A page of rows as one reader sees them. `facets` only if they were asked for. */
export type ShownRows = PageResult<Visible<RecordRow>> & { facets?: Facets }

/** Returns one page of rows as the caller sees them: from the search model if the filter needs it (`needsSearch`), else from the table. */
export async function findShownRows(
  filter: RecordSearch,
  actor: Actor | null,
  scope: Scope,
  page: PageRequest,
): Promise<ShownRows> {
  const found = needsSearch(filter)
    ? await searchRecordRows(filter, actor, scope, page)
    : await listRecordRows(filter, scope, page)
  return { ...found, results: showLoaded(actor, found.results, found.found) }
}

/**
 * The ids of pages, kept until the model changes. The query contains the scope, so readers with different rights share no
 * page.
 */
const pageCache = answerCache<Omit<Page, 'hits'> & { ids: string[] }>(60)

/** Reads rows. A record that is missing from the table is left out. The process remembers the rows until one of them changes. */
const readRows = (ids: readonly string[]): Promise<{ rows: RecordRow[]; found: ReadonlyMap<string, Stored> }> =>
  rememberRead(JSON.stringify(['rows', ids]), async (versions) => {
    const [byId, beside] = await Promise.all([
      loadRows(ids),
      versions ? new Map<string, Stored>() : getMany([versionsAt()]),
    ])
    const rows = ids.flatMap((id) => byId.get(id) ?? [])
    const found = await loadNames(rows, versions ?? itemAt(beside, versionsAt()) ?? {})
    const isMissing = rows.length < ids.length
    const of = [...rows.map(partOfRow), ...partsOfNames(rows), ...(isMissing ? [parts.published, parts.withheld] : [])]
    return { value: { rows, found }, of, found: beside }
  })

type Slice = { limit: number; offset: number }
type Page = { count: number; hits: readonly Hit[]; facets?: Facets }

async function searchPage(
  model: Model,
  query: ModelQuery | undefined,
  { facets: withFacets }: RecordSearch,
  { limit, offset }: Slice,
): Promise<Page> {
  if (!query) return { count: 0, hits: [], ...(withFacets && { facets: noFacets }) }
  const { count, hits, facets } = await model.search({ ...query, literal: true, limit, offset })
  return { count, hits, ...(facets && { facets }) }
}

const noFacets: Facets = { resource: {}, status: {} }

/** Reads the records of these hits that the caller may see, by review identity. One call for each hundred. */
export async function visibleRecords(hits: readonly Hit[], actor: Actor | null): Promise<Map<string, RecordRow>> {
  const heads = hits.map(({ id }) => key.head(id))
  const found = await getMany(heads, false, rowMembers)
  const results = visibleIn(found, hits, actor, (stored) => read(RecordRow, recordItem, stored))
  return new Map(results.map((row) => [row.entity_id, row]))
}

const parseRecord = (stored: Stored) => parse(recordItem, stored)

/** The records of these hits that the caller may see. The model may lag behind the table for a moment, so each hit is checked again. */
const visibleIn = <T extends RecordRow>(
  found: ReadonlyMap<string, Stored>,
  hits: readonly Hit[],
  actor: Actor | null,
  readItem: (stored: Stored) => T,
): T[] =>
  hits
    .flatMap(({ id }): T[] => {
      const stored = itemAt(found, key.head(id))
      return stored ? [readItem(stored)] : []
    })
    .filter((record) => isVisible(actor, record))

const isVisible = (actor: Actor | null, row: RecordRow) => !row.deleted_at && maySee(actor, row)

type ModelQuery = Omit<SearchQuery, 'limit'>

/** The query of the search model for the records that everyone may read. Undefined if no record can match. */
export function publicQueryOf(filter: RecordSearch): ModelQuery | undefined {
  const query = modelQueryFor(filter, null, scopeOf(null))
  return query && { ...query, literal: true }
}

/** Builds the query of the search model. Undefined if no record can match. */
function modelQueryFor(filter: RecordSearch, actor: Actor | null, scope: Scope): ModelQuery | undefined {
  const { kind, status, mine, all, contributor, category, search, sort, facets } = filter
  if (mine && !actor) return undefined
  const isWide = mine || status !== undefined || all === true
  const common = {
    text: search ?? '',
    // Staff find withheld records only with `mine`, `status` or `all`. Otherwise they find what others find.
    scope: { ...scope, everything: scope.everything && isWide },
    resources: kind === undefined ? recordResources : [resourceOf(kind)],
    contributor: mine ? actor?.id : contributor,
    headings: { category },
    sort: sort ?? (search === undefined ? ('-created' as const) : undefined),
    facets,
    ...readWhere(filter),
  }
  if (status === undefined) return { ...common, ...(search === undefined && !mine && !all && { published: true }) }
  if (isPublished(status)) return { ...common, published: true }
  const withheld = withheldStatuses.find((known) => known === status)
  return withheld && { ...common, statuses: [withheld], published: false }
}

/** The names of all kinds of record in search. */
export const recordResources: readonly string[] = kindKeys
  .filter((kind) => kinds[kind].record || kind === 'entity')
  .map(resourceOf)
