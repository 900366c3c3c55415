import { clock } from '../base/clock.ts'
import { withoutMeter } from '../base/telemetry/request-cost.ts'

/** Milliseconds for which a process uses the state that it has read. */
const KEPT_MS = 10_000

// prove: memory
let readUntil = 0
let read: (() => Promise<void>) | undefined

/**
 * Sets the function that reads the state of the table which this process keeps between requests. It runs every ten seconds at most,
 * unless it fails.
 */
export function provideKeptState(work: () => Promise<void>): void {
  read = work
}

/** Lets the next request read the state again. */
export function forgetKeptState(): void {
  readUntil = 0
}

/**
 * Reads the state if it is due. If that fails, the state stays, and the next request tries again. The call is in the cost of no request.
 */
export async function refreshKeptState(): Promise<void> {
  const at = clock.now().getTime()
  if (!read || at < readUntil) return
  readUntil = at + KEPT_MS
  await withoutMeter(read).catch(forgetKeptState)
}
