import { newId, now } from '../clock.ts'
import { conflict, invalid, isConflict, Problem } from '../errors.ts'
import type { Provenance } from '../kinds/index.ts'
import type { Actor } from '../permissions.ts'
import { IMAGES } from '../pictures/values.ts'
import { claimPack, claimsIn } from '../records/claim-packs.ts'
import { type History, loadHistory } from '../records/history.ts'
import { activity, decision, type RecordItem, recordItem, recordItemOf } from '../records/items.ts'
import { waits } from '../records/queue-entry.ts'
import { planAmend } from '../records/write.ts'
import { planDecision, planEdits } from '../review/decide.ts'
import type { DecisionInput } from '../review/verdict.ts'
import { parse, put, type Write } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { getMany } from '../table/read.ts'
import { type Addition, additionTo, type Depicting, depictedBy, putInPlace } from './assets/depicted.ts'
import { asSubject, projectSnapshot } from './items.ts'
import { inParts, inTurns, type Last, type PartPlan, type Work } from './merge-work.ts'
import { type Done, loadWholeById, step, type Whole } from './projects.ts'
import { type Accepted, type Bucket, keepRecords, keepSnapshot } from './snapshots.ts'

/** Who merges what, and in which words. `id` names the large transaction; `size` is how many records are one part, from beginning to end. */
export type Order = { id: string; project: string; actor: Actor; comment: string; size: number; background: boolean }

/**
 * Merging: every linked record that waits is accepted, as `decide` would. The state of each part is in the bucket before
 * its records are touched. `whole` is the project when the merge began; it may have been written since, but not what
 * belongs to it. A part fails with `invalid`, naming the blockers, where one of its records cannot be accepted.
 */
export function mergeWork(whole: Whole, order: Order, bucket: Bucket): Work {
  const parts = inParts(
    whole.entities.map((it) => it.entity_id),
    order.size,
  )
  return {
    parts: parts.length,
    of: whole.entities.length,
    plan: (part, until) => planPart(parts[part] ?? [], whole, { ...order, bucket, until }),
    last: (results) =>
      lastOf(
        whole,
        order,
        bucket,
        results.flatMap((it) => it.kept ?? []),
      ),
  }
}

async function planPart(
  ids: readonly string[],
  whole: Whole,
  { id, actor, bucket, until }: Pick<Order, 'id' | 'actor'> & { bucket: Bucket; until: number },
): Promise<PartPlan> {
  const depicted = depictedBy(whole)
  const planned = await planRecords(ids, actor, depicted, until)
  const blockers = planned.flatMap((it) => ('blocker' in it ? [namedBlocker(it)] : []))
  if (blockers.length > 0) throw invalid({ blockers: blockers.sort() })
  const accepted = planned.flatMap((it) => ('accepted' in it ? [it] : []))
  if (accepted.length === 0) return { records: ids.length, writes: [] }
  const files = await putInPlace(
    accepted.flatMap(({ added }) => added),
    bucket,
    until,
  )
  const kept = await keepRecords(
    bucket,
    id,
    accepted.map((it) => it.accepted),
  )
  return { records: ids.length, kept, writes: [...accepted.flatMap(({ writes }) => writes), ...files] }
}

/** What a merge does to a record: what it makes of it with the writes that do it and the pictures that it adds, or why it cannot. */
export type Planned = { old: History } & (
  | { accepted: Accepted; writes: readonly Write[]; added: readonly Depicting[] }
  | { blocker: string }
)

/**
 * What a merge by this actor does to those of these records that wait, and to those published ones that it has pictures
 * for. Nothing is written. Fails with `TimeOver` at `until`.
 */
export async function planRecords(
  ids: readonly string[],
  actor: Actor,
  depicted: ReadonlyMap<string, Depicting[]>,
  until: number,
): Promise<Planned[]> {
  const planned: Planned[] = []
  const concerns = (it: RecordItem) => isAccepted(it) || isAddedTo(it, depicted.get(it.entity_id))
  await inTurns(await among(ids, concerns), until, async (entity_id) => {
    const old = await loadHistory(entity_id)
    // Others may have decided on it since.
    if (old && concerns(old)) planned.push(await planOne(old, actor, additionTo(old, depicted.get(entity_id))))
  })
  return planned.sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))
}

const orderOf = (it: Planned) => ('accepted' in it ? it.accepted.decision_id : it.old.entity_id)

async function planOne(old: History, actor: Actor, addition: Addition | undefined): Promise<Planned> {
  try {
    const writes = await planWrites(old, actor, addition)
    return { old, accepted: acceptedBy(old, writes), writes, added: addition?.added ?? [] }
  } catch (error) {
    // Others have changed it meanwhile: that stands in the way of nothing, and is planned anew.
    if (!(error instanceof Problem) || isConflict(error)) throw error
    const [first = error.detail] = Object.values(error.fields ?? {}).flat()
    return { old, blocker: String(first) }
  }
}

/** A blocker as it is told: with the record that it is about. */
export const namedBlocker = ({ old, blocker }: { old: History; blocker: string }): string => `${old.name}: ${blocker}`

/** Records that were never published and wait for it. An edit behind a published one goes on waiting for its reviewer. */
const isAccepted = (it: RecordItem) => waits(it) && !it.public

/** Published ones that the project has pictures for. */
const isAddedTo = (it: RecordItem, depicting: readonly Depicting[] | undefined) =>
  it.public && it.deleted_at === null && additionTo(it, depicting) !== undefined

async function among(ids: readonly string[], concerns: (it: RecordItem) => boolean): Promise<string[]> {
  const found = await getMany(ids.map(key.head), true)
  return [...found.values()]
    .map((item) => parse(recordItem, item))
    .filter(concerns)
    .map((it) => it.entity_id)
}

const accepting: DecisionInput = {
  verdict: 'accept',
  conflict_handling: 'not_applicable',
  confidence_override: null,
  verification_method: null,
  feedback: '',
  reconciliation_note: '',
  internal_note: 'Accepted with the project that it was linked to.',
}

/**
 * Pictures are what the merger adds to a record: a claim and a revision like any. They come with its acceptance; to one that
 * is published at once; and where an edit waits behind a published one they wait with it.
 */
async function planWrites(old: History, actor: Actor, addition: Addition | undefined): Promise<readonly Write[]> {
  if (!addition) return (await planDecision(old, actor, accepting)).writes
  const { pictures } = addition
  const edits = { data: { [IMAGES]: pictures }, cleared: [], assertion: sourceOf(addition), pictures }
  if (old.public && waits(old)) return (await planAmend(old, actor, edits, { pictures })).writes
  const input = { ...accepting, verdict: 'accept_with_edits' as const, edits }
  return (await (old.public ? planEdits : planDecision)(old, actor, input)).writes
}

function sourceOf({ added }: Addition): Provenance {
  const collections = added.map(({ asset }) => [asset.source_institution, asset.collection_name].filter(Boolean))
  return {
    source_type: 'image',
    source_citation: [...new Set(collections.map((it) => it.join(', ')))].filter(Boolean).join('; '),
    source_url: '',
    confidence: 'likely',
    data_quality_note: '',
  }
}

/** A record before these writes and after them. */
function acceptedBy(old: History, writes: readonly Write[]): Accepted {
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

/** The project is merged, and its state before is stored. A merge that went on by itself says so to who began it. */
async function lastOf(
  begun: Whole,
  { id: merge, actor, comment, background, project }: Order,
  bucket: Bucket,
  parts: Awaited<ReturnType<typeof keepRecords>>[],
): Promise<Last> {
  const about = background ? (await loadWholeById(project))?.about : begun.about
  if (!about || about.deleted_at !== null) throw conflict()
  const [id, at] = [newId(), now()]
  const state = { id, created_at: at, merged_by: actor.id, entities: begun.entities, assets: begun.assets, parts }
  const kept = await keepSnapshot(bucket, merge, { ...state, project: { ...about, merge: null } })
  const done: Done = {
    actor_id: actor.id,
    action: 'state_changed',
    payload: { from: 'approved', to: 'merged', comment, snapshot_id: id, ...(background && { background }) },
  }
  const merged_at = about.merged_at ?? at
  const { next, writes } = step(about, { state: 'merged', merge: null, merged_at, updated_at: at }, [done], at)
  const snapshot = { ...kept, id, project_id: about.id, merged_by: actor.id, restored_at: null, created_at: at }
  return {
    writes: [...writes, put(projectSnapshot, { ...snapshot, version: 1 }, undefined)],
    whole: { ...begun, ...asSubject(next) },
  }
}
