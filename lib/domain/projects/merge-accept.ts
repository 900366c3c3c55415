import { newId, now } from '../../base/clock.ts'
import { splitIntoParts } from '../../base/concurrency.ts'
import { conflict, invalid, isConflict, Problem } from '../../base/errors.ts'
import { getMany, parse, put, type Write } from '../../engines/table/index.ts'
import type { Actor } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import type { AssertionInput } from '../kinds/index.ts'
import { IMAGES } from '../pictures/items.ts'
import { claimPack, claimsIn } from '../records/claim-packs.ts'
import { type History, loadHistory } from '../records/history.ts'
import { activity, decision, type RecordItem, recordItem, recordItemOf } from '../records/items.ts'
import { isWaiting } from '../records/queue-entry.ts'
import { planAmendment } from '../records/write.ts'
import { planDecision, planEdits } from '../review/decide.ts'
import type { DecisionInput } from '../review/verdict.ts'
import { type Addition, additionTo, copyPictures, type Depicting, depictedBy } from './assets/depicted.ts'
import { asSubject, projectSnapshot } from './items.ts'
import { forEachWithin, type Last, type PartPlan, type Work } from './merge-work.ts'
import { type Done, loadWholeById, nextVersion, type Whole } from './projects.ts'
import { type AcceptedRecord, type StoredObject, storeRecords, storeSnapshot } from './snapshots.ts'

/**
 * A merge or rollback as it was ordered. `id` names the two-phase commit; `size` is the number of records in a part, which stays
 * the same to the end.
 */
export type Order = { id: string; project: string; actor: Actor; comment: string; size: number; background: boolean }

/**
 * The work of a merge: every linked record that waits is accepted, as `decide` would do. The state of each part is stored in the
 * bucket before its records are touched. `whole` is the project when the merge began. A part fails with `invalid` and names the
 * blockers if one of its records cannot be accepted.
 */
export function mergeWork(whole: Whole, order: Order): Work {
  const parts = splitIntoParts(
    whole.entities.map((it) => it.entity_id),
    order.size,
  )
  return {
    parts: parts.length,
    of: whole.entities.length,
    plan: (part, until) => planPart(parts[part] ?? [], whole, order, until),
    last: (results) =>
      lastOf(
        whole,
        order,
        results.flatMap((it) => it.kept ?? []),
      ),
  }
}

async function planPart(ids: readonly string[], whole: Whole, { id, actor }: Order, until: number): Promise<PartPlan> {
  const depicted = depictedBy(whole)
  const planned = await planRecords(ids, actor, depicted, until)
  const blockers = planned.flatMap((it) => ('blocker' in it ? [blockerWithName(it)] : []))
  if (blockers.length > 0) throw invalid({ blockers: blockers.sort() })
  const accepted = planned.flatMap((it) => ('accepted' in it ? [it] : []))
  if (accepted.length === 0) return { records: ids.length, writes: [] }
  const files = await copyPictures(
    accepted.flatMap(({ added }) => added),
    until,
  )
  const kept = await storeRecords(
    id,
    accepted.map((it) => it.accepted),
  )
  return { records: ids.length, kept, writes: [...accepted.flatMap(({ writes }) => writes), ...files] }
}

/** What a merge does to one record: the accepted record with its writes and new pictures, or the blocker. */
export type PlannedRecord = { old: History } & (
  | { accepted: AcceptedRecord; writes: readonly Write[]; added: readonly Depicting[] }
  | { blocker: string }
)

/**
 * Plans what a merge by this actor does to these records. Records that wait are accepted; published ones may get pictures.
 * Nothing is written. Fails with `TimeOver` at `until`.
 */
export async function planRecords(
  ids: readonly string[],
  actor: Actor,
  depicted: ReadonlyMap<string, Depicting[]>,
  until: number,
): Promise<PlannedRecord[]> {
  const planned: PlannedRecord[] = []
  const concerns = (it: RecordItem) => isAccepted(it) || isAddedTo(it, depicted.get(it.entity_id))
  await forEachWithin(await concernedIds(ids, concerns), until, async (entity_id) => {
    const old = await loadHistory(entity_id)
    // Somebody may have decided on it since.
    if (old && concerns(old)) planned.push(await planOne(old, actor, additionTo(old, depicted.get(entity_id))))
  })
  return planned.sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))
}

const orderOf = (it: PlannedRecord) => ('accepted' in it ? it.accepted.decision_id : it.old.entity_id)

async function planOne(old: History, actor: Actor, addition: Addition | undefined): Promise<PlannedRecord> {
  try {
    const writes = await planWrites(old, actor, addition)
    return { old, accepted: acceptedBy(old, writes), writes, added: addition?.added ?? [] }
  } catch (error) {
    // A conflict is no blocker: the part is planned anew.
    if (!(error instanceof Problem) || isConflict(error)) throw error
    const [first = error.detail] = Object.values(error.fields ?? {}).flat()
    return { old, blocker: String(first) }
  }
}

/** A blocker as the client sees it, with the record's name. */
export const blockerWithName = ({ old, blocker }: { old: History; blocker: string }): string =>
  `${old.name}: ${blocker}`

/** Records that wait and were never published. An edit of a published record goes on waiting for its reviewer. */
const isAccepted = (it: RecordItem) => isWaiting(it) && !it.public

/** Published records for which the project has pictures. */
const isAddedTo = (it: RecordItem, depicting: readonly Depicting[] | undefined) =>
  it.public && it.deleted_at === null && additionTo(it, depicting) !== undefined

async function concernedIds(ids: readonly string[], concerns: (it: RecordItem) => boolean): Promise<string[]> {
  const found = await getMany(ids.map(key.head), true)
  return [...found.values()]
    .map((item) => parse(recordItem, item))
    .filter(concerns)
    .map((it) => it.entity_id)
}

const acceptInput: DecisionInput = {
  verdict: 'accept',
  conflict_handling: 'not_applicable',
  confidence_override: null,
  verification_method: null,
  feedback: '',
  reconciliation_note: '',
  internal_note: 'Accepted with the project that it was linked to.',
}

/**
 * Plans one record. Pictures are edits by the merger, with a claim and a revision. A waiting record gets them with its
 * acceptance, a published one at once. If an edit of a published record waits, the pictures wait with it.
 */
async function planWrites(old: History, actor: Actor, addition: Addition | undefined): Promise<readonly Write[]> {
  if (!addition) return (await planDecision(old, actor, acceptInput)).writes
  const { pictures } = addition
  const edits = { data: { [IMAGES]: pictures }, cleared: [], assertion: sourceOf(addition), pictures }
  if (old.public && isWaiting(old)) return (await planAmendment(old, actor, edits, { pictures })).writes
  const input = { ...acceptInput, verdict: 'accept_with_edits' as const, edits }
  return (await (old.public ? planEdits : planDecision)(old, actor, input)).writes
}

function sourceOf({ added }: Addition): AssertionInput {
  const collections = added.map(({ asset }) => [asset.source_institution, asset.collection_name].filter(Boolean))
  return {
    source_type: 'image',
    source_citation: [...new Set(collections.map((it) => it.join(', ')))].filter(Boolean).join('; '),
    source_url: '',
    confidence: 'likely',
    data_quality_note: '',
  }
}

/** A record before and after these writes. */
function acceptedBy(old: History, writes: readonly Write[]): AcceptedRecord {
  const stored = (type: string) =>
    writes.flatMap(({ action }) => (action.Put?.Item?.type === type ? [action.Put.Item] : []))
  const heads = stored(recordItem.type).map((item) => parse(recordItem, item))
  const head = heads.find(({ entity_id }) => entity_id === old.entity_id)
  if (!head) throw new Error(`nothing is written of ${old.entity_id}`)
  const after = stored(claimPack.type).flatMap(claimsIn)
  const ids = new Set(after.map((it) => it.id))
  return {
    before: { head: recordItemOf(old), assertions: old.assertions.filter((it) => ids.has(it.id)) },
    after: { head, assertions: after },
    decision_id: stored(decision.type).map((item) => parse(decision, item).id)[0] ?? '',
    activity_ids: stored(activity.type).map((item) => parse(activity, item).activity_id),
  }
}

/**
 * The last writes of a merge: the project is `merged`, and its snapshot is stored. If the merge ran in the background, its actor
 * gets a notification.
 */
async function lastOf(
  begun: Whole,
  { id: merge, actor, comment, background, project }: Order,
  parts: StoredObject[],
): Promise<Last> {
  const about = background ? (await loadWholeById(project))?.about : begun.about
  if (!about || about.deleted_at !== null) throw conflict()
  const [id, at] = [newId(), now()]
  const state = { id, created_at: at, merged_by: actor.id, entities: begun.entities, assets: begun.assets, parts }
  const kept = await storeSnapshot(merge, { ...state, project: { ...about, merge: null } })
  const done: Done = {
    actor_id: actor.id,
    action: 'state_changed',
    payload: { from: 'approved', to: 'merged', comment, snapshot_id: id, ...(background && { background }) },
  }
  const merged_at = about.merged_at ?? at
  const { next, writes } = nextVersion(about, { state: 'merged', merge: null, merged_at, updated_at: at }, [done], at)
  const snapshot = { ...kept, id, project_id: about.id, merged_by: actor.id, restored_at: null, created_at: at }
  return {
    writes: [...writes, put(projectSnapshot, { ...snapshot, version: 1 }, undefined)],
    whole: { ...begun, ...asSubject(next) },
  }
}
