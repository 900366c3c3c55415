import { nowSeconds } from '../../base/clock.ts'
import { mapAtOnce } from '../../base/concurrency.ts'
import { key } from './keys.ts'
import { getMany, itemAt } from './read.ts'
import { putItem } from './write.ts'

/**
 * A job may end its worker, for example by taking all of its memory. Nothing is thrown then, so the next worker takes the job up again,
 * for ever. So each job counts in its item, in the member `takes`, how many workers took it:
 *
 * 1. A worker stores `nextTake(takes)` before it begins. If that is undefined, it gives the job up with a reason.
 * 2. It stores `takes: 0` with its progress, when it fails by an error, and when it gives the job back as its time is over.
 */

/** Workers that may take a job one after another without any progress. */
const TAKE_LIMIT = 3

/** The number of takes that a worker stores before it begins. Undefined if the job has ended too many workers. */
export const nextTake = (takes: number): number | undefined => (takes < TAKE_LIMIT ? takes + 1 : undefined)

/** Takes that are stored in an item of their own expire after a day. Then a corrected worker tries again. */
const TAKES_S = 86_400

/** Takes of a thing that has no item of its own, such as a change of the stream. */
export class Takes {
  readonly #at

  constructor(worker: string, thing: string) {
    this.#at = key.takes(worker, thing)
  }

  /** How many workers in a row took the thing and did not end in good order. */
  async load(): Promise<number> {
    const stored = itemAt(await getMany([this.#at], true), this.#at)
    return Number(stored?.expires_at ?? 0) > nowSeconds() ? Number(stored?.takes) : 0
  }

  store(takes: number): Promise<void> {
    return putItem(this.#at, { type: 'takes', takes, expires_at: nowSeconds() + TAKES_S })
  }

  /** Stores that a worker has ended in good order. If this fails, the next worker takes the thing with more care, and nothing else happens. */
  async forget(): Promise<void> {
    await this.store(0).catch(() => undefined)
  }
}

type Job = { takes: number }

/**
 * Runs `work` on every job, at most `width` at a time, until `until`, in milliseconds of `performance.now()`. Jobs that may have ended
 * a worker come last, one at a time, so that no other job ends with them. Returns the results of the jobs that were begun.
 */
export async function workOnJobs<J extends Job, R>(
  jobs: readonly J[],
  width: number,
  until: number,
  work: (job: J) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  const begin = async (job: J) => {
    if (performance.now() < until) results.push(await work(job))
  }
  const [fresh, suspects] = [jobs.filter(({ takes }) => takes === 0), jobs.filter(({ takes }) => takes > 0)]
  await mapAtOnce(fresh, width, begin)
  await mapAtOnce(suspects, 1, begin)
  return results
}
