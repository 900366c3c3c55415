import { isDeepStrictEqual } from 'node:util'
import { now } from '../../base/clock.ts'
import { isConflict } from '../../base/errors.ts'
import type { Plan } from '../../engines/table/index.ts'
import { countKeys, get, getMany, itemAt, itemIn, put, type Stored, sumOf } from '../../engines/table/index.ts'
import { inUnit } from '../../platform/unit-of-work.ts'

import { keyOf, type User, userOf } from '../../platform/users/users.ts'
import { forkTagNames, forkTags } from '../forks/items.ts'
import { type BoardEntry, boardEntry, countWrites, figureLists, type Profile, rowChanges, takenForks } from './items.ts'
import { closeTree } from './order-statistic-tree.ts'
import { monthBefore, monthOf, moveToMonth, positionsFor } from './score.ts'
import type { Figures } from './tally.ts'

/** Attempts of one update. Another process may update the same person at the same time. */
const ATTEMPTS = 8

/**
 * Updates a person's figures, rows and counts on every board, in one transaction. It reads the present sizes of the lists, so it
 * may run late, twice or out of order. The first call in a month closes the month before. A person without figures gets an entry
 * only with `always`. Returns the entry.
 */
export async function refreshFigures(user_id: string, { always = false } = {}): Promise<BoardEntry | undefined> {
  return inUnit(async (unit) => {
    unit.retryOn('conflict', ATTEMPTS)
    // The entry is read first. So the sizes read after it are never older than the sizes from which the entry was made.
    const old = await get(boardEntry, { user_id })
    const found = await getMany(sourcesOf(user_id), true)
    return unit.addPlan(await planRefresh(user_id, old, found, always))
  })
}

/**
 * Reads the lists of several people together: two calls for about five people. Returns a function that updates the figures of one of them.
 * After a conflict, the function reads the person's lists again.
 */
export async function prepareRefresh(user_ids: readonly string[]): Promise<(user_id: string) => Promise<void>> {
  const entries = await getMany(
    user_ids.map((user_id) => boardEntry.key({ user_id })),
    true,
  )
  const found = await getMany(user_ids.flatMap(sourcesOf), true)
  return async (user_id) => {
    try {
      await inUnit(async (unit) => {
        return unit.addPlan(await planRefresh(user_id, itemIn(entries, boardEntry, { user_id }), found, false))
      })
    } catch (error) {
      if (!isConflict(error)) throw error
      await refreshFigures(user_id)
    }
  }
}

/** The other items from which a person's figures are computed: the account and the sizes of lists. */
const sourcesOf = (user_id: string) => [keyOf(user_id), ...countKeys(listsOf(user_id))]

async function planRefresh(
  user_id: string,
  old: BoardEntry | undefined,
  found: ReadonlyMap<string, Stored>,
  always: boolean,
): Promise<Plan<BoardEntry | undefined>> {
  const next = buildEntry(user_id, old, found)
  if (!old && !always && Object.values(next.tally).every((n) => n === 0)) return { result: undefined, writes: [] }
  if (old && isUnchanged(old, next)) return { result: old, writes: [] }
  await closeMonth(monthBefore(next.month))
  const { rows, counts } = rowChanges(old, next)
  return { result: next, writes: [put(boardEntry, next, old), ...rows, ...countWrites(counts)] }
}

/** Stores the ranks at the end of a month, once. */
export async function closeMonth(month: string): Promise<void> {
  if (closedMonth === month) return
  await closeTree('overall', month)
  closedMonth = month
}

/** The last month that this process has closed. */
// prove: memory
let closedMonth = ''

const listsOf = (user: string) => [...new Set(Object.values(figureLists).flatMap((of) => of(user)))]

function buildEntry(user_id: string, old: BoardEntry | undefined, found: ReadonlyMap<string, Stored>): BoardEntry {
  const at = now()
  const month = monthOf(at)
  const stored = itemAt(found, keyOf(user_id))
  const user = stored && userOf(stored)
  const before = old ? moveToMonth(old, month) : { month, closings: [] }
  const is_active = user?.is_active ?? false
  const tally = figuresIn(user_id, found)
  return {
    user_id,
    face: user ? profileOnBoard(user) : (old?.face ?? emptyProfile),
    is_active,
    tally,
    standing: is_active ? positionsFor(tally) : {},
    month: before.month,
    closings: [...before.closings],
    updated_at: at,
    version: (old?.version ?? 0) + 1,
  }
}

const figuresIn = (user: string, found: ReadonlyMap<string, Stored>): Figures => {
  const size = (name: keyof Figures) => sumOf(figureLists[name](user), found)
  return {
    entities: size('entities'),
    accepted_entities: size('accepted_entities'),
    rejected_entities: size('rejected_entities'),
    reviews: size('reviews'),
    revisions: size('revisions'),
    submissions: size('submissions'),
    accepted_submissions: size('accepted_submissions'),
    rejected_submissions: size('rejected_submissions'),
    forks: size('forks'),
    merged_forks: size('merged_forks'),
    fork_points: forkTagNames
      .map((tag) => forkTags[tag].points * sumOf(takenForks(user, tag), found))
      .reduce((sum, points) => sum + points, 0),
  }
}

/** The members of a person that boards show. Every one is in the public profile, too. */
export const profileOnBoard = (user: User): Profile => ({
  username: user.username,
  full_name: [user.first_name, user.middle_name, user.last_name].filter(Boolean).join(' '),
  institution: user.organization.trim(),
  country: user.country,
  profile_image: user.profile_image,
  avatar_url: user.avatar_url,
  date_joined: user.date_joined,
})
const emptyProfile: Profile = {
  username: '',
  full_name: '',
  institution: '',
  country: '',
  profile_image: '',
  avatar_url: '',
  date_joined: '',
}

/** Whether nothing has to be written. A new month alone does not count as a change: `moveToMonth` derives it from the old entry. */
const isUnchanged = (old: BoardEntry, next: BoardEntry) => isDeepStrictEqual(comparedParts(old), comparedParts(next))
const comparedParts = ({ face, is_active, tally, standing }: BoardEntry) => ({ face, is_active, tally, standing })
