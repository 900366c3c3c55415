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

/** The sort keys between these hold all that can move, and the head. `$` is the character after `#`. */
const [FIRST, LAST] = ['ACTIVITY#', 'HEAD#CLAIMS$']
/** A transaction takes 100 writes, and an item that moves also changes the counters of its lists. */
const AT_ONCE = 20

/**
 * Moves the history of a record to the lists of its new audience. It compares with the record as it is now, so it may
 * run twice or late. Calls: one query, and one transaction for each twenty items that move.
 */
export async function moveHistory(old: RecordItem | undefined, next: RecordItem | undefined): Promise<void> {
  if (!old || !next || historyAudienceOf(old, true) === historyAudienceOf(next, true)) return
  const head = key.head(next.entity_id)
  const items = await queryAllBetween(head.pk, FIRST, LAST)
  const found = new Map(items.map((it) => [place(keyOf(it)), it]))
  const moving = items.filter((it) => moveWrite(it, itemAt(found, head))).map(keyOf)
  for (let start = 0; start < moving.length; start += AT_ONCE)
    await moveSome(head, moving.slice(start, start + AT_ONCE), found)
}

/** After a conflict the record and the items are read again. */
const moveSome = (head: Key, some: readonly Key[], found: ReadonlyMap<string, Stored>): Promise<void> =>
  inUnit(async (unit) => {
    unit.retryOn('conflict', 10)
    const now = unit.attempt === 1 ? found : await getMany([head, ...some], true)
    const writes = some.flatMap((each) => moveWrite(itemAt(now, each), itemAt(now, head)) ?? [])
    unit.add(writes)
  })

/** Returns undefined where nothing is to move: the audience is right already, or the record is gone. */
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
    const it = read(stored)
    const next = withAudience({ ...it, version: it.version + 1 }, about)
    return next.audience === it.audience ? undefined : write(next, it)
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
