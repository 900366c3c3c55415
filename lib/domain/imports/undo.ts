import { now } from '../../base/clock.ts'
import { put, remove, type Write, withNextVersion } from '../../engines/table/index.ts'
import { indexWrites } from '../../platform/name-index/entries.ts'
import { inUnit } from '../../platform/unit-of-work.ts'
import { storedNameEntryOf } from '../records/build.ts'
import { claimWrites } from '../records/claim-packs.ts'
import { checkWhole, type History, loadHistory } from '../records/history.ts'
import {
  type Assertion,
  activity,
  addToClaimCount,
  decision,
  type Flag,
  flag,
  type RecordItem,
  recordItem,
  recordItemOf,
  revision,
} from '../records/items.ts'
import { isWaiting, queueWrites } from '../records/queue-entry.ts'
import { type Before, loadBefore } from './before.ts'
import type { Made } from './items.ts'

/**
 * The result for a row that is taken back. `nothing`: there is nothing to undo. `kept`: somebody has changed the record since, so
 * it was left.
 */
export type UndoResult = 'undone' | 'nothing' | 'kept'

/**
 * Takes back what a row has made, as a project's rollback does. A new record is deleted; a changed one gets its former values.
 * What somebody has changed since is left. With `pending`, only what still waits is taken back. Safe to repeat.
 */
export async function undoRow(made: Made, pending: boolean): Promise<UndoResult> {
  const own = await (made.what === 'created' ? undoCreated(made.entity_id, made, pending) : undoAmended(made, pending))
  const named = await Promise.all(made.named.map((id) => undoCreated(id, made, pending)))
  return [own, ...named].includes('kept') ? 'kept' : own
}

const isOf = (it: RecordItem, { import_id, row }: Made) =>
  it.batch?.id === import_id && it.batch.row === row && it.batch.revision === it.current_revision

const undoCreated = (entity_id: string, made: Made, pending: boolean): Promise<UndoResult> =>
  inUnit(async (unit) => {
    unit.retryOn('conflict')
    const old = await loadHistory(entity_id)
    if (!old || old.deleted_at) return 'nothing'
    if (pending && !isWaiting(old)) return 'nothing'
    if (!isOf(old, made) || old.current_revision !== 1) return 'kept'
    const stored = recordItemOf(old)
    const at = now()
    const next = withNextVersion<RecordItem>(stored, { deleted_at: at, updated_at: at })
    const writes = [
      put(recordItem, next, stored),
      ...indexWrites(storedNameEntryOf(stored), undefined),
      ...queueWrites(stored, next),
    ]
    unit.add(writes)
    return 'undone'
  })

const undoAmended = (made: Made, pending: boolean): Promise<UndoResult> =>
  inUnit(async (unit) => {
    unit.retryOn('conflict')
    const old = await loadHistory(made.entity_id)
    const before = await loadBefore(made.import_id, made.row)
    if (!old || !before || old.deleted_at) return 'nothing'
    if (old.current_revision === before.head.current_revision) return 'nothing'
    if (pending && !isWaiting(old)) return 'nothing'
    if (!isOf(old, made)) return 'kept'
    checkWhole(old)
    unit.add(restoreWrites(old, before))
    return 'undone'
  })

/** The writes that undo a row's revision of a record, with everything that came of it. */
function restoreWrites(it: History, { head, assertions }: Before): Write[] {
  const current = recordItemOf(it)
  const ownActivities = it.activities.filter(
    ({ created_at, activity_type }) => created_at >= head.updated_at && activity_type !== 'commented',
  )
  const fresh = ownActivities.filter(
    ({ activity_id }) => !head.recent_activities.some((each) => each.activity_id === activity_id),
  )
  const ours = new Set(fresh.map((each) => each.activity_id))
  const then = new Map(assertions.map((each) => [each.id, each]))
  const claims = claimsBefore(it, head, then)
  const next: RecordItem = {
    ...head,
    contributor: current.contributor,
    activity_count: current.activity_count - fresh.length,
    recent_activities: current.recent_activities.filter((each) => !ours.has(each.activity_id)),
    latest_feedback:
      current.latest_feedback && ours.has(current.latest_feedback.activity_id)
        ? head.latest_feedback
        : current.latest_feedback,
    ...addToClaimCount(current, claims.length - it.assertions.length),
    open_flags: head.open_flags + it.flags.filter((each) => isOfPeople(each, head)).length,
    version: current.version + 1,
  }
  const raised = it.flags.filter(
    (each) => each.flagged_by === null && each.created_at >= head.updated_at && isAbout(each.assertion_ids, it, then),
  )
  return [
    put(recordItem, next, current),
    ...indexWrites(storedNameEntryOf(current), storedNameEntryOf(next)),
    ...queueWrites(current, next),
    ...it.revisions
      .filter((each) => each.revision_number > head.current_revision)
      .map((each) => remove(revision, each)),
    ...it.decisions
      .filter((each) => each.revision_reviewed > head.current_revision)
      .map((each) => remove(decision, each)),
    ...fresh.map((each) => remove(activity, each)),
    ...raised.map((each) => remove(flag, each)),
    ...claimWrites(it.assertions, claims, next),
  ]
}

/** The claims as they were. Later claims of others stay. */
const claimsBefore = (it: History, head: RecordItem, then: ReadonlyMap<string, Assertion>): Assertion[] =>
  it.assertions.flatMap((each) => {
    const old = then.get(each.id)
    if (!old) return (each.revision_number ?? 0) > head.current_revision ? [] : [each]
    return [{ ...old, contributed_by: each.contributed_by }]
  })

/** Flags that people have raised since stay. */
const isOfPeople = (each: Flag, head: RecordItem) =>
  each.flagged_by !== null && !each.is_resolved && each.created_at >= head.updated_at

/** A flag goes with the claims that it is about. */
const isAbout = (ids: readonly string[], it: History, then: ReadonlyMap<string, unknown>) =>
  ids.length === 0 || ids.some((id) => !then.has(id) && it.assertions.some((each) => each.id === id))
