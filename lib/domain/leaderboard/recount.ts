import { isDeepStrictEqual } from 'node:util'
import type { Images } from '../../engines/table/index.ts'
import { get, parse, type Stored } from '../../engines/table/index.ts'
import { userOf } from '../../platform/users/users.ts'
import { fork } from '../forks/items.ts'
import { decision, listsOf, recordItem, revision, visibilityOf } from '../records/items.ts'
import { boardEntry } from './items.ts'
import { profileOnBoard } from './keep.ts'

/** Finds the people whose figures a change of the table may affect. Most changes affect nobody. */
export const peopleConcernedBy = async (type: string, images: Images): Promise<string[]> => [
  ...new Set(await peopleByType[type]?.(images)),
]

/** The item types whose changes may change figures. */
export const boardTypes = (): string[] => Object.keys(peopleByType)

/** For each item type, the people whose figures a change may change. */
const peopleByType: Readonly<Record<string, (images: Images) => Promise<string[]>>> = {
  record: async ({ before, after }) => {
    const [old, next] = [listIn(before), listIn(after)]
    return old?.list === next?.list ? [] : [old, next].flatMap((it) => it?.user ?? [])
  },

  // The first revision is written with its record and counts as part of it.
  revision: async (images) => {
    const stored = newOrDeleted(images)
    const changed = stored && parse(revision, stored)
    return changed && changed.revision_number > 1 ? [changed.created_by] : []
  },

  submission: async ({ before, after }) => [before, after].flatMap((it) => (it ? String(it.contributor_id) : [])),

  decision: async (images) => {
    const stored = newOrDeleted(images)
    return stored ? [parse(decision, stored).reviewer_id] : []
  },

  fork: async ({ before, after }) => {
    const [old, next] = [before, after].map((it) => it && parse(fork, it))
    return old?.state === next?.state ? [] : [old, next].flatMap((it) => it?.forked_by ?? [])
  },

  /** Boards show names, institutions and images, and leave out inactive people. */
  user: async ({ before, after }) => {
    if (!before || !after) return []
    const [old, next] = [userOf(before), userOf(after)]
    const same = old.is_active === next.is_active && isDeepStrictEqual(profileOnBoard(old), profileOnBoard(next))
    return !same && (await get(boardEntry, { user_id: next.id })) ? [next.id] : []
  },
}

/** The item that a change created, or that it deleted, as a rollback does. Undefined if the item was only updated. */
const newOrDeleted = ({ before, after }: Images): Stored | undefined =>
  before && after ? undefined : (after ?? before)

/** The contributor's list in which a record is counted. */
function listIn(stored: Stored | undefined): { user: string; list: string } | undefined {
  const record = stored && parse(recordItem, stored)
  if (!record || record.deleted_at) return undefined
  return { user: record.contributor_id, list: listsOf.owner(record.contributor_id, visibilityOf(record)) }
}
