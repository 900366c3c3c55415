import * as v from 'valibot'
import { nowSeconds } from '../../base/clock.ts'
import { isConflict, noneIf, type Problem } from '../../base/errors.ts'
import { commitWrites } from '../../engines/table/immediate.ts'
import {
  acquireLease,
  defineItem,
  getMany,
  heldFor,
  isHeld,
  itemAt,
  LONGEST_REPEATED_MS,
  nextTake,
  parse,
  put,
  putAlways,
  queryAll,
  releaseLease,
  remove,
  type Write,
  walk,
  withNextVersion,
} from '../../engines/table/index.ts'
import { ranks } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { storedOwnership } from '../../platform/users/users.ts'
import { noteFolder } from './merge-folder.ts'
import type { PartResult } from './merge-work.ts'
import type { WholeProject } from './projects.ts'
import { StoredObject } from './snapshots.ts'

/**
 * A merge or rollback that runs in the background, with the lease of its worker. It has the key of the reservation that a waiting
 * request wrote.
 */
const Job = v.object({
  project_id: v.string(),
  /** The id of the two-phase commit. */
  id: v.string(),
  action: v.picklist(['merge', 'rollback']),
  actor: v.object({
    id: v.string(),
    username: v.string(),
    email: v.string(),
    is_staff: v.boolean(),
    is_superuser: v.boolean(),
    rank: v.nullable(v.picklist(ranks)),
    ownership: storedOwnership,
  }),
  comment: v.string(),
  /** Records in one part. */
  size: v.number(),
  /** The number of the next part to stage, counted from 0. */
  part: v.number(),
  /** The number of staged records. */
  done: v.number(),
  /** The number of all records. */
  of: v.number(),
  /** Failures in a row, without a finished part between them. */
  failures: v.number(),
  /** How many workers in a row took it and finished no part. See lib/engines/table/takes.ts. */
  takes: v.optional(v.number(), 0),
  /** Why the job is to be called off. Null unless it failed. */
  failed: v.optional(v.nullable(v.object({ reason: v.string(), blockers: v.array(v.string()) })), null),
  /** The end of the lease. */
  held_until: v.string(),
  started_at: v.string(),
  version: v.number(),
})
export type MergeJob = v.InferOutput<typeof Job>

/** The index partition of all jobs. */
const RUNNING = 'MERGING'
const job = defineItem({
  type: 'project_merge',
  schema: Job,
  key: (it: { project_id: string }) => key.merging(it.project_id),
  indexes: (it) => ({ gsi2: { pk: RUNNING, sk: `${it.started_at}#${it.id}` } }),
})

/** Seconds of the lease of a worker. A worker that has not renewed its lease in this time is dead. */
const LEASE_S = 240
/** Seconds of the reservation of a waiting request. */
const RESERVATION_S = 60
/**
 * The most milliseconds for one part, counted from its lease. The last calls of a part still end within the lease. Else another worker
 * would undo the part while this one goes on writing.
 */
export const MOST_IN_PART_MS = LEASE_S * 1000 - LONGEST_REPEATED_MS - 5000
/** The end of a lease that a worker takes or renews now. */
export const leaseEnd = (): string => heldFor(LEASE_S)

/** Reserves a project for the merge `id` while a request waits. Fails with `otherwise` if another merge has reserved it. */
export const reserveProject = (project: string, id: string, otherwise: () => Problem): Write =>
  acquireLease(
    key.merging(project),
    { held_by: id, expires_at: nowSeconds() + RESERVATION_S, type: 'reservation' },
    otherwise,
  )

/** Removes the reservation of the merge `id`. Fails with `conflict` if a job, or another merge, has replaced it. */
export const releaseProject = (project: string, id: string): Write => releaseLease(key.merging(project), id)

/** Returns the write that replaces the reservation by a new job. */
export const newJob = (it: Omit<MergeJob, 'version' | 'failures' | 'takes' | 'failed'>): Write =>
  putAlways(job, { ...it, failures: 0, takes: 0, failed: null, version: 1 })
/** Returns the writes that end a job. A merge's folder is cleared an hour later, since another worker may still write to it. */
export const endJob = (it: MergeJob): Write[] => [remove(job, it), ...(it.action === 'merge' ? [noteFolder(it)] : [])]

/** Loads the job of a project. Undefined if absent. */
export async function findJob(project: string): Promise<MergeJob | undefined> {
  const at = key.merging(project)
  const stored = itemAt(await getMany([at], true), at)
  return stored?.type === job.type ? parse(job, stored) : undefined
}

/** Lists jobs, oldest first. */
export const listJobs = async (limit = 100): Promise<MergeJob[]> =>
  (await walk({ index: 'gsi2', pk: RUNNING, forward: true, limit })).map((item) => parse(job, item))

const WORKER_ENDED = 'The process that worked on this ended three times.'

/** Takes the lease of a job. Undefined if another worker has it. A job on which too many workers died becomes `failed`. */
export async function takeJob(it: MergeJob): Promise<MergeJob | undefined> {
  if (isHeld(it)) return undefined
  const takes = nextTake(it.takes)
  const taken = takes === undefined ? { failed: it.failed ?? { reason: WORKER_ENDED, blockers: [] } } : { takes }
  return saveJob(it, { ...taken, held_until: leaseEnd() }).catch(noneIf(isConflict))
}

/** Stores changes of a job. Fails with `conflict` if another worker has it by now. */
export async function saveJob(it: MergeJob, changes: Partial<MergeJob>): Promise<MergeJob> {
  const next = withNextVersion(it, changes)
  await commitWrites([put(job, next, it)])
  return next
}

const Result = v.object({
  merge_id: v.string(),
  number: v.number(),
  records: v.number(),
  kept: v.optional(StoredObject),
  left: v.optional(v.array(v.string()), []),
  reasons: v.optional(v.record(v.string(), v.array(v.string())), {}),
  version: v.number(),
})
const result = defineItem({
  type: 'merge_part',
  schema: Result,
  key: (it: { merge_id: string; number: number }) => key.mergePart(it.merge_id, it.number),
  // A result is needed until the switch. Thirty days are more than any merge takes.
  expires: () => nowSeconds() + 30 * 86_400,
})

/** Stores the result of a part. If the part is staged again, the later result replaces it. */
export async function savePartResult(
  merge_id: string,
  number: number,
  { records, kept, left, reasons }: PartResult,
): Promise<void> {
  const named = Object.fromEntries(Object.entries(reasons ?? {}).map(([id, some]) => [id, [...some]]))
  const it = { merge_id, number, records, left: [...(left ?? [])], reasons: named, ...(kept && { kept }), version: 1 }
  await commitWrites([putAlways(result, it)])
}

/** Loads the results of the parts with numbers below `before`, in order. */
export async function loadPartResults(merge_id: string, before: number): Promise<v.InferOutput<typeof Result>[]> {
  const { pk } = key.mergePart(merge_id, 0)
  return (await queryAll(pk, 'PART#')).map((item) => parse(result, item)).filter((it) => it.number < before)
}

/** Loads the progress of a background merge or rollback, as the wire shows it. Null if none is running. */
export async function loadMergeProgress({ about }: Pick<WholeProject, 'about'>) {
  if (!about.merge) return null
  const job = await findJob(about.id)
  const { action, of } = about.merge
  return { state: 'running' as const, action, done: Math.min(job?.done ?? of, of), of }
}
