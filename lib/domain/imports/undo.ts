import '../search-words/name-words.ts'
import * as v from 'valibot'
import { now } from '../../base/clock.ts'
import { mapAtOnce } from '../../base/concurrency.ts'
import { put, remove, type Write, withNextVersion } from '../../engines/table/index.ts'
import { indexWrites } from '../../platform/name-index/entries.ts'
import { inUnit } from '../../platform/unit-of-work.ts'
import { storedNameEntryOf } from '../records/build.ts'
import { builtInHistory, findLinksInto, type LinksInto, targetsOfRecord } from '../records/built-on.ts'
import { claimWrites } from '../records/claim-packs.ts'
import { checkWhole, type History, loadHistory } from '../records/history.ts'
import {
  type Activity,
  Assertion,
  activity,
  addToClaimCount,
  type Decision,
  decision,
  type Flag,
  flag,
  RecordItem,
  recordItem,
  recordItemOf,
  revision,
} from '../records/items.ts'
import { isWaiting, queueWrites } from '../records/queue-entry.ts'
import type { KeptReason, RowMark } from './items.ts'
import { loadHeads } from './known.ts'
import { getChunk, putChunk } from './store.ts'

/** A record before a row changed it. */
const RecordBefore = v.object({ head: RecordItem, assertions: v.array(Assertion) })
type RecordBefore = v.InferOutput<typeof RecordBefore>

/** Stores a record before a row changes it, so that the row can be undone. */
export const storeBefore = (id: string, row: number, before: RecordBefore): Promise<void> =>
  putChunk(id, 'before', row, before)
const loadBefore = (id: string, row: number): Promise<RecordBefore | undefined> =>
  getChunk(RecordBefore, id, 'before', row)

/** A record that a row has made (`created`) or changed (`amended`). */
type RowRecord = { mark: RowMark; row: number; entity_id: string; what: RowMark['what'] }
export type KeptRecord = { row: number; entity_id: string; name: string; reasons: KeptReason[] }
/** What taking rows back does: records that go or become what they were, and records that stay. */
export type UndoPlan = { goes: RowRecord[]; stays: KeptRecord[] }

const recordsOf = (mark: RowMark): RowRecord[] => [
  { mark, row: mark.row, entity_id: mark.entity_id, what: mark.what },
  ...mark.named.map((entity_id) => ({ mark, row: mark.row, entity_id, what: 'created' as const })),
]

/** Records that are looked at or undone in parallel. */
const RECORDS_AT_ONCE = 8

/** `marks`: the rows that are taken back. `others`: the other rows of the import. `pending`: only what waits for review is undone. */
export type UndoOrder = { marks: readonly RowMark[]; others: readonly RowMark[]; pending: boolean }

/**
 * Plans what is undone, and writes nothing. A record stays if others have built on it, or if a record that stays links to it. Each record
 * costs one query, a new record also the calls of `findLinksInto`.
 */
export async function planUndo({ marks, others, pending }: UndoOrder): Promise<UndoPlan> {
  const records = marks.flatMap(recordsOf)
  const going = new Set(records.map(({ entity_id }) => entity_id))
  const looks = await mapAtOnce(records, RECORDS_AT_ONCE, (it) => lookAt(it, pending, going))
  const heads = await loadHeads(others.flatMap(recordsOf).map(({ entity_id }) => entity_id))
  const targetsOfOthers = [...heads.values()].filter(({ deleted_at }) => !deleted_at).flatMap(targetsOfRecord)
  const staying = stayingRecords(looks, targetsOfOthers)
  const goes = looks.filter((it) => it.state === 'goes' && !staying.has(it.record.entity_id))
  const stays = looks.filter((it) => it.state === 'stays' || (it.state === 'goes' && staying.has(it.record.entity_id)))
  return {
    goes: goes.map(({ record }) => record),
    stays: stays.map(({ record: { row, entity_id }, name, reasons }) => ({
      row,
      entity_id,
      name,
      reasons: reasons.length > 0 ? reasons : ['named_by_kept' as const],
    })),
  }
}

/**
 * A record as it is now. `targets`: the records to which it links. `goes`: it can be undone. `stays`: there are `reasons` to keep it.
 * `done`: it has nothing to undo. `gone`: it is deleted. A new record also stays if a record of `stays` or `done` links to it.
 */
type Look = {
  record: RowRecord
  name: string
  state: 'goes' | 'stays' | 'done' | 'gone'
  reasons: KeptReason[]
  targets: string[]
}

async function lookAt(record: RowRecord, pending: boolean, going: ReadonlySet<string>): Promise<Look> {
  const found = await loadHistory(record.entity_id)
  if (!found || found.deleted_at) return { record, name: '', state: 'gone', reasons: [], targets: [] }
  const look = { record, name: found.name, targets: targetsOfRecord(found) }
  const { before, isUndone } = await findBefore(record, found)
  if (isUndone || (pending && !isWaiting(found))) return { ...look, state: 'done', reasons: [] }
  const { reasons } = await reasonsToKeep(found, record, before, going)
  return { ...look, state: reasons.length > 0 ? 'stays' : 'goes', reasons }
}

/** The records that stay because other staying records link to them. */
function stayingRecords(looks: readonly Look[], targetsOfOthers: readonly string[]): Set<string> {
  const byId = new Map(looks.map((it) => [it.record.entity_id, it]))
  const staying = new Set<string>()
  const open = [
    ...targetsOfOthers,
    ...looks.filter(({ state }) => state === 'stays' || state === 'done').flatMap(({ targets }) => targets),
  ]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const look = byId.get(next)
    // A record that the row only changed is changed back and not deleted, so links to it do not matter.
    if (look?.state !== 'goes' || look.record.what === 'amended' || staying.has(next)) continue
    staying.add(next)
    open.push(...look.targets)
  }
  return staying
}

/**
 * The state of a changed record before the row, and whether it has that state again. `before` is undefined for a new record, and where the
 * files of the import are deleted.
 */
async function findBefore({ what, mark, row }: RowRecord, found: RecordItem) {
  if (what === 'created') return { before: undefined, isUndone: false }
  const before = await loadBefore(mark.import_id, row)
  const isUndone = before ? before.head.current_revision === found.current_revision : !isMarkedBy(found, mark)
  return { before, isUndone }
}

/**
 * The reasons why a record is left; none if it can be undone. `forbidNaming` has writes that go with its deletion: they fail if somebody
 * has linked to it since. A new record costs the calls of `findLinksInto`, a changed one none.
 */
async function reasonsToKeep(
  record: History,
  { mark, what }: RowRecord,
  before: RecordBefore | undefined,
  going: ReadonlySet<string>,
) {
  const isCurrent = isOfRow(record, mark) && (what === 'amended' || record.current_revision === 1)
  const revision = record.batch?.revision ?? 1
  const made = record.revisions.find((it) => it.revision_number === revision)
  const work = {
    by: made?.created_by ?? record.contributor_id,
    revision,
    at: made?.created_at ?? record.created_at,
    isOwnDecision: ({ of_batch }: Decision) => of_batch,
  }
  const links: LinksInto = what === 'created' ? await findLinksInto(record, going) : { reasons: [], forbidNaming: [] }
  const isForgotten = what === 'amended' && !before
  return {
    reasons: [
      ...builtInHistory(record, work),
      ...links.reasons,
      ...(isCurrent ? [] : ['changed' as const]),
      ...(isForgotten ? ['forgotten' as const] : []),
    ],
    forbidNaming: links.forbidNaming,
  }
}

/** Undoes records of a plan. Returns those that stay after all: somebody has built on them or changed them since the plan. */
export async function undoRecords(
  records: readonly RowRecord[],
  going: ReadonlySet<string>,
  pending: boolean,
): Promise<KeptRecord[]> {
  const kept = await mapAtOnce(records, RECORDS_AT_ONCE, (it) => undoRecord(it, going, pending))
  return kept.filter((it) => it !== undefined)
}

/**
 * Undoes one record: a new one is deleted, a changed one gets its former values, as a project's rollback does. Safe to repeat. The commit
 * fails if somebody builds on the record after the last look. Claims, comments, edits and decisions raise its version; links by others are
 * entered in a register.
 */
const undoRecord = (it: RowRecord, going: ReadonlySet<string>, pending: boolean): Promise<KeptRecord | undefined> =>
  inUnit(async (unit) => {
    unit.retryOn('conflict')
    const record = await loadHistory(it.entity_id)
    if (!record || record.deleted_at || (pending && !isWaiting(record))) return undefined
    const { before, isUndone } = await findBefore(it, record)
    if (isUndone) return undefined
    const { reasons, forbidNaming } = await reasonsToKeep(record, it, before, going)
    if (reasons.length > 0) return { row: it.row, entity_id: it.entity_id, name: record.name, reasons }
    checkWhole(record)
    unit.add(before ? restoreWrites(record, before) : [...deletionWrites(record), ...forbidNaming])
    return undefined
  })

/** Whether this row is not undone, and no other row of any import has made or changed the record since. */
const isMarkedBy = ({ batch }: RecordItem, { import_id, row }: RowMark) => batch?.id === import_id && batch.row === row
/** Whether the current revision of the record is still the one that the row made. */
const isOfRow = (record: RecordItem, mark: RowMark) =>
  isMarkedBy(record, mark) && record.batch?.revision === record.current_revision

function deletionWrites(record: History): Write[] {
  const stored = recordItemOf(record)
  const time = now()
  const next = withNextVersion<RecordItem>(stored, { deleted_at: time, updated_at: time })
  return [
    put(recordItem, next, stored),
    ...indexWrites(storedNameEntryOf(stored), undefined),
    ...queueWrites(stored, next),
  ]
}

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

/** The claims as they were. Claims that were made without a contribution stay. */
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
