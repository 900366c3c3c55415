import { clock } from '../../base/clock.ts'
import { orUndo } from '../../base/errors.ts'
import { nextTake, rawImagesOf, type StreamRecord, Takes } from '../../engines/table/index.ts'
import { parkChange } from './parked.ts'
import { type Projected, projectChanges } from './project.ts'

/**
 * A change may end the process that works on it, for example by using up its memory. No code can catch that, and the stream hands out
 * the batch again. So a batch that has waited counts its takes before it is worked on:
 *
 * 1. The first take works on the whole batch, as always.
 * 2. If that take ended its process, the next one works on the changes one by one, and each change counts its own takes.
 * 3. A change that has ended three processes is parked with an error that says so, and the others go on.
 */

/** A batch that is older than these milliseconds counts its takes. One that comes for the first time is younger, unless the projector is late. */
const OLD_MS = 10_000
/** The most milliseconds that a call works on changes one by one. A call may last a minute. */
const LONGEST_MS = 30_000
const ENDED = 'The process that worked on this ended three times.'

/** Applies the effects of a batch, as `projectChanges` does. `made`: when its first change was made, in milliseconds since 1970. */
export async function projectCarefully(records: readonly StreamRecord[], made: number): Promise<Projected> {
  const [first] = records
  if (!first || clock.now().getTime() - made < OLD_MS) return projectChanges(records)
  const takes = takesOfBatch(first)
  const before = await takes.load()
  await takes.store(before + 1)
  const projected = await orUndo(
    () => (before === 0 ? projectChanges(records) : projectOneByOne(records)),
    () => takes.forget(),
  )
  await takes.forget()
  return projected
}

const placeOf = ({ dynamodb, eventID }: StreamRecord): string => dynamodb?.SequenceNumber ?? eventID ?? ''
const takesOfBatch = (first: StreamRecord) => new Takes('projector', placeOf(first))

/** Applies changes one by one. Stops at the first that fails, or when the time is over: then the stream hands out the rest again. */
async function projectOneByOne(records: readonly StreamRecord[]): Promise<Projected> {
  const until = performance.now() + LONGEST_MS
  let [parked, isApplied] = [0, false]
  for (const record of records) {
    if (performance.now() >= until) {
      // The next take works on the rest one by one, too.
      await takesOfBatch(record).store(1)
      return { failed: record, parked, isApplied }
    }
    const one = await projectAlone(record)
    parked += one.parked
    isApplied ||= one.isApplied
    if (one.failed) return { failed: record, parked, isApplied }
  }
  return { failed: undefined, parked, isApplied }
}

async function projectAlone(record: StreamRecord): Promise<Projected> {
  const takes = new Takes('projector-alone', placeOf(record))
  const next = nextTake(await takes.load())
  if (next === undefined) {
    // The images are parked as the stream holds them, because reading them further may be what ends the process.
    await parkChange(placeOf(record), rawImagesOf(record), ENDED)
    return { failed: undefined, parked: 1, isApplied: true }
  }
  await takes.store(next)
  const projected = await orUndo(
    () => projectChanges([record]),
    () => takes.forget(),
  )
  await takes.forget()
  return projected
}
