import { isDeepStrictEqual } from 'node:util'
import { now } from '../clock.ts'
import { commitPlan } from '../commit.ts'
import { isConflict } from '../errors.ts'
import { countKeys, sumOf } from '../table/counters.ts'
import { put } from '../table/item.ts'
import { get, getMany, itemAt, itemIn, type Stored } from '../table/read.ts'
import type { Plan } from '../table/retry.ts'
import { keyOf, type User, userOf } from '../users/users.ts'
import { type Entry, entry, moves, numberWrites, type Profile, tallies } from './items.ts'
import { closeTree } from './order-statistic-tree.ts'
import { monthBefore, monthOf, positionsFor, turned } from './score.ts'
import type { Tally } from './tally.ts'

const ATTEMPTS = 8

/**
 * Brings a person's figures, and with them the rows and counts of every board, up to what the person's lists hold, in one
 * transaction. Because it looks at what is, and not at what has happened, it may run late, twice or out of order. The
 * first time in a month, the month before is closed. Someone without any figures gets an entry only with `always`.
 */
export async function refreshFigures(user_id: string, { always = false } = {}): Promise<Entry | undefined> {
  return commitPlan(async () => {
    // The entry first: what is counted after it is no older than what it was written from.
    const old = await get(entry, { user_id })
    const found = await getMany(sourcesOf(user_id), true)
    return planOf(user_id, old, found, always)
  }, ATTEMPTS)
}

/**
 * Reads what the figures of several people are made of, in two calls for some five of them, and answers what brings the figures of each up to
 * that, by one transaction where something has changed. Whom others have counted meanwhile is counted anew.
 */
export async function figuresOf(user_ids: readonly string[]): Promise<(user_id: string) => Promise<void>> {
  const entries = await getMany(
    user_ids.map((user_id) => entry.key({ user_id })),
    true,
  )
  const found = await getMany(user_ids.flatMap(sourcesOf), true)
  return async (user_id) => {
    try {
      await commitPlan(() => planOf(user_id, itemIn(entries, entry, { user_id }), found, false), 1)
    } catch (error) {
      if (!isConflict(error)) throw error
      await refreshFigures(user_id)
    }
  }
}

/** What someone's figures are made of, besides the entry. */
const sourcesOf = (user_id: string) => [keyOf(user_id), ...countKeys(listsOf(user_id))]

async function planOf(
  user_id: string,
  old: Entry | undefined,
  found: ReadonlyMap<string, Stored>,
  always: boolean,
): Promise<Plan<Entry | undefined>> {
  const next = entryOf(user_id, old, found)
  if (!old && !always && Object.values(next.tally).every((n) => n === 0)) return { result: undefined, writes: [] }
  if (old && sameBut(old, next)) return { result: old, writes: [] }
  await closeMonth(monthBefore(next.month))
  const { rows, numbers } = moves(old, next)
  return { result: next, writes: [put(entry, next, old), ...rows, ...numberWrites(numbers)] }
}

/** Keeps the ranks of the end of a month, once. */
export async function closeMonth(month: string): Promise<void> {
  if (closed === month) return
  await closeTree('overall', month)
  closed = month
}

/** What this process knows to be closed. */
let closed = ''

const listsOf = (user: string) => [...new Set(Object.values(tallies).flatMap((of) => of(user)))]

function entryOf(user_id: string, old: Entry | undefined, found: ReadonlyMap<string, Stored>): Entry {
  const at = now()
  const month = monthOf(at)
  const stored = itemAt(found, keyOf(user_id))
  const user = stored && userOf(stored)
  const before = old ? turned(old, month) : { month, closings: [] }
  const is_active = user?.is_active ?? false
  const tally = tallyIn(user_id, found)
  return {
    user_id,
    face: user ? profileOf(user) : (old?.face ?? nobody),
    is_active,
    tally,
    standing: is_active ? positionsFor(tally) : {},
    month: before.month,
    closings: [...before.closings],
    updated_at: at,
    version: (old?.version ?? 0) + 1,
  }
}

const tallyIn = (user: string, found: ReadonlyMap<string, Stored>): Tally => {
  const size = (name: keyof Tally) => sumOf(tallies[name](user), found)
  return {
    entities: size('entities'),
    accepted_entities: size('accepted_entities'),
    rejected_entities: size('rejected_entities'),
    reviews: size('reviews'),
    revisions: size('revisions'),
    submissions: size('submissions'),
    accepted_submissions: size('accepted_submissions'),
    rejected_submissions: size('rejected_submissions'),
  }
}

/** How a person is shown: what the public profile shows as well. */
export const profileOf = (it: User): Profile => ({
  username: it.username,
  full_name: [it.first_name, it.middle_name, it.last_name].filter(Boolean).join(' '),
  institution: it.organization.trim(),
  country: it.country,
  profile_image: it.profile_image,
  avatar_url: it.avatar_url,
  date_joined: it.date_joined,
})
const nobody: Profile = {
  username: '',
  full_name: '',
  institution: '',
  country: '',
  profile_image: '',
  avatar_url: '',
  date_joined: '',
}

/** Whether there is nothing to write: a new month alone is no change, since it can be told from the old entry. */
const sameBut = (old: Entry, next: Entry) => isDeepStrictEqual(shownOf(old), shownOf(next))
const shownOf = ({ face, is_active, tally, standing }: Entry) => ({ face, is_active, tally, standing })
