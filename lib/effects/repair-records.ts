import { isDeepStrictEqual } from 'node:util'
import { placeComments } from '../comments/visibility.ts'
import { addressOf } from '../ids/address.ts'
import { kindOfCode } from '../kinds/index.ts'
import { indexWrites } from '../names/index.ts'
import { indexedOf } from '../records/build.ts'
import type { Loaded } from '../records/items.ts'
import { shownElsewhere } from '../records/links.ts'
import { loadById } from '../records/load.ts'
import { queueWrites } from '../records/queue-entry.ts'
import { removeEntry, unchanged, type Write } from '../table/item.ts'
import { type Key, key, keyOf, place } from '../table/keys.ts'
import { getMany, itemAt, type Stored } from '../table/read.ts'
import { retryOnConflict } from '../table/retry.ts'
import { scan } from '../table/scan.ts'
import { transact } from '../table/write.ts'

/** What was looked at, and how much of it was wrong. */
export type Repaired = { looked: number; mended: number }

/** A transaction holds a hundred writes, one of which is the condition. */
const AT_ONCE = 90

/** Everything that stands elsewhere because of a record: in the names index, in the queue, beside other records. */
function derivedOf(it: Loaded): Map<string, Write> {
  const indexed = indexedOf(it)
  const writes = [
    ...(indexed ? indexWrites(undefined, indexed) : []),
    ...queueWrites(undefined, it),
    ...(it.deleted_at ? [] : shownElsewhere(it)),
  ]
  return new Map(writes.map((write) => [place(keyIn(write)), write]))
}

/** Puts right what follows from each record, and takes away what follows from none. Sizes of lists are another matter. */
export async function repairRecords(progress: (looked: number) => void): Promise<Repaired> {
  let [looked, mended] = [0, 0]
  for await (const page of scan(['record'])) {
    for (const item of page) {
      mended += await completeRecord(String(item.entity_id))
      await placeComments(String(item.entity_id))
    }
    looked += page.length
    progress(looked)
  }
  for await (const page of scan(derivedTypes)) for (const item of page) mended += await takeAwayStale(item)
  return { looked, mended }
}

const derivedTypes = ['entry', 'link', 'queue_by_urgency', 'queue_by_category', 'queue_by_age']

/** Writes what is missing or different. Answers how many items that were. */
const completeRecord = (entity_id: string): Promise<number> =>
  retryOnConflict(
    async () => {
      const it = await loadById(entity_id)
      if (!it) return { result: 0, writes: [] }
      const derived = derivedOf(it)
      const found = await getMany([...derived.values()].map(keyIn), true)
      const wrong = [...derived.values()].filter((write) => !isStored(write, itemAt(found, keyIn(write))))
      return { result: wrong.length, writes: wrong.flatMap((write) => guarded(write, it)) }
    },
    { write: inParts },
  )

/** Each write follows from the record as it was read; sizes are counted afterwards. */
const guarded = ({ action }: Write, it: Loaded): Write[] => [
  unchanged(key.head(it.entity_id), it.version),
  { action: { Put: { TableName: action.Put?.TableName, Item: action.Put?.Item } }, counts: {} },
]

/** The same condition stands in each part once. */
async function inParts(writes: readonly Write[]): Promise<void> {
  const [condition] = writes
  if (!condition) return
  const others = writes.filter(({ action }) => !action.ConditionCheck)
  for (let start = 0; start < others.length; start += AT_ONCE)
    await transact([condition, ...others.slice(start, start + AT_ONCE)])
}

/** Removes an item that follows from no record. Answers how many items that were. */
const takeAwayStale = (item: Stored): Promise<number> =>
  retryOnConflict(async () => {
    const at = keyOf(item)
    const owners = ownersOf(item, at)
    if (owners.length === 0) return { result: 0, writes: [] }
    const records = await Promise.all(owners.map(loadById))
    if (records.some((it) => it && derivedOf(it).has(place(at)))) return { result: 0, writes: [] }
    const conditions = records.flatMap((it) => (it ? [unchanged(key.head(it.entity_id), it.version)] : []))
    return { result: 1, writes: [...conditions, removeEntry(at)] }
  })

/** The records from which a derived item may follow; none for what follows from other things. */
function ownersOf(item: Stored, { pk, sk }: Key): string[] {
  const [list = '', ...rest] = pk.split('#')
  if (item.type === 'link') return records([item.from])
  if (list === 'ENTITY') return records(rest)
  if (list === 'RELATED') return records([rest[0], sk.split('#')[1]])
  return lists.has(list) ? records([item.entity_id]) : []
}

const lists = new Set(['NAME', 'ALIKE', 'IDENTIFIER', 'GRID'])

/** Ids of other things, such as people and clusters, carry no address. */
const records = (ids: readonly unknown[]): string[] =>
  ids.map(String).filter((id) => kindOfCode(addressOf(id)?.kindCode ?? 0) !== undefined)

const keyIn = ({ action }: Write): Key => keyOf(action.Put?.Item ?? {})

/** The id of the request that wrote it last is no part of it. */
function isStored({ action }: Write, stored: Stored | undefined): boolean {
  if (!stored) return false
  const { request_id: _, ...own } = stored
  const { request_id: __, ...wanted } = action.Put?.Item ?? {}
  return isDeepStrictEqual(plain(own), plain(wanted))
}

/** As the table gives it back: without members that are undefined. */
const plain = (it: object): unknown => JSON.parse(JSON.stringify(it))
