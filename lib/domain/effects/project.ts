import { mapAtOnce } from '../../base/concurrency.ts'
import { isProblem } from '../../base/errors.ts'
import { log } from '../../base/telemetry/log.ts'
import { measureCost } from '../../base/telemetry/request-cost.ts'
import { cut } from '../../engines/matching/index.ts'
import type { Change } from '../../engines/search/index.ts'
import { appendChanges } from '../../engines/search/index.ts'
import { changesOf, type Images, type StreamRecord } from '../../engines/table/index.ts'
import { type FeedChange, feedChangeOf, followChanges } from '../feed/follow.ts'
import { followGraph, graphChangeOf } from '../graph/keep.ts'
import { prepareRefresh } from '../leaderboard/keep.ts'
import { applyEffects, doSharedWork, effectTypes, noSharedWork, type SharedWork } from './apply.ts'
import { loadHeads, type PendingNotice, type SharedReads } from './notify.ts'
import { parkChange } from './parked.ts'
import { changeOf, documentTypes } from './search-documents.ts'

/** The types of items whose changes the projector follows. */
export const followedTypes: readonly string[] = [...new Set([...effectTypes, ...documentTypes])]

/** The result of a batch. */
export type Projected = {
  /** The first record that failed for a passing reason, such as throttling. All earlier records were applied or parked. */
  failed: StreamRecord | undefined
  /** How many changes could not be applied and were put aside for `npm run replay`. */
  parked: number
  /** Whether the batch held any change to follow. */
  isApplied: boolean
}

type FollowedChange = { id: string; record: StreamRecord; place: number; images: Images }

/** How many partitions are followed at the same time. */
const PARTITIONS_AT_ONCE = 12

/**
 * Applies the effects of a batch of changes. Each partition is followed in order, several partitions side by side.
 * Notifications, figures, footings, search, the feed and the graphs are shared work, done once at the end.
 */
export async function projectChanges(records: readonly StreamRecord[]): Promise<Projected> {
  const changes = await changesToFollow(records)
  const heads = await loadHeads(changes.map(({ images }) => images)).catch(logError)
  // This read serves the whole batch, so its failure fails the whole batch.
  if (!heads) return { failed: changes[0]?.record, parked: 0, isApplied: false }
  const batch = new Batch({ heads })
  const partitions = [...Map.groupBy(changes, ({ images }) => String((images.after ?? images.before)?.pk)).values()]
  await mapAtOnce(partitions, PARTITIONS_AT_ONCE, (partition) => followInOrder(partition, batch))
  await batch.close()
  return { failed: records[batch.failed], parked: batch.parked, isApplied: changes.length > 0 }
}

/** The changes of followed types, each with the place of its record in the batch. */
async function changesToFollow(records: readonly StreamRecord[]): Promise<FollowedChange[]> {
  const changes = await changesOf(records)
  return records.flatMap((record, place) =>
    (changes[place] ?? []).flatMap((images, nth) => {
      const type = String((images.after ?? images.before)?.type)
      return followedTypes.includes(type) ? [{ id: idOf(record, nth), record, place, images }] : []
    }),
  )
}

/**
 * The sequence number of a change. If one record of the stream tells of several changes, later ones get a suffix:
 * `4711#1`.
 */
const idOf = ({ dynamodb, eventID }: StreamRecord, nth: number): string =>
  `${dynamodb?.SequenceNumber ?? eventID ?? ''}${nth === 0 ? '' : `#${nth}`}`

/** Collects the shared work of a batch, and its first failure. */
class Batch {
  /** The place of the first record that failed; infinite if none did. */
  failed = Number.POSITIVE_INFINITY
  parked = 0
  /** Reads of the table that all changes of the batch share. */
  readonly reads: SharedReads
  // The shared work, each piece with the place of its change.
  readonly #people: Placed<string>[] = []
  readonly #reviewers: Placed<string>[] = []
  readonly #notices: Placed<PendingNotice>[] = []
  readonly #footed: (Placed<string> & { change: FollowedChange })[] = []
  readonly #searchChanges: Placed<Change>[] = []
  readonly #feedChanges: Placed<FeedChange>[] = []
  readonly #graphChanges: Placed<string>[] = []

  constructor(reads: SharedReads) {
    this.reads = reads
  }

  fail(place: number): void {
    this.failed = Math.min(this.failed, place)
  }

  /** Parks a change that cannot be followed. Fails it if the error passes by itself, or if it cannot be parked. Returns whether it was parked. */
  async settle({ id, place, images }: FollowedChange, error: unknown): Promise<boolean> {
    logError(error, causeOf(images))
    const isParked = !isPassing(error) && (await tryToPark(id, images, error))
    if (isParked) this.parked += 1
    else this.fail(place)
    return isParked
  }

  /** Adds what one change contributes to the shared work. */
  take(
    change: FollowedChange,
    { people, reviewers, notices, footed }: SharedWork,
    searchChange: Change | undefined,
    feedChange: FeedChange | undefined,
    graphChange: string | undefined,
  ): void {
    const { place } = change
    this.#people.push(...people.map((it) => ({ place, it })))
    this.#reviewers.push(...reviewers.map((it) => ({ place, it })))
    this.#notices.push(...notices.map((it) => ({ place, it })))
    this.#footed.push(...footed.map((it) => ({ place, it, change })))
    if (searchChange) this.#searchChanges.push({ place, it: searchChange })
    if (feedChange) this.#feedChanges.push({ place, it: feedChange })
    if (graphChange) this.#graphChanges.push({ place, it: graphChange })
  }

  /**
   * Does the shared work: reviewers first; then notifications, figures and footings; then search, the feed and the graphs. A failure fails
   * the first change that it concerns. Only footings park the changes at fault.
   */
  async close(): Promise<void> {
    const noticesByPerson = Map.groupBy(this.#notices.sort(inOrder), ({ it }) => it.user_id)
    const people = Map.groupBy(this.#people.sort(inOrder), ({ it }) => it)
    for (const them of Map.groupBy(this.#reviewers.sort(inOrder), ({ it }) => it).values())
      await this.#attempt(them, (reviewers) => doSharedWork({ ...noSharedWork, reviewers }))
    await Promise.all([
      ...[...noticesByPerson.values()].map((them) =>
        this.#attempt(them, (notices) => doSharedWork({ ...noSharedWork, notices })),
      ),
      this.#refreshFigures(people),
      this.#followFooted(),
    ])
    await this.#attempt(this.#searchChanges.sort(inOrder), appendChanges)
    await this.#attempt(this.#feedChanges.sort(inOrder), followChanges)
    await this.#attempt(this.#graphChanges.sort(inOrder), followGraph)
  }

  /** Reads the figures of all people at once. Writes them one by one, because people share sums. */
  async #refreshFigures(people: ReadonlyMap<string, readonly Placed<string>[]>): Promise<void> {
    const all = [...people.values()].flat().sort(inOrder)
    await this.#attempt(all, async () => {
      const refresh = await prepareRefresh([...people.keys()])
      for (const [user_id, them] of people) await this.#attempt(them, () => refresh(user_id))
    })
  }

  /** Follows the footings of all these records at once. If that fails, follows each alone, and parks only the changes at fault. */
  async #followFooted(): Promise<void> {
    const follow = (footed: readonly string[]) => doSharedWork({ ...noSharedWork, footed })
    try {
      await follow(this.#footed.map(({ it }) => it))
    } catch (error) {
      logError(error)
      for (const { it, change } of this.#footed.sort(inOrder)) {
        try {
          await follow([it])
        } catch (reason) {
          await this.settle(change, reason)
        }
      }
    }
  }

  /** Does work for some changes. A failure fails the first of them. */
  async #attempt<T>(them: readonly Placed<T>[], work: (all: T[]) => Promise<void>): Promise<void> {
    const [first] = them
    if (!first) return
    try {
      await work(them.map(({ it }) => it))
    } catch (error) {
      logError(error)
      this.fail(first.place)
    }
  }
}

type Placed<T> = { place: number; it: T }
const inOrder = (a: Placed<unknown>, b: Placed<unknown>) => a.place - b.place

/** Follows the changes of one partition, up to the first that must come again. */
async function followInOrder(changes: readonly FollowedChange[], batch: Batch): Promise<void> {
  for (const change of changes) {
    const error = await applyChange(change, batch)
    if (error !== undefined && !(await batch.settle(change, error))) return
  }
}

/** Attempts at a change before it is parked. */
const ATTEMPTS = 3

/** Applies one change, with `ATTEMPTS` attempts. Returns the error of the last one, or undefined if it was applied. */
async function applyChange(change: FollowedChange, batch: Batch): Promise<unknown> {
  const { images } = change
  for (let attempt = 1; ; attempt += 1) {
    try {
      const searchChange = changeOf(images)
      // What the effects write and log carries the id of the request that made the change.
      const { notices, ...others } = await measureCost(() => applyEffects(images, batch.reads), causeOf(images))
      const request_id = causeOf(images)
      const common = { ...others, notices: notices.map((it) => ({ ...it, request_id })) }
      batch.take(change, common, searchChange, feedChangeOf(images), graphChangeOf(images))
      return undefined
    } catch (error) {
      if (isPassing(error) || attempt === ATTEMPTS) return error
    }
  }
}

/** Codes and names of errors that pass by themselves. */
const passingCodes = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND'])
const passingNames = new Set(['TimeoutError', 'AbortError', 'RequestTimeout', 'TransactionInProgressException'])

/** Whether a failure passes by itself: the table does not answer or throttles, or others write the same items. */
function isPassing(error: unknown): boolean {
  if (isProblem(error, 'unavailable') || isProblem(error, 'conflict')) return true
  if (!(error instanceof Error)) return false
  const { $fault, code }: { $fault?: string; code?: string } = Object(error)
  return (
    $fault === 'server' ||
    passingCodes.has(code ?? '') ||
    passingNames.has(error.name) ||
    /Thrott|Throughput|LimitExceeded/.test(error.name)
  )
}

/** Puts aside a change that could not be applied. Returns false if it could not be stored either. */
async function tryToPark(id: string, images: Images, error: unknown): Promise<boolean> {
  try {
    await parkChange(id, images, error instanceof Error ? cut(`${error.name}: ${error.message}`, 1000) : 'unknown')
    return true
  } catch (further) {
    logError(further)
    return false
  }
}

const logError = (error: unknown, request_id?: string): void =>
  log({
    level: 'error',
    message: 'projection of a change',
    request_id,
    error: error instanceof Error ? error.name : 'unknown',
  })

const causeOf = ({ before, after }: Images): string | undefined => {
  const { request_id } = after ?? before ?? {}
  return typeof request_id === 'string' ? request_id : undefined
}
