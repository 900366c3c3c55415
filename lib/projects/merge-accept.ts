import { newId, now } from '../clock.ts'
import { conflict, invalid, Problem } from '../errors.ts'
import type { Actor } from '../permissions.ts'
import { objectKey } from '../pictures/items.ts'
import { IMAGES } from '../pictures/take.ts'
import { type History, loadHistory } from '../records/history.ts'
import { assertion, type RecordItem, recordItem, recordItemOf } from '../records/items.ts'
import { waits } from '../records/queue-entry.ts'
import { type DecisionInput, planDecision } from '../review/decide.ts'
import { parse, put, type Write } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { getMany } from '../table/read.ts'
import { type Depicting, depictedBy, withDepicted } from './assets/depicted.ts'
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
    plan: (part, until) => planPart(parts[part] ?? [], whole, { actor: order.actor, bucket, until }),
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
  { actor, bucket, until }: { actor: Actor; bucket: Bucket; until: number },
): Promise<PartPlan> {
  const depicted = depictedBy(whole)
  const planned = await planRecords(ids, actor, depicted, until)
  const blockers = planned.flatMap((it) => ('blocker' in it ? [namedBlocker(it)] : []))
  if (blockers.length > 0) throw invalid({ blockers: blockers.sort() })
  const accepted = planned.flatMap((it) => ('accepted' in it ? [it] : []))
  if (accepted.length === 0) return { records: ids.length, writes: [] }
  // A picture has a file of its own: what becomes of the project's later is no matter of the record's.
  const shown = accepted.flatMap(({ old }) => depicted.get(old.entity_id) ?? [])
  await inTurns(shown, until, ({ asset }) => bucket.copy(asset.object_key, objectKey(asset.id)))
  const kept = await keepRecords(
    bucket,
    accepted.map((it) => it.accepted),
  )
  return { records: ids.length, kept, writes: accepted.flatMap(({ writes }) => writes) }
}

/** What a merge does to a record that waits: what it accepts with the writes that do it, or why it cannot. */
export type Planned = { old: History } & ({ accepted: Accepted; writes: readonly Write[] } | { blocker: string })

/** What a merge by this actor does to those of these records that wait. Nothing is written. Fails with `TimeOver` at `until`. */
export async function planRecords(
  ids: readonly string[],
  actor: Actor,
  depicted: ReadonlyMap<string, Depicting[]>,
  until: number,
): Promise<Planned[]> {
  const planned: Planned[] = []
  await inTurns(await waitingOf(ids), until, async (entity_id) => {
    const old = await loadHistory(entity_id)
    // Others may have decided on it since.
    if (old && isAccepted(old)) planned.push(await planOne(old, actor, depicted.get(entity_id) ?? []))
  })
  return planned.sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))
}

const orderOf = (it: Planned) => ('accepted' in it ? it.accepted.decision_id : it.old.entity_id)

async function planOne(old: History, actor: Actor, depicting: readonly Depicting[]): Promise<Planned> {
  try {
    return { old, ...(await accept(old, actor, depicting)) }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const [first = error.detail] = Object.values(error.fields ?? {}).flat()
    return { old, blocker: String(first) }
  }
}

/** A blocker as it is told: with the record that it is about. */
export const namedBlocker = ({ old, blocker }: { old: History; blocker: string }): string => `${old.name}: ${blocker}`

/** Records that were never published and wait for it. An edit behind a published one goes on waiting for its reviewer. */
const isAccepted = (it: RecordItem) => waits(it) && !it.public

async function waitingOf(ids: readonly string[]): Promise<string[]> {
  const found = await getMany(ids.map(key.head), true)
  return [...found.values()]
    .map((item) => parse(recordItem, item))
    .filter(isAccepted)
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

/** Pictures are what the merger adds to a record when accepting it: a claim and a revision like any. */
function decisionOn(old: History, depicting: readonly Depicting[]): DecisionInput {
  const pictures = withDepicted(old, depicting)
  if (!pictures) return accepting
  const collections = depicting.map(({ asset }) => [asset.source_institution, asset.collection_name].filter(Boolean))
  const source_citation = [...new Set(collections.map((it) => it.join(', ')))].filter(Boolean).join('; ')
  const assertion = {
    source_type: 'image',
    source_citation,
    source_url: '',
    confidence: 'likely',
    data_quality_note: '',
  }
  return {
    ...accepting,
    verdict: 'accept_with_edits',
    edits: { data: { [IMAGES]: pictures }, cleared: [], assertion, pictures },
  }
}

async function accept(
  old: History,
  actor: Actor,
  depicting: readonly Depicting[],
): Promise<{ accepted: Accepted; writes: Write[] }> {
  const { made, record: next, done, writes } = await planDecision(old, actor, decisionOn(old, depicting))
  const written = writes.flatMap(({ action }) => (action.Put?.Item?.type === assertion.type ? [action.Put.Item] : []))
  const after = written.map((item) => parse(assertion, item))
  const ids = new Set(after.map((it) => it.id))
  const accepted = {
    before: { head: recordItemOf(old), assertions: old.assertions.filter((it) => ids.has(it.id)) },
    after: { head: next, assertions: after },
    decision_id: made.id,
    activity_ids: done.map((it) => it.activity_id),
  }
  return { accepted, writes }
}

/** The project is merged, and its state before is stored. A merge that went on by itself says so to who began it. */
async function lastOf(
  begun: Whole,
  { actor, comment, background, project }: Order,
  bucket: Bucket,
  parts: Awaited<ReturnType<typeof keepRecords>>[],
): Promise<Last> {
  const about = background ? (await loadWholeById(project))?.about : begun.about
  if (!about || about.deleted_at !== null) throw conflict()
  const [id, at] = [newId(), now()]
  const state = { id, created_at: at, merged_by: actor.id, entities: begun.entities, assets: begun.assets, parts }
  const kept = await keepSnapshot(bucket, { ...state, project: { ...about, merge: null } })
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
