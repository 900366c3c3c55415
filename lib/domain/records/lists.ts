import { omit } from '../../base/omit.ts'
import { audiences, audiencesWith, type Scope } from '../../base/visibility.ts'
import {
  getMany,
  itemIn,
  type Key,
  type List,
  type PageRequest,
  type PageResult,
  parse,
  queryBetween,
  read,
  readList,
  type Stored,
} from '../../engines/table/index.ts'
import { rememberRead } from '../../platform/cache/remembered.ts'
import { readEntry } from '../../platform/name-index/entries.ts'
import { type Actor, maySee } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { type KindKey, kindKeys, kinds } from '../kinds/index.ts'
import {
  listingKindOf,
  listsOf,
  type RecordItem,
  RecordRow,
  recordItem,
  recordVisibilities,
  rowMembers,
  visibilityOf,
} from './items.ts'
import { isPublished } from './rules/status.ts'
import { keysToShow } from './shown.ts'

export type RecordFilter = {
  kind?: KindKey | undefined
  status?: string | undefined
  mine?: boolean | undefined
  all?: boolean | undefined
  contributor?: string | undefined
  category?: string | undefined
  forward?: boolean | undefined
}
type Also = (heads: readonly RecordItem[]) => Key[]
export type RecordPage = PageResult<RecordItem> & { found: ReadonlyMap<string, Stored> }
export type RowPage = PageResult<RecordRow> & { found: ReadonlyMap<string, Stored> }

/**
 * One page of the records in the scope, newest first. Calls: one for each list asked for, and one for the size. The last call
 * also reads the keys that `also` gives.
 */
export async function listRecords(
  filter: RecordFilter,
  scope: Scope,
  place: PageRequest,
  also: Also = () => [],
): Promise<RecordPage> {
  let results: RecordItem[] = []
  const listing = await readList(listFor(filter, scope), place, (items) => {
    results = items.map((item) => parse(recordItem, item))
    return also(results)
  })
  return { ...listing, results }
}

/** Like `listRecords`, for callers that show rows. It reads only the members of a row, and the process remembers the page. */
export function listRecordRows(filter: RecordFilter, scope: Scope, place: PageRequest): Promise<RowPage> {
  const list = { ...listFor(filter, scope), members: rowMembers }
  return rememberRead('records', JSON.stringify(['list', list.partitions, list.forward, place]), async (beside) => {
    let results: RecordRow[] = []
    const listing = await readList(list, place, (items) => {
      results = items.map((item) => read(RecordRow, recordItem, item))
      return [...keysToShow(results), beside]
    })
    return { value: { ...omit(listing, 'items'), results }, found: listing.found }
  })
}

/** The most records of one kind and identifier that are listed. An identifier that more records share identifies nothing. */
const MOST_IDENTIFIED = 300

/** The records of a kind with this `identifier` that the caller may see. Two calls. */
export async function listByIdentifier(
  kind: string,
  identifier: string,
  filter: RecordFilter,
  actor: Actor | null,
  place: PageRequest,
): Promise<RecordPage> {
  const entries = await queryBetween(`IDENTIFIER#${kind}`, `${identifier}#`, `${identifier}#~`, MOST_IDENTIFIED)
  const ids = entries.map((entry) => readEntry(entry).entity_id)
  const found = await getMany(ids.map((id) => key.head(id)))
  const visible = ids
    .flatMap((entity_id) => itemIn(found, recordItem, { entity_id }) ?? [])
    .filter((it) => maySee(actor, it) && !it.deleted_at && fits(it, filter, actor))
  const results = visible.slice(place.offset, place.offset + place.limit)
  return { count: visible.length, results, found: new Map() }
}

/** Whether a record passes the filter. Without `status`, `mine` and `all`, published records and the caller's own pass. */
function fits(
  it: RecordItem,
  { status, mine, all, category, contributor }: RecordFilter,
  actor: Actor | null,
): boolean {
  if (category !== undefined && it.category !== category) return false
  if (contributor !== undefined && it.contributor_id !== contributor) return false
  const own = actor !== null && it.contributor_id === actor.id
  if (mine) return own
  // A published record counts as published even while an edit waits: nobody may learn of the edit here.
  if (status) return status === visibilityOf(it) || (it.public && isPublished(status))
  return it.public || own || all === true
}

/** The index partitions that hold what the filter asks for and the scope allows. A category stands for all its kinds. */
function listFor({ kind, status, mine, all, contributor, category, forward }: RecordFilter, scope: Scope): List {
  const whose = mine ? scope.own : contributor
  const sorts = category === undefined ? [kind] : listingKindsIn(category).filter((sort) => !kind || sort === kind)
  const here = (owner: string | null | undefined, visibility: string) =>
    sorts.map((sort) => {
      if (owner && sort) return { index: 'gsi4' as const, pk: listsOf.owner_kind(owner, sort, visibility) }
      if (owner) return { index: 'gsi3' as const, pk: listsOf.owner(owner, visibility) }
      if (sort) return { index: 'gsi1' as const, pk: listsOf.kind(sort, visibility) }
      return { index: 'gsi2' as const, pk: listsOf.every(visibility) }
    })
  const wanted: readonly string[] =
    status !== undefined ? (isPublished(status) ? audiences : [status]) : mine || all ? recordVisibilities : audiences
  const known = wanted.filter((visibility) => recordVisibilities.some((one) => one === visibility))
  const open: readonly string[] = audiencesWith(scope.signedIn)
  // Withheld records appear only in their contributor's list and to staff.
  const partitions = known.flatMap((visibility) => {
    if (scope.everything || open.includes(visibility)) return here(whose, visibility)
    if (!scope.own || (whose && whose !== scope.own)) return []
    return here(scope.own, visibility)
  })
  return { partitions, counted: partitions.map(({ pk }) => pk), isCountedEach: true, ...(forward && { forward }) }
}

const listingKindsIn = (category: string) => [
  ...kindKeys.filter((it) => kinds[it].record && kinds[it].queueCategory === category),
  listingKindOf('entity', category),
]
