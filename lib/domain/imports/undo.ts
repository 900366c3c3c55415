import * as v from 'valibot'
import { now } from '../../base/clock.ts'
import { put, remove, type Write, withNextVersion } from '../../engines/table/index.ts'
import { indexWrites } from '../../platform/name-index/entries.ts'
import { inUnit } from '../../platform/unit-of-work.ts'
import { storedNameEntryOf } from '../records/build.ts'
import { claimWrites } from '../records/claim-packs.ts'
import { checkWhole, type History, loadHistory } from '../records/history.ts'
import {
  type Activity,
  Assertion,
  activity,
  addToClaimCount,
  decision,
  type Flag,
  flag,
  RecordItem,
  recordItem,
  recordItemOf,
  revision,
} from '../records/items.ts'
import { isWaiting, queueWrites } from '../records/queue-entry.ts'
import type { RowMark } from './items.ts'
import { getChunk, putChunk } from './store.ts'

/** A record before a row changed it. */
const RecordBefore = v.object({ head: RecordItem, assertions: v.array(Assertion) })
type RecordBefore = v.InferOutput<typeof RecordBefore>

/** Stores a record before a row changes it, so that the row can be undone. */
export const storeBefore = (id: string, row: number, before: RecordBefore): Promise<void> =>
  putChunk(id, 'before', row, before)
const loadBefore = (id: string, row: number): Promise<RecordBefore | undefined> =>
  getChunk(RecordBefore, id, 'before', row)

/** `nothing`: there was nothing to undo. `kept`: somebody has changed the record since, so it was left. */
export type UndoResult = 'undone' | 'nothing' | 'kept'

/**
 * Undoes what a row made, as a project's rollback does. A new record is deleted; a changed one gets its former values. A record
 * that somebody has changed since is left. With `pending`, only records that still wait for review are undone. Safe to repeat.
 */
export async function undoRow(mark: RowMark, pending: boolean): Promise<UndoResult> {
  const result = await (mark.what === 'created'
    ? undoCreated(mark.entity_id, mark, pending)
    : undoAmended(mark, pending))
  const named = await Promise.all(mark.named.map((id) => undoCreated(id, mark, pending)))
  return [result, ...named].includes('kept') ? 'kept' : result
}

/** Whether the current revision of the record is still the one that the row made. */
const isOfRow = ({ batch, current_revision }: RecordItem, { import_id, row }: RowMark) =>
  batch?.id === import_id && batch.row === row && batch.revision === current_revision

const undoCreated = (entity_id: string, mark: RowMark, pending: boolean): Promise<UndoResult> =>
  inUnit(async (unit) => {
    unit.retryOn('conflict')
    const record = await loadHistory(entity_id)
    if (!record || record.deleted_at) return 'nothing'
    if (pending && !isWaiting(record)) return 'nothing'
    if (!isOfRow(record, mark) || record.current_revision !== 1) return 'kept'
    const stored = recordItemOf(record)
    const time = now()
    const next = withNextVersion<RecordItem>(stored, { deleted_at: time, updated_at: time })
    unit.add([
      put(recordItem, next, stored),
      ...indexWrites(storedNameEntryOf(stored), undefined),
      ...queueWrites(stored, next),
    ])
    return 'undone'
  })

const undoAmended = (mark: RowMark, pending: boolean): Promise<UndoResult> =>
  inUnit(async (unit) => {
    unit.retryOn('conflict')
    const record = await loadHistory(mark.entity_id)
    const before = await loadBefore(mark.import_id, mark.row)
    if (!record || !before || record.deleted_at) return 'nothing'
    if (record.current_revision === before.head.current_revision) return 'nothing'
    if (pending && !isWaiting(record)) return 'nothing'
    if (!isOfRow(record, mark)) return 'kept'
    checkWhole(record)
    unit.add(restoreWrites(record, before))
    return 'undone'
  })

/** The writes that undo the row's revision of a record: its claims, flags, activities, decisions and revisions go with it. */
function restoreWrites(record: History, { head, assertions }: RecordBefore): Write[] {
  const current = recordItemOf(record)
  const claimsBefore = new Map(assertions.map((claim) => [claim.id, claim]))
  const claims = restoredClaims(record, head, claimsBefore)
  const newActivities = activitiesSince(record, head)
  const next = restoredHead(record, head, newActivities, claims.length)
  const serviceFlags = record.flags.filter(
    (each) =>
      each.flagged_by === null &&
      each.created_at >= head.updated_at &&
      concernsNewClaims(each.assertion_ids, record, claimsBefore),
  )
  return [
    put(recordItem, next, current),
    ...indexWrites(storedNameEntryOf(current), storedNameEntryOf(next)),
    ...queueWrites(current, next),
    ...record.revisions
      .filter((each) => each.revision_number > head.current_revision)
      .map((each) => remove(revision, each)),
    ...record.decisions
      .filter((each) => each.revision_reviewed > head.current_revision)
      .map((each) => remove(decision, each)),
    ...newActivities.map((each) => remove(activity, each)),
    ...serviceFlags.map((each) => remove(flag, each)),
    ...claimWrites(record.assertions, claims, next),
  ]
}

/** The record as it was, with the counts of what stays. */
function restoredHead(
  record: History,
  head: RecordItem,
  newActivities: readonly Activity[],
  claimCount: number,
): RecordItem {
  const current = recordItemOf(record)
  const ids = new Set(newActivities.map((each) => each.activity_id))
  const feedback = current.latest_feedback
  return {
    ...head,
    contributor: current.contributor,
    activity_count: current.activity_count - newActivities.length,
    recent_activities: current.recent_activities.filter((each) => !ids.has(each.activity_id)),
    latest_feedback: feedback && ids.has(feedback.activity_id) ? head.latest_feedback : feedback,
    ...addToClaimCount(current, claimCount - record.assertions.length),
    open_flags: head.open_flags + record.flags.filter((each) => isRaisedByPerson(each, head)).length,
    version: current.version + 1,
  }
}

/** The activities since the row's revision, without comments: these stay. */
const activitiesSince = (record: History, head: RecordItem): Activity[] =>
  record.activities.filter(
    ({ activity_id, created_at, activity_type }) =>
      created_at >= head.updated_at &&
      activity_type !== 'commented' &&
      !head.recent_activities.some((each) => each.activity_id === activity_id),
  )

/** The claims as they were. Claims that others have made apart from a contribution stay. */
const restoredClaims = (record: History, head: RecordItem, claimsBefore: ReadonlyMap<string, Assertion>): Assertion[] =>
  record.assertions.flatMap((claim) => {
    const before = claimsBefore.get(claim.id)
    if (!before) return (claim.revision_number ?? 0) > head.current_revision ? [] : [claim]
    return [{ ...before, contributed_by: claim.contributed_by }]
  })

/** Whether a person has raised the flag since. Such a flag stays. */
const isRaisedByPerson = (each: Flag, head: RecordItem) =>
  each.flagged_by !== null && !each.is_resolved && each.created_at >= head.updated_at

/** Whether a flag is about claims of the row, or about no claim at all. */
const concernsNewClaims = (ids: readonly string[], record: History, claimsBefore: ReadonlyMap<string, unknown>) =>
  ids.length === 0 || ids.some((id) => !claimsBefore.has(id) && record.assertions.some((claim) => claim.id === id))
