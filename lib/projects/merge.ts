import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { gunzipSync, gzipSync } from 'node:zlib'
import * as v from 'valibot'
import { invalidate } from '../cache/cached.ts'
import { newId, now, nowSeconds } from '../clock.ts'
import { conflict, impossible, invalid, Problem } from '../errors.ts'
import type { Actor } from '../permissions.ts'
import { type History, loadHistory } from '../records/history.ts'
import { Assertion, activity, assertion, decision, RecordItem, recordItem, recordItemOf } from '../records/items.ts'
import { queueWrites, waits } from '../records/queue-entry.ts'
import { type DecisionInput, planDecision } from '../review/decide.ts'
import { amended, parse, put, remove as removal, removeEntry, reserve, type Write } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { getMany, queryAll } from '../table/read.ts'
import { commitLarge } from '../table/two-phase/commit.ts'
import { transact } from '../table/write.ts'
import { Asset, asset, Project, ProjectEntity, type ProjectSnapshot, projectEntity, projectSnapshot } from './items.ts'
import { type Done, loadWholeById, step, type Whole } from './projects.ts'

/**
 * Merging accepts every linked record that waits, and rolling back makes it wait again: with the project, in one
 * transaction however large; see lib/table/two-phase/commit.ts. The state before lies in the bucket under the digest of its bytes.
 */
const Accepted = v.object({
  before: v.object({ head: RecordItem, assertions: v.array(Assertion) }),
  after: v.object({ head: RecordItem, assertions: v.array(Assertion) }),
  /** What the merge itself added to the record's history. */
  decision_id: v.string(),
  activity_ids: v.array(v.string()),
})
type Accepted = v.InferOutput<typeof Accepted>
const Snapshot = v.object({
  id: v.string(),
  created_at: v.string(),
  merged_by: v.string(),
  project: Project,
  entities: v.array(ProjectEntity),
  assets: v.array(Asset),
  records: v.array(Accepted),
})
type Snapshot = v.InferOutput<typeof Snapshot>

/** Longer than any process works on a merge: one that was stopped is taken up again after that. */
const LEASE = 60

/** One of several at once has it; the others fail with `conflict` until it is done, or its time is over. */
async function alone<T>(project: string, work: () => Promise<T>): Promise<T> {
  const at = key.merging(project)
  await transact([reserve(at, nowSeconds(), LEASE, () => conflict('This project is being merged or rolled back.'))])
  try {
    return await work()
  } finally {
    await transact([removeEntry(at)]).catch(() => undefined)
  }
}

/**
 * Merges an approved project: `keep` stores the snapshot before anything else happens. Fails with `invalid`, naming the
 * blockers, where a linked record cannot be accepted, and with `conflict` when others were faster; whatever it fails
 * with, the project is still approved and nothing has changed.
 */
export function merge(
  old: Whole,
  actor: Actor,
  comment: string,
  keep: (name: string, bytes: Uint8Array) => Promise<void>,
): Promise<Whole> {
  return alone(old.about.id, async () => {
    const whole = await unchanged(old)
    const { snapshot, bytes, writes } = await prepared(whole, actor)
    await keep(snapshot.object_key, bytes)
    const at = snapshot.created_at
    const moved: Done = {
      actor_id: actor.id,
      action: 'state_changed',
      payload: { from: 'approved', to: 'merged', comment, snapshot_id: snapshot.id },
    }
    const merged_at = whole.about.merged_at ?? at
    const { next, writes: own } = step(whole.about, { state: 'merged', merged_at, updated_at: at }, [moved], at)
    await large(snapshot.id, writes, [...own, put(projectSnapshot, snapshot, undefined)])
    return { ...whole, ...(await loadWholeById(next.id)) }
  })
}

/**
 * A project with exactly what belongs to it: read once more after the project itself, and refused when it has changed in
 * between. One query alone may see a link or an asset before it changes and the project after.
 */
async function unchanged({ about }: Whole): Promise<Whole> {
  const whole = await loadWholeById(about.id)
  if (whole?.version !== about.version) throw conflict()
  return whole
}

async function large(id: string, writes: readonly Write[], last: readonly Write[]): Promise<void> {
  await commitLarge(id, writes, last)
  await invalidate([...writes, ...last].flatMap((write) => write.type ?? []))
}

/** So many records are read at the same time. */
const AT_ONCE = 16

async function prepared(whole: Whole, actor: Actor) {
  const waiting = await waitingOf(whole.entities.map((it) => it.entity_id))
  const blockers: string[] = []
  const accepted: (Accepted & { writes: Write[] })[] = []
  await inTurns(waiting, async (entity_id) => {
    const old = await loadHistory(entity_id)
    // Others may have decided on it since.
    if (!old || !isAccepted(old)) return
    try {
      accepted.push(await accept(old, actor))
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      blockers.push(`${old.name}: ${Object.values(error.fields ?? {}).flat()[0] ?? error.detail}`)
    }
  })
  if (blockers.length > 0) throw invalid({ blockers: blockers.sort() })
  accepted.sort((a, b) => (a.decision_id < b.decision_id ? -1 : 1))
  const { about, entities, assets } = whole
  const state: Snapshot = {
    id: newId(),
    created_at: now(),
    merged_by: actor.id,
    project: about,
    entities,
    assets,
    records: accepted.map(({ writes: _, ...it }) => it),
  }
  const bytes = gzipSync(JSON.stringify(state))
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const snapshot: ProjectSnapshot = {
    id: state.id,
    project_id: about.id,
    merged_by: actor.id,
    sha256,
    object_key: `snapshots/${sha256}.json.gz`,
    size: bytes.length,
    restored_at: null,
    created_at: state.created_at,
    version: 1,
  }
  return { snapshot, bytes, writes: accepted.flatMap(({ writes }) => writes) }
}

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

async function accept(old: History, actor: Actor): Promise<Accepted & { writes: Write[] }> {
  const { made, record: next, done, writes } = await planDecision(old, actor, accepting)
  const written = writes.flatMap(({ action }) => (action.Put?.Item?.type === assertion.type ? [action.Put.Item] : []))
  const after = written.map((item) => parse(assertion, item))
  const ids = new Set(after.map((it) => it.id))
  return {
    before: { head: recordItemOf(old), assertions: old.assertions.filter((it) => ids.has(it.id)) },
    after: { head: next, assertions: after },
    decision_id: made.id,
    activity_ids: done.map((it) => it.activity_id),
    writes,
  }
}

/** The snapshot of the merge that stands; undefined when there is none. */
export async function latestSnapshot(project: string): Promise<ProjectSnapshot | undefined> {
  const { pk } = key.project(project)
  const items = (await queryAll(pk, 'SNAPSHOT#', false)).map((item) => parse(projectSnapshot, item))
  return items.find((it) => it.restored_at === null)
}

/**
 * Takes a merge back: project, assets, links and records are as they were, and the project needs revision. A record
 * that has been decided on, edited or deleted since is left as it is; the activity names it.
 */
export function rollBack(
  old: Whole,
  actor: Actor,
  read: (name: string) => Promise<Uint8Array | undefined>,
): Promise<Whole> {
  const { about } = old
  if (about.state !== 'merged') throw impossible('Only a merged project can be rolled back.')
  return alone(about.id, async () => {
    const whole = await unchanged(old)
    const stored = await latestSnapshot(about.id)
    const bytes = stored && (await read(stored.object_key))
    if (!stored || !bytes) throw impossible('There is no snapshot of this project to go back to.')
    if (createHash('sha256').update(bytes).digest('hex') !== stored.sha256)
      throw new Error(`the snapshot ${stored.id} is not what was stored`)
    const snapshot = v.parse(Snapshot, JSON.parse(gunzipSync(bytes).toString()))
    const kept: string[] = []
    const writes: Write[] = []
    await inTurns(snapshot.records, async (it) => {
      const current = await loadHistory(it.before.head.entity_id)
      if (current && isUntouched(current, it.after.head)) writes.push(...restored(current, it))
      else kept.push(it.before.head.entity_id)
    })
    const at = now()
    const undone: Done = {
      actor_id: actor.id,
      action: 'state_changed',
      payload: {
        ...{ from: 'merged', to: 'needs_revision', comment: 'rollback_merge', snapshot_id: stored.id },
        ...(kept.length > 0 && { kept: kept.sort().slice(0, 200), kept_count: kept.length }),
      },
    }
    const { id: _, slug: __, activity_count: ___, version: ____, deleted_at: _____, ...before } = snapshot.project
    const changes = { ...before, state: 'needs_revision' as const, merged_at: null, updated_at: at }
    const { next, writes: own } = step(about, changes, [undone], at)
    await large(
      newId(),
      [...writes, ...belongings(whole, snapshot)],
      [...own, put(projectSnapshot, amended(stored, { restored_at: at }), stored)],
    )
    return { ...whole, ...(await loadWholeById(next.id)) }
  })
}

/** Whether what the merge has made of a record is still what stands. Comments and flags do not count. */
function isUntouched(it: RecordItem, after: RecordItem): boolean {
  const names = ['status', 'public', 'data', 'proposed', 'current_revision', 'accepted_revision', 'deleted_at'] as const
  return names.every((name) => isDeepStrictEqual(it[name], after[name]))
}

/** The writes that make a record wait again as it did. What has come to it since, comments and flags, stays. */
function restored(it: History, { before, after, decision_id, activity_ids }: Accepted): Write[] {
  const current = recordItemOf(it)
  const next: RecordItem = {
    ...current,
    ...Object.fromEntries(
      Object.entries(before.head).filter(([name]) =>
        isDeepStrictEqual(member(current, name), member(after.head, name)),
      ),
    ),
    activity_count: current.activity_count - activity_ids.length,
    contributor: current.contributor,
    version: current.version + 1,
  }
  if (!isDeepStrictEqual(current.recent_activities, after.head.recent_activities))
    next.recent_activities = current.recent_activities.filter((each) => !activity_ids.includes(each.activity_id))
  const made = it.decisions.filter((each) => each.id === decision_id)
  const told = it.activities.filter((each) => activity_ids.includes(each.activity_id))
  return [
    put(recordItem, next, current),
    ...queueWrites(current, next),
    ...made.map((each) => removal(decision, each)),
    ...told.map((each) => removal(activity, each)),
    ...it.assertions.flatMap((each) => {
      const [old, then] = [before, after].map(({ assertions }) => assertions.find(({ id }) => id === each.id))
      return old && then && each.version === then.version
        ? [put(assertion, { ...old, contributed_by: each.contributed_by, version: each.version + 1 }, each)]
        : []
    }),
  ]
}

const member = (it: RecordItem, name: string): unknown => Object.entries(it).find(([each]) => each === name)?.[1]

/** The writes that make links and assets those of the snapshot. */
function belongings(whole: Whole, { entities, assets }: Snapshot): Write[] {
  const links = whole.entities.filter((it) => !entities.some((each) => each.entity_id === it.entity_id))
  const files = whole.assets.filter((it) => !assets.some((each) => each.id === it.id))
  return [
    ...links.map((it) => removal(projectEntity, it)),
    ...files.map((it) => removal(asset, it)),
    ...entities.flatMap((it) => {
      const old = whole.entities.find((each) => each.entity_id === it.entity_id)
      return isDeepStrictEqual(old, it) ? [] : [put(projectEntity, over(it, old), old)]
    }),
    ...assets.flatMap((it) => {
      const old = whole.assets.find((each) => each.id === it.id)
      return isDeepStrictEqual(old, it) ? [] : [put(asset, over(it, old), old)]
    }),
  ]
}

const over = <T extends { version: number }>(it: T, old: T | undefined): T => ({
  ...it,
  version: old ? old.version + 1 : it.version,
})

async function inTurns<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  for (let start = 0; start < all.length; start += AT_ONCE)
    await Promise.all(all.slice(start, start + AT_ONCE).map(work))
}
