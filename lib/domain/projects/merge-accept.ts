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
import { activity, decision, type RecordItem, recordItem, recordItemOf, revision } from '../records/items.ts'
import { isWaiting } from '../records/queue-entry.ts'
import { planAmendment } from '../records/write.ts'
import { planDecision, planEdits } from '../review/decide.ts'
import type { DecisionInput } from '../review/verdict.ts'
import {
  type AssetPicture,
  copyPictures,
  type PictureAddition,
  picturesByRecord,
  planAddition,
} from './assets/depicted.ts'
import { asSubject, projectSnapshot } from './items.ts'
import { forEachWithin, type LastWrites, type PartPlan, type WorkInParts } from './merge-work.ts'
import { loadWholeById, type NewActivity, nextVersion, type WholeProject } from './projects.ts'
import { type AcceptedRecord, type StoredObject, storeRecords, storeSnapshot } from './snapshots.ts'

/**
 * A merge or rollback that a person requested. `id` names the two-phase commit. `size` is the number of records in a part, which
 * never changes. `background` says that no request waits for it.
 */
export type MergeOrder = {
  id: string
  project: string
  actor: Actor
  comment: string
  size: number
  background: boolean
}

/**
 * The parts of a merge: every linked record that waits is accepted, under the rules of a verdict. Before the records of a part
 * change, their state is stored in the bucket. `whole` is the project when the merge began. A part fails with `invalid` and the
 * blockers if one of its records cannot be accepted.
 */
export function acceptInParts(whole: WholeProject, order: MergeOrder): WorkInParts {
  const parts = splitIntoParts(
    whole.entities.map((it) => it.entity_id),
    order.size,
  )
  return {
    parts: parts.length,
    of: whole.entities.length,
    planPart: (part, until) => planPart(parts[part] ?? [], whole, order, until),
    planLast: (results) =>
      planLastWrites(
        whole,
        order,
        results.flatMap((it) => it.kept ?? []),
      ),
  }
}

async function planPart(
  ids: readonly string[],
  whole: WholeProject,
  { id, actor }: MergeOrder,
  until: number,
): Promise<PartPlan> {
  const depicted = picturesByRecord(whole)
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
export type RecordPlan = { old: History } & (
  | { accepted: AcceptedRecord; writes: readonly Write[]; added: readonly AssetPicture[] }
  | { blocker: string }
)

/**
 * Plans what a merge by this actor does to these records. Records that wait are accepted; published ones may get pictures.
 * Nothing is written. Fails with `TimeOver` at `until`.
 */
export async function planRecords(
  ids: readonly string[],
  actor: Actor,
  depicted: ReadonlyMap<string, AssetPicture[]>,
  until: number,
): Promise<RecordPlan[]> {
  const planned: RecordPlan[] = []
  const isChanged = (it: RecordItem) => waitsForMerge(it) || getsPictures(it, depicted.get(it.entity_id))
  await forEachWithin(await filterIds(ids, isChanged), until, async (entity_id) => {
    const old = await loadHistory(entity_id)
    // A reviewer may have decided on it since.
    if (old && isChanged(old)) planned.push(await planRecord(old, actor, planAddition(old, depicted.get(entity_id))))
  })
  return planned.sort((a, b) => (sortKeyOf(a) < sortKeyOf(b) ? -1 : 1))
}

const sortKeyOf = (it: RecordPlan) => ('accepted' in it ? it.accepted.decision_id : it.old.entity_id)

async function planRecord(old: History, actor: Actor, addition: PictureAddition | undefined): Promise<RecordPlan> {
  try {
    const writes = await planWrites(old, actor, addition)
    return { old, accepted: acceptedRecord(old, writes), writes, added: addition?.added ?? [] }
  } catch (error) {
    // A conflict is not a blocker: the part is planned again.
    if (!(error instanceof Problem) || isConflict(error)) throw error
    const [first = error.detail] = Object.values(error.fields ?? {}).flat()
    return { old, blocker: String(first) }
  }
}

/** The text of a blocker for the client, with the record's name. */
export const blockerWithName = ({ old, blocker }: { old: History; blocker: string }): string =>
  `${old.name}: ${blocker}`

/** Whether the merge accepts a record: it waits and was never published. An edit of a published record still waits for a reviewer. */
const waitsForMerge = (it: RecordItem) => isWaiting(it) && !it.public

/** Whether the merge adds pictures to a published record. */
const getsPictures = (it: RecordItem, depicting: readonly AssetPicture[] | undefined) =>
  it.public && it.deleted_at === null && planAddition(it, depicting) !== undefined

async function filterIds(ids: readonly string[], isChanged: (it: RecordItem) => boolean): Promise<string[]> {
  const heads = await getMany(ids.map(key.head), true)
  return [...heads.values()]
    .map((item) => parse(recordItem, item))
    .filter(isChanged)
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
async function planWrites(
  old: History,
  actor: Actor,
  addition: PictureAddition | undefined,
): Promise<readonly Write[]> {
  if (!addition) return (await planDecision(old, actor, acceptInput)).writes
  const { pictures } = addition
  const edits = { data: { [IMAGES]: pictures }, cleared: [], assertion: sourceOf(addition), pictures }
  if (old.public && isWaiting(old)) return (await planAmendment(old, actor, edits, { pictures })).writes
  const input = { ...acceptInput, verdict: 'accept_with_edits' as const, edits }
  return (await (old.public ? planEdits : planDecision)(old, actor, input)).writes
}

function sourceOf({ added }: PictureAddition): AssertionInput {
  const collections = added.map(({ asset }) => [asset.source_institution, asset.collection_name].filter(Boolean))
  return {
    source_type: 'image',
    source_citation: [...new Set(collections.map((it) => it.join(', ')))].filter(Boolean).join('; '),
    source_url: '',
    confidence: 'likely',
    data_quality_note: '',
  }
}

/** The state of a record before and after these writes. */
function acceptedRecord(old: History, writes: readonly Write[]): AcceptedRecord {
  const putItems = (type: string) =>
    writes.flatMap(({ action }) => (action.Put?.Item?.type === type ? [action.Put.Item] : []))
  const heads = putItems(recordItem.type).map((item) => parse(recordItem, item))
  const head = heads.find(({ entity_id }) => entity_id === old.entity_id)
  if (!head) throw new Error(`nothing is written of ${old.entity_id}`)
  const after = putItems(claimPack.type).flatMap(claimsIn)
  const ids = new Set(after.map((it) => it.id))
  const decisions = putItems(decision.type).map((item) => parse(decision, item))
  const activities = putItems(activity.type).map((item) => parse(activity, item))
  const revisions = putItems(revision.type).map((item) => parse(revision, item))
  return {
    before: { head: recordItemOf(old), assertions: old.assertions.filter((it) => ids.has(it.id)) },
    after: { head, assertions: after },
    decision_id: decisions[0]?.id ?? '',
    activity_ids: activities.map(({ activity_id }) => activity_id),
    added: { decisions, activities, revisions },
  }
}

/**
 * Plans the writes that go with the switch of a merge: the project is `merged`, and its snapshot is stored. The activity of a
 * background merge has the member `background`, by which its actor gets a notification.
 */
async function planLastWrites(
  begun: WholeProject,
  { id: merge, actor, comment, background, project }: MergeOrder,
  parts: StoredObject[],
): Promise<LastWrites> {
  const about = background ? (await loadWholeById(project))?.about : begun.about
  if (!about || about.deleted_at !== null) throw conflict()
  const id = newId()
  const at = now()
  const state = { id, created_at: at, merged_by: actor.id, entities: begun.entities, assets: begun.assets, parts }
  const stored = await storeSnapshot(merge, { ...state, project: { ...about, merge: null } })
  const merged: NewActivity = {
    actor_id: actor.id,
    action: 'state_changed',
    payload: { from: 'approved', to: 'merged', comment, snapshot_id: id, ...(background && { background }) },
  }
  const merged_at = about.merged_at ?? at
  const { next, writes } = nextVersion(about, { state: 'merged', merge: null, merged_at, updated_at: at }, [merged], at)
  const snapshot = {
    ...stored,
    id,
    project_id: about.id,
    merged_by: actor.id,
    restored_at: null,
    second_look: null,
    created_at: at,
  }
  return {
    writes: [...writes, put(projectSnapshot, { ...snapshot, version: 1 }, undefined)],
    whole: { ...begun, ...asSubject(next) },
  }
}
