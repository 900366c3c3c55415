import { now } from '../clock.ts'
import { commitPlan } from '../commit.ts'
import { indexWrites } from '../names/index.ts'
import { indexedOf } from '../records/build.ts'
import { claimWrites } from '../records/claim-packs.ts'
import { checkWhole, type History, loadHistory } from '../records/history.ts'
import {
  type Assertion,
  activity,
  countingClaims,
  decision,
  type Flag,
  flag,
  type RecordItem,
  recordItem,
  recordItemOf,
  revision,
} from '../records/items.ts'
import { queueWrites, waits } from '../records/queue-entry.ts'
import { amended, put, remove, type Write } from '../table/item.ts'
import { type Before, beforeOf } from './before.ts'
import type { Made } from './items.ts'

/** What became of what a row has made: taken back; gone or never waiting, so that there is nothing to do; or left, since it has gone on. */
export type Undone = 'undone' | 'nothing' | 'kept'

/**
 * Takes back what a row has made, as a project's rollback does: a record that it made is deleted, one that it changed is as it was before. What somebody
 * has changed since is left. With `pending` only what still waits. Safe to repeat.
 */
export async function undo(made: Made, pending: boolean): Promise<Undone> {
  const own = await (made.what === 'created' ? undoCreated(made.entity_id, made, pending) : undoAmended(made, pending))
  const named = await Promise.all(made.named.map((id) => undoCreated(id, made, pending)))
  return [own, ...named].includes('kept') ? 'kept' : own
}

const isOf = (it: RecordItem, { import_id, row }: Made) =>
  it.batch?.id === import_id && it.batch.row === row && it.batch.revision === it.current_revision

const undoCreated = (entity_id: string, made: Made, pending: boolean): Promise<Undone> =>
  commitPlan(async () => {
    const old = await loadHistory(entity_id)
    if (!old || old.deleted_at) return { result: 'nothing', writes: [] }
    if (pending && !waits(old)) return { result: 'nothing', writes: [] }
    if (!isOf(old, made) || old.current_revision !== 1) return { result: 'kept', writes: [] }
    const stored = recordItemOf(old)
    const at = now()
    const next = amended<RecordItem>(stored, { deleted_at: at, updated_at: at })
    const writes = [
      put(recordItem, next, stored),
      ...indexWrites(indexedOf(stored), undefined),
      ...queueWrites(stored, next),
    ]
    return { result: 'undone', writes }
  })

const undoAmended = (made: Made, pending: boolean): Promise<Undone> =>
  commitPlan(async () => {
    const old = await loadHistory(made.entity_id)
    const before = await beforeOf(made.import_id, made.row)
    if (!old || !before || old.deleted_at) return { result: 'nothing', writes: [] }
    if (old.current_revision === before.head.current_revision) return { result: 'nothing', writes: [] }
    if (pending && !waits(old)) return { result: 'nothing', writes: [] }
    if (!isOf(old, made)) return { result: 'kept', writes: [] }
    checkWhole(old)
    return { result: 'undone', writes: restored(old, before) }
  })

/** The writes that make a record what it was before the revision that a row has brought, and all that came of it. */
function restored(it: History, { head, assertions }: Before): Write[] {
  const current = recordItemOf(it)
  const told = it.activities.filter(
    ({ created_at, activity_type }) => created_at >= head.updated_at && activity_type !== 'commented',
  )
  const fresh = told.filter(
    ({ activity_id }) => !head.recent_activities.some((each) => each.activity_id === activity_id),
  )
  const ours = new Set(fresh.map((each) => each.activity_id))
  const then = new Map(assertions.map((each) => [each.id, each]))
  const claims = claimsThen(it, head, then)
  const next: RecordItem = {
    ...head,
    contributor: current.contributor,
    activity_count: current.activity_count - fresh.length,
    recent_activities: current.recent_activities.filter((each) => !ours.has(each.activity_id)),
    latest_feedback:
      current.latest_feedback && ours.has(current.latest_feedback.activity_id)
        ? head.latest_feedback
        : current.latest_feedback,
    ...countingClaims(current, claims.length - it.assertions.length),
    open_flags: head.open_flags + it.flags.filter((each) => isOfPeople(each, head)).length,
    version: current.version + 1,
  }
  const raised = it.flags.filter(
    (each) => each.flagged_by === null && each.created_at >= head.updated_at && isAbout(each.assertion_ids, it, then),
  )
  return [
    put(recordItem, next, current),
    ...indexWrites(indexedOf(current), indexedOf(next)),
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

/** The claims as they were; those that others have made since stay. */
const claimsThen = (it: History, head: RecordItem, then: ReadonlyMap<string, Assertion>): Assertion[] =>
  it.assertions.flatMap((each) => {
    const old = then.get(each.id)
    if (!old) return (each.revision_number ?? 0) > head.current_revision ? [] : [each]
    return [{ ...old, contributed_by: each.contributed_by }]
  })

/** Flags that people have raised since stay. */
const isOfPeople = (each: Flag, head: RecordItem) =>
  each.flagged_by !== null && !each.is_resolved && each.created_at >= head.updated_at

/** A flag about claims that go goes with them. */
const isAbout = (ids: readonly string[], it: History, then: ReadonlyMap<string, unknown>) =>
  ids.length === 0 || ids.some((id) => !then.has(id) && it.assertions.some((each) => each.id === id))
