import { parse, put, type Write } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { get, queryAll, type Stored } from '../table/read.ts'
import { retryOnConflict } from '../table/retry.ts'
import {
  activity,
  assertion,
  decision,
  flag,
  type HistoryAudience,
  historyAudienceOf,
  type RecordItem,
  recordItem,
  toldOf,
  toldOfClaim,
  toldOfDecision,
  toldOfFlag,
} from './items.ts'

/**
 * Moves what happened to a record, and what is said of it, into the lists of those who may know of it now. It goes by what the
 * record is when this runs, not by the change that was heard, so that hearing it twice or late comes to the same.
 */
export async function moveHistory(old: RecordItem | undefined, next: RecordItem | undefined): Promise<void> {
  if (!old || !next || historyAudienceOf(old, true) === historyAudienceOf(next, true)) return
  const { pk } = key.head(next.entity_id)
  for (const { begins, move } of movers) for (const item of await queryAll(pk, begins)) await move(item, next)
}

type Told = { audience: HistoryAudience; entity_id: string; version: number }

/** What is told of a record: how its sort keys begin, and how it is read, placed and written. */
type Mover<T extends Told> = {
  begins: string
  read: (stored: Stored) => T
  load: (it: T) => Promise<T | undefined>
  told: (it: T, about: RecordItem) => T
  write: (next: T, old: T) => Write
}

/** Moves an item, unless it is where it belongs. The record is read again with it, since it may have changed since. */
const moverOf = <T extends Told>({ begins, read, load, told, write }: Mover<T>) => ({
  begins,
  move: async (stored: Stored, heard: RecordItem): Promise<void> => {
    const it = read(stored)
    if (told(it, heard).audience === it.audience) return
    await retryOnConflict(
      async () => {
        const [old, about] = await Promise.all([load(it), get(recordItem, it)])
        const next = old && about && told({ ...old, version: old.version + 1 }, about)
        return { result: undefined, writes: next && next.audience !== old.audience ? [write(next, old)] : [] }
      },
      { attempts: 10 },
    )
  },
})

const movers = [
  moverOf({
    begins: 'ACTIVITY#',
    read: (it) => parse(activity, it),
    load: (it) => get(activity, it),
    told: toldOf,
    write: (next, old) => put(activity, next, old),
  }),
  moverOf({
    begins: 'DECISION#',
    read: (it) => parse(decision, it),
    load: (it) => get(decision, it),
    told: toldOfDecision,
    write: (next, old) => put(decision, next, old),
  }),
  moverOf({
    begins: 'HEAD#ASSERTION#',
    read: (it) => parse(assertion, it),
    load: (it) => get(assertion, it),
    told: toldOfClaim,
    write: (next, old) => put(assertion, next, old),
  }),
  moverOf({
    begins: 'FLAG#',
    read: (it) => parse(flag, it),
    load: (it) => get(flag, it),
    told: toldOfFlag,
    write: (next, old) => put(flag, next, old),
  }),
]
