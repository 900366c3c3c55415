import { mapAtOnce } from '../../base/concurrency.ts'
import { commitWrites } from '../../engines/table/immediate.ts'
import {
  get,
  getMany,
  itemIn,
  parse,
  put,
  type UnitOfWork,
  type Write,
  walk,
  withNextVersion,
} from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { inUnit } from '../../platform/unit-of-work.ts'
import { keepFile, loadPictureFile } from '../pictures/files.ts'
import { findLinksInto, seesLateLinks } from '../records/built-on.ts'
import { claimWrites } from '../records/claim-packs.ts'
import { checkWhole, type History, loadHistory } from '../records/history.ts'
import {
  activity,
  addToClaimCount,
  decision,
  MOST_RECENT,
  type RecordItem,
  recordItem,
  recordItemOf,
  revision,
} from '../records/items.ts'
import { queueWrites } from '../records/queue-entry.ts'
import { type ProjectSnapshot, projectActivity, projectSnapshot, SECOND_LOOK } from './items.ts'
import { addedPictures, claimBefore, isUntouched, nameKept, unchangedMembers } from './merge-restore.ts'
import { type AcceptedRecord, readRecords, readSnapshot } from './snapshots.ts'

/**
 * The second look of a rollback. A rollback knows a link only once the projector has followed it, and a large rollback takes minutes. So
 * somebody may link to a record at the moment when it goes. Once the projector has followed that moment, such a record is accepted again,
 * as after the merge. A record that somebody has changed or decided on since stays as it is.
 */

/** The most rollbacks of one visit of the sweeper. */
const MOST_A_VISIT = 50
const RECORDS_AT_ONCE = 8

/** A record that a rollback hid is accepted again if other records link to it. Returns the number of these records. Safe to repeat. */
export async function returnWhatIsLinked(): Promise<number> {
  const due = (await walk({ index: 'gsi2', pk: SECOND_LOOK, forward: true, limit: MOST_A_VISIT })).map((it) =>
    parse(projectSnapshot, it),
  )
  let returned = 0
  for (const it of due) if (await seesLateLinks(it.restored_at ?? '')) returned += await lookAgain(it)
  return returned
}

async function lookAgain(rollback: ProjectSnapshot): Promise<number> {
  const snapshot = await readSnapshot(rollback)
  const going = new Set(snapshot?.entities.map(({ entity_id }) => entity_id))
  let returned = 0
  for (const part of snapshot?.parts ?? []) {
    const linked = await linkedAmong(await readRecords(part), going)
    // One after the other, since each is noted in the same activity.
    for (const it of linked) if (await returnRecord(it, rollback, going)) returned += 1
  }
  await commitWrites([put(projectSnapshot, withNextVersion(rollback, { second_look: null }), rollback)])
  return returned
}

/** The records that the rollback has hidden, that have not changed since, and to which other records link. */
async function linkedAmong(records: readonly AcceptedRecord[], going: ReadonlySet<string>): Promise<AcceptedRecord[]> {
  const heads = await getMany(records.map(({ before }) => key.head(before.head.entity_id)))
  const waiting = records.filter(({ before }) => {
    const head = itemIn(heads, recordItem, before.head)
    return head && !head.public && isUntouched(head, before.head)
  })
  const looks = await mapAtOnce(waiting, RECORDS_AT_ONCE, async (it) => {
    const { reasons } = await findLinksInto(it.before.head, going)
    return reasons.length > 0 ? it : undefined
  })
  return looks.filter((it) => it !== undefined)
}

/** Accepts a record as it was after the merge, and names it in the activity of the rollback. Returns whether it came back. */
const returnRecord = (it: AcceptedRecord, rollback: ProjectSnapshot, going: ReadonlySet<string>): Promise<boolean> =>
  inUnit(async (unit) => {
    unit.retryOn('conflict')
    const current = await loadHistory(it.before.head.entity_id)
    if (!current || !isUntouched(current, it.before.head)) return false
    checkWhole(current)
    const [{ reasons }, files] = await Promise.all([findLinksInto(current, going), keptFiles(it)])
    if (reasons.length === 0 || !files || !it.added) return false
    unit.add([...returnWrites(current, it, it.added), ...files])
    await noteKept(unit, rollback, current.entity_id, reasons)
    return true
  })

/** The writes that keep the picture files of the merge. Undefined if a file has been deleted since. */
async function keptFiles(it: AcceptedRecord): Promise<Write[] | undefined> {
  const files = await Promise.all(addedPictures(it).map(loadPictureFile))
  const found = files.filter((file) => file !== undefined)
  return found.length < files.length
    ? undefined
    : found.flatMap((file) => (file.until === null ? [] : [keepFile(file)]))
}

/** The writes that give a record its state after the merge again. What others have added since stays. */
function returnWrites(
  it: History,
  { before, after, activity_ids }: AcceptedRecord,
  added: NonNullable<AcceptedRecord['added']>,
): Write[] {
  const current = recordItemOf(it)
  const known = new Set(it.assertions.map(({ id }) => id))
  const old = new Set(before.assertions.map(({ id }) => id))
  const claims = [
    ...it.assertions.flatMap(claimBefore(after, before)),
    ...after.assertions.filter(({ id }) => !known.has(id) && !old.has(id)),
  ]
  const ofMerge = after.head.recent_activities.filter(({ activity_id }) => activity_ids.includes(activity_id))
  const recent = [...ofMerge, ...current.recent_activities].sort((a, b) => (a.created_at < b.created_at ? 1 : -1))
  const next: RecordItem = {
    ...current,
    ...unchangedMembers(current, before.head, after.head),
    activity_count: current.activity_count + added.activities.length,
    recent_activities: recent.slice(0, MOST_RECENT),
    ...addToClaimCount(current, claims.length - it.assertions.length),
    contributor: current.contributor,
    version: current.version + 1,
  }
  return [
    put(recordItem, next, current),
    ...queueWrites(current, next),
    ...added.decisions.map((each) => put(decision, each, undefined)),
    ...added.activities.map((each) => put(activity, each, undefined)),
    ...added.revisions.map((each) => put(revision, each, undefined)),
    ...claimWrites(it.assertions, claims, next),
  ]
}

/** Adds a record that came back to those that the activity of the rollback names as left. */
async function noteKept(
  unit: UnitOfWork,
  { project_id, second_look }: ProjectSnapshot,
  entity_id: string,
  reasons: readonly string[],
): Promise<void> {
  const old = await get(projectActivity, { project_id, number: second_look ?? 0 })
  if (!old) return
  const payload = { ...old.payload, ...nameKept(old.payload, new Map([[entity_id, reasons]])) }
  unit.add([put(projectActivity, withNextVersion(old, { payload }), old)])
}
