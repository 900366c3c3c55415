import { isDeepStrictEqual } from 'node:util'
import { outdate } from '../cache/cached.ts'
import { now } from '../clock.ts'
import { monthBefore, monthOf, standingFor, type Tally, turned } from '../domain/score.ts'
import { conflict, isConflict } from '../errors.ts'
import { put } from '../table/item.ts'
import { countKeys, get, getMany, itemAt, type Stored, sumOf } from '../table/read.ts'
import { transact } from '../table/write.ts'
import { type Entry, entry, type Face, moves, numberWrites, tallies } from './board-items.ts'
import { closeTree } from './board-tree.ts'
import { keyOf, type User, userOf } from './users.ts'

const ATTEMPTS = 8

/**
 * Brings a person's figures, and with them the rows and counts of every board, up to what the person's lists hold, in one
 * transaction. Because it looks at what is, and not at what has happened, it may run late, twice or out of order. The
 * first time in a month, the month before is closed. Someone without any figures gets an entry only with `always`.
 */
export async function refresh(user_id: string, { always = false } = {}): Promise<Entry | undefined> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    // The entry first: what is counted after it is no older than what it was written from.
    const old = await get(entry, { user_id })
    const found = await getMany([keyOf(user_id), ...countKeys(listsOf(user_id))], true)
    const next = entryOf(user_id, old, found)
    if (!old && !always && Object.values(next.tally).every((n) => n === 0)) return undefined
    if (old && sameBut(old, next)) return old
    await closeMonth(monthBefore(next.month))
    try {
      const { rows, numbers } = moves(old, next)
      await transact([put(entry, next, old), ...rows, ...numberWrites(numbers)])
      await outdate([entry.type])
      return next
    } catch (error) {
      // Somebody else was faster, with what may be older counts.
      if (!isConflict(error)) throw error
    }
  }
  throw conflict()
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
    face: user ? faceOf(user) : (old?.face ?? nobody),
    is_active,
    tally,
    standing: is_active ? standingFor(tally) : {},
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
export const faceOf = (it: User): Face => ({
  username: it.username,
  full_name: [it.first_name, it.middle_name, it.last_name].filter(Boolean).join(' '),
  institution: it.organization.trim(),
  country: it.country,
  profile_image: it.profile_image,
  avatar_url: it.avatar_url,
  date_joined: it.date_joined,
})
const nobody: Face = {
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
