import { isDeepStrictEqual } from 'node:util'
import { now } from '../../base/clock.ts'
import { splitIntoParts } from '../../base/concurrency.ts'
import { conflict, impossible } from '../../base/errors.ts'
import { put, remove as removal, type Write, withNextVersion } from '../../engines/table/index.ts'
import { planRelease } from '../pictures/files.ts'
import { picturesIn } from '../pictures/items.ts'
import { claimWrites } from '../records/claim-packs.ts'
import { checkWhole, type History, loadHistory } from '../records/history.ts'
import {
  type Assertion,
  activity,
  addToClaimCount,
  decision,
  type RecordItem,
  recordItem,
  recordItemOf,
  revision,
} from '../records/items.ts'
import { queueWrites } from '../records/queue-entry.ts'
import { asSubject, asset, type ProjectSnapshot, projectEntity, projectSnapshot } from './items.ts'
import type { Order } from './merge-accept.ts'
import { forEachWithin, type Last, type PartPlan, type Work } from './merge-work.ts'
import { type Done, loadWholeById, nextVersion, type Whole } from './projects.ts'
import {
  type AcceptedRecord,
  loadLatestSnapshot,
  readRecords,
  readSnapshot,
  type Snapshot,
  type StoredObject,
} from './snapshots.ts'

/**
 * The work of a rollback: records, links and assets become what they were before the merge. A record that was decided on, edited
 * or deleted since is left, and the activity names it. Fails with `invalid` without a snapshot.
 */
export async function rollbackWork(whole: Whole, order: Order): Promise<Work> {
  const stored = await loadLatestSnapshot(whole.about.id)
  const snapshot = stored && (await readSnapshot(stored))
  if (!stored || !snapshot) throw impossible('There is no snapshot of this project to go back to.')
  const own = splitIntoParts(belongingWrites(whole, snapshot), order.size * WRITES)
  const parts = snapshot.parts.length
  return {
    parts: parts + own.length,
    of: whole.entities.length,
    plan: async (part, until) => {
      const records = snapshot.parts[part]
      return records ? planPart(records, until) : { records: 0, writes: own[part - parts] ?? [] }
    },
    last: (results) =>
      lastOf(
        whole,
        order,
        { stored, snapshot },
        results.flatMap((it) => it.left ?? []),
      ),
  }
}

/** Writes reckoned for one record; it sets how many links and assets make a part. */
const WRITES = 8

async function planPart(part: StoredObject, until: number): Promise<PartPlan> {
  const left: string[] = []
  const writes: Write[] = []
  const records = await readRecords(part)
  await forEachWithin(records, until, async (it) => {
    const current = await loadHistory(it.before.head.entity_id)
    if (current) checkWhole(current)
    if (current && isUntouched(current, it.after.head))
      writes.push(...restoreWrites(current, it), ...(await planRelease(addedPictures(it))))
    else left.push(it.before.head.entity_id)
  })
  return { records: records.length, left, writes }
}

/** The pictures that the merge added to a record. */
function addedPictures({ before, after }: AcceptedRecord): string[] {
  const [old, next] = [before, after].map(({ head }) => picturesIn(head.proposed ?? head.data).map(({ id }) => id))
  return (next ?? []).filter((id) => !old?.includes(id))
}

/** Whether a record is still as the merge left it. Comments and flags do not count. */
function isUntouched(it: RecordItem, after: RecordItem): boolean {
  const names = ['status', 'public', 'data', 'proposed', 'current_revision', 'accepted_revision', 'deleted_at'] as const
  return names.every((name) => isDeepStrictEqual(it[name], after[name]))
}

/** The writes that make a record wait again as before. Later comments and flags stay. */
function restoreWrites(it: History, { before, after, decision_id, activity_ids }: AcceptedRecord): Write[] {
  const current = recordItemOf(it)
  const claims = it.assertions.flatMap(claimBefore(before, after))
  const next: RecordItem = {
    ...current,
    ...Object.fromEntries(
      Object.entries(before.head).filter(([name]) =>
        isDeepStrictEqual(member(current, name), member(after.head, name)),
      ),
    ),
    activity_count: current.activity_count - activity_ids.length,
    ...addToClaimCount(current, claims.length - it.assertions.length),
    contributor: current.contributor,
    version: current.version + 1,
  }
  if (!isDeepStrictEqual(current.recent_activities, after.head.recent_activities))
    next.recent_activities = current.recent_activities.filter((each) => !activity_ids.includes(each.activity_id))
  const made = it.decisions.filter((each) => each.id === decision_id)
  const ownActivities = it.activities.filter((each) => activity_ids.includes(each.activity_id))
  return [
    put(recordItem, next, current),
    ...queueWrites(current, next),
    ...made.map((each) => removal(decision, each)),
    ...ownActivities.map((each) => removal(activity, each)),
    ...it.revisions
      .filter((each) => each.revision_number > before.head.current_revision)
      .map((each) => removal(revision, each)),
    ...claimWrites(it.assertions, claims, next),
  ]
}

/** A claim as it was before the merge, unless it has changed since. A claim that the merge made is dropped. */
const claimBefore = (before: AcceptedRecord['before'], after: AcceptedRecord['after']) => (it: Assertion) => {
  const [old, then] = [before, after].map(({ assertions }) => assertions.find(({ id }) => id === it.id))
  if (!then || !isSame(it, then)) return [it]
  return old ? [old] : []
}

/** Whether two claims are equal. The audience is left out, since it follows the record, which is compared by itself. */
const isSame = ({ version: _, audience: __, ...it }: Assertion, { version: ___, audience: ____, ...then }: Assertion) =>
  isDeepStrictEqual(it, then)

const member = (it: RecordItem, name: string): unknown => Object.entries(it).find(([each]) => each === name)?.[1]

/** The writes that make links and assets those of the snapshot. */
function belongingWrites(whole: Whole, { entities, assets }: Snapshot): Write[] {
  const links = whole.entities.filter((it) => !entities.some((each) => each.entity_id === it.entity_id))
  const files = whole.assets.filter((it) => !assets.some((each) => each.id === it.id))
  const [linked, owned] = [
    new Map(whole.entities.map((it) => [it.entity_id, it])),
    new Map(whole.assets.map((it) => [it.id, it])),
  ]
  return [
    ...links.map((it) => removal(projectEntity, it)),
    ...files.map((it) => removal(asset, it)),
    ...entities.flatMap((it) => {
      const old = linked.get(it.entity_id)
      return isDeepStrictEqual(old, it) ? [] : [put(projectEntity, withVersionAfter(it, old), old)]
    }),
    ...assets.flatMap((then) => {
      const old = owned.get(then.id)
      // A thumbnail made since stays, since the file is the same.
      const it = { ...then, thumbnail_key: then.thumbnail_key ?? old?.thumbnail_key ?? null }
      return isDeepStrictEqual(old, it) ? [] : [put(asset, withVersionAfter(it, old), old)]
    }),
  ]
}

const withVersionAfter = <T extends { version: number }>(it: T, old: T | undefined): T => ({
  ...it,
  version: old ? old.version + 1 : it.version,
})

/** Records named in the activity at most. */
const MOST_NAMED = 200

/** The last writes of a rollback: the project is as before its merge, with the state `needs_revision`. */
async function lastOf(
  begun: Whole,
  { actor, background, project }: Order,
  { stored, snapshot }: { stored: ProjectSnapshot; snapshot: Snapshot },
  kept: readonly string[],
): Promise<Last> {
  const about = background ? (await loadWholeById(project))?.about : begun.about
  if (!about || about.deleted_at !== null) throw conflict()
  const at = now()
  const undone: Done = {
    actor_id: actor.id,
    action: 'state_changed',
    payload: {
      ...{ from: 'merged', to: 'needs_revision', comment: 'rollback_merge', snapshot_id: stored.id },
      ...(kept.length > 0 && { kept: [...kept].sort().slice(0, MOST_NAMED), kept_count: kept.length }),
      ...(background && { background }),
    },
  }
  const { id: _, slug: __, activity_count: ___, version: ____, deleted_at: _____, ...before } = snapshot.project
  const changes = { ...before, state: 'needs_revision' as const, merge: null, merged_at: null, updated_at: at }
  const { next, writes } = nextVersion(about, changes, [undone], at)
  const { entities, assets } = snapshot
  return {
    writes: [...writes, put(projectSnapshot, withNextVersion(stored, { restored_at: at }), stored)],
    whole: { ...begun, ...asSubject(next), entities, assets },
  }
}
