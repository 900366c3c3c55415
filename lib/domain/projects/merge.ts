// Merge and rollback. A merge accepts every linked record that waits. A rollback makes it wait again. Each is one two-phase
// commit (lib/engines/table/two-phase/README.md), staged in parts of 10 records:
//
// 1. The request stages parts for up to 20 seconds, less on a slow table. After a failure every part is undone, and the project
//    is still approved. If the process dies, the sweeper undoes the parts a minute later.
// 2. If parts are left, one transaction moves the merge to the background. It writes the project (its member `merge` makes edits
//    fail with 409), its activity `merge_started`, and the job. From then on only the job calls the two-phase commit off.
// 3. A worker runs every second minute and takes a job without a lease. The lease is four minutes long. Each part renews it, and takes
//    less. A part that is half staged is undone and planned again. The parts before it stay.
// 4. The switch makes records, project, activity, snapshot and the end of the job visible at once.
// 5. Or the job is called off. Every part is undone, the project is as it was, and its activity `merge_failed` says why.
//    A job on which three workers in a row died without finishing a part is called off, too.
//
// The person who began a background merge gets a notification of its end.

import { newId, now } from '../../base/clock.ts'
import { checkAllowed, conflict, impossible, isConflict, isProblem, Problem } from '../../base/errors.ts'
import { withholdHidden } from '../../engines/search/index.ts'
import { commitPlan } from '../../engines/table/immediate.ts'
import type { Write } from '../../engines/table/index.ts'
import {
  beginStaging,
  isThrottle,
  reading,
  switchOrCallOff,
  TimeOver,
  type UnitOfWork,
} from '../../engines/table/index.ts'
import { settle, stageCounters, stagePart, transaction } from '../../engines/table/two-phase/index.ts'
import { invalidate } from '../../platform/cache/cached.ts'
import { type Actor, permissions, projectParts } from '../../platform/permissions.ts'
import { inUnit } from '../../platform/unit-of-work.ts'
import { loadOrderer } from '../../platform/users/actor.ts'
import { withholdFromGraph } from '../graph/withhold.ts'
import { recordItem } from '../records/items.ts'
import { asSubject } from './items.ts'
import { acceptInParts, type MergeOrder } from './merge-accept.ts'
import { noteFolder } from './merge-folder.ts'
import {
  endJob,
  findJob,
  leaseEnd,
  listJobs,
  loadPartResults,
  type MergeJob,
  MOST_IN_PART_MS,
  newJob,
  releaseProject,
  reserveProject,
  saveJob,
  savePartResult,
  takeJob,
} from './merge-job.ts'
import { restoreInParts } from './merge-restore.ts'
import { type LastWrites, MAX_BLOCKERS, type PartResult, partLimits, type WorkInParts } from './merge-work.ts'
import { loadWholeById, mergeInProgress, nextVersion, type WholeProject } from './projects.ts'

/** The most milliseconds for which a request stages parts; a slow table leaves fewer. If parts are left then, the merge moves to the background. */
export const mergeLimits = { waitedForMs: 20_000 }

/**
 * Merges an approved project. A merge too large for the request continues in the background, and the project shows it in `merge`.
 * Fails with `invalid` and the blockers if a linked record cannot be accepted, and with `conflict` if another request was faster.
 * After any failure the project is still approved and nothing has changed. `show` makes the answer. It runs before
 * the switch, and its reads already see what the switch will make visible.
 */
export const mergeProject = <R>(
  unit: UnitOfWork,
  old: WholeProject,
  { actor, comment, show }: MergeOptions<R> & { comment: string },
): Promise<R> => beginMerge(unit, old, { actor: orderer(actor), comment, action: 'merge' }, show)

/**
 * Takes a merge back: project, assets, links and records are as before, and the project is in `needs_revision`. Records that have changed
 * since, or on which others have built, stay. Like `mergeProject` it may continue in the background. Fails with `invalid` unless the
 * project is merged.
 */
export async function rollBackProject<R>(
  unit: UnitOfWork,
  old: WholeProject,
  { actor, show }: MergeOptions<R>,
): Promise<R> {
  if (old.about.state !== 'merged') throw impossible('Only a merged project can be rolled back.')
  return beginMerge(unit, old, { actor: orderer(actor), comment: '', action: 'rollback' }, show)
}

/** The caller as a job stores it, with the ownership of the account at the time of the request. */
const orderer = (actor: Actor) => ({ ...actor, ownership: actor.ownership ?? 1 })

type Show<R> = (it: WholeProject) => Promise<R>
/** The caller, and the function that makes the answer. */
export type MergeOptions<R> = { actor: Actor; show: Show<R> }
type MergeRequest = Pick<MergeJob, 'actor' | 'comment' | 'action'>

async function beginMerge<R>(unit: UnitOfWork, old: WholeProject, request: MergeRequest, show: Show<R>): Promise<R> {
  const startedAt = performance.now()
  const { id: project } = old.about
  if (old.about.merge) throw mergeInProgress()
  const order: MergeOrder = { ...request, id: newId(), project, size: partLimits.recordsInPart, background: false }
  const release = (own: UnitOfWork) => own.add([releaseProject(project, order.id)])
  await unit.storeAhead(
    'reserved project',
    (own) => own.add([reserveProject(project, order.id, mergeInProgress), ...folderWrites(order, request)]),
    release,
  )
  const whole = await reloadUnchanged(old)
  const work = await workInParts(request.action, whole, order)
  await beginStaging(unit, order.id)
  const until = startedAt + stagingTime(performance.now() - startedAt)
  const { part, results, heads } = await stageParts(order.id, work, until)
  const answer =
    part < work.parts
      ? await moveToBackground(unit, whole, request, { ...order, part, results, of: work.of }, show)
      : await planSwitch(unit, order.id, await work.planLast(results), heads, show)
  unit.afterCommit(() => finish(order.id, until))
  unit.afterCommit(release)
  return answer
}

/** Only a merge stores the state before it, so only a merge has a folder. */
const folderWrites = ({ id, project }: MergeOrder, { action }: MergeRequest): Write[] =>
  action === 'merge' ? [noteFolder({ id, project_id: project })] : []

/** Milliseconds within which a request must be answered. */
const ANSWER_WITHIN_MS = 28_000
/** The steps after staging take at most this many times as long as the steps before it. */
const ENDING_FACTOR = 4
/** Milliseconds for staging parts within the request. `spentMs` is the time of the steps before, so a slow table leaves less. */
const stagingTime = (spentMs: number) => Math.min(mergeLimits.waitedForMs, ANSWER_WITHIN_MS - ENDING_FACTOR * spentMs)

async function workInParts(action: MergeJob['action'], whole: WholeProject, order: MergeOrder): Promise<WorkInParts> {
  return action === 'merge' ? acceptInParts(whole, order) : restoreInParts(whole, order)
}

/**
 * Reads the project again, with its assets and links. Fails with `conflict` if it has changed. One query may read a link or asset from
 * before a change, and the project from after it.
 */
async function reloadUnchanged({ about }: WholeProject): Promise<WholeProject> {
  const whole = await loadWholeById(about.id)
  if (whole?.version !== about.version) throw conflict()
  return whole
}

/** Stages parts until all are staged, or `until` has passed. A part that the time cut off is staged again later. */
async function stageParts(id: string, work: WorkInParts, until: number) {
  const results: PartResult[] = []
  const heads: Write[] = []
  for (let part = 0; part < work.parts; part += 1) {
    const staged = await stageOnePart(id, work, part, until)
    if (!staged) break
    results.push(staged.result)
    heads.push(...staged.heads)
  }
  return { part: results.length, results, heads }
}

/** The most attempts to stage one part. It is planned again if a record changes between its plan and its mark. */
const MAX_PART_ATTEMPTS = 5

type StagedPart = { result: PartResult; heads: Write[] }

/**
 * Stages one part. Returns its result and the writes of its records, which `show` reads before the switch. Undefined if `until`
 * has passed.
 */
async function stageOnePart(
  id: string,
  work: WorkInParts,
  part: number,
  until: number,
): Promise<StagedPart | undefined> {
  for (let attempt = 1; performance.now() < until; attempt += 1) {
    let staged: StagedPart | undefined
    const plan = async () => {
      const { writes, ...result } = await planOrNameBlockers(work, part, until)
      staged = { result, heads: writes.filter(({ type }) => type === recordItem.type) }
      return writes
    }
    try {
      await stagePart(id, part + 1, plan, until)
      return staged
    } catch (error) {
      if (error instanceof TimeOver) return undefined
      if (!isConflict(error) || attempt === MAX_PART_ATTEMPTS) throw error
    }
  }
  return undefined
}

/** Plans one part. If it has blockers, the error also names the blockers of later parts, as far as the time allows. */
async function planOrNameBlockers(work: WorkInParts, part: number, until: number) {
  try {
    return await work.planPart(part, until)
  } catch (error) {
    throw isProblem(error, 'invalid') ? await withLaterBlockers(error, work, part + 1, until) : error
  }
}

async function withLaterBlockers(error: unknown, work: WorkInParts, from: number, until: number): Promise<unknown> {
  const blockers = blockersIn(error)
  const goesOn = () => blockers.length < MAX_BLOCKERS && performance.now() < until
  for (let part = from; part < work.parts && goesOn(); part += 1)
    await work.planPart(part, until).catch((further: unknown) => {
      if (further instanceof TimeOver) return
      if (!isProblem(further, 'invalid')) throw further
      blockers.push(...blockersIn(further))
    })
  const fields = { blockers: blockers.sort().slice(0, MAX_BLOCKERS) }
  return error instanceof Problem && blockers.length > 0 ? new Problem(error.code, error.detail, { fields }) : error
}

const blockersIn = (error: unknown): string[] =>
  error instanceof Problem && Array.isArray(error.fields?.blockers) ? [...error.fields.blockers] : []

/** Turns the unit's commit into the switch, after which readers see all parts. Returns the answer. */
async function planSwitch<R>(
  unit: UnitOfWork,
  id: string,
  last: LastWrites,
  heads: readonly Write[],
  show: Show<R>,
): Promise<R> {
  await stageCounters(id)
  const answer = await reading([...heads, ...last.writes], () => show(last.whole))
  unit.add(last.writes)
  unit.commitBy((writes) => makeVisible(() => switchOrCallOff(id, writes)))
  // A rollback hides the records that the merge has published.
  unit.afterCommit(() => Promise.all([withholdHidden(heads), withholdFromGraph(heads)]))
  return answer
}

/**
 * Invalidates caches, then switches. If this process dies after the switch, answers that were made between both steps hold old records.
 * They live until their time is over: see the rules of `platform/cache`.
 */
async function makeVisible(switchOver: () => Promise<void>): Promise<void> {
  await invalidate(changedTypes)
  await switchOver()
}

/** Invalidates caches again, then settles parts until `until`. The sweeper settles the rest. Errors are ignored, since the switch is done. */
async function finish(id: string, until: number): Promise<void> {
  await invalidate(changedTypes)
  await settleSwitched(id, until).catch(() => undefined)
}

async function settleSwitched(id: string, until: number): Promise<void> {
  if ((await transaction.findTransaction(id))?.state === 'done') await settle(id, until)
}

/** The item types that cached answers depend on; see lib/platform/cache/rules.ts. */
const changedTypes = ['record', 'decision', 'revision']

type MergeSoFar = { id: string; size: number; part: number; results: readonly PartResult[]; of: number }

/** Turns the unit's commit into the transaction that moves the merge to the background. Returns the answer. */
async function moveToBackground<R>(
  unit: UnitOfWork,
  whole: WholeProject,
  request: MergeRequest,
  { id, size, part, results, of }: MergeSoFar,
  show: Show<R>,
): Promise<R> {
  const { about } = whole
  await Promise.all(results.map((each, number) => savePartResult(id, number, each)))
  const at = now()
  const { action, actor } = request
  const started = { actor_id: actor.id, action: 'merge_started' as const, payload: { merge: action, of } }
  const { next, writes } = nextVersion(about, { merge: { id, action, of }, updated_at: at }, [started], at)
  const done = results.reduce((sum, it) => sum + it.records, 0)
  const job = { ...request, project_id: about.id, id, size, part, done, of, held_until: at, started_at: at }
  const allWrites = [...writes, newJob(job)]
  const answer = await reading(allWrites, () => show({ ...whole, ...asSubject(next) }))
  unit.add(allWrites)
  unit.commitBy((added) =>
    transaction.keepOpen(id, added).catch(async (error: unknown) => {
      // The reply may have been lost although the transaction succeeded.
      if ((await findJob(about.id))?.id !== id) throw error
    }),
  )
  return answer
}

/** Works on background merges until `until`, in milliseconds of `performance.now()`. Returns how many ended and how many are left. */
export async function continueJobs(until: number): Promise<{ ended: number; running: number }> {
  const jobs = await listJobs()
  let ended = 0
  for (const listed of jobs) {
    const job = performance.now() < until ? await takeJob(listed) : undefined
    if (job && (await workOnJob(job, until))) ended += 1
  }
  return { ended, running: jobs.length - ended }
}

/** The failures in a row after which a job is called off. They are two minutes apart, and throttling does not last for twenty. */
const MAX_FAILURES = 10

/** Works on one job. Returns whether it has ended. */
async function workOnJob(taken: MergeJob, until: number): Promise<boolean> {
  const job = taken.failed ? taken : await tryWork(taken, until)
  if (job?.failed) return callOffJob(job)
  return job !== undefined && (await findJob(job.project_id))?.id !== job.id
}

/**
 * Stages parts of a job, and switches if all are staged. Fails the job if the person who ordered it has lost the right to it. Returns the
 * job as it was last stored. Undefined if another worker has taken it.
 */
async function tryWork(taken: MergeJob, until: number): Promise<MergeJob | undefined> {
  let job = taken
  try {
    job = await stageAll(job, await loadOrderer(job.actor), until, (next) => (job = next))
    return job
  } catch (error) {
    if (isConflict(error) && (await findJob(job.project_id))?.version !== job.version) return undefined
    const failed = reasonOf(error, job.failures + 1)
    const next = await saveJob(job, { failures: job.failures + 1, takes: 0, failed, held_until: now() })
    if (!failed) throw error
    return next
  }
}

/** The reason why a job cannot succeed, for the project's members. Null if it may still succeed. */
function reasonOf(error: unknown, failures: number): MergeJob['failed'] {
  if (error instanceof Problem && !isThrottle(error)) return { reason: error.detail, blockers: blockersIn(error) }
  return failures < MAX_FAILURES ? null : { reason: 'It has failed again and again.', blockers: [] }
}

/** Whether somebody may still do what they have ordered. */
const mayEnd = { merge: projectParts.mergers, rollback: permissions['project.rollback'].changes }

/** Stages the remaining parts, then switches. Calls `saved` with each stored version of the job. */
async function stageAll(
  taken: MergeJob,
  actor: Actor,
  until: number,
  saved: (job: MergeJob) => void,
): Promise<MergeJob> {
  let job = taken
  const whole = await loadWholeById(job.project_id)
  if (whole?.about.merge?.id !== job.id) throw new Error(`the project of the merge ${job.id} does not know it`)
  checkAllowed(mayEnd[job.action](actor, whole))
  const { id, comment, size, project_id: project } = job
  const work = await workInParts(job.action, whole, { id, actor, comment, project, size, background: true })
  while (job.part < work.parts) {
    const staged = await stageOnePart(id, work, job.part, Math.min(until, performance.now() + MOST_IN_PART_MS))
    if (!staged) break
    await savePartResult(id, job.part, staged.result)
    const [part, done] = [job.part + 1, job.done + staged.result.records]
    job = await saveJob(job, { part, done, failures: 0, takes: 0, held_until: leaseEnd() })
    saved(job)
  }
  if (job.part < work.parts || performance.now() >= until) {
    job = await saveJob(job, { takes: 0, held_until: now() })
    saved(job)
    return job
  }
  const results = await loadPartResults(id, work.parts)
  await stageCounters(id)
  await inUnit(async (unit) => {
    unit.retryOn('conflict')
    unit.add([...(await work.planLast(results)).writes, ...endJob(job)])
    unit.commitBy((writes) => makeVisible(() => transaction.switchOver(id, writes)))
  })
  await finish(id, until)
  return job
}

/** Calls a job off: its parts are undone, and the project gets the activity `merge_failed`. Returns true, since the job has ended. */
async function callOffJob(job: MergeJob): Promise<boolean> {
  if (!(await transaction.callOff(job.id))) return true
  await settle(job.id)
  await commitPlan(async () => {
    const whole = await loadWholeById(job.project_id)
    const current = await findJob(job.project_id)
    if (!whole || current?.id !== job.id) return { result: undefined, writes: [] }
    const at = now()
    const { action, failed } = job
    const payload = { merge: action, reason: failed?.reason ?? '', blockers: failed?.blockers ?? [], background: true }
    const failure = { actor_id: job.actor.id, action: 'merge_failed' as const, payload }
    const { writes } = nextVersion(whole.about, { merge: null, updated_at: at }, [failure], at)
    return { result: undefined, writes: [...writes, ...endJob(current)] }
  })
  return true
}
