import { now } from '../../base/clock.ts'
import { impossible } from '../../base/errors.ts'
import { log } from '../../base/telemetry/log.ts'
import { commitWrites, withLock } from '../../engines/table/immediate.ts'
import { put, walk } from '../../engines/table/index.ts'
import { LAYOUT, loadStamp, OLDEST_LAYOUT, type Stamp, stampItem, whyUnreadable } from '../../platform/layout.ts'
import { steps } from './steps.ts'

/** The longest time that one worker may take before another goes on, in seconds. A lot takes a second or two. */
const LOCK_S = 120
const LOT = 50

/** The layout of the table, and the step under way. */
export async function migrationState(): Promise<{ layout: number; newest: number; task: Stamp['task'] }> {
  const stamp = await loadStamp()
  return { layout: stamp?.layout ?? OLDEST_LAYOUT, newest: LAYOUT, task: stamp?.task ?? null }
}

/** Begins the step to the next layout, or goes on with the one under way. Returns false if the table has the newest layout. */
export const beginMigration = (): Promise<boolean> =>
  begin('forward', (layout) => (layout < LAYOUT ? layout + 1 : undefined))

/**
 * Begins to take the last step back, or the one under way. Returns false if the table has the oldest layout that this version reads. When
 * it is done the earlier version can be deployed.
 */
export const beginUndo = (): Promise<boolean> =>
  begin('back', (layout) => (layout > OLDEST_LAYOUT ? layout : undefined))

async function begin(
  direction: 'forward' | 'back',
  stepFrom: (layout: number) => number | undefined,
): Promise<boolean> {
  const stamp = await loadStamp()
  const layout = stamp?.layout ?? OLDEST_LAYOUT
  const reason = whyUnreadable(layout)
  if (reason) throw impossible(reason)
  const task = stamp?.task
  const step = task?.step ?? stepFrom(layout)
  if (step === undefined) return false
  if (task?.direction === direction) return true
  await store(stamp, { layout, task: { step, direction, position: null, changed: 0, total: 0, began_at: now() } })
  return true
}

const store = (old: Stamp | undefined, next: Omit<Stamp, 'version'>): Promise<void> =>
  commitWrites([put(stampItem, { ...next, version: (old?.version ?? 0) + 1 }, old)])

/**
 * Works on the step under way, lot by lot, until it is done or `until`, in milliseconds of `performance.now()`. One worker at a time.
 * It stores how far it came after each lot of `most` items, so another worker goes on from there. Returns how many items it changed. A
 * table without any user gets the stamp of the newest layout at once.
 */
export async function workOnMigration(until: number, most = LOT): Promise<number> {
  const stamp = await loadStamp()
  if (!stamp) await stampNewTable()
  if (!stamp?.task) return 0
  return (await withLock('migration', LOCK_S, () => workLocked(until, most))) ?? 0
}

async function workLocked(until: number, most: number): Promise<number> {
  let changed = 0
  do {
    const lot = await workOnLot(most)
    if (lot === undefined) break
    changed += lot
  } while (performance.now() < until)
  return changed
}

/** Works on one lot. Returns how many items it changed. Undefined if no step is under way. */
async function workOnLot(most: number): Promise<number | undefined> {
  const stamp = await loadStamp()
  if (!stamp?.task) return undefined
  const { layout, task } = stamp
  const step = steps.find((it) => it.to === task.step)
  if (!step) throw new Error(`no step leads to layout ${task.step}`)
  const lot = await step[task.direction](task.position, most)
  const changed = task.changed + lot.changed
  const total = task.total + lot.changed
  if (lot.next === null && changed === 0) {
    await store(stamp, { layout: task.direction === 'forward' ? step.to : step.to - 1, task: null })
    log({ level: 'info', message: 'layout', count: total })
  } else {
    // Processes of the earlier version may have written the earlier form behind this pass, so another pass follows.
    const isPassOver = lot.next === null
    await store(stamp, { layout, task: { ...task, position: lot.next, changed: isPassOver ? 0 : changed, total } })
  }
  return lot.changed
}

async function stampNewTable(): Promise<void> {
  const [someone] = await walk({ index: 'gsi2', pk: 'USER', forward: true, limit: 1 })
  if (!someone) await store(undefined, { layout: LAYOUT, task: null })
}
