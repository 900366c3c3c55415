import { get, parse, put, walkTable, withNextVersion } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { inUnit } from '../../platform/unit-of-work.ts'
import { type RecordItem, recordItem } from '../records/items.ts'
import { type Comment, comment } from './items.ts'
import { commentAudienceOf } from './on-records.ts'

/**
 * Moves the comments on a record into the lists of its audience, after the audience has changed. It reads the present record, so
 * it is safe to repeat and safe to run late.
 */
export async function moveComments(old: RecordItem | undefined, next: RecordItem | undefined): Promise<void> {
  if (!old || !next || commentAudienceOf(old) === commentAudienceOf(next)) return
  await placeComments(next.entity_id)
}

/** Puts all comments on a record into the lists of its present audience. */
export async function placeComments(entity_id: string): Promise<void> {
  const { pk } = key.comment(`ENTITY#${entity_id}`, { id: 0, root: 0, place: 0 })
  for (let beyond: string | undefined; ; ) {
    const items = await walkTable({ pk, forward: true, limit: MOVED_AT_ONCE, beyond })
    await Promise.all(items.map((item) => moveComment(entity_id, parse(comment, item))))
    beyond = items.at(-1) && String(items.at(-1)?.sk)
    if (items.length < MOVED_AT_ONCE) return
  }
}

/** Comments that are read with one query, and moved in parallel. */
const MOVED_AT_ONCE = 20

const moveComment = (entity_id: string, read: Comment): Promise<void> =>
  inUnit(async (unit) => {
    unit.retryOn('conflict', 10)
    const old = unit.attempt === 1 ? read : await get(comment, read)
    const about = await get(recordItem, { entity_id })
    const standing = about && commentAudienceOf(about)
    const moved = old && standing && old.standing !== standing
    if (moved) unit.add([put(comment, withNextVersion<Comment>(old, { standing }), old)])
  })
