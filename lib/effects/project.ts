import type { DynamoDBRecord } from 'aws-lambda'
import { isProblem } from '../errors.ts'
import { log } from '../ops/log.ts'
import { metered } from '../ops/request-cost.ts'
import type { Change } from '../search/document.ts'
import { append } from '../search/log.ts'
import { changesOf, type Images } from '../table/stream.ts'
import { applyEffects, effectTypes, refreshAll } from './apply.ts'
import { park } from './parked.ts'
import { changeOf, learnedTypes } from './search-documents.ts'

/** The types of items whose changes are to be followed. The rest of the table need not be told. */
export const followedTypes: readonly string[] = [...new Set([...effectTypes, ...learnedTypes])]

export type Projected = {
  /** The first that failed for a reason that passes; what is before it was applied. */
  failed: DynamoDBRecord | undefined
  /** How many were put aside. */
  parked: number
  /** Whether anything was there to be applied. */
  isApplied: boolean
}

type Told = { record: DynamoDBRecord; place: number; images: Images }

/** So many partitions are followed at the same time. */
const AT_ONCE = 12

/**
 * Applies what follows from changes of one part of the stream: those of a partition in their order, partitions side by side.
 * Whose figures several changes concern is counted once, and what search learns is written together, at the end.
 */
export async function project(records: readonly DynamoDBRecord[]): Promise<Projected> {
  const told = await toldBy(records)
  const batch = new Batch()
  const partitions = [...Map.groupBy(told, ({ images }) => String((images.after ?? images.before)?.pk)).values()]
  const worker = async () => {
    for (let some = partitions.shift(); some; some = partitions.shift()) await followInOrder(some, batch)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  await batch.close()
  return { failed: records[batch.failed], parked: batch.parked, isApplied: told.length > 0 }
}

/** The changes that are to be followed. */
async function toldBy(records: readonly DynamoDBRecord[]): Promise<Told[]> {
  const changes = await changesOf(records)
  return records.flatMap((record, place) => {
    const images = changes[place]
    const type = String((images?.after ?? images?.before)?.type)
    return images && followedTypes.includes(type) ? [{ record, place, images }] : []
  })
}

/** What a batch of changes has come to. */
class Batch {
  /** The place of the first that failed; beyond the end when none did. */
  failed = Number.POSITIVE_INFINITY
  parked = 0
  /** By person whose figures are concerned, the place of the first change that concerns them. */
  readonly people = new Map<string, number>()
  /** What search learns, by the place of the change. */
  readonly learned: { place: number; change: Change }[] = []

  fail(place: number): void {
    this.failed = Math.min(this.failed, place)
  }

  /** Counts those who are concerned, and tells search. What fails here is answered as failed from its first change on. */
  async close(): Promise<void> {
    for (const [user_id, place] of this.people)
      await refreshAll([user_id]).catch((error: unknown) => {
        complain(error)
        this.fail(place)
      })
    const learned = this.learned.sort((a, b) => a.place - b.place)
    await append(learned.map(({ change }) => change)).catch((error: unknown) => {
      complain(error)
      this.fail(learned[0]?.place ?? 0)
    })
  }
}

/** Follows the changes of one partition, up to the first that fails for a reason that passes. */
async function followInOrder(told: readonly Told[], batch: Batch): Promise<void> {
  for (const each of told) {
    const { record, place, images } = each
    const error = await failureOf(each, batch)
    if (error === undefined) continue
    complain(error, causeOf(images))
    if (isPassing(error) || !(await putAside(record, images, error))) return batch.fail(place)
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
      const people = await metered(() => applyEffects(images), causeOf(images))
      for (const user_id of people) batch.people.set(user_id, Math.min(place, batch.people.get(user_id) ?? place))
      if (change) batch.learned.push({ place, change })
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
async function putAside(record: DynamoDBRecord, images: Images, error: unknown): Promise<boolean> {
  try {
    const id = record.dynamodb?.SequenceNumber ?? record.eventID ?? ''
    await park(id, images, error instanceof Error ? `${error.name}: ${error.message}`.slice(0, 1000) : 'unknown')
    return true
  } catch (further) {
    complain(further)
    return false
  }
}

const complain = (error: unknown, request_id?: string) =>
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
