import { setTimeout as sleep } from 'node:timers/promises'
import { now } from '../../base/clock.ts'
import { isConflict, isDone, noneIf, Problem } from '../../base/errors.ts'
import { log } from '../../base/telemetry/log.ts'
import { commitWrites, get, parse, put, queryAll, walk, withNextVersion } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { dryRun } from './check.ts'
import { addDecided, decideRows, rowsSaid } from './decide.ts'
import { waitingOf } from './imports.ts'
import { type Import, importItem, lists, madeItem, type Task, type Work } from './items.ts'
import { namesUnder, readFile } from './read.ts'
import { sentenceOf } from './references.ts'
import { putRuns } from './results.ts'
import { addMade, runChunk } from './run.ts'
import { CHUNK, clearAway } from './store.ts'
import { undoRows } from './undo.ts'

/**
 * A worker takes an import by a lease of two minutes and renews it while it works. If the worker dies, the next one continues:
 *
 * - `read`, `check`: from the beginning. They only overwrite what they have stored.
 * - `run`: at the next chunk. Each row that has made something has a mark, so it does not run twice.
 * - `decide`: after the last row that was decided on.
 * - `withdraw`, `take_back`: from the beginning. Rows that are taken back already have nothing to undo.
 */
const LEASE_MS = 120_000
const RENEWED_MS = 40_000
const MOST_FAILURES = 5
const MOST = 50

type Visit = { ended: number; running: number }
/** Milliseconds between looks for new tasks: short after a task has ended, then growing. */
const FIRST_LOOK_MS = 20
const LATER_LOOKS_MS = 250

/**
 * Works on imports until `until`, in milliseconds of `performance.now()`; small ones run in parallel. Returns how many tasks have
 * ended, and how many imports still have one. A sender often orders the next task at once. So after an end it stays for another
 * `linger` milliseconds.
 */
export async function continueImports(until: number, linger = 0): Promise<Visit> {
  const hands = handsOf(until)
  const running = await lookAndWork(hands, until, linger).finally(hands.rest)
  hands.check()
  await closeBatches()
  return { ended: hands.ended(), running }
}

/** Takes tasks until none is in hand and none is expected. Returns how many imports had a task at the last look. */
async function lookAndWork(hands: Hands, until: number, linger: number): Promise<number> {
  let found = await hands.fill()
  for (let pause = FIRST_LOOK_MS; hands.areBusy() || performance.now() < Math.min(hands.endedAt() + linger, until); ) {
    const hasEnded = await Promise.race([hands.oneEnds(), ...(linger > 0 ? [sleep(pause, false)] : [])])
    pause = hasEnded ? FIRST_LOOK_MS : Math.min(pause * 1.5, LATER_LOOKS_MS)
    found = await hands.fill()
  }
  return found
}

/**
 * Imports in hand at once. A second one is taken only if all their files together are small, so a large one has the memory to
 * itself.
 */
const MOST_IN_HAND = 6
const MOST_BYTES = 2 * 1024 * 1024

type Hands = ReturnType<typeof handsOf>

/** The imports that one worker has in hand. An import whose task did not end is not taken again in this visit. */
function handsOf(until: number) {
  const inHand = new Map<string, { size: number; end: Promise<boolean> }>()
  const left = new Set<string>()
  const failures: unknown[] = []
  let [ended, endedAt] = [0, Number.NEGATIVE_INFINITY]
  const hold = (held: Held): void => {
    const { id, size } = held.now()
    const end = advance(held, until)
      .catch((error: unknown) => {
        failures.push(error)
        return false
      })
      .then((isEnded) => {
        inHand.delete(id)
        if (isEnded) {
          ended += 1
          endedAt = performance.now()
        } else left.add(id)
        return isEnded
      })
    inHand.set(id, { size, end })
  }
  const isFree = ({ id, size, work }: Import): boolean => {
    const bytes = [...inHand.values()].reduce((sum, it) => sum + it.size, size)
    const hasRoom = inHand.size === 0 || (inHand.size < MOST_IN_HAND && bytes <= MOST_BYTES)
    return hasRoom && !inHand.has(id) && !left.has(id) && work !== null && work.held_until <= now()
  }
  const ends = () => [...inHand.values()].map(({ end }) => end)
  return {
    /** Takes free imports while there is room. Returns how many have a task, also those of other workers. */
    fill: async (): Promise<number> => {
      const found = await walk({ index: 'gsi2', pk: lists.atWork, forward: true, limit: MOST })
      for (const it of found.map((item) => parse(importItem, item))) {
        const held = performance.now() < until && isFree(it) ? await take(it.id) : undefined
        if (held) hold(held)
      }
      return found.length
    },
    areBusy: () => inHand.size > 0,
    /** Waits until one import is done; says whether its task ended. */
    oneEnds: () => Promise.race(ends()),
    /** Waits until no import is in hand. */
    rest: async () => void (await Promise.all(ends())),
    ended: () => ended,
    endedAt: () => endedAt,
    /** Throws the first error, if there was one. */
    check: () => {
      if (failures.length > 0) throw failures[0]
    },
  }
}

/** Takes the lease of an import. Undefined if somebody else has it, or if there is no task any more. */
async function take(id: string): Promise<Held | undefined> {
  const it = await get(importItem, { id })
  if (!it?.work || it.work.held_until > now()) return undefined
  const held = holding(it)
  const takes = it.work.takes + 1
  if (takes > MOST_TAKES) {
    await isDone(giveUp(held, it.work, WORKER_ENDED))
    return undefined
  }
  return (await isDone(held.save({}, { takes }))) ? held : undefined
}
const MOST_TAKES = 3
const WORKER_ENDED = 'The process that worked on this ended three times. The file is probably too large for it.'

type Held = ReturnType<typeof holding>

/** An import in the hands of one worker. Its writes run one after another, and each renews the lease. */
function holding(first: Import) {
  let it = first
  let last: Promise<unknown> = Promise.resolve()
  const write = async (changes: Partial<Import>, work: Partial<Work> | null): Promise<Import> => {
    const held_until = new Date(Date.parse(now()) + LEASE_MS).toISOString()
    const next = withNextVersion(it, {
      ...changes,
      work: work === null || !it.work ? null : { ...it.work, held_until, ...work },
      updated_at: now(),
    })
    await commitWrites([put(importItem, next, it)])
    it = next
    return it
  }
  const save = (changes: Partial<Import>, work: Partial<Work> | null = {}): Promise<Import> => {
    const done = last.then(() => write(changes, work))
    last = done.catch(() => undefined)
    return done
  }
  return { now: () => it, save }
}

async function advance(held: Held, until: number): Promise<boolean> {
  const { work } = held.now()
  if (!work) return true
  const beat = setInterval(() => void held.save({}).catch(() => undefined), RENEWED_MS)
  try {
    return await tasks[work.task](held, work, until)
  } catch (error) {
    return fail(held, work, error).catch((further: unknown) => {
      // Another worker has it by now, or the reply to a write was lost. The next visit reads what is stored.
      if (isConflict(further)) return false
      throw further
    })
  } finally {
    clearInterval(beat)
  }
}

const isPassing = (error: unknown) =>
  !(error instanceof Problem) || error.code === 'unavailable' || error.code === 'too_many'

/** Tries again later after a passing error. Any other error ends the task, and the import shows the reason. */
async function fail(held: Held, work: Work, error: unknown): Promise<boolean> {
  if (isConflict(error)) throw error
  const failures = work.failures + 1
  if (isPassing(error) && failures < MOST_FAILURES) {
    await held.save({}, { failures, takes: 0, held_until: now() })
    log({ level: 'error', message: 'import', error: error instanceof Error ? error.name : 'unknown' })
    return false
  }
  await giveUp(held, work, error instanceof Problem ? sentenceOf(error) : 'It has failed again and again.')
  return true
}

/** Ends the task. The import shows the reason. */
const giveUp = (held: Held, work: Work, failed: string): Promise<Import> =>
  held.save(
    {
      failed,
      ...(work.task === 'read' && { state: 'failed' as const }),
      ...(work.task === 'run' && { state: 'done' as const }),
    },
    null,
  )

type Does = (held: Held, work: Work, until: number) => Promise<boolean>

const tasks: Readonly<Record<Task, Does>> = {
  read: async (held) => {
    const read = await readFile(held.now())
    await held.save({ ...read, state: 'read', failed: null }, null)
    return true
  },
  check: async (held, { by, of }) => {
    const { id, mapping } = held.now()
    if (!mapping) throw new Error(`the import ${id} has no mapping`)
    const columns = await namesUnder(id, mapping.sheet, mapping.header_row)
    const result = await dryRun({ id, mapping, columns, actor: by }, async (done) =>
      done < of ? held.save({}, { done }) : undefined,
    )
    await held.save({ ...result, state: 'checked' }, null)
    return true
  },
  run: async (held, { by, doubtful, changes, next }, until) => {
    const { id, mapping, chunks } = held.now()
    if (!mapping) throw new Error(`the import ${id} has no mapping`)
    const columns = await namesUnder(id, mapping.sheet, mapping.header_row)
    const rowsIn = (chunk: number) => Object.values(chunks[chunk] ?? {}).reduce((sum, many) => sum + many, 0)
    let done = chunks.slice(0, next).reduce((sum, _, chunk) => sum + rowsIn(chunk), 0)
    for (let chunk = next; ; chunk += 1) {
      const order = { id, mapping, columns, actor: by, doubtful, changes }
      const results = await runChunk(order, chunk, until, (rows) => held.save({}, { done: done + rows }))
      if (!results) return pause(held)
      await putRuns(id, chunk, results)
      done += rowsIn(chunk)
      const made = addMade(held.now().made, results)
      const isLast = chunk >= chunks.length - 1
      await held.save(
        { made, ...(isLast && { state: 'done' }) },
        isLast ? null : { next: chunk + 1, done, failures: 0, takes: 0 },
      )
      if (isLast) return true
    }
  },
  decide: async (held, { by, decide, next }, until) => {
    if (!decide) throw new Error('a batch is decided on without a verdict')
    const { id, chunks } = held.now()
    const { outcome } = decide
    const among = outcome === null ? undefined : await rowsSaid(id, chunks.length, outcome)
    for (let at = next; ; ) {
      if (performance.now() >= until) return pause(held)
      const step = await decideRows(held.now().id, { ...decide, among }, by, at)
      at = step.next
      const decided = addDecided(held.now().decided ?? { records: 0, left: 0, reasons: [] }, step.reasons)
      await held.save({ decided }, step.ended ? null : { next: at, done: decided.records, failures: 0, takes: 0 })
      if (step.ended) return true
    }
  },
  withdraw: (held, work, until) => takeBack(held, work, until, true),
  take_back: (held, work, until) => takeBack(held, work, until, false),
}

/** Gives the lease back, for the next visit. */
async function pause(held: Held): Promise<false> {
  await held.save({}, { takes: 0, held_until: now() })
  return false
}

/** Takes back what the rows have made, the last row first. With `pending`, only what waits. */
async function takeBack(held: Held, _work: Work, until: number, pending: boolean): Promise<boolean> {
  const { id } = held.now()
  const rows = (await queryAll(key.importRow(id, 0).pk, 'ROW#', false)).map((item) => parse(madeItem, item))
  const kept: string[] = []
  for (let at = 0; at < rows.length; at += AT_ONCE) {
    if (performance.now() >= until) return pause(held)
    const some = rows.slice(at, at + AT_ONCE)
    const undone = await Promise.all(some.map((it) => undoRows(it, pending)))
    kept.push(...some.filter((_, i) => undone[i] === 'kept').map((it) => it.entity_id))
    if (at % CHUNK === 0) await held.save({}, { done: at, of: rows.length, failures: 0, takes: 0 })
  }
  const state = pending ? ('withdrawn' as const) : ('taken_back' as const)
  await held.save({ state, kept: kept.slice(0, MOST_NAMED) }, null)
  return true
}

const AT_ONCE = 8
/** Records named at most, of those that were left. */
const MOST_NAMED = 200

/** Closes batches without waiting rows, so the queue does not show them. */
async function closeBatches(): Promise<void> {
  const open = (await walk({ index: 'gsi1', pk: lists.batches, forward: true, limit: 100 })).map((item) =>
    parse(importItem, item),
  )
  const waiting = await waitingOf(open.map(({ id }) => id))
  for (const { id } of open) {
    if ((waiting.get(id) ?? 0) > 0) continue
    const it = await get(importItem, { id })
    // A task that goes on may add waiting rows.
    if (!it?.open || it.work || it.state === 'running') continue
    await commitWrites([put(importItem, withNextVersion(it, { open: false }), it)]).catch(noneIf(isConflict))
  }
}

/** Deletes the files of imports that are kept too long. Returns for how many imports. Safe to repeat. */
export async function sweepImports(): Promise<number> {
  const oldest = await walk({ index: 'gsi4', pk: lists.files, forward: true, limit: 50 })
  const due = oldest
    .map((item) => parse(importItem, item))
    .filter(({ files_until }) => files_until !== null && files_until <= now())
  let cleared = 0
  for (const { id } of due) if (await clear(id)) cleared += 1
  return cleared
}

/** First the import drops the names of its files, then they are deleted. It stays due until the last one is gone. */
async function clear(id: string): Promise<boolean> {
  const it = await get(importItem, { id })
  if (!it?.files_until || it.files_until > now() || it.work) return false
  const going = withNextVersion<Import>(it, { object_key: null, pending_key: null })
  const isOurs = await isDone(commitWrites([put(importItem, going, it)]))
  if (!isOurs) return false
  await clearAway(id)
  return isDone(commitWrites([put(importItem, withNextVersion<Import>(going, { files_until: null }), going)]))
}
