import { kindKeys, kinds } from '../kinds/index.ts'
import { resourceOf } from '../kinds/resources.ts'
import { type Actor, maySee, type Scope } from '../permissions.ts'
import { searchModel } from '../search/open.ts'
import type { Facets, Hit, SearchQuery, Sort } from '../search/query.ts'
import { type Where, whereOf } from '../search/where.ts'
import { parse } from '../table/item.ts'
import { type Key, key } from '../table/keys.ts'
import { getMany, itemAt, type Stored } from '../table/read.ts'
import { type RecordItem, recordItem } from './items.ts'
import type { Filter, Heads } from './lists.ts'
import { isPublished, withheld } from './rules/status.ts'

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
  place: { limit: number; offset: number },
  also: (hits: readonly Hit[]) => Key[] = () => [],
): Promise<FoundRecords> {
  const ask = askFor(asked, actor, scope)
  const model = await searchModel()
  if (!ask) return { count: 0, results: [], found: new Map(), ...(asked.facets && { facets: none }) }
  const { count, hits, facets } = await model.search({
    ...ask,
    literal: true,
    limit: place.limit,
    offset: place.offset,
  })
  const found = await getMany([...hits.map((it) => key.head(it.id)), ...also(hits)])
  return { count, results: visibleIn(found, hits, actor), found, ...(facets && { facets }) }
}

const none: Facets = { resource: {}, status: {} }

/** The records of these hits that the caller may see, by review identity, as the table has them now. One call for each hundred. */
export async function visibleRecords(hits: readonly Hit[], actor: Actor | null): Promise<Map<string, RecordItem>> {
  const found = await getMany(hits.map((it) => key.head(it.id)))
  return new Map(visibleIn(found, hits, actor).map((it) => [it.entity_id, it]))
}

/** The model may be a moment behind: what has been withdrawn meanwhile is left out. */
const visibleIn = (found: ReadonlyMap<string, Stored>, hits: readonly Hit[], actor: Actor | null): RecordItem[] =>
  hits
    .flatMap((it) => itemAt(found, key.head(it.id)) ?? [])
    .map((stored) => parse(recordItem, stored))
    .filter((it) => !it.deleted_at && maySee(actor, it))

/** The filter as the model takes it; undefined when nothing can fit. */
function askFor(asked: RecordSearch, actor: Actor | null, scope: Scope): Omit<SearchQuery, 'limit'> | undefined {
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
