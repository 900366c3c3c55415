import { type Fed, fedBy, feed } from '../changes/follow.ts'
import { isProblem } from '../errors.ts'
import { figuresOf } from '../leaderboard/keep.ts'
import { cut } from '../matching/cut.ts'
import { log } from '../ops/log.ts'
import { metered } from '../ops/request-cost.ts'
import type { Change } from '../search/document.ts'
import { append } from '../search/log.ts'
import { changesOf, type Images, type StreamRecord } from '../table/stream.ts'
import { applyEffects, type Common, effectTypes, finish, nothing } from './apply.ts'
import { headsOf, type Memo, type Telling } from './notify.ts'
import { park } from './parked.ts'
import { changeOf, learnedTypes } from './search-documents.ts'

/** The types of items whose changes are to be followed. The rest of the table need not be told. */
export const followedTypes: readonly string[] = [...new Set([...effectTypes, ...learnedTypes])]

export type Projected = {
  /** The first that failed for a reason that passes; what is before it was applied. */
  failed: StreamRecord | undefined
  /** How many were put aside. */
  parked: number
  /** Whether anything was there to be applied. */
  isApplied: boolean
}

type Told = { id: string; record: StreamRecord; place: number; images: Images }

/** So many partitions are followed at the same time. */
const AT_ONCE = 12

/**
 * Applies what follows from changes of one part of the stream: those of a partition in their order, partitions side by side.
 * Whose figures several changes concern is counted once, and what search learns is written together, at the end.
 */
export async function project(records: readonly StreamRecord[]): Promise<Projected> {
  const told = await toldBy(records)
  const heads = await headsOf(told.map(({ images }) => images)).catch(complain)
  // What is read for all of them fails for all of them.
  if (!heads) return { failed: told[0]?.record, parked: 0, isApplied: false }
  const batch = new Batch({ heads })
  const partitions = [...Map.groupBy(told, ({ images }) => String((images.after ?? images.before)?.pk)).values()]
  const worker = async () => {
    for (let some = partitions.shift(); some; some = partitions.shift()) await followInOrder(some, batch)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  await batch.close()
  return { failed: records[batch.failed], parked: batch.parked, isApplied: told.length > 0 }
}

/** The changes that are to be followed. */
async function toldBy(records: readonly StreamRecord[]): Promise<Told[]> {
  const changes = await changesOf(records)
  return records.flatMap((record, place) =>
    (changes[place] ?? []).flatMap((images, nth) => {
      const type = String((images.after ?? images.before)?.type)
      return followedTypes.includes(type) ? [{ id: idOf(record, nth), record, place, images }] : []
    }),
  )
}

/** The place of a change in the stream: of several that one record tells of, with its number. */
const idOf = ({ dynamodb, eventID }: StreamRecord, nth: number): string =>
  `${dynamodb?.SequenceNumber ?? eventID ?? ''}${nth === 0 ? '' : `#${nth}`}`

/** What a batch of changes has come to. */
class Batch {
  /** The place of the first that failed; beyond the end when none did. */
  failed = Number.POSITIVE_INFINITY
  parked = 0
  /** What is read once for all of them. */
  readonly memo: Memo
  /** By person: whose figures are concerned, and what they are told, each with the place of the change. */
  readonly #counted: Placed<string>[] = []
  readonly #reviewers: Placed<string>[] = []
  readonly #told: Placed<Telling>[] = []
  readonly #learned: Placed<Change>[] = []
  readonly #fed: Placed<Fed>[] = []

  constructor(memo: Memo) {
    this.memo = memo
  }

  fail(place: number): void {
    this.failed = Math.min(this.failed, place)
  }

  /** Takes what a change has in common with others, and what search and the feed learn of it. */
  take(place: number, { people, reviewers, told }: Common, learned: Change | undefined, fed: Fed | undefined): void {
    this.#counted.push(...people.map((it) => ({ place, it })))
    this.#reviewers.push(...reviewers.map((it) => ({ place, it })))
    this.#told.push(...told.map((it) => ({ place, it })))
    if (learned) this.#learned.push({ place, it: learned })
    if (fed) this.#fed.push({ place, it: fed })
  }

  /** Notes who reviews, then counts and tells each person once, side by side, and then search and the feed. What fails here is answered as failed from its first change on. */
  async close(): Promise<void> {
    const told = Map.groupBy(this.#told.sort(inOrder), ({ it }) => it.user_id)
    const counted = Map.groupBy(this.#counted.sort(inOrder), ({ it }) => it)
    for (const them of Map.groupBy(this.#reviewers.sort(inOrder), ({ it }) => it).values())
      await this.#together(them, (reviewers) => finish({ ...nothing, reviewers }))
    await Promise.all([
      ...[...told.values()].map((them) => this.#together(them, (told) => finish({ ...nothing, told }))),
      this.#count(counted),
    ])
    await this.#together(this.#learned.sort(inOrder), append)
    await this.#together(this.#fed.sort(inOrder), feed)
  }

  /** What figures are made of is read for all at once. Those of several people have sums in common, so they are written one after the other. */
  async #count(counted: ReadonlyMap<string, readonly Placed<string>[]>): Promise<void> {
    const all = [...counted.values()].flat().sort(inOrder)
    await this.#together(all, async () => {
      const refresh = await figuresOf([...counted.keys()])
      for (const [user_id, them] of counted) await this.#together(them, () => refresh(user_id))
    })
  }

  async #together<T>(them: readonly Placed<T>[], work: (all: T[]) => Promise<void>): Promise<void> {
    const [first] = them
    if (!first) return
    try {
      await work(them.map(({ it }) => it))
    } catch (error) {
      complain(error)
      this.fail(first.place)
    }
  }
}

type Placed<T> = { place: number; it: T }
const inOrder = (a: Placed<unknown>, b: Placed<unknown>) => a.place - b.place

/** Follows the changes of one partition, up to the first that fails for a reason that passes. */
async function followInOrder(told: readonly Told[], batch: Batch): Promise<void> {
  for (const each of told) {
    const { id, place, images } = each
    const error = await failureOf(each, batch)
    if (error === undefined) continue
    complain(error, causeOf(images))
    if (isPassing(error) || !(await putAside(id, images, error))) return batch.fail(place)
    batch.parked += 1
  }
}

/** A change that fails for a reason of its own is tried so often at once. */
const ATTEMPTS = 3

/** Applies one change. Answers with what it has failed; undefined when it has not. */
async function failureOf({ images, place }: Told, batch: Batch): Promise<unknown> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const change = changeOf(images)
      // What it writes and logs carries the id of the request that made the change.
      const { told, ...others } = await metered(() => applyEffects(images, batch.memo), causeOf(images))
      const request_id = causeOf(images)
      const common = { ...others, told: told.map((it) => ({ ...it, request_id })) }
      batch.take(place, common, change, fedBy(images))
      return undefined
    } catch (error) {
      if (isPassing(error) || attempt === ATTEMPTS) return error
    }
  }
}

/** What says that nothing is wrong but the moment. */
const passing = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND'])
const passingNames = new Set(['TimeoutError', 'AbortError', 'RequestTimeout', 'TransactionInProgressException'])

/** Whether a failure passes by itself: the table does not answer, has no room, or others write the same things. */
function isPassing(error: unknown): boolean {
  if (isProblem(error, 'unavailable') || isProblem(error, 'conflict')) return true
  if (!(error instanceof Error)) return false
  const { $fault, code }: { $fault?: string; code?: string } = Object(error)
  return (
    $fault === 'server' ||
    passing.has(code ?? '') ||
    passingNames.has(error.name) ||
    /Thrott|Throughput|LimitExceeded/.test(error.name)
  )
}

/** Whether it could be put aside. */
async function putAside(id: string, images: Images, error: unknown): Promise<boolean> {
  try {
    await park(id, images, error instanceof Error ? cut(`${error.name}: ${error.message}`, 1000) : 'unknown')
    return true
  } catch (further) {
    complain(further)
    return false
  }
}

const complain = (error: unknown, request_id?: string): void =>
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
