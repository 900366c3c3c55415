import * as v from 'valibot'
import { later, now, nowSeconds } from '../clock.ts'
import { isConflict, noneIf } from '../errors.ts'
import { ranks } from '../permissions.ts'
import {
  amended,
  defineItem,
  parse,
  put,
  putAlways,
  remove,
  removeReservation,
  reserve,
  type Write,
} from '../table/item.ts'
import { key } from '../table/keys.ts'
import { getMany, itemAt, queryAll, walk } from '../table/read.ts'
import { transact } from '../table/write.ts'
import { noteFolder } from './merge-folder.ts'
import { Kept } from './snapshots.ts'

/** A merge or rollback that goes on by itself, and who works on it at the moment. It lies where its reservation lay. */
const Job = v.object({
  project_id: v.string(),
  /** Of the large transaction. */
  id: v.string(),
  action: v.picklist(['merge', 'rollback']),
  actor: v.object({
    id: v.string(),
    username: v.string(),
    email: v.string(),
    is_staff: v.boolean(),
    is_superuser: v.boolean(),
    rank: v.nullable(v.picklist(ranks)),
  }),
  comment: v.string(),
  /** How many records are one part. */
  size: v.number(),
  /** The next part, from 0. */
  part: v.number(),
  /** How many records it has dealt with, of how many. */
  done: v.number(),
  of: v.number(),
  /** Failures one after the other, without a part between them. */
  failures: v.number(),
  /** Why it is being called off; null while it is not. */
  failed: v.optional(v.nullable(v.object({ reason: v.string(), blockers: v.array(v.string()) })), null),
  /** Until then it belongs to whoever has taken it. */
  held_until: v.string(),
  started_at: v.string(),
  version: v.number(),
})
export type Job = v.InferOutput<typeof Job>

const RUNNING = 'MERGING'
const job = defineItem({
  type: 'project_merge',
  schema: Job,
  key: (it: { project_id: string }) => key.merging(it.project_id),
  indexes: (it) => ({ gsi2: { pk: RUNNING, sk: `${it.started_at}#${it.id}` } }),
})

/** Longer than a part takes, however patient: whoever has not been heard of for so long has ended. */
const LEASE_SECONDS = 60
export const leaseFrom = (): string => later(LEASE_SECONDS)

/** Takes a project for a merge while a request waits; fails with `otherwise` while another has it. */
export const reservation = (project: string, otherwise: Parameters<typeof reserve>[3]): Write =>
  reserve(key.merging(project), nowSeconds(), LEASE_SECONDS, otherwise)

/** Lets go of it. Fails with `conflict` where a job has taken its place. */
export const release = (project: string): Write => removeReservation(key.merging(project))

/** The write that puts a new job where the reservation lies. */
export const newJob = (it: Omit<Job, 'version' | 'failures' | 'failed'>): Write =>
  putAlways(job, { ...it, failures: 0, failed: null, version: 1 })
/** The writes that end a job. What it has kept is looked through later: others may still be at work on it without knowing. */
export const endJob = (it: Job): Write[] => [remove(job, it), ...(it.action === 'merge' ? [noteFolder(it)] : [])]

/** The job of a project; undefined where none goes on. */
export async function findJob(project: string): Promise<Job | undefined> {
  const at = key.merging(project)
  const stored = itemAt(await getMany([at], true), at)
  return stored?.type === job.type ? parse(job, stored) : undefined
}

/** The jobs that there are, oldest first. */
export const jobs = async (limit = 100): Promise<Job[]> =>
  (await walk({ index: 'gsi2', pk: RUNNING, forward: true, limit })).map((item) => parse(job, item))

/** Takes a job that nobody has; undefined when somebody has been faster. */
export async function takeJob(it: Job): Promise<Job | undefined> {
  return it.held_until > now() ? undefined : saveJob(it, { held_until: leaseFrom() }).catch(noneIf(isConflict))
}

/** Writes down how far it has come. Fails with `conflict` when it belongs to another by now. */
export async function saveJob(it: Job, changes: Partial<Job>): Promise<Job> {
  const next = amended(it, changes)
  await transact([put(job, next, it)])
  return next
}

const Result = v.object({
  merge_id: v.string(),
  number: v.number(),
  records: v.number(),
  kept: v.optional(Kept),
  left: v.optional(v.array(v.string()), []),
  version: v.number(),
})
const result = defineItem({
  type: 'merge_part',
  schema: Result,
  key: (it: { merge_id: string; number: number }) => key.mergePart(it.merge_id, it.number),
  // It is of use until the switch; how long that takes at most is nowhere said.
  expires: () => nowSeconds() + 30 * 86_400,
})
type Remembered = Pick<v.InferOutput<typeof Result>, 'records'> & {
  kept?: Kept | undefined
  left?: readonly string[] | undefined
}

/** Remembers what a part came to; of a part that is done again, the last. */
export async function remember(merge_id: string, number: number, { records, kept, left }: Remembered): Promise<void> {
  const it = { merge_id, number, records, left: [...(left ?? [])], ...(kept && { kept }), version: 1 }
  await transact([putAlways(result, it)])
}

/** What the parts before this one came to, in order. */
export async function remembered(merge_id: string, before: number): Promise<v.InferOutput<typeof Result>[]> {
  const { pk } = key.mergePart(merge_id, 0)
  return (await queryAll(pk, 'PART#')).map((item) => parse(result, item)).filter((it) => it.number < before)
}
