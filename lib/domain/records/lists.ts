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
/** Returns further keys to read with a page of records. */
type KeysToAdd = (page: readonly RecordItem[]) => Key[]
/** `found`: the items under the further keys. */
export type RecordPage = PageResult<RecordItem> & { found: ReadonlyMap<string, Stored> }
export type RowPage = PageResult<RecordRow> & { found: ReadonlyMap<string, Stored> }

/**
 * Returns one page of the records in the scope, newest first. Calls: one for each list, and one for the size. The last call
 * also reads the keys that `keysToAdd` returns.
 */
export async function listRecords(
  filter: RecordFilter,
  scope: Scope,
  place: PageRequest,
  keysToAdd: KeysToAdd = () => [],
): Promise<RecordPage> {
  let results: RecordItem[] = []
  const listing = await readList(listFor(filter, scope), place, (items) => {
    results = items.map((item) => parse(recordItem, item))
    return keysToAdd(results)
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

/** Records of one kind and identifier that are listed. An identifier that more records share identifies nothing. */
const MOST_IDENTIFIED = 300

/** Lists the records of a kind with this `identifier` that the caller may see. Two calls. */
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
    .filter((record) => maySee(actor, record) && !record.deleted_at && passes(record, filter, actor))
  const results = visible.slice(place.offset, place.offset + place.limit)
  return { count: visible.length, results, found: new Map() }
}

/** Whether a record passes the filter. Without `status`, `mine` and `all`, published records and the caller's own pass. */
function passes(
  record: RecordItem,
  { status, mine, all, category, contributor }: RecordFilter,
  actor: Actor | null,
): boolean {
  if (category !== undefined && record.category !== category) return false
  if (contributor !== undefined && record.contributor_id !== contributor) return false
  const isOwn = actor !== null && record.contributor_id === actor.id
  if (mine) return isOwn
  // A published record counts as published even while an edit waits: otherwise this list would reveal the edit.
  if (status) return status === visibilityOf(record) || (record.public && isPublished(status))
  return record.public || isOwn || all === true
}

/**
 * Returns the index partitions of the records that pass the filter and that the scope allows. A category stands for all
 * its kinds.
 *
 * Records are listed by their audience or their status. Claims, flags and activities are listed by their history audience.
 * The reason: `?status=` lists withheld records by status (`draft`, `rejected`). All of them have the one history audience
 * `withheld`. A list of that audience would mix the statuses, and its counter could not give the size of one status.
 */
function listFor({ kind, status, mine, all, contributor, category, forward }: RecordFilter, scope: Scope): List {
  const listOwner = mine ? scope.own : contributor
  const listingKinds =
    category === undefined ? [kind] : listingKindsIn(category).filter((listed) => !kind || listed === kind)
  const partitionsOf = (owner: string | null | undefined, visibility: string) =>
    listingKinds.map((listed) => {
      if (owner && listed) return { index: 'gsi4' as const, pk: listsOf.owner_kind(owner, listed, visibility) }
      if (owner) return { index: 'gsi3' as const, pk: listsOf.owner(owner, visibility) }
      if (listed) return { index: 'gsi1' as const, pk: listsOf.kind(listed, visibility) }
      return { index: 'gsi2' as const, pk: listsOf.every(visibility) }
    })
  const visibilities = visibilitiesFor({ status, mine, all })
  const open: readonly string[] = audiencesWith(scope.signedIn)
  // Withheld records appear only in their contributor's list and to staff.
  const partitions = visibilities.flatMap((visibility) => {
    if (scope.everything || open.includes(visibility)) return partitionsOf(listOwner, visibility)
    if (!scope.own || (listOwner && listOwner !== scope.own)) return []
    return partitionsOf(scope.own, visibility)
  })
  return { partitions, counted: partitions.map(({ pk }) => pk), isCountedEach: true, ...(forward && { forward }) }
}

/** Returns the visibilities that a filter names. Without a status: all with `mine` or `all`, else the published ones. None for an unknown status. */
function visibilitiesFor({ status, mine, all }: Pick<RecordFilter, 'status' | 'mine' | 'all'>): readonly string[] {
  if (status === undefined) return mine || all ? recordVisibilities : audiences
  if (isPublished(status)) return audiences
  return recordVisibilities.filter((visibility) => visibility === status)
}

const listingKindsIn = (category: string) => [
  ...kindKeys.filter((kind) => kinds[kind].record && kinds[kind].queueCategory === category),
  listingKindOf('entity', category),
]
