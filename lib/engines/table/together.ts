import { isProblem } from '../../base/errors.ts'
import type { Write } from './item.ts'
import { keyOf, place } from './keys.ts'
import { actionsOf, MOST_ACTIONS, transact } from './transact.ts'
import type { Commit } from './unit-of-work.ts'

/** The writes of one task, and the promise on which it waits. */
type Waiting = { writes: readonly Write[]; written: PromiseWithResolvers<void> }
/** The number of tasks that have not ended, and the tasks that wait for a transaction. */
type Group = { running: number; waiting: Waiting[] }

/**
 * Runs tasks side by side and commits what they write in few transactions. Each task gets a `commit`, to be passed to
 * its unit of work. Once every task that still runs waits for its commit, all of them are stored. A counter that several tasks
 * change is one action. Example: 14 rows of an import become two transactions.
 *
 * If a transaction of several tasks fails, each of them is committed by itself, so a task fails for its own reasons only.
 * Ends when all tasks have ended. Then it fails with the first failure, if there was one.
 */
export async function commitTogether<T>(tasks: readonly ((commit: Commit) => Promise<T>)[]): Promise<T[]> {
  const group: Group = { running: tasks.length, waiting: [] }
  const commit: Commit = (writes) => {
    const written = Promise.withResolvers<void>()
    group.waiting.push({ writes, written })
    commitWhenAllWait(group)
    // prove: pack-wait
    return written.promise
  }
  const ended = await Promise.allSettled(
    tasks.map(async (task) => {
      try {
        return await task(commit)
      } finally {
        group.running -= 1
        commitWhenAllWait(group)
      }
    }),
  )
  return ended.map((end) => {
    if (end.status === 'rejected') throw end.reason
    return end.value
  })
}

function commitWhenAllWait(group: Group): void {
  if (group.waiting.length === 0 || group.waiting.length < group.running) return
  const { waiting } = group
  group.waiting = []
  for (const pack of packTransactions(waiting)) void commitPack(pack)
}

async function commitPack(pack: readonly Waiting[]): Promise<void> {
  try {
    // prove: pack-writes
    await transact(pack.flatMap(({ writes }) => writes))
    for (const { written } of pack) written.resolve()
  } catch (error) {
    // A table that throttles one transaction throttles many smaller ones, too.
    const isFinal = pack.length === 1 || isProblem(error, 'unavailable')
    for (const { writes, written } of pack) {
      // prove: pack-failure
      if (isFinal) written.reject(error)
      else transact(writes).then(written.resolve, written.reject)
    }
  }
}

/** Divides the waiting tasks into transactions. Each task, in order, goes into the first with room: no item twice, 100 actions at most. */
function packTransactions(waiting: readonly Waiting[]): Waiting[][] {
  const packs: { members: Waiting[]; places: Set<string> }[] = []
  for (const task of waiting) {
    // Entries to one register become one action, so they may come from several tasks.
    const places = task.writes.filter(({ enters }) => !enters).map(placeOf)
    const pack = packs.find(
      (it) =>
        !places.some((at) => it.places.has(at)) &&
        actionsOf([...it.members, task].flatMap(({ writes }) => writes)) <= MOST_ACTIONS,
    )
    if (pack) pack.members.push(task)
    for (const at of places) pack?.places.add(at)
    // prove: next-pack
    if (!pack) packs.push({ members: [task], places: new Set(places) })
  }
  return packs.map(({ members }) => members)
}

const placeOf = ({ action: { Put, Update, Delete, ConditionCheck } }: Write): string =>
  place(keyOf(Put?.Item ?? (Update ?? Delete ?? ConditionCheck)?.Key ?? {}))
