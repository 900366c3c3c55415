import { isDeepStrictEqual } from 'node:util'
import { decision, listsOf, recordItem, revision, visibilityOf } from '../records/items.ts'
import { parse } from '../table/item.ts'
import { get, type Stored } from '../table/read.ts'
import type { Images } from '../table/stream.ts'
import { userOf } from '../users/users.ts'
import { entry } from './items.ts'
import { profileOf } from './keep.ts'

/** Those whose figures a change of an item may change, for `refreshFigures`; nobody of most items. */
export const concernedBy = async (type: string, images: Images): Promise<string[]> => [
  ...new Set(await concerned[type]?.(images)),
]

/** The types of items whose changes change figures. */
export const countedTypes = (): string[] => Object.keys(concerned)

/** By item type, whose figures a change may change. */
const concerned: Readonly<Record<string, (images: Images) => Promise<string[]>>> = {
  record: async ({ before, after }) => {
    const [old, next] = [listIn(before), listIn(after)]
    return old?.list === next?.list ? [] : [old, next].flatMap((it) => it?.user ?? [])
  },

  // The first revision comes with its record, and goes with it.
  revision: async (images) => {
    const it = comeOrGone(images)
    const one = it && parse(revision, it)
    return one && one.revision_number > 1 ? [one.created_by] : []
  },

  submission: async ({ before, after }) => [before, after].flatMap((it) => (it ? String(it.contributor_id) : [])),

  decision: async (images) => {
    const it = comeOrGone(images)
    return it ? [parse(decision, it).reviewer_id] : []
  },

  /** Who has figures is shown with name, institution and image; who is inactive is not shown. */
  user: async ({ before, after }) => {
    if (!before || !after) return []
    const [old, next] = [userOf(before), userOf(after)]
    const same = old.is_active === next.is_active && isDeepStrictEqual(profileOf(old), profileOf(next))
    return !same && (await get(entry, { user_id: next.id })) ? [next.id] : []
  },
}

/** What a change has made, or taken away as the rollback of a merge does; undefined where it was there and still is. */
const comeOrGone = ({ before, after }: Images): Stored | undefined => (before && after ? undefined : (after ?? before))

/** The list of its contributor in which a record is counted. */
function listIn(stored: Stored | undefined): { user: string; list: string } | undefined {
  const it = stored && parse(recordItem, stored)
  if (!it || it.deleted_at) return undefined
  return { user: it.contributor_id, list: listsOf.owner(it.contributor_id, visibilityOf(it)) }
}
