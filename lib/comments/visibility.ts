import { type RecordItem, recordItem } from '../records/items.ts'
import { amended, parse, put } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { get, walkTable } from '../table/read.ts'
import { retryOnConflict } from '../table/retry.ts'
import { type Comment, comment } from './items.ts'
import { commentAudienceOf } from './on-records.ts'

/**
 * Moves the comments on a record into the lists of those who see it now. It goes by what the record is when this runs,
 * not by the change that was heard, so that hearing it twice or late comes to the same.
 */
export async function moveComments(old: RecordItem | undefined, next: RecordItem | undefined): Promise<void> {
  if (!old || !next || commentAudienceOf(old) === commentAudienceOf(next)) return
  await placeComments(next.entity_id)
}

/** Puts all comments on a record into the lists of those who see it now. */
export async function placeComments(entity_id: string): Promise<void> {
  const { pk } = key.comment(`ENTITY#${entity_id}`, { id: 0, root: 0, place: 0 })
  for (let beyond: string | undefined; ; ) {
    const items = await walkTable({ pk, forward: true, limit: AT_ONCE, beyond })
    await Promise.all(items.map((item) => follow(entity_id, parse(comment, item))))
    beyond = items.at(-1) && String(items.at(-1)?.sk)
    if (items.length < AT_ONCE) return
  }
}

const AT_ONCE = 20

const follow = (entity_id: string, read: Comment): Promise<void> =>
  retryOnConflict(
    async (attempt) => {
      const old = attempt === 1 ? read : await get(comment, read)
      const about = await get(recordItem, { entity_id })
      const standing = about && commentAudienceOf(about)
      const moved = old && standing && old.standing !== standing
      return { result: undefined, writes: moved ? [put(comment, amended<Comment>(old, { standing }), old)] : [] }
    },
    { attempts: 10 },
  )
