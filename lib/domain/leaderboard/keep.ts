import { isDeepStrictEqual } from 'node:util'
import { now } from '../../base/clock.ts'
import { isConflict } from '../../base/errors.ts'
import type { Plan } from '../../engines/table/index.ts'
import { countKeys, get, getMany, itemAt, itemIn, put, type Stored, sumOf } from '../../engines/table/index.ts'
import { inUnit } from '../../platform/unit-of-work.ts'

import { keyOf, type User, userOf } from '../../platform/users/users.ts'
import { type Entry, entry, numberWrites, type Profile, rowChanges, tallies } from './items.ts'
import { closeTree } from './order-statistic-tree.ts'
import { monthBefore, monthOf, moveToMonth, positionsFor } from './score.ts'
import type { Tally } from './tally.ts'

const ATTEMPTS = 8

/**
 * Updates a person's figures, rows and counts on every board, in one transaction. It reads what the lists hold now, so it may run
 * late, twice or out of order. The first call in a month closes the month before. A person without figures gets an entry only
 * with `always`.
 */
export async function refreshFigures(user_id: string, { always = false } = {}): Promise<Entry | undefined> {
  return inUnit(async (unit) => {
    unit.retryOn('conflict', ATTEMPTS)
    // The entry is read first. So the sizes read after it are never older than those that it was written from.
    const old = await get(entry, { user_id })
    const found = await getMany(sourcesOf(user_id), true)
    return unit.addPlan(await planOf(user_id, old, found, always))
  })
}

/**
 * Reads the lists of several people together: two calls for about five people. Returns a function that updates the figures of one
 * person. If somebody else updated them meanwhile, they are read anew.
 */
export async function figuresOf(user_ids: readonly string[]): Promise<(user_id: string) => Promise<void>> {
  const entries = await getMany(
    user_ids.map((user_id) => entry.key({ user_id })),
    true,
  )
  const found = await getMany(user_ids.flatMap(sourcesOf), true)
  return async (user_id) => {
    try {
      await inUnit(async (unit) => {
        return unit.addPlan(await planOf(user_id, itemIn(entries, entry, { user_id }), found, false))
      })
    } catch (error) {
      if (!isConflict(error)) throw error
      await refreshFigures(user_id)
    }
  }
}

/** The items that a person's figures are computed from, besides the entry. */
const sourcesOf = (user_id: string) => [keyOf(user_id), ...countKeys(listsOf(user_id))]

async function planOf(
  user_id: string,
  old: Entry | undefined,
  found: ReadonlyMap<string, Stored>,
  always: boolean,
): Promise<Plan<Entry | undefined>> {
  const next = entryOf(user_id, old, found)
  if (!old && !always && Object.values(next.tally).every((n) => n === 0)) return { result: undefined, writes: [] }
  if (old && isUnchanged(old, next)) return { result: old, writes: [] }
  await closeMonth(monthBefore(next.month))
  const { rows, numbers } = rowChanges(old, next)
  return { result: next, writes: [put(entry, next, old), ...rows, ...numberWrites(numbers)] }
}

/** Stores the ranks at the end of a month, once. */
export async function closeMonth(month: string): Promise<void> {
  if (closedMonth === month) return
  await closeTree('overall', month)
  closedMonth = month
}

/** The month that this process knows to be closed. */
// prove: memory
let closedMonth = ''

const listsOf = (user: string) => [...new Set(Object.values(tallies).flatMap((of) => of(user)))]

function entryOf(user_id: string, old: Entry | undefined, found: ReadonlyMap<string, Stored>): Entry {
  const at = now()
  const month = monthOf(at)
  const stored = itemAt(found, keyOf(user_id))
  const user = stored && userOf(stored)
  const before = old ? moveToMonth(old, month) : { month, closings: [] }
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

/** How a person is shown on boards. Every member is in the public profile too. */
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

/** Whether there is nothing to write. A new month alone is no change, since `moveToMonth` derives it from the old entry. */
const isUnchanged = (old: Entry, next: Entry) => isDeepStrictEqual(comparedParts(old), comparedParts(next))
const comparedParts = ({ face, is_active, tally, standing }: Entry) => ({ face, is_active, tally, standing })
