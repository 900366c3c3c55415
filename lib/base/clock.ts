import { randomInt, randomUUID } from 'node:crypto'
import { childId } from './ids/address.ts'

/** Time and chance. Tests replace both. */
export const clock = {
  now: () => new Date(),
  uuid: () => randomUUID() as string,
  random: (below: number) => randomInt(below),
}

/** The current time, as stored and sent: ISO 8601 in UTC with milliseconds. */
export const now = () => clock.now().toISOString()

/** The time `seconds` from now, as stored and sent. */
export const later = (seconds: number) => new Date(clock.now().getTime() + seconds * 1000).toISOString()

/** The real time, in milliseconds since 1970. Signatures need it, since AWS compares it with its own clock. */
export const timeOfDay = () => Date.now()

/** Whole seconds since 1970, as JWT claims and DynamoDB's TTL count them. */
export const nowSeconds = () => Math.floor(clock.now().getTime() / 1000)

/** A fresh random UUID. */
export const newId = () => clock.uuid()

/** The id of a new item in a record's partition (see lib/base/ids/address.ts). Ids sort by the millisecond in which they are made. */
export function newChildId(record: string): string {
  return childId(record, clock.now().getTime(), nextCount(), clock.random(0x100000))
}

/** Makes ids for claims of a record that are stored in one pack (`packOf`). */
export function newPackIds(record: string): () => string {
  // The counter does not wrap within a pack, so the order of its ids is the order in which they were made.
  if (counter + MOST_IN_PACK > MOST_COUNTED) counter = 0
  const [at, chance] = [clock.now().getTime(), clock.random(0x100000)]
  return () => childId(record, at, nextCount(), chance)
}

/** The counter of an id has 12 bits. */
const MOST_COUNTED = 0xfff
/** The most values of one contribution. They are one pack. */
const MOST_IN_PACK = 200
// prove: memory
let counter = 0
function nextCount(): number {
  counter = (counter + 1) % (MOST_COUNTED + 1)
  return counter
}
