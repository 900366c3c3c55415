import '../search-words/name-words.ts'
import { isDeepStrictEqual } from 'node:util'
import { splitIntoParts } from '../../base/concurrency.ts'
import { addressOf } from '../../base/ids/address.ts'
import { commitPlan, commitWrites, runUnit } from '../../engines/table/immediate.ts'
import {
  checkVersion,
  getMany,
  itemAt,
  type Key,
  keyOf,
  place,
  removeEntry,
  type Stored,
  scan,
  type Write,
} from '../../engines/table/index.ts'
import { indexWrites } from '../../platform/name-index/entries.ts'
import { key } from '../../platform/table/keys.ts'
import { placeComments } from '../comments/visibility.ts'
import { followFootings } from '../foundations/follow.ts'
import { kindOfCode } from '../kinds/index.ts'
import { storedNameEntryOf } from '../records/build.ts'
import { isEntryOfClaim, missingEntries } from '../records/claim-identifiers.ts'
import type { LoadedRecord } from '../records/items.ts'
import { derivedWrites } from '../records/links.ts'
import { loadRecordById } from '../records/load.ts'
import { queueWrites } from '../records/queue-entry.ts'

/** How many records were looked at, and how many items were wrong. */
export type Repaired = { looked: number; mended: number }

/** Writes of one transaction, beside its condition. DynamoDB takes 100 actions. */
const WRITES_AT_ONCE = 90

/** The items that are derived from a record, by place: name index, queue, and links at other records. */
// prove: derived-items
function derivedOf(it: LoadedRecord): Map<string, Write> {
  const indexed = storedNameEntryOf(it)
  const writes = [
    ...(indexed ? indexWrites(undefined, indexed) : []),
    ...queueWrites(undefined, it),
    ...(it.deleted_at ? [] : derivedWrites(it)),
  ]
  return new Map(writes.map((write) => [place(keyIn(write)), write]))
}

/**
 * Writes the items that are derived from each record, and removes those that no record produces. `repairSizes` corrects the sizes of
 * lists afterwards.
 */
export async function repairRecords(progress: (looked: number) => void): Promise<Repaired> {
  let [looked, mended] = [0, 0]
  for await (const page of scan(['record'])) {
    for (const item of page) {
      mended += await completeRecord(String(item.entity_id))
      await placeComments(String(item.entity_id))
    }
    await followFootings(page.map(({ entity_id }) => String(entity_id)))
    looked += page.length
    progress(looked)
  }
  for await (const page of scan(['claims'])) for (const item of page) mended += await completeClaims(item)
  for await (const page of scan(derivedTypes)) for (const item of page) mended += await removeStale(item)
  return { looked, mended }
}

/** Writes the missing entries of claims that are about no record. Returns their number. */
async function completeClaims(pack: Stored): Promise<number> {
  const missing = await missingEntries(pack)
  if (missing.length > 0) await commitWrites(missing)
  return missing.length
}

const derivedTypes = ['entry', 'link', 'queue_by_urgency', 'queue_by_category', 'queue_by_age']

/** Writes what is missing or different. Returns the number of items. */
const completeRecord = (entity_id: string): Promise<number> =>
  runUnit(async (unit) => {
    unit.retryOn('conflict')
    unit.commitBy(inParts)
    const it = await loadRecordById(entity_id)
    if (!it) return 0
    const derived = derivedOf(it)
    const found = await getMany([...derived.values()].map(keyIn), true)
    const wrong = [...derived.values()].filter((write) => !isStored(write, itemAt(found, keyIn(write))))
    unit.add(wrong.flatMap((write) => guardWrite(write, it)))
    return wrong.length
  })

/** Each write needs the record unchanged since it was read. It changes no counters: sizes are counted afterwards. */
const guardWrite = ({ action }: Write, it: LoadedRecord): Write[] => [
  checkVersion(key.head(it.entity_id), it.version),
  { action: { Put: { TableName: action.Put?.TableName, Item: action.Put?.Item } }, counts: {} },
]

/** Writes in several transactions. Each holds the condition once. */
async function inParts(writes: readonly Write[]): Promise<void> {
  const [condition] = writes
  if (!condition) return
  const others = writes.filter(({ action }) => !action.ConditionCheck)
  for (const part of splitIntoParts(others, WRITES_AT_ONCE)) await commitWrites([condition, ...part])
}

/**
 * Removes a derived item that no record produces any more. Returns the number of items removed (0 or 1). An item that is derived
 * from something else stays.
 */
const removeStale = (item: Stored): Promise<number> =>
  commitPlan(async () => {
    const at = keyOf(item)
    const owners = ownersOf(item, at)
    const isClaims = at.pk === key.identifier('assertion', '', '').pk
    if (isClaims && (await isEntryOfClaim(item, at))) return { result: 0, writes: [] }
    if (owners.length === 0) return { result: 0, writes: [] }
    const records = await Promise.all(owners.map(loadRecordById))
    if (records.some((it) => it && derivedOf(it).has(place(at)))) return { result: 0, writes: [] }
    const conditions = records.flatMap((it) => (it ? [checkVersion(key.head(it.entity_id), it.version)] : []))
    return { result: 1, writes: [...conditions, removeEntry(at)] }
  })

/** The ids of the records from which an item may be derived. Empty if it is derived from something else. */
function ownersOf(item: Stored, { pk, sk }: Key): string[] {
  const [list = '', ...rest] = pk.split('#')
  if (item.type === 'link') return records([item.from])
  if (list === 'ENTITY') return records(rest)
  if (list === 'RELATED') return records([rest[0], sk.split('#')[1]])
  return lists.has(list) ? records([item.entity_id]) : []
}

const lists = new Set(['NAME', 'ALIKE', 'IDENTIFIER', 'GRID'])

/** Keeps the ids of records. Ids of people and clusters carry no address. */
const records = (ids: readonly unknown[]): string[] =>
  ids.map(String).filter((id) => kindOfCode(addressOf(id)?.kindCode ?? 0) !== undefined)

const keyIn = ({ action }: Write): Key => keyOf(action.Put?.Item ?? {})

/** Whether the stored item is what the write would make, whichever request wrote it. */
function isStored({ action }: Write, stored: Stored | undefined): boolean {
  if (!stored) return false
  const { request_id: _, ...own } = stored
  const { request_id: __, ...wanted } = action.Put?.Item ?? {}
  return isDeepStrictEqual(plain(own), plain(wanted))
}

/** As the table returns it: without undefined members. */
const plain = (it: object): unknown => JSON.parse(JSON.stringify(it))
