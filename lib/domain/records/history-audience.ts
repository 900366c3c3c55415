import { splitIntoParts } from '../../base/concurrency.ts'
import { type HistoryAudience, historyAudienceOf } from '../../base/visibility.ts'
import {
  getMany,
  itemAt,
  type Key,
  keyOf,
  parse,
  place,
  put,
  queryAllBetween,
  type Stored,
  type Write,
} from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { inUnit } from '../../platform/unit-of-work.ts'
import { audienceOfClaims, claimPack, unpackClaims } from './claim-packs.ts'
import {
  activity,
  decision,
  flag,
  type RecordItem,
  recordItem,
  withActivityAudience,
  withDecisionAudience,
  withFlagAudience,
} from './items.ts'

/** The items that have an audience, and the head, have sort keys between these. `$` is the character after `#`. */
const [FIRST_SORT_KEY, LAST_SORT_KEY] = ['ACTIVITY#', 'HEAD#CLAIMS$']
/** A transaction has 100 actions, and an item that moves also changes the counters of its lists. */
const ITEMS_IN_TRANSACTION = 20

/**
 * Moves the history of a record to the lists of its new audience. It compares with the present record, so it may run twice
 * or late. Costs one query, and one transaction for each twenty items that move.
 */
export async function moveHistory(old: RecordItem | undefined, next: RecordItem | undefined): Promise<void> {
  if (!old || !next || historyAudienceOf(old, true) === historyAudienceOf(next, true)) return
  const head = key.head(next.entity_id)
  const items = await queryAllBetween(head.pk, FIRST_SORT_KEY, LAST_SORT_KEY)
  const loaded = new Map(items.map((item) => [place(keyOf(item)), item]))
  const moving = items.filter((item) => moveWrite(item, itemAt(loaded, head))).map(keyOf)
  for (const keys of splitIntoParts(moving, ITEMS_IN_TRANSACTION)) await moveItems(head, keys, loaded)
}

/** Moves items in one transaction. After a conflict the record and the items are read again. */
const moveItems = (head: Key, keys: readonly Key[], loaded: ReadonlyMap<string, Stored>): Promise<void> =>
  inUnit(async (unit) => {
    unit.retryOn('conflict', 10)
    const items = unit.attempt === 1 ? loaded : await getMany([head, ...keys], true)
    const writes = keys.flatMap((key) => moveWrite(itemAt(items, key), itemAt(items, head)) ?? [])
    unit.add(writes)
  })

/** The write that moves an item. Undefined if its audience is right already, or if the record does not exist. */
const moveWrite = (stored: Stored | undefined, head: Stored | undefined): Write | undefined =>
  stored && head && movers[String(stored.type)]?.(stored, parse(recordItem, head))

type HistoryItem = { audience: HistoryAudience; entity_id: string; version: number }

type Mover<T extends HistoryItem> = {
  read: (stored: Stored) => T
  withAudience: (it: T, about: RecordItem) => T
  write: (next: T, old: T) => Write
}

const moverOf =
  <T extends HistoryItem>({ read, withAudience, write }: Mover<T>) =>
  (stored: Stored, about: RecordItem): Write | undefined => {
    const old = read(stored)
    const next = withAudience({ ...old, version: old.version + 1 }, about)
    return next.audience === old.audience ? undefined : write(next, old)
  }

const movers: Readonly<Record<string, (stored: Stored, about: RecordItem) => Write | undefined>> = {
  [activity.type]: moverOf({
    read: (it) => parse(activity, it),
    withAudience: withActivityAudience,
    write: (next, old) => put(activity, next, old),
  }),
  [decision.type]: moverOf({
    read: (it) => parse(decision, it),
    withAudience: withDecisionAudience,
    write: (next, old) => put(decision, next, old),
  }),
  [claimPack.type]: moverOf({
    read: (it) => parse(claimPack, it),
    withAudience: (it, about) => ({ ...it, audience: audienceOfClaims(unpackClaims(it), about) }),
    write: (next, old) => put(claimPack, next, old),
  }),
  [flag.type]: moverOf({
    read: (it) => parse(flag, it),
    withAudience: withFlagAudience,
    write: (next, old) => put(flag, next, old),
  }),
}
