import { mapAtOnce } from '../../base/concurrency.ts'
import { isDone } from '../../base/errors.ts'
import { builtInHistory, findLinksInto, seesLateLinks } from '../../domain/records/built-on.ts'
import { type History, loadHistory } from '../../domain/records/history.ts'
import { listsOf, recordVisibilities } from '../../domain/records/items.ts'
import { deleteRecord, restoreRecord } from '../../domain/records/write.ts'
import { walk } from '../../engines/table/index.ts'
import { inUnit } from '../../platform/unit-of-work.ts'
import { type Departure, dropRemoval, listRemovals, noteRemoval } from './items.ts'

/**
 * Deletes the contributions of a person who leaves, if the person wants this. A record stays if others have built on it, by links, claims,
 * edits, comments or pictures. The projector follows links a moment late. So a link to a record may succeed unseen just before the record
 * is deleted. Therefore each deleted record is looked at again, once the projector has followed all changes of that time.
 */

const RECORDS_IN_PAGE = 100
const RECORDS_AT_ONCE = 4

/** Deletes a person's records on which nobody else has built. */
export async function removeContributions(user_id: string): Promise<void> {
  for (const visibility of recordVisibilities) {
    const pk = listsOf.owner(user_id, visibility)
    for (let beyond: string | undefined; ; ) {
      const page = await walk({ index: 'gsi3', pk, forward: true, limit: RECORDS_IN_PAGE, beyond })
      await mapAtOnce(page, RECORDS_AT_ONCE, ({ entity_id }) => removeUnlessBuiltOn(String(entity_id), user_id))
      if (page.length < RECORDS_IN_PAGE) break
      beyond = String(page.at(-1)?.gsi3_sk)
    }
  }
}

/** The record stays if other people change it again and again meanwhile. */
const removeUnlessBuiltOn = (entity_id: string, user_id: string): Promise<boolean> =>
  isDone(
    inUnit(async (unit) => {
      unit.retryOn('conflict')
      const record = await loadHistory(entity_id)
      if (!record || record.deleted_at || record.contributor_id !== user_id || (await isBuiltOn(record))) return
      unit.add([noteRemoval({ user_id, entity_id, deleted_at: await deleteRecord(unit, record) })])
    }),
  )

/** Whether anybody but its contributor has edited, claimed, discussed, illustrated or decided on a record, or links to it. */
async function isBuiltOn(record: History): Promise<boolean> {
  const by = record.contributor_id
  const work = { by, revision: 1, at: record.created_at, isOwnDecision: () => true }
  if (record.revisions.some(({ created_by }) => created_by !== by) || builtInHistory(record, work).length > 0)
    return true
  return (await findLinksInto(record, new Set())).reasons.length > 0
}

/** Whether the projector has followed all that was written while contributions were deleted. */
export const isFollowed = ({ removed_at }: Departure): Promise<boolean> => seesLateLinks(removed_at ?? '')

/** Restores the records that were deleted because a person left, if somebody has built on them meanwhile. */
export async function restoreWhatIsBuiltOn(user_id: string): Promise<void> {
  const nextPage = () => listRemovals(user_id, RECORDS_IN_PAGE)
  for (let page = await nextPage(); page.length > 0; page = await nextPage())
    await mapAtOnce(page, RECORDS_AT_ONCE, (removal) =>
      inUnit(async (unit) => {
        unit.retryOn('conflict')
        const record = await loadHistory(removal.entity_id)
        // If staff restored the record and somebody deleted it again, that deletion stands.
        if (record?.deleted_at === removal.deleted_at && (await isBuiltOn(record))) await restoreRecord(unit, record)
        unit.add([dropRemoval(removal)])
      }),
    )
}
