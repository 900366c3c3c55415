import { remembered } from '../cache/remembered.ts'
import { type KindKey, kindKeys, kinds } from '../kinds/index.ts'
import { readEntry } from '../names/index.ts'
import { type Actor, audiences, audiencesWith, maySee, type Scope } from '../permissions.ts'
import { parse, read } from '../table/item.ts'
import { type Key, key } from '../table/keys.ts'
import { type List, type PageRequest, type PageResult, readList } from '../table/pages.ts'
import { getMany, itemIn, queryBetween, type Stored } from '../table/read.ts'
import {
  listsOf,
  type RecordItem,
  RecordRow,
  recordItem,
  rowMembers,
  sortOf,
  visibilities,
  visibilityOf,
} from './items.ts'
import { isPublished } from './rules/status.ts'
import { namedIn } from './shown.ts'

export type Filter = {
  kind?: KindKey | undefined
  status?: string | undefined
  mine?: boolean | undefined
  all?: boolean | undefined
  contributor?: string | undefined
  category?: string | undefined
  forward?: boolean | undefined
}
type Also = (heads: readonly RecordItem[]) => Key[]
export type Heads = PageResult<RecordItem> & { found: ReadonlyMap<string, Stored> }
export type Rows = PageResult<RecordRow> & { found: ReadonlyMap<string, Stored> }

/**
 * One page of the records that the scope shows, newest first: one call per status asked for, and one for the size
 * together with the items under `also`.
 */
export async function list(filter: Filter, scope: Scope, place: PageRequest, also: Also = () => []): Promise<Heads> {
  let results: RecordItem[] = []
  const listing = await readList(listFor(filter, scope), place, (items) => {
    results = items.map((item) => parse(recordItem, item))
    return also(results)
  })
  return { ...listing, results }
}

/** As `list`, for those who show rows: no more of the records is read, and what has been read is remembered. */
export function rows(filter: Filter, scope: Scope, place: PageRequest): Promise<Rows> {
  const list = { ...listFor(filter, scope), members: rowMembers }
  return remembered('records', JSON.stringify(['list', list.partitions, list.forward, place]), async (beside) => {
    let results: RecordRow[] = []
    const { items: _, ...listing } = await readList(list, place, (items) => {
      results = items.map((item) => read(RecordRow, recordItem, item))
      return [...namedIn(results), beside]
    })
    return { value: { ...listing, results }, found: listing.found }
  })
}

/** At most this many records of one kind with one identifier are listed; more would say nothing. */
const MOST_IDENTIFIED = 300

/** Records of a kind that carry an identifier of their source; of those, the ones that the caller may see. Two calls. */
export async function identified(
  kind: string,
  identifier: string,
  filter: Filter,
  actor: Actor | null,
  place: PageRequest,
): Promise<Heads> {
  const entries = await queryBetween(`IDENTIFIER#${kind}`, `${identifier}#`, `${identifier}#~`, MOST_IDENTIFIED)
  const ids = entries.map((entry) => readEntry(entry).entity_id)
  const found = await getMany(ids.map((id) => key.head(id)))
  const visible = ids
    .flatMap((entity_id) => itemIn(found, recordItem, { entity_id }) ?? [])
    .filter((it) => maySee(actor, it) && !it.deleted_at && fits(it, filter, actor))
  const results = visible.slice(place.offset, place.offset + place.limit)
  return { count: visible.length, results, found: new Map() }
}

/** Whether a found record that the caller may see is among those that the filter asks for; without one, published ones and one's own. */
function fits(it: RecordItem, { status, mine, all, category, contributor }: Filter, actor: Actor | null): boolean {
  if (category !== undefined && it.category !== category) return false
  if (contributor !== undefined && it.contributor_id !== contributor) return false
  const own = actor !== null && it.contributor_id === actor.id
  if (mine) return own
  // That an edit waits behind a published record is not told: it is found as published.
  if (status) return status === visibilityOf(it) || (it.public && isPublished(status))
  return it.public || own || all === true
}

/** Which partitions hold what the filter asks for, as far as the scope allows it. A category is the kinds that belong to it. */
function listFor({ kind, status, mine, all, contributor, category, forward }: Filter, scope: Scope): List {
  const whose = mine ? scope.own : contributor
  const sorts = category === undefined ? [kind] : sortsIn(category).filter((sort) => !kind || sort === kind)
  const here = (owner: string | null | undefined, visibility: string) =>
    sorts.map((sort) => {
      if (owner && sort) return { index: 'gsi4' as const, pk: listsOf.owner_kind(owner, sort, visibility) }
      if (owner) return { index: 'gsi3' as const, pk: listsOf.owner(owner, visibility) }
      if (sort) return { index: 'gsi1' as const, pk: listsOf.kind(sort, visibility) }
      return { index: 'gsi2' as const, pk: listsOf.every(visibility) }
    })
  const wanted: readonly string[] =
    status !== undefined ? (isPublished(status) ? audiences : [status]) : mine || all ? visibilities : audiences
  const known = wanted.filter((visibility) => visibilities.some((one) => one === visibility))
  const open: readonly string[] = audiencesWith(scope.signedIn)
  // What is withheld from the public is shown to its contributor and to staff only.
  const partitions = known.flatMap((visibility) => {
    if (scope.everything || open.includes(visibility)) return here(whose, visibility)
    if (!scope.own || (whose && whose !== scope.own)) return []
    return here(scope.own, visibility)
  })
  return { partitions, counted: partitions.map(({ pk }) => pk), isCountedEach: true, ...(forward && { forward }) }
}

const sortsIn = (category: string) => [
  ...kindKeys.filter((it) => kinds[it].record && kinds[it].queueCategory === category),
  sortOf('entity', category),
]
