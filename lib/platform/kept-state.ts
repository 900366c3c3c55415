import { clock } from '../base/clock.ts'
import { withoutMeter } from '../base/telemetry/request-cost.ts'

/** How long a process goes by what it has read. */
const KEPT_MS = 10_000

// prove: memory
let readUntil = 0
let read: (() => Promise<void>) | undefined

/** Sets how this process reads state of the table that it keeps between requests. It is called every ten seconds at most. */
export function provideKeptState(work: () => Promise<void>): void {
  read = work
}

/** Lets the next request read the state again. */
export function forgetKeptState(): void {
  readUntil = 0
}

/** Reads the state if it is due. What cannot be read stays as it is, and is read by the next request. No request pays for the call. */
export async function refreshKeptState(): Promise<void> {
  const at = clock.now().getTime()
  if (!read || at < readUntil) return
  readUntil = at + KEPT_MS
  await withoutMeter(read).catch(forgetKeptState)
}
