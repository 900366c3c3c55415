import { invalidate } from '../cache/cached.ts'
import { newId, now } from '../clock.ts'
import { conflict, impossible, isConflict, isProblem, Problem } from '../errors.ts'
import type { Actor } from '../permissions.ts'
import { recordItem } from '../records/items.ts'
import type { Write } from '../table/item.ts'
import { reading } from '../table/pending.ts'
import { retryOnConflict } from '../table/retry.ts'
import { allOrNothing } from '../table/two-phase/commit.ts'
import { isThrottle, TimeOver } from '../table/two-phase/patience.ts'
import { settle } from '../table/two-phase/settle.ts'
import { stageCounters, stagePart } from '../table/two-phase/stage.ts'
import * as transaction from '../table/two-phase/transaction.ts'
import { transact } from '../table/write.ts'
import { asSubject } from './items.ts'
import { mergeWork, type Order } from './merge-accept.ts'
import { noteFolder } from './merge-folder.ts'
import {
  endJob,
  findJob,
  type Job,
  jobs,
  leaseFrom,
  newJob,
  release,
  remember,
  remembered,
  reservation,
  saveJob,
  takeJob,
} from './merge-job.ts'
import { rollbackWork } from './merge-restore.ts'
import { type Last, limits, MOST_BLOCKERS, type PartResult, type Work } from './merge-work.ts'
import { beingMerged, loadWholeById, step, type Whole } from './projects.ts'
import type { Bucket } from './snapshots.ts'

/**
 * Merging accepts every linked record that waits, and rolling back makes it wait again: with the project, in one large
 * transaction (lib/table/two-phase/README.md), whose parts are staged one after the other, 10 records each.
 *
 *   while a request waits     up to 20 seconds, less on a slow table. Whatever fails undoes all: the project is still approved. So it is
 *                             too when the process ends; the sweeper clears that away after a minute.
 *   then it goes on by itself one transaction says so: the project (`merge`, and edits are refused), its activity
 *                             `merge_started`, the job, and the large transaction, which nobody else calls off from here on.
 *   a worker                  comes by every minute, takes a job that nobody has (a lease of a minute, renewed with each
 *                             part), goes on at the part that comes next, and gives the job back before its own time is over.
 *                             A part that a process has left half staged is undone and planned anew; parts before it stay.
 *   the end                   the switch: project, activity, snapshot and the end of the job with all records at once. Or it
 *                             is called off: every part is undone, the project is as it was, its activity `merge_failed`
 *                             says why. Either way who began it is told.
 */
export const merging = { waitedForMs: 20_000 }

/**
 * Merges an approved project. What is larger than a request may wait for goes on by itself: then the project says so in
 * `merge`. Fails with `invalid`, naming the blockers, where a linked record cannot be accepted, and with `conflict` when
 * others were faster; whatever it fails with, the project is still approved and nothing has changed. Answers what `show`
 * makes of the merged project: it is called before the switch, and reads what will be there after it.
 */
export const merge = <R>(old: Whole, { actor, comment, bucket, show }: Wish<R> & { comment: string }): Promise<R> =>
  begin(old, { actor, comment, action: 'merge' }, bucket, show)

/** Takes a merge back: project, assets, links and records are as they were, and the project needs revision. Goes on by itself, and answers, as a merge does. */
export async function rollBack<R>(old: Whole, { actor, bucket, show }: Wish<R>): Promise<R> {
  if (old.about.state !== 'merged') throw impossible('Only a merged project can be rolled back.')
  return begin(old, { actor, comment: '', action: 'rollback' }, bucket, show)
}

type Show<R> = (it: Whole) => Promise<R>
/** Who wants it, and what they are to be answered. */
export type Wish<R> = { actor: Actor; bucket: Bucket; show: Show<R> }
type Asked = Pick<Job, 'actor' | 'comment' | 'action'>

async function begin<R>(old: Whole, asked: Asked, bucket: Bucket, show: Show<R>): Promise<R> {
  const began = performance.now()
  const { id: project } = old.about
  if (old.about.merge) throw beingMerged()
  const order: Order = { ...asked, id: newId(), project, size: limits.recordsInPart, background: false }
  await transact([reservation(project, beingMerged), ...beginsToKeep(order, asked)])
  try {
    const whole = await unchanged(old)
    const work = await workOf(asked.action, whole, order, bucket)
    await transaction.begin(order.id)
    const until = began + waitedFor(performance.now() - began)
    const prepare = async () => {
      const { part, results, heads } = await stage(order.id, work, until)
      return part < work.parts
        ? goOnAlone(whole, asked, { ...order, part, results, of: work.of }, show)
        : close(order.id, await work.last(results), heads, show)
    }
    const { answer } = await allOrNothing(order.id, prepare, ({ commit }) => commit())
    await finish(order.id, until)
    return answer
  } finally {
    await transact([release(project)]).catch(() => undefined)
  }
}

/** A merge keeps what was before it, a rollback nothing. */
const beginsToKeep = ({ id, project }: Order, { action }: Asked): Write[] =>
  action === 'merge' ? [noteFolder({ id, project_id: project })] : []

/** A request is answered within so many milliseconds, or never. What comes after the parts takes so many times as long as what has come before. */
const [ANSWERED_MS, ENDING] = [28_000, 4]
/** For how long a request waits on a table that is as slow as it has been until now. */
const waitedFor = (opened: number) => Math.min(merging.waitedForMs, ANSWERED_MS - ENDING * opened)

const workOf = async (action: Job['action'], whole: Whole, order: Order, bucket: Bucket): Promise<Work> =>
  action === 'merge' ? mergeWork(whole, order, bucket) : rollbackWork(whole, order, bucket)

/**
 * A project with exactly what belongs to it: read once more after the project itself, and refused when it has changed in
 * between. One query alone may see a link or an asset before it changes and the project after.
 */
async function unchanged({ about }: Whole): Promise<Whole> {
  const whole = await loadWholeById(about.id)
  if (whole?.version !== about.version) throw conflict()
  return whole
}

/** Stages parts until all are, or the time is over: then also within a part, which is done again. */
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

/** Others may change a record between its plan and its mark: then the part is planned anew. */
const ATTEMPTS = 5

type Staged = { result: PartResult; heads: Write[] }

/** Answers what is to be remembered of it, and the writes of its records, which may be shown before they are there; undefined when the time was over before. */
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

/** A part that cannot be is told with all that stands in the way of those behind it, as far as there is time to look. */
async function planOf(work: Work, part: number, until: number) {
  try {
    return await work.plan(part, until)
  } catch (error) {
    throw isProblem(error, 'invalid') ? await withFurther(error, work, part + 1, until) : error
  }
}

async function withFurther(error: unknown, work: Work, from: number, until: number): Promise<unknown> {
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

/** What is answered, and what makes it true. */
type Prepared<R> = { answer: R; commit: () => Promise<void> }

/** Once this is committed, all of it is seen. */
async function close<R>(id: string, last: Last, heads: readonly Write[], show: Show<R>): Promise<Prepared<R>> {
  await stageCounters(id)
  const answer = await reading([...heads, ...last.writes], () => show(last.whole))
  return { answer, commit: () => switchOver(id, last.writes) }
}

/**
 * Makes all of it visible. What is remembered of records is stale from before that: nobody keeps what they read meanwhile, and who is
 * stopped behind it leaves nobody with what was.
 */
async function switchOver(id: string, last: readonly Write[]): Promise<void> {
  await invalidate(changedTypes)
  await transaction.switchOver(id, last)
}

/** Puts in place what there is time for; the sweeper does the rest. What caches hold of it is stale by now. Nothing of it can fail any more. */
async function finish(id: string, until: number): Promise<void> {
  await invalidate(changedTypes)
  await settleSwitched(id, until).catch(() => undefined)
}

async function settleSwitched(id: string, until: number): Promise<void> {
  if ((await transaction.find(id))?.state === 'done') await settle(id, until)
}

/** What it changes that answers are made of; see lib/cache/rules.ts. */
const changedTypes = ['record', 'decision', 'revision']

type SoFar = { id: string; size: number; part: number; results: readonly PartResult[]; of: number }

/** What says that it goes on by itself from the part that comes next. */
async function goOnAlone<R>(
  whole: Whole,
  asked: Asked,
  { id, size, part, results, of }: SoFar,
  show: Show<R>,
): Promise<Prepared<R>> {
  const { about } = whole
  await Promise.all(results.map((each, number) => remember(id, number, each)))
  const at = now()
  const { action, actor } = asked
  const began = { actor_id: actor.id, action: 'merge_started' as const, payload: { merge: action, of } }
  const { next, writes } = step(about, { merge: { id, action, of }, updated_at: at }, [began], at)
  const done = results.reduce((sum, it) => sum + it.records, 0)
  const job = { ...asked, project_id: about.id, id, size, part, done, of, held_until: at, started_at: at }
  const all = [...writes, newJob(job)]
  const answer = await reading(all, () => show({ ...whole, ...asSubject(next) }))
  const commit = () =>
    transaction.keepOpen(id, all).catch(async (error: unknown) => {
      // The reply may be lost.
      if ((await findJob(about.id))?.id !== id) throw error
    })
  return { answer, commit }
}

/**
 * Works on what goes on by itself until the time is over, in milliseconds of `performance.now()`. Answers how many have
 * come to their end, and how many have not.
 */
export async function goOn(bucket: Bucket, until: number): Promise<{ ended: number; running: number }> {
  const found = await jobs()
  let ended = 0
  for (const each of found) {
    const job = performance.now() < until ? await takeJob(each) : undefined
    if (job && (await advance(job, bucket, until))) ended += 1
  }
  return { ended, running: found.length - ended }
}

/** So many failures in a row, a minute apart, are more than the table having no room. */
const MOST_FAILURES = 10

/** Answers whether the job has come to its end. */
async function advance(taken: Job, bucket: Bucket, until: number): Promise<boolean> {
  const job = taken.failed ? taken : await workedOn(taken, bucket, until)
  if (job?.failed) return end(job)
  return job !== undefined && (await findJob(job.project_id))?.id !== job.id
}

/** The job as work on it leaves it; undefined where it is another's by now. */
async function workedOn(taken: Job, bucket: Bucket, until: number): Promise<Job | undefined> {
  let job = taken
  try {
    job = await workOn(job, bucket, until, (next) => (job = next))
    return job
  } catch (error) {
    if (isConflict(error) && (await findJob(job.project_id))?.version !== job.version) return undefined
    const failed = reasonOf(error, job.failures + 1)
    const next = await saveJob(job, { failures: job.failures + 1, failed, held_until: now() })
    if (!failed) throw error
    return next
  }
}

/** Why it cannot be, for its members; null when it may yet be. */
function reasonOf(error: unknown, failures: number): Job['failed'] {
  if (error instanceof Problem && !isThrottle(error)) return { reason: error.detail, blockers: blockersIn(error) }
  return failures < MOST_FAILURES ? null : { reason: 'It has failed again and again.', blockers: [] }
}

async function workOn(taken: Job, bucket: Bucket, until: number, note: (it: Job) => void): Promise<Job> {
  let job = taken
  const whole = await loadWholeById(job.project_id)
  if (whole?.about.merge?.id !== job.id) throw new Error(`the project of the merge ${job.id} does not know it`)
  const { id, actor, comment, size, project_id: project } = job
  const work = await workOf(job.action, whole, { id, actor, comment, project, size, background: true }, bucket)
  while (job.part < work.parts) {
    const staged = await stageOne(id, work, job.part, until)
    if (!staged) break
    await remember(id, job.part, staged.result)
    const [part, done] = [job.part + 1, job.done + staged.result.records]
    job = await saveJob(job, { part, done, failures: 0, held_until: leaseFrom() })
    note(job)
  }
  if (job.part < work.parts || performance.now() >= until) {
    job = await saveJob(job, { held_until: now() })
    note(job)
    return job
  }
  const results = await remembered(id, work.parts)
  await stageCounters(id)
  await retryOnConflict(
    async () => ({ result: undefined, writes: [...(await work.last(results)).writes, ...endJob(job)] }),
    {
      write: (writes) => switchOver(id, writes),
    },
  )
  await finish(id, until)
  return job
}

/** Calls it off: nothing of it is seen any more, and its project is as it was. */
async function end(job: Job): Promise<boolean> {
  if (await transaction.callOff(job.id)) return true
  await settle(job.id)
  await retryOnConflict(async () => {
    const whole = await loadWholeById(job.project_id)
    const current = await findJob(job.project_id)
    if (!whole || current?.id !== job.id) return { result: undefined, writes: [] }
    const at = now()
    const { action, failed } = job
    const payload = { merge: action, reason: failed?.reason ?? '', blockers: failed?.blockers ?? [], background: true }
    const told = { actor_id: job.actor.id, action: 'merge_failed' as const, payload }
    const { writes } = step(whole.about, { merge: null, updated_at: at }, [told], at)
    return { result: undefined, writes: [...writes, ...endJob(current)] }
  })
  return true
}

/** How far what goes on by itself has come, as the wire shows it; null where nothing does. */
export async function progressOf({ about }: Pick<Whole, 'about'>) {
  if (!about.merge) return null
  const job = await findJob(about.id)
  const { action, of } = about.merge
  return { state: 'running' as const, action, done: Math.min(job?.done ?? of, of), of }
}
