import { newId, now } from '../../base/clock.ts'
import { conflict, impossible, isConflict, isProblem, Problem } from '../../base/errors.ts'
import { commitPlan, settle, stageCounters, stagePart, transaction } from '../../engines/table/immediate.ts'
import type { Write } from '../../engines/table/index.ts'
import {
  beginStaging,
  isThrottle,
  reading,
  switchOrCallOff,
  TimeOver,
  type UnitOfWork,
} from '../../engines/table/index.ts'
import { invalidate } from '../../platform/cache/cached.ts'
import type { Actor } from '../../platform/permissions.ts'
import { inUnit } from '../../platform/unit-of-work.ts'
import { recordItem } from '../records/items.ts'
import { asSubject } from './items.ts'
import { mergeWork, type Order } from './merge-accept.ts'
import { noteFolder } from './merge-folder.ts'
import {
  endJob,
  findJob,
  type Job,
  leaseEnd,
  listJobs,
  loadPartResults,
  newJob,
  releaseProject,
  reserveProject,
  saveJob,
  savePartResult,
  takeJob,
} from './merge-job.ts'
import { rollbackWork } from './merge-restore.ts'
import { type Last, MOST_BLOCKERS, type PartResult, partLimits, type Work } from './merge-work.ts'
import { loadWholeById, mergeConflict, nextVersion, type Whole } from './projects.ts'

/**
 * Merge and rollback. A merge accepts every linked record that waits; a rollback makes it wait again. Each is one two-phase
 * commit (lib/engines/table/two-phase/README.md), staged in parts of 10 records:
 *
 * 1. The request stages parts for up to 20 seconds, less on a slow table. After a failure all is undone, and the project is
 *    still approved. If the process dies, the sweeper undoes it a minute later.
 * 2. If parts are left, one transaction moves the merge to the background. It writes the project (`merge`, and edits are
 *    refused), its activity `merge_started`, and the job. From then on only the job calls the two-phase commit off.
 * 3. A worker comes every minute and takes a job without a lease. The lease is a minute long, and each part renews it. A part
 *    that was left half staged is undone and planned again; parts before it stay.
 * 4. The switch makes all visible at once: records, project, activity, snapshot and the end of the job.
 * 5. Or the job is called off. Every part is undone, the project is as it was, and its activity `merge_failed` says why.
 *
 * Whoever began a background merge gets a notification of its end.
 */
export const mergeLimits = { waitedForMs: 20_000 }

/**
 * Merges an approved project. A merge too large for the request goes on in the background, and the project shows it in `merge`.
 * Fails with `invalid` and the blockers if a linked record cannot be accepted, and with `conflict` if somebody else was faster.
 * After any failure the project is still approved and nothing has changed. `show` makes the answer. It is called before the
 * switch, and reads what will be there after it.
 */
export const mergeProject = <R>(
  unit: UnitOfWork,
  old: Whole,
  { actor, comment, show }: Wish<R> & { comment: string },
): Promise<R> => begin(unit, old, { actor, comment, action: 'merge' }, show)

/**
 * Takes a merge back: project, assets, links and records are as before, and the project is in `needs_revision`. It waits, goes on
 * and answers as `mergeProject` does.
 */
export async function rollBackProject<R>(unit: UnitOfWork, old: Whole, { actor, show }: Wish<R>): Promise<R> {
  if (old.about.state !== 'merged') throw impossible('Only a merged project can be rolled back.')
  return begin(unit, old, { actor, comment: '', action: 'rollback' }, show)
}

type Show<R> = (it: Whole) => Promise<R>
/** Who asks, and what makes the answer. */
export type Wish<R> = { actor: Actor; show: Show<R> }
type MergeRequest = Pick<Job, 'actor' | 'comment' | 'action'>

async function begin<R>(unit: UnitOfWork, old: Whole, request: MergeRequest, show: Show<R>): Promise<R> {
  const began = performance.now()
  const { id: project } = old.about
  if (old.about.merge) throw mergeConflict()
  const order: Order = { ...request, id: newId(), project, size: partLimits.recordsInPart, background: false }
  const release = (own: UnitOfWork) => own.add([releaseProject(project, order.id)])
  await unit.storeAhead(
    'reserved project',
    (own) => own.add([reserveProject(project, order.id, mergeConflict), ...folderWrites(order, request)]),
    release,
  )
  const whole = await reloadUnchanged(old)
  const work = await workOf(request.action, whole, order)
  await beginStaging(unit, order.id)
  const until = began + stagingTime(performance.now() - began)
  const { part, results, heads } = await stage(order.id, work, until)
  const answer =
    part < work.parts
      ? await moveToBackground(unit, whole, request, { ...order, part, results, of: work.of }, show)
      : await planSwitch(unit, order.id, await work.last(results), heads, show)
  unit.afterCommit(() => finish(order.id, until))
  unit.afterCommit(release)
  return answer
}

/** Only a merge stores the state before it, so only a merge has a folder. */
const folderWrites = ({ id, project }: Order, { action }: MergeRequest): Write[] =>
  action === 'merge' ? [noteFolder({ id, project_id: project })] : []

/**
 * Milliseconds within which a request must be answered. The steps after the parts are reckoned at four times the steps before
 * them.
 */
const [ANSWERED_MS, ENDING] = [28_000, 4]
/** Milliseconds for staging parts within the request: fewer on a table that was slow until now. */
const stagingTime = (opened: number) => Math.min(mergeLimits.waitedForMs, ANSWERED_MS - ENDING * opened)

const workOf = async (action: Job['action'], whole: Whole, order: Order): Promise<Work> =>
  action === 'merge' ? mergeWork(whole, order) : rollbackWork(whole, order)

/**
 * Reads the project again with exactly what belongs to it; fails if it has changed. A single query may read a link or an asset
 * before a change, and the project after it.
 */
async function reloadUnchanged({ about }: Whole): Promise<Whole> {
  const whole = await loadWholeById(about.id)
  if (whole?.version !== about.version) throw conflict()
  return whole
}

/** Stages parts until all are staged or the time is over. A part that was broken off is staged again later. */
async function stage(id: string, work: Work, until: number) {
  const results: PartResult[] = []
  const heads: Write[] = []
  for (let part = 0; part < work.parts; part += 1) {
    const staged = await stageOne(id, work, part, until)
    if (!staged) break
    results.push(staged.result)
    heads.push(...staged.heads)
  }
  return { part: results.length, results, heads }
}

/** Somebody may change a record between its plan and its mark. Then the part is planned again. */
const ATTEMPTS = 5

type Staged = { result: PartResult; heads: Write[] }

/**
 * Stages one part. Returns its result and the writes of its records, which `show` reads before the switch. Undefined if the time
 * is over.
 */
async function stageOne(id: string, work: Work, part: number, until: number): Promise<Staged | undefined> {
  for (let attempt = 1; performance.now() < until; attempt += 1) {
    let staged: Staged | undefined
    const plan = async () => {
      const { writes, ...result } = await planOf(work, part, until)
      staged = { result, heads: writes.filter(({ type }) => type === recordItem.type) }
      return writes
    }
    try {
      await stagePart(id, part + 1, plan, until)
      return staged
    } catch (error) {
      if (error instanceof TimeOver) return undefined
      if (!isConflict(error) || attempt === ATTEMPTS) throw error
    }
  }
  return undefined
}

/** Plans one part. If it has blockers, those of later parts are added, as far as there is time to plan them. */
async function planOf(work: Work, part: number, until: number) {
  try {
    return await work.plan(part, until)
  } catch (error) {
    throw isProblem(error, 'invalid') ? await withLaterBlockers(error, work, part + 1, until) : error
  }
}

async function withLaterBlockers(error: unknown, work: Work, from: number, until: number): Promise<unknown> {
  const blockers = blockersIn(error)
  const goesOn = () => blockers.length < MOST_BLOCKERS && performance.now() < until
  for (let part = from; part < work.parts && goesOn(); part += 1)
    await work.plan(part, until).catch((further: unknown) => {
      if (further instanceof TimeOver) return
      if (!isProblem(further, 'invalid')) throw further
      blockers.push(...blockersIn(further))
    })
  const fields = { blockers: blockers.sort().slice(0, MOST_BLOCKERS) }
  return error instanceof Problem && blockers.length > 0 ? new Problem(error.code, error.detail, { fields }) : error
}

const blockersIn = (error: unknown): string[] =>
  error instanceof Problem && Array.isArray(error.fields?.blockers) ? [...error.fields.blockers] : []

/** Makes the unit the switch: once it is committed, readers see all of it. Returns the answer. */
async function planSwitch<R>(
  unit: UnitOfWork,
  id: string,
  last: Last,
  heads: readonly Write[],
  show: Show<R>,
): Promise<R> {
  await stageCounters(id)
  const answer = await reading([...heads, ...last.writes], () => show(last.whole))
  unit.add(last.writes)
  unit.commitBy((writes) => makeVisible(() => switchOrCallOff(id, writes)))
  return answer
}

/**
 * Makes all of it visible. Caches are invalidated before the switch: nobody may store what was read meanwhile. If the process
 * dies after the switch, no cache holds old records.
 */
async function makeVisible(switchOver: () => Promise<void>): Promise<void> {
  await invalidate(changedTypes)
  await switchOver()
}

/**
 * Settles what there is time for; the sweeper does the rest. Caches are invalidated again. Errors are ignored here, since the
 * switch is done.
 */
async function finish(id: string, until: number): Promise<void> {
  await invalidate(changedTypes)
  await settleSwitched(id, until).catch(() => undefined)
}

async function settleSwitched(id: string, until: number): Promise<void> {
  if ((await transaction.findTransaction(id))?.state === 'done') await settle(id, until)
}

/** The item types that cached answers depend on; see lib/platform/cache/rules.ts. */
const changedTypes = ['record', 'decision', 'revision']

type SoFar = { id: string; size: number; part: number; results: readonly PartResult[]; of: number }

/** Makes the unit the transaction that moves the merge to the background, from the next part on. Returns the answer. */
async function moveToBackground<R>(
  unit: UnitOfWork,
  whole: Whole,
  request: MergeRequest,
  { id, size, part, results, of }: SoFar,
  show: Show<R>,
): Promise<R> {
  const { about } = whole
  await Promise.all(results.map((each, number) => savePartResult(id, number, each)))
  const at = now()
  const { action, actor } = request
  const began = { actor_id: actor.id, action: 'merge_started' as const, payload: { merge: action, of } }
  const { next, writes } = nextVersion(about, { merge: { id, action, of }, updated_at: at }, [began], at)
  const done = results.reduce((sum, it) => sum + it.records, 0)
  const job = { ...request, project_id: about.id, id, size, part, done, of, held_until: at, started_at: at }
  const all = [...writes, newJob(job)]
  const answer = await reading(all, () => show({ ...whole, ...asSubject(next) }))
  unit.add(all)
  unit.commitBy((added) =>
    transaction.keepOpen(id, added).catch(async (error: unknown) => {
      // The reply may have been lost although the transaction succeeded.
      if ((await findJob(about.id))?.id !== id) throw error
    }),
  )
  return answer
}

/**
 * Works on background merges until `until`, in milliseconds of `performance.now()`. Returns how many have ended, and how many
 * have not.
 */
export async function continueJobs(until: number): Promise<{ ended: number; running: number }> {
  const found = await listJobs()
  let ended = 0
  for (const each of found) {
    const job = performance.now() < until ? await takeJob(each) : undefined
    if (job && (await advance(job, until))) ended += 1
  }
  return { ended, running: found.length - ended }
}

/** Failures in a row, a minute apart. A throttled table alone would not fail so often. */
const MOST_FAILURES = 10

/** Works on one job. Returns whether it has ended. */
async function advance(taken: Job, until: number): Promise<boolean> {
  const job = taken.failed ? taken : await tryWork(taken, until)
  if (job?.failed) return callOffJob(job)
  return job !== undefined && (await findJob(job.project_id))?.id !== job.id
}

/** The job after some work; undefined if another worker has it by now. */
async function tryWork(taken: Job, until: number): Promise<Job | undefined> {
  let job = taken
  try {
    job = await stageAll(job, until, (next) => (job = next))
    return job
  } catch (error) {
    if (isConflict(error) && (await findJob(job.project_id))?.version !== job.version) return undefined
    const failed = reasonOf(error, job.failures + 1)
    const next = await saveJob(job, { failures: job.failures + 1, failed, held_until: now() })
    if (!failed) throw error
    return next
  }
}

/** Why the job cannot succeed, for its members to read; null if it may still succeed. */
function reasonOf(error: unknown, failures: number): Job['failed'] {
  if (error instanceof Problem && !isThrottle(error)) return { reason: error.detail, blockers: blockersIn(error) }
  return failures < MOST_FAILURES ? null : { reason: 'It has failed again and again.', blockers: [] }
}

async function stageAll(taken: Job, until: number, note: (it: Job) => void): Promise<Job> {
  let job = taken
  const whole = await loadWholeById(job.project_id)
  if (whole?.about.merge?.id !== job.id) throw new Error(`the project of the merge ${job.id} does not know it`)
  const { id, actor, comment, size, project_id: project } = job
  const work = await workOf(job.action, whole, { id, actor, comment, project, size, background: true })
  while (job.part < work.parts) {
    const staged = await stageOne(id, work, job.part, until)
    if (!staged) break
    await savePartResult(id, job.part, staged.result)
    const [part, done] = [job.part + 1, job.done + staged.result.records]
    job = await saveJob(job, { part, done, failures: 0, held_until: leaseEnd() })
    note(job)
  }
  if (job.part < work.parts || performance.now() >= until) {
    job = await saveJob(job, { held_until: now() })
    note(job)
    return job
  }
  const results = await loadPartResults(id, work.parts)
  await stageCounters(id)
  await inUnit(async (unit) => {
    unit.retryOn('conflict')
    unit.add([...(await work.last(results)).writes, ...endJob(job)])
    unit.commitBy((writes) => makeVisible(() => transaction.switchOver(id, writes)))
  })
  await finish(id, until)
  return job
}

/** Calls a job off: its parts are undone, and the project is as it was. */
async function callOffJob(job: Job): Promise<boolean> {
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

/** The progress of a background merge, as the wire shows it; null without one. */
export async function progressOf({ about }: Pick<Whole, 'about'>) {
  if (!about.merge) return null
  const job = await findJob(about.id)
  const { action, of } = about.merge
  return { state: 'running' as const, action, done: Math.min(job?.done ?? of, of), of }
}
