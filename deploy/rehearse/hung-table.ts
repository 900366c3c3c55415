import { setTimeout as sleep } from 'node:timers/promises'
import type { World } from './aws/background.ts'
import type { Runtime } from './aws/runtime.ts'
import { ask } from './speaker.ts'

/** The function whose calls the table leaves unanswered, and the path that the requests name. */
const HELD = 'records'
const PATH = '/cidoc/structures/'
/** Within this time each request must be answered: two calls of two seconds each, and what starts meanwhile. */
const PATIENCE_MS = 9000
/** Requests at the same time. */
const AT_ONCE = 6

/**
 * The table takes calls of one function and says nothing. Each request is answered 503 with Retry-After within a few seconds, and its line of
 * the log names the table. When the table answers again, so does the function. Returns what went wrong.
 */
export async function hungTable(world: World, runtime: Runtime, origin: string): Promise<string[]> {
  const failed: string[] = []
  const over = new AbortController()
  const before = runtime.errors.length
  world.meddle = async (signer) =>
    signer === HELD ? sleep(60_000, undefined, { signal: over.signal }).catch(() => undefined) : undefined
  const askOnce = async () => {
    const began = performance.now()
    const { status, wait } = await ask(origin, 'GET', PATH)
    const took = performance.now() - began
    if (status !== 503 || !(wait > 0))
      failed.push(`a hung table is answered ${status}, to be asked again after ${wait} s`)
    if (took > PATIENCE_MS) failed.push(`a hung table is answered after ${(took / 1000).toFixed(1)} s`)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, askOnce))
  world.meddle = undefined
  over.abort()
  const lines = runtime.errors.slice(before).filter((it) => it.startsWith(HELD) && it.includes('"dependency":"table"'))
  if (lines.length < AT_ONCE) failed.push(`${lines.length} lines of the log name the table`)
  for (let turn = 0; turn < 40; turn += 1) {
    if ((await ask(origin, 'GET', PATH)).status === 200) return failed
    await sleep(250)
  }
  return [...failed, 'when the table answers again, the function does not']
}
