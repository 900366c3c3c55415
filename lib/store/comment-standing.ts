import { amended, parse, put } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { get, walkTable } from '../table/read.ts'
import { transact } from '../table/write.ts'
import { asRead, persistently } from './again.ts'
import { type Comment, comment } from './comments.ts'
import { commentStandingOf } from './entity-comments.ts'
import { type Head, head } from './record-items.ts'

/**
 * Moves the comments on a record into the lists of those who see it now. It goes by what the record is when this runs,
 * not by the change that was heard, so that hearing it twice or late comes to the same.
 */
export async function followStanding(old: Head | undefined, next: Head | undefined): Promise<void> {
  if (!old || !next || commentStandingOf(old) === commentStandingOf(next)) return
  const { pk } = key.comment(`ENTITY#${next.entity_id}`, { id: 0, root: 0, place: 0 })
  for (let beyond: string | undefined; ; ) {
    const items = await walkTable({ pk, forward: true, limit: AT_ONCE, beyond })
    await Promise.all(items.map((item) => follow(next.entity_id, parse(comment, item))))
    beyond = items.at(-1) && String(items.at(-1)?.sk)
    if (items.length < AT_ONCE) return
  }
}

const AT_ONCE = 20

function follow(entity_id: string, read: Comment): Promise<void> {
  const latest = asRead(read, () => get(comment, read))
  return persistently(async () => {
    const [old, about] = [await latest(), await get(head, { entity_id })]
    const standing = about && commentStandingOf(about)
    if (old && standing && old.standing !== standing)
      await transact([put(comment, amended<Comment>(old, { standing }), old)])
  }, 10)
}
