import { isPublished, withheld } from '../domain/status.ts'
import { Problem } from '../errors.ts'
import { kindKeys, kinds } from '../kinds/index.ts'
import { resourceOf } from '../kinds/resources.ts'
import { type Actor, maySee, type Scope } from '../permissions.ts'
import type { Ask, Facets, Hit, Model, Sort } from '../search/ask.ts'
import { parse } from '../table/item.ts'
import { type Key, key } from '../table/keys.ts'
import { getMany, itemAt, type Stored } from '../table/read.ts'
import { type Head, head } from './record-items.ts'
import type { Filter, Heads } from './record-lists.ts'

/** Lists of records that the search model finds or sorts. What is shown of them comes from the table. */

export type Sought = Filter & { search?: string | undefined; sort?: Sort | undefined; facets?: boolean | undefined }
export type Found = Heads & { facets?: Facets }

/** Whether the indexes cannot answer it: they know no text, no facets, and no order but that of creation. */
export const isSought = ({ search, sort, facets }: Pick<Sought, 'search' | 'sort' | 'facets'>): boolean =>
  search !== undefined || facets === true || (sort !== undefined && sort !== 'created' && sort !== '-created')

/**
 * One page of records that a text finds, best first, or in the order asked for: the question whether the model is up to date,
 * and one call for the page together with the items under `also`. Without a text the list is that of `list`; with one,
 * the caller's own records that are not published are among those found.
 */
export async function find(
  asked: Sought,
  actor: Actor | null,
  scope: Scope,
  place: { limit: number; offset: number },
  also: (hits: readonly Hit[]) => Key[] = () => [],
): Promise<Found> {
  const ask = askFor(asked, actor, scope)
  const model = await searchModel()
  if (!ask) return { count: 0, results: [], found: new Map(), ...(asked.facets && { facets: none }) }
  const { count, hits, facets } = model.search({ ...ask, limit: place.limit, offset: place.offset })
  const found = await getMany([...hits.map((it) => key.head(it.id)), ...also(hits)])
  return { count, results: visibleIn(found, hits, actor), found, ...(facets && { facets }) }
}

const none: Facets = { resource: {}, status: {} }

/** The records of these hits that the caller may see, by review identity, as the table has them now. One call for each hundred. */
export async function headsOf(hits: readonly Hit[], actor: Actor | null): Promise<Map<string, Head>> {
  const found = await getMany(hits.map((it) => key.head(it.id)))
  return new Map(visibleIn(found, hits, actor).map((it) => [it.entity_id, it]))
}

/** The model may be a moment behind: what has been withdrawn meanwhile is left out. */
const visibleIn = (found: ReadonlyMap<string, Stored>, hits: readonly Hit[], actor: Actor | null): Head[] =>
  hits
    .flatMap((it) => itemAt(found, key.head(it.id)) ?? [])
    .map((stored) => parse(head, stored))
    .filter((it) => !it.deleted_at && maySee(actor, it))

/** Loaded with the first question: most requests of those who come here ask none, and need not wait for it. */
export const searchModel = async (): Promise<Model> => (await import('../search/model.ts')).searchModel()

/** The search model, where nothing depends on it; undefined while there is none. */
export async function modelIfAny(): Promise<Model | undefined> {
  try {
    return await searchModel()
  } catch (error) {
    if (error instanceof Problem && error.code === 'unavailable') return undefined
    throw error
  }
}

/** The filter as the model takes it; undefined when nothing can fit. */
function askFor(asked: Sought, actor: Actor | null, scope: Scope): Omit<Ask, 'limit'> | undefined {
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
  }
  if (status === undefined) return { ...common, ...(search === undefined && !mine && !all && { published: true }) }
  if (isPublished(status)) return { ...common, published: true }
  const known = withheld.find((one) => one === status)
  return known && { ...common, statuses: [known], published: false }
}

const records = kindKeys.filter((it) => kinds[it].record || it === 'entity').map(resourceOf)
