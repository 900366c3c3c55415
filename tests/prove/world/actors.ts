import { AsyncLocalStorage } from 'node:async_hooks'
import type { Item } from './expressions.ts'
import type { Behind } from './switches.ts'

/** How a call to the table, the bucket or another function goes wrong. */
export type Fault =
  | 'refused'
  | 'failed once'
  | 'reply lost'
  | 'reply lost once'
  | 'throttled'
  | 'throttled once'
  | 'conflict'
  | 'conflicts'
  | 'overtaken'
  | 'malformed'
  | 'partial batch'
  | 'late'
  | 'gone before'
  | 'gone after'
/**
 * A call as faults are chosen by it: `n` counts the calls of its actor, from 0; what the SDK tries again is one call. `behind`: it is made
 * behind the wait that is looked at, or behind what the function with that wait has waited for before it.
 */
export type Called = { n: number; command: string; attempt: number; behind: Behind | undefined }
/** Whoever does something: a request, or a function that time or the stream starts. */
export type Actor = {
  name: string
  process: number
  calls: number
  commands: string[]
  invocations: Map<string, number>
  dead: boolean
  /** The calls that it has begun and that are not over yet, retries included. */
  underWay: string[]
  /** The marks in the sources that it has come by. */
  marks: Set<number>
  /** What failed for the moment of what waits patiently. */
  passing?: string
  /** Whether it has answered: the platform stops its process then, and nothing that it has left to do is done. */
  over: boolean
  /** By how much its calls take longer than others'. */
  slow: number
  fault?: ((call: Called) => Fault | undefined) | undefined
  die: () => void
  died: Promise<never>
}
export class Gone extends Error {}

export const current = new AsyncLocalStorage<Actor>()
/** What ends the call that is under way, before it has its answer. */
export const ending = new AsyncLocalStorage<() => void>()
/** Work that nobody waits for, where a wait is cut out of the sources: nothing says when it is done. It takes longer than anyone stays who has answered. */
export const apart = new AsyncLocalStorage<boolean>()
export const APART_MS = 40_000
/** What changes something. */
export const WRITES = /^(Put|Update|Delete|BatchWrite|TransactWrite|S3 (PUT|DELETE|POST)|Invoke|HTTP)/
export const SHARDS = 3
/** What follows of one case comes to a few dozen batches. */
export const MOST_BATCHES = 500
/** What a request may take before the platform ends its process, in milliseconds. */
export const PATIENCE = 29_000
export const PROCESSES = [0, 1, 2] as const
/** Where the stream and the schedule start functions. */
export const WORKERS = 2

export type Wire = {
  method: string
  path: string
  query?: Record<string, unknown>
  headers: Record<string, string>
  body?: unknown
}
export type Reply = { statusCode: number; headers: Record<string, string>; body: unknown }
export type Sending = {
  Destination: { ToAddresses: [string] }
  Content: {
    Simple: {
      Subject: { Data: string }
      Body: { Text: { Data: string } }
      Headers: { Name: string; Value: string }[]
    }
  }
}
/** A letter, and all that was stored when it was taken. */
export type Letter = {
  to: string
  subject: string
  text: string
  headers: Readonly<Record<string, string>>
  items: readonly Item[]
}
