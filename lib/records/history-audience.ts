import { parse, put, type Write } from '../table/item.ts'
import { type Key, key, keyOf, place } from '../table/keys.ts'
import { getMany, itemAt, queryAllBetween, type Stored } from '../table/read.ts'
import { retryOnConflict } from '../table/retry.ts'
import { audienceOfClaims, claimPack, unpacked } from './claim-packs.ts'
import {
  activity,
  decision,
  flag,
  type HistoryAudience,
  historyAudienceOf,
  type RecordItem,
  recordItem,
  toldOf,
  toldOfDecision,
  toldOfFlag,
} from './items.ts'

/** Between these sort keys of a record's partition lie activities, decisions, flags, the record itself and its claims. */
const [FIRST, LAST] = ['ACTIVITY#', 'HEAD#CLAIMS$']
/** So many are moved in one transaction, with the sizes of their lists. */
const AT_ONCE = 20

/**
 * Moves what happened to a record, and what is said of it, into the lists of those who may know of it now. It goes by what the
 * record is when this runs, not by the change that was heard, so that hearing it twice or late comes to the same. One query,
 * and one call for each twenty that move.
 */
export async function moveHistory(old: RecordItem | undefined, next: RecordItem | undefined): Promise<void> {
  if (!old || !next || historyAudienceOf(old, true) === historyAudienceOf(next, true)) return
  const head = key.head(next.entity_id)
  const items = await queryAllBetween(head.pk, FIRST, LAST)
  const found = new Map(items.map((it) => [place(keyOf(it)), it]))
  const moving = items.filter((it) => moved(it, itemAt(found, head))).map(keyOf)
  for (let start = 0; start < moving.length; start += AT_ONCE)
    await moveSome(head, moving.slice(start, start + AT_ONCE), found)
}

/** Moves some of what was found. It is read again with the record where another has changed it since. */
const moveSome = (head: Key, some: readonly Key[], found: ReadonlyMap<string, Stored>): Promise<void> =>
  retryOnConflict(
    async (attempt) => {
      const now = attempt === 1 ? found : await getMany([head, ...some], true)
      const writes = some.flatMap((each) => moved(itemAt(now, each), itemAt(now, head)) ?? [])
      return { result: undefined, writes }
    },
    { attempts: 10 },
  )

/** The write that moves an item to those who may know of it; undefined where it belongs, and where there is no record. */
const moved = (stored: Stored | undefined, head: Stored | undefined): Write | undefined =>
  stored && head && movers[String(stored.type)]?.(stored, parse(recordItem, head))

type Told = { audience: HistoryAudience; entity_id: string; version: number }

/** What is told of a record: how it is read, placed and written. */
type Mover<T extends Told> = {
  read: (stored: Stored) => T
  told: (it: T, about: RecordItem) => T
  write: (next: T, old: T) => Write
}

const moverOf =
  <T extends Told>({ read, told, write }: Mover<T>) =>
  (stored: Stored, about: RecordItem): Write | undefined => {
    const it = read(stored)
    const next = told({ ...it, version: it.version + 1 }, about)
    return next.audience === it.audience ? undefined : write(next, it)
  }

const movers: Readonly<Record<string, (stored: Stored, about: RecordItem) => Write | undefined>> = {
  [activity.type]: moverOf({
    read: (it) => parse(activity, it),
    told: toldOf,
    write: (next, old) => put(activity, next, old),
  }),
  [decision.type]: moverOf({
    read: (it) => parse(decision, it),
    told: toldOfDecision,
    write: (next, old) => put(decision, next, old),
  }),
  [claimPack.type]: moverOf({
    read: (it) => parse(claimPack, it),
    told: (it, about) => ({ ...it, audience: audienceOfClaims(unpacked(it), about) }),
    write: (next, old) => put(claimPack, next, old),
  }),
  [flag.type]: moverOf({
    read: (it) => parse(flag, it),
    told: toldOfFlag,
    write: (next, old) => put(flag, next, old),
  }),
}
