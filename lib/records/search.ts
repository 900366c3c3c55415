import { remembered } from '../cache/remembered.ts'
import { attributesOf } from '../cache/store.ts'
import { kindKeys, kinds } from '../kinds/index.ts'
import { resourceOf } from '../kinds/resources.ts'
import { type Actor, maySee, type Scope } from '../permissions.ts'
import { keeper } from '../search/answer-cache.ts'
import { searchModel } from '../search/open.ts'
import type { Facets, Hit, Model, SearchQuery, Sort } from '../search/query.ts'
import { type Where, whereOf } from '../search/where.ts'
import { parse, read } from '../table/item.ts'
import { type Key, key } from '../table/keys.ts'
import { getMany, itemAt, type Stored } from '../table/read.ts'
import { RecordRow, recordItem, rowMembers } from './items.ts'
import type { Filter, Heads, Rows } from './lists.ts'
import { isPublished, withheld } from './rules/status.ts'
import { namedBy, namedIn } from './shown.ts'

/** Lists of records that the search model finds or sorts. What is shown of them comes from the table. */

export type RecordSearch = Filter &
  Partial<Where> & {
    search?: string | undefined
    sort?: Sort | undefined
    facets?: boolean | undefined
  }
export type FoundRecords = Heads & { facets?: Facets }

/**
 * One page of records that a text finds, best first, or in the order asked for: the question whether the model is up to date,
 * and one call for the page together with the items under `also`. Without a text the list is that of `list`; with one,
 * the caller's own records that are not published are among those found.
 */
export async function searchRecords(
  asked: RecordSearch,
  actor: Actor | null,
  scope: Scope,
  place: Place,
  also: (hits: readonly Hit[]) => Key[] = () => [],
): Promise<FoundRecords> {
  const { hits, ...page } = await foundBy(await searchModel(), askFor(asked, actor, scope), asked, place)
  const found = await getMany([...hits.map((it) => key.head(it.id)), ...also(hits)])
  return { ...page, results: visibleIn(found, hits, actor, whole), found }
}

/** As `searchRecords`, for those who show rows: no more of the records is read. `found` has all that they name. */
export async function searchRows(
  asked: RecordSearch,
  actor: Actor | null,
  scope: Scope,
  place: Place,
): Promise<Rows & { facets?: Facets }> {
  const model = await searchModel()
  const ask = askFor(asked, actor, scope)
  const { value } = await pages(model.state, [ask, asked.facets, place.limit, place.offset], async () => {
    const { hits, ...page } = await foundBy(model, ask, asked, place)
    return { ...page, ids: hits.map(({ id }) => id) }
  })
  const { ids, ...page } = value
  const { rows, found } = await rowsOf(ids)
  return { ...page, results: rows.filter((it) => isVisible(actor, it)), found }
}

/** What the model has found in its present state, for those who may find the same; what is shown of it comes from the table. */
const pages = keeper<Omit<Page, 'hits'> & { ids: string[] }>(60)

/** Rows of records by their ids, as far as there are such, with all that they name. What has been read is remembered. */
const rowsOf = (ids: readonly string[]): Promise<{ rows: RecordRow[]; found: ReadonlyMap<string, Stored> }> =>
  remembered('records', JSON.stringify(['rows', ids]), async (beside) => {
    const found = await getMany([...ids.map(key.head), beside], false, rowsAndVersion)
    const rows = ids.flatMap((id) => {
      const stored = itemAt(found, key.head(id))
      return stored ? [read(RecordRow, recordItem, stored)] : []
    })
    return { value: { rows, found: await namedBy(namedIn(rows)) }, found }
  })
const rowsAndVersion = [...rowMembers, ...attributesOf('records')]

type Place = { limit: number; offset: number }
type Page = { count: number; hits: readonly Hit[]; facets?: Facets }

async function foundBy(
  model: Model,
  ask: Asked | undefined,
  { facets: wanted }: RecordSearch,
  { limit, offset }: Place,
): Promise<Page> {
  if (!ask) return { count: 0, hits: [], ...(wanted && { facets: none }) }
  const { count, hits, facets } = await model.search({ ...ask, literal: true, limit, offset })
  return { count, hits, ...(facets && { facets }) }
}

const none: Facets = { resource: {}, status: {} }

/** The records of these hits that the caller may see, by review identity, as the table has them now. One call for each hundred. */
export async function visibleRecords(hits: readonly Hit[], actor: Actor | null): Promise<Map<string, RecordRow>> {
  const heads = hits.map((it) => key.head(it.id))
  const found = await getMany(heads, false, rowMembers)
  const results = visibleIn(found, hits, actor, (stored) => read(RecordRow, recordItem, stored))
  return new Map(results.map((it) => [it.entity_id, it]))
}

const whole = (stored: Stored) => parse(recordItem, stored)

/** The model may be a moment behind: what has been withdrawn meanwhile is left out. */
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

type Asked = Omit<SearchQuery, 'limit'>

/** The filter as the model takes it; undefined when nothing can fit. */
function askFor(asked: RecordSearch, actor: Actor | null, scope: Scope): Asked | undefined {
  const { kind, status, mine, all, contributor, category, search, sort, facets } = asked
  if (mine && !actor) return undefined
  const whole = mine || status !== undefined || all === true
  const common = {
    text: search ?? '',
    // Staff are shown everything where they ask for it, else what others see.
    scope: { ...scope, everything: scope.everything && whole },
    resources: kind === undefined ? records : [resourceOf(kind)],
    contributor: mine ? actor?.id : contributor,
    category,
    sort: sort ?? (search === undefined ? ('-created' as const) : undefined),
    facets,
    ...whereOf(asked),
  }
  if (status === undefined) return { ...common, ...(search === undefined && !mine && !all && { published: true }) }
  if (isPublished(status)) return { ...common, published: true }
  const known = withheld.find((one) => one === status)
  return known && { ...common, statuses: [known], published: false }
}

const records = kindKeys.filter((it) => kinds[it].record || it === 'entity').map(resourceOf)
