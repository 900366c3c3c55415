import { isDeepStrictEqual } from 'node:util'
import { now } from '../../base/clock.ts'
import { splitIntoParts } from '../../base/concurrency.ts'
import { conflict, impossible } from '../../base/errors.ts'
import { omit } from '../../base/omit.ts'
import { put, remove as removal, type Write, withNextVersion } from '../../engines/table/index.ts'
import { planRelease } from '../pictures/files.ts'
import { picturesIn } from '../pictures/items.ts'
import { builtInHistory, findLinksInto } from '../records/built-on.ts'
import { claimWrites } from '../records/claim-packs.ts'
import { checkWhole, type History, loadHistory } from '../records/history.ts'
import {
  type Assertion,
  activity,
  addToClaimCount,
  type Decision,
  decision,
  type RecordItem,
  recordItem,
  recordItemOf,
  revision,
} from '../records/items.ts'
import { queueWrites } from '../records/queue-entry.ts'
import { type Asset, asSubject, asset, type ProjectSnapshot, projectEntity, projectSnapshot } from './items.ts'
import type { MergeOrder } from './merge-accept.ts'
import { forEachWithin, type LastWrites, type PartPlan, type PartResult, type WorkInParts } from './merge-work.ts'
import { loadWholeById, type NewActivity, nextVersion, type WholeProject } from './projects.ts'
import {
  type AcceptedRecord,
  loadLatestSnapshot,
  readRecords,
  readSnapshot,
  type Snapshot,
  type StoredObject,
} from './snapshots.ts'

/**
 * The parts of a rollback: records, links and assets become what they were before the merge. A record stays as it is if it was
 * decided on, edited or deleted since, or if others have built on it. The activity names such records. Fails with `invalid` if the
 * project has no snapshot.
 */
export async function restoreInParts(whole: WholeProject, order: MergeOrder): Promise<WorkInParts> {
  const stored = await loadLatestSnapshot(whole.about.id)
  const snapshot = stored && (await readSnapshot(stored))
  if (!stored || !snapshot) throw impossible('There is no snapshot of this project to go back to.')
  const own = splitIntoParts(idsOfBelongings(whole, snapshot), order.size * WRITES_PER_RECORD)
  const parts = snapshot.parts.length
  const going = new Set(whole.entities.map(({ entity_id }) => entity_id))
  return {
    parts: parts + own.length,
    of: whole.entities.length,
    planPart: async (part, until) => {
      const records = snapshot.parts[part]
      if (records) return planPart(records, until, going)
      return { records: 0, writes: await planBelongings(whole.about.id, snapshot, own[part - parts] ?? []) }
    },
    planLast: (results) => planLastWrites(whole, order, { stored, snapshot }, results),
  }
}

/** About how many writes a record takes. A part of links and assets has as many items as a part of records has writes. */
const WRITES_PER_RECORD = 8

/** `going` are the records of the project. A link between two of them does not prevent the rollback of either. */
async function planPart(part: StoredObject, until: number, going: ReadonlySet<string>): Promise<PartPlan> {
  const reasons: Record<string, readonly string[]> = {}
  const writes: Write[] = []
  const records = await readRecords(part)
  await forEachWithin(records, until, async (it) => {
    const { entity_id } = it.before.head
    const current = await loadHistory(entity_id)
    if (current) checkWhole(current)
    const found = current && isUntouched(current, it.after.head) ? await findBuiltOn(current, it, going) : ['changed']
    if (current && found.length === 0)
      writes.push(...restoreWrites(current, it), ...(await planRelease(addedPictures(it))))
    else reasons[entity_id] = found
  })
  return { records: records.length, left: Object.keys(reasons), reasons, writes }
}

/** What others have built on a record since the merge, without the claims that the merge itself stored. */
async function findBuiltOn(
  it: History,
  { after, decision_id }: AcceptedRecord,
  going: ReadonlySet<string>,
): Promise<string[]> {
  const merge = {
    by: it.contributor_id,
    revision: after.head.current_revision,
    at: after.head.updated_at,
    isOwnDecision: ({ id }: Decision) => id === decision_id,
  }
  const ofMerge = new Set(after.assertions.map(({ id }) => id))
  const later = { ...it, assertions: it.assertions.filter(({ id }) => !ofMerge.has(id)) }
  return [...builtInHistory(later, merge), ...(await findLinksInto(it, going)).reasons]
}

/** The pictures that the merge added to a record. */
export function addedPictures({ before, after }: AcceptedRecord): string[] {
  const [old, next] = [before, after].map(({ head }) => picturesIn(head.proposed ?? head.data).map(({ id }) => id))
  return (next ?? []).filter((id) => !old?.includes(id))
}

/** Whether a record has not changed since the merge, apart from comments and flags. */
export function isUntouched(it: RecordItem, after: RecordItem): boolean {
  const names = ['status', 'public', 'data', 'proposed', 'current_revision', 'accepted_revision', 'deleted_at'] as const
  return names.every((name) => isDeepStrictEqual(it[name], after[name]))
}

/** Returns the writes that make a record wait again as before. Later comments and flags stay. */
function restoreWrites(it: History, { before, after, decision_id, activity_ids }: AcceptedRecord): Write[] {
  const current = recordItemOf(it)
  const claims = it.assertions.flatMap(claimBefore(before, after))
  const next: RecordItem = {
    ...current,
    ...unchangedMembers(current, after.head, before.head),
    activity_count: current.activity_count - activity_ids.length,
    ...addToClaimCount(current, claims.length - it.assertions.length),
    contributor: current.contributor,
    version: current.version + 1,
  }
  if (!isDeepStrictEqual(current.recent_activities, after.head.recent_activities))
    next.recent_activities = current.recent_activities.filter((each) => !activity_ids.includes(each.activity_id))
  const ownDecisions = it.decisions.filter((each) => each.id === decision_id)
  const ownActivities = it.activities.filter((each) => activity_ids.includes(each.activity_id))
  return [
    put(recordItem, next, current),
    ...queueWrites(current, next),
    ...ownDecisions.map((each) => removal(decision, each)),
    ...ownActivities.map((each) => removal(activity, each)),
    ...it.revisions
      .filter((each) => each.revision_number > before.head.current_revision)
      .map((each) => removal(revision, each)),
    ...claimWrites(it.assertions, claims, next),
  ]
}

/** The members of `next` that replace those of `old`. A member that has changed since `old` keeps its present value. */
export const unchangedMembers = (current: RecordItem, old: RecordItem, next: RecordItem): Partial<RecordItem> =>
  Object.fromEntries(
    Object.entries(next).filter(([name]) => isDeepStrictEqual(member(current, name), member(old, name))),
  )

/** A claim as it was before the merge, unless it has changed since. A claim that the merge made is dropped. */
export const claimBefore = (before: AcceptedRecord['before'], after: AcceptedRecord['after']) => (it: Assertion) => {
  const [old, merged] = [before, after].map(({ assertions }) => assertions.find(({ id }) => id === it.id))
  if (!merged || !isSame(it, merged)) return [it]
  return old ? [old] : []
}

/** Whether two claims are equal, apart from the version, and the audience that follows from the record. */
const isSame = (one: Assertion, other: Assertion) =>
  isDeepStrictEqual(omit(one, 'version', 'audience'), omit(other, 'version', 'audience'))

const member = (it: RecordItem, name: string): unknown => Object.entries(it).find(([each]) => each === name)?.[1]

/** The ids of all links and assets that the project has or had, sorted, so that a part that is planned again has the same ids. */
const idsOfBelongings = (whole: Pick<WholeProject, 'entities' | 'assets'>, before: Snapshot): string[] => {
  const all = [whole, before].flatMap(({ entities, assets }) => [
    ...entities.map((it) => it.entity_id),
    ...assets.map((it) => it.id),
  ])
  return [...new Set(all)].sort()
}

/**
 * Plans the writes that make some links and assets equal to those of the snapshot. They are read again, since a worker may have stored
 * a thumbnail or a text meanwhile. These stay.
 */
async function planBelongings(id: string, { entities, assets }: Snapshot, some: readonly string[]): Promise<Write[]> {
  const current = await loadWholeById(id)
  return some.flatMap((each) => {
    const [link, linkBefore] = [current?.entities, entities].map((all) => all?.find((it) => it.entity_id === each))
    const [file, fileBefore] = [current?.assets, assets].map((all) => all?.find((it) => it.id === each))
    return [
      ...writesBackTo(
        link,
        linkBefore,
        (next) => put(projectEntity, next, link),
        (old) => removal(projectEntity, old),
      ),
      ...writesBackTo(
        file,
        fileBefore && restoredAsset(fileBefore, file),
        (next) => put(asset, next, file),
        (old) => removal(asset, old),
      ),
    ]
  })
}

function writesBackTo<T extends { version: number }>(
  old: T | undefined,
  before: T | undefined,
  store: (next: T) => Write,
  drop: (old: T) => Write,
): Write[] {
  if (!before) return old ? [drop(old)] : []
  const next = old ? { ...before, version: old.version } : before
  if (isDeepStrictEqual(old, next)) return []
  return [store(old ? { ...next, version: old.version + 1 } : next)]
}

/** An asset as it was before the merge. Its file is the same, so the thumbnail and the text that workers have stored since stay. */
function restoredAsset(before: Asset, old: Asset | undefined): Asset {
  if (!old) return before
  const { thumbnail_key, thumbnail_takes, thumbnail_error, entity_suggestions, updated_at } = old
  const { ocr_status, ocr_text, ocr_error, ocr_since, ocr_attempts } = old
  const text = { ocr_status, ocr_text, ocr_error, ocr_since, ocr_attempts, entity_suggestions }
  return { ...before, thumbnail_key, thumbnail_takes, thumbnail_error, ...text, updated_at }
}

/** The most records that the activity of a rollback names. */
const MAX_NAMED = 200

/** The part of a rollback's activity that names what was left, and why. */
type Kept = { kept: string[]; kept_reasons: Record<string, string[]>; kept_count: number }

/**
 * Names further records that were left. `linked_waiting` is dropped: readers of the project may not learn of a contribution that waits.
 */
export function nameKept(old: Partial<Kept>, more: ReadonlyMap<string, readonly string[]>): Kept {
  const { kept = [], kept_reasons = {}, kept_count = 0 } = old
  const named = [...kept, ...[...more.keys()].sort()].slice(0, MAX_NAMED)
  const reasonsOf = (id: string) => kept_reasons[id] ?? (more.get(id) ?? []).filter((it) => it !== 'linked_waiting')
  return {
    kept: named,
    kept_reasons: Object.fromEntries(named.map((id) => [id, reasonsOf(id)])),
    kept_count: kept_count + more.size,
  }
}

/** Plans the writes that go with the switch of a rollback: the project is as before its merge, in the state `needs_revision`. */
async function planLastWrites(
  begun: WholeProject,
  { actor, background, project }: MergeOrder,
  { stored, snapshot }: { stored: ProjectSnapshot; snapshot: Snapshot },
  results: readonly PartResult[],
): Promise<LastWrites> {
  const about = background ? (await loadWholeById(project))?.about : begun.about
  if (!about || about.deleted_at !== null) throw conflict()
  const at = now()
  const left = new Map(
    results.flatMap(({ left: ids = [], reasons }) => ids.map((id) => [id, reasons?.[id] ?? []] as const)),
  )
  const undone: NewActivity = {
    actor_id: actor.id,
    action: 'state_changed',
    payload: {
      from: 'merged',
      to: 'needs_revision',
      comment: 'rollback_merge',
      snapshot_id: stored.id,
      ...(left.size > 0 && nameKept({}, left)),
      ...(background && { background }),
    },
  }
  // Whoever has hidden the project since its merge finds it hidden.
  const before = omit(snapshot.project, 'id', 'slug', 'activity_count', 'version', 'deleted_at', 'visibility')
  const changes = { ...before, state: 'needs_revision' as const, merge: null, merged_at: null, updated_at: at }
  const { next, writes } = nextVersion(about, changes, [undone], at)
  const { entities } = snapshot
  const assets = snapshot.assets.map((it) =>
    restoredAsset(
      it,
      begun.assets.find(({ id }) => id === it.id),
    ),
  )
  return {
    writes: [
      ...writes,
      put(projectSnapshot, withNextVersion(stored, { restored_at: at, second_look: next.activity_count }), stored),
    ],
    whole: { ...begun, ...asSubject(next), entities, assets },
  }
}
