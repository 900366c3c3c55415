import { AsyncLocalStorage } from 'node:async_hooks'
import { isProblem } from '../../base/errors.ts'
import type { Write } from './item.ts'
import { keyOf, place } from './keys.ts'
import { actionsOf, MOST_ACTIONS, transactAlone } from './transact.ts'

/** What one task wants written, and how it learns of the end. */
type Waiting = { writes: readonly Write[]; written: PromiseWithResolvers<void> }
/** Tasks that have not ended, and what those of them that wait want written. */
type Group = { running: number; waiting: Waiting[] }
const groups = new AsyncLocalStorage<Group>()

/**
 * Runs tasks side by side. What they write at the same time goes together: as soon as each task that runs waits for a
 * transaction, these become as few as hold them, and a counter that several change is written once. Where one of several
 * fails, each goes again by itself, so that a task fails for its own reasons only. Ends when all have ended, and fails then with the first failure.
 */
export async function together<T>(tasks: readonly (() => Promise<T>)[]): Promise<T[]> {
  const group: Group = { running: tasks.length, waiting: [] }
  const ended = await Promise.allSettled(
    tasks.map((task) =>
      groups.run(group, task).finally(() => {
        group.running -= 1
        writeWhenAllWait(group)
      }),
    ),
  )
  return ended.map((end) => {
    if (end.status === 'rejected') throw end.reason
    return end.value
  })
}

/**
 * Takes all in their order, so many at once and two such windows at a time: while one is written, the other reads. Fails as the first that
 * failed, once neither goes on; none is begun after a failure.
 */
export async function inTurns<T>(
  all: readonly T[],
  size: number,
  take: (some: readonly T[]) => Promise<unknown>,
): Promise<void> {
  let at = 0
  const lane = async () => {
    while (at < all.length) {
      const some = all.slice(at, at + size)
      at += size
      await take(some).catch((error: unknown) => {
        at = all.length
        throw error
      })
    }
  }
  for (const end of await Promise.allSettled([lane(), lane()])) if (end.status === 'rejected') throw end.reason
}

/** Stores the writes of a transaction: at once, or with those of the tasks that run beside this one. */
export async function transactTogether(writes: readonly Write[]): Promise<void> {
  const group = groups.getStore()
  if (!group) return transactAlone(writes)
  const written = Promise.withResolvers<void>()
  group.waiting.push({ writes, written })
  writeWhenAllWait(group)
  // prove: pack-wait
  return written.promise
}

function writeWhenAllWait(group: Group): void {
  if (group.waiting.length === 0 || group.waiting.length < group.running) return
  const { waiting } = group
  group.waiting = []
  for (const pack of packed(waiting)) void writePack(pack)
}

async function writePack(pack: readonly Waiting[]): Promise<void> {
  try {
    // prove: pack-writes
    await transactAlone(pack.flatMap(({ writes }) => writes))
    for (const { written } of pack) written.resolve()
  } catch (error) {
    // The table has no room: what does not fit in one does not fit in many.
    const isFinal = pack.length === 1 || isProblem(error, 'unavailable')
    for (const { writes, written } of pack) {
      // prove: pack-failure
      if (isFinal) written.reject(error)
      else transactAlone(writes).then(written.resolve, written.reject)
    }
  }
}

/** As few transactions as hold these, in their order: each item once, and no more actions than one takes. Pure. */
function packed(waiting: readonly Waiting[]): Waiting[][] {
  const packs: { members: Waiting[]; places: Set<string> }[] = []
  for (const one of waiting) {
    const places = one.writes.map(placeOf)
    const pack = packs.find(
      (it) =>
        !places.some((at) => it.places.has(at)) &&
        actionsOf([...it.members, one].flatMap(({ writes }) => writes)) <= MOST_ACTIONS,
    )
    if (pack) pack.members.push(one)
    for (const at of places) pack?.places.add(at)
    // prove: next-pack
    if (!pack) packs.push({ members: [one], places: new Set(places) })
  }
  return packs.map(({ members }) => members)
}

const placeOf = ({ action: { Put, Update, Delete, ConditionCheck } }: Write): string =>
  place(keyOf(Put?.Item ?? (Update ?? Delete ?? ConditionCheck)?.Key ?? {}))
