import { clock } from '../../base/clock.ts'
import { audiences, audiencesWith, type Scope } from '../../base/visibility.ts'
import {
  getMany,
  itemAt,
  itemIn,
  type Key,
  type List,
  type PageRequest,
  type PageResult,
  parse,
  queryBetween,
  readList,
  type Stored,
} from '../../engines/table/index.ts'
import { rememberRead } from '../../platform/cache/remembered.ts'
import { parts } from '../../platform/cache/rules.ts'
import { versionsAt } from '../../platform/cache/store.ts'
import { readEntry } from '../../platform/name-index/entries.ts'
import { type Actor, maySee } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { type KindKey, kindKeys, kinds } from '../kinds/index.ts'
import {
  listingKindOf,
  listsOf,
  type RecordItem,
  type RecordRow,
  recordItem,
  recordVisibilities,
  rowMembers,
  visibilityOf,
} from './items.ts'
import { knownRow, learnNames, loadNames, partsOfNames, rowOf, splitNames, versionMembers } from './rows.ts'
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
/** `found`: the items under the keys that `KeysToAdd` returned. */
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

/**
 * Like `listRecords`, for callers that show rows. The process keeps the page in memory until something in it changes. Then it reads ids and
 * versions, and the rows and names that are not in memory. Two calls, and a third if a new row names something that is not in memory.
 */
export function listRecordRows(filter: RecordFilter, scope: Scope, place: PageRequest): Promise<RowPage> {
  const list = listFor(filter, scope)
  return rememberRead(JSON.stringify(['list', list.partitions, list.forward, place]), async (versions) => {
    const { page, found } = versions ? await readChanges(list, place, versions) : await readWhole(list, place)
    return { value: page, of: [...list.of, ...partsOfNames(page.results)], found }
  })
}

type ReadPage = { page: RowPage; found: ReadonlyMap<string, Stored> }

/** Reads a page with its rows, the names in them, and the versions of all parts of the cache. */
async function readWhole(list: RecordList, place: PageRequest): Promise<ReadPage> {
  const began = clock.now().getTime()
  let results: RecordRow[] = []
  const {
    items: _,
    found,
    ...listing
  } = await readList({ ...list, members: rowMembers }, place, (items) => {
    results = items.map(rowOf)
    return [...keysToShow(results), versionsAt()]
  })
  const names = learnNames(keysToShow(results), found, itemAt(found, versionsAt()) ?? {}, began)
  return { page: { ...listing, results, found: names }, found }
}

/** Reads a page as ids and versions, with the rows and names that are not in memory. `versions` are those of all parts of the cache. */
async function readChanges(list: RecordList, place: PageRequest, versions: Stored): Promise<ReadPage> {
  const began = clock.now().getTime()
  const rows = new Map<string, RecordRow>()
  let missing: string[] = []
  let names: ReturnType<typeof splitNames> = { known: new Map(), unknown: [] }
  const { items, found, ...listing } = await readList({ ...list, members: versionMembers }, place, (read) => {
    for (const row of read.flatMap((item) => knownRow(item) ?? [])) rows.set(row.entity_id, row)
    missing = read.map((item) => String(item.entity_id)).filter((id) => !rows.has(id))
    names = splitNames(keysToShow([...rows.values()]), versions)
    return [...missing.map(key.head), ...names.unknown]
  })
  // A row that was read by its key may be newer than the index, and no longer belong to the list.
  const made = missing.flatMap((id) => {
    const stored = itemAt(found, key.head(id))
    return stored ? [rowOf(stored)] : []
  })
  for (const row of made) if (list.shows(row)) rows.set(row.entity_id, row)
  const learned = learnNames(names.unknown, found, versions, began)
  const further = await loadNames(made, versions)
  const results = items.flatMap((item) => rows.get(String(item.entity_id)) ?? [])
  return { page: { ...listing, results, found: new Map([...names.known, ...learned, ...further]) }, found }
}

/** The most records of one kind and identifier that are listed. An identifier that more records share identifies nothing. */
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
  if (mine && !isOwn) return false
  // A record is listed as published even while an edit waits: otherwise its absence would reveal the edit.
  if (status) return status === visibilityOf(record) || (record.public && isPublished(status))
  return record.public || isOwn || all === true
}

/** A list of records. `of`: the parts of the cache whose change makes its rows or its size stale. `shows`: whether a record may be in it. */
type RecordList = List & { of: readonly string[]; shows: (row: RecordRow) => boolean }

/**
 * Returns the list of the records that pass the filter and that the scope allows. A category stands for all its kinds.
 *
 * Published records are listed by audience, withheld ones by status, since `?status=` asks for one status (`draft`, `rejected`) with
 * its exact size. Claims, flags and activities are listed by history audience: that of all withheld records is `withheld`.
 */
function listFor({ kind, status, mine, all, contributor, category, forward }: RecordFilter, scope: Scope): RecordList {
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
  // Nobody who is not signed in has records of their own.
  const visibilities = mine && !scope.own ? [] : visibilitiesFor({ status, mine, all })
  const open: readonly string[] = audiencesWith(scope.signedIn)
  // Withheld records appear only in their contributor's list and to staff.
  const partitions = visibilities.flatMap((visibility) => {
    if (scope.everything || open.includes(visibility)) return partitionsOf(listOwner, visibility)
    if (!scope.own || (listOwner && listOwner !== scope.own)) return []
    return partitionsOf(scope.own, visibility)
  })
  return {
    partitions,
    counted: partitions.map(({ pk }) => pk),
    isCountedEach: true,
    of: visibilities.flatMap((visibility) => listingKinds.map((listed) => partOfList(listed, visibility))),
    shows: (row) => {
      const visibility = visibilityOf(row)
      const isOpen = scope.everything || open.includes(visibility) || row.contributor_id === scope.own
      return isOpen && !row.deleted_at && visibilities.includes(visibility)
    },
    ...(forward && { forward }),
  }
}

const partOfList = (listed: string | undefined, visibility: string): string => {
  if (!audiences.some((audience) => audience === visibility)) return parts.withheld
  // Cultural entities are listed by category: `entity:festival`.
  return listed === undefined ? parts.published : parts.publishedOf(listed.replace(/:.*/, ''))
}

/**
 * Returns the visibilities that a filter names. Without `status` it returns the published ones, or all with `mine` or `all`. None for an
 * unknown status.
 */
function visibilitiesFor({ status, mine, all }: Pick<RecordFilter, 'status' | 'mine' | 'all'>): readonly string[] {
  if (status === undefined) return mine || all ? recordVisibilities : audiences
  if (isPublished(status)) return audiences
  return recordVisibilities.filter((visibility) => visibility === status)
}

const listingKindsIn = (category: string) => [
  ...kindKeys.filter((kind) => kinds[kind].record && kinds[kind].queueCategory === category),
  listingKindOf('entity', category),
]
