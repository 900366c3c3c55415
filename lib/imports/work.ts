import { setTimeout as sleep } from 'node:timers/promises'
import { now } from '../clock.ts'
import { isConflict, isDone, noneIf, Problem } from '../errors.ts'
import { log } from '../ops/log.ts'
import { amended, parse, put } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { get, queryAll, walk } from '../table/read.ts'
import { transact } from '../table/write.ts'
import { dryRun } from './check.ts'
import { addDecided, decideRows, rowsSaid } from './decide.ts'
import { waitingOf } from './imports.ts'
import { type Import, importItem, lists, madeItem, type Task, type Work } from './items.ts'
import { namesUnder, readFile } from './read.ts'
import { sentenceOf } from './references.ts'
import { putRuns } from './results.ts'
import { addMade, runChunk } from './run.ts'
import { CHUNK, clearAway } from './store.ts'
import { undo } from './undo.ts'

/**
 * Imports are worked on by whoever comes by: a lease of two minutes, renewed while the work goes on, says who has one. After whatever stops it, another goes on:
 *
 *   read, check     from the beginning: they only write over what they have written
 *   run             at the chunk that comes next; a row that has made something is noted with it, and not run twice
 *   decide          behind the row that was last decided on
 *   withdraw, take_back   from the beginning: what is done is found done
 */
const LEASE_MS = 120_000
const RENEWED_MS = 40_000
const MOST_FAILURES = 5
const MOST = 50

type Visit = { ended: number; running: number }
/** Whoever stays looks soon after the end of a task whether there is more to do, and then ever more seldom. */
const FIRST_LOOK_MS = 20
const LATER_LOOKS_MS = 250

/**
 * Works on imports until the time is over, in milliseconds of `performance.now()`, on small ones side by side. Answers how many tasks have come
 * to their end, and how many are left. Who has ended one mostly orders the next at once: for that it stays `linger` milliseconds longer.
 */
export async function goOn(until: number, linger = 0): Promise<Visit> {
  const hands = handsOf(until)
  const running = await lookAndWork(hands, until, linger).finally(hands.rest)
  hands.check()
  await closeBatches()
  return { ended: hands.ended(), running }
}

/** Takes what there is, again and again, until nothing is in hand and nothing more is to be expected. Answers how many imports were found last. */
async function lookAndWork(hands: Hands, until: number, linger: number): Promise<number> {
  let found = await hands.fill()
  for (let pause = FIRST_LOOK_MS; hands.areBusy() || performance.now() < Math.min(hands.endedAt() + linger, until); ) {
    const hasEnded = await Promise.race([hands.oneEnds(), ...(linger > 0 ? [sleep(pause, false)] : [])])
    pause = hasEnded ? FIRST_LOOK_MS : Math.min(pause * 1.5, LATER_LOOKS_MS)
    found = await hands.fill()
  }
  return found
}

/** So many imports are in hand at the same time, and further ones only with files of this many bytes together: a large one has the memory to itself. */
const MOST_IN_HAND = 6
const MOST_BYTES = 2 * 1024 * 1024

type Hands = ReturnType<typeof handsOf>

/** The imports that one worker has in hand until its time is over. What it could not bring to an end it takes no second time. */
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
    /** Takes what waits, as far as there is room. Answers how many imports somebody is to work on, or does. */
    fill: async (): Promise<number> => {
      const found = await walk({ index: 'gsi2', pk: lists.atWork, forward: true, limit: MOST })
      for (const it of found.map((item) => parse(importItem, item))) {
        const held = performance.now() < until && isFree(it) ? await take(it.id) : undefined
        if (held) hold(held)
      }
      return found.length
    },
    areBusy: () => inHand.size > 0,
    /** Whether the next that is out of hand has come to its end. */
    oneEnds: () => Promise.race(ends()),
    /** Nothing is in hand any more. */
    rest: async () => void (await Promise.all(ends())),
    ended: () => ended,
    endedAt: () => endedAt,
    /** Fails as the first that failed. */
    check: () => {
      if (failures.length > 0) throw failures[0]
    },
  }
}

/** Takes an import that nobody has; undefined when somebody has been faster, or nothing is left to do. */
async function take(id: string): Promise<Held | undefined> {
  const it = await get(importItem, { id })
  if (!it?.work || it.work.held_until > now()) return undefined
  const held = holding(it)
  return (await isDone(held.save({}))) ? held : undefined
}

type Held = ReturnType<typeof holding>

/** An import in the hands of one worker: one write after the other, each of which renews the lease. */
function holding(first: Import) {
  let it = first
  let last: Promise<unknown> = Promise.resolve()
  const write = async (changes: Partial<Import>, work: Partial<Work> | null): Promise<Import> => {
    const held_until = new Date(Date.parse(now()) + LEASE_MS).toISOString()
    const next = amended(it, {
      ...changes,
      work: work === null || !it.work ? null : { ...it.work, held_until, ...work },
      updated_at: now(),
    })
    await transact([put(importItem, next, it)])
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
      // It belongs to another by now, or the reply to what was written is lost: whoever comes by sees what is.
      if (isConflict(further)) return false
      throw further
    })
  } finally {
    clearInterval(beat)
  }
}

const isPassing = (error: unknown) =>
  !(error instanceof Problem) || error.code === 'unavailable' || error.code === 'too_many'

/** What may pass is tried again; else the import says why it cannot be. */
async function fail(held: Held, work: Work, error: unknown): Promise<boolean> {
  if (isConflict(error)) throw error
  const failures = work.failures + 1
  if (isPassing(error) && failures < MOST_FAILURES) {
    await held.save({}, { failures, held_until: now() })
    log({ level: 'error', message: 'import', error: error instanceof Error ? error.name : 'unknown' })
    return false
  }
  const failed = error instanceof Problem ? sentenceOf(error) : 'It has failed again and again.'
  await held.save(
    {
      failed,
      ...(work.task === 'read' && { state: 'failed' as const }),
      ...(work.task === 'run' && { state: 'done' as const }),
    },
    null,
  )
  return true
}

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
        isLast ? null : { next: chunk + 1, done, failures: 0 },
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
      await held.save({ decided }, step.ended ? null : { next: at, done: decided.records, failures: 0 })
      if (step.ended) return true
    }
  },
  withdraw: (held, work, until) => takeBack(held, work, until, true),
  take_back: (held, work, until) => takeBack(held, work, until, false),
}

/** Gives it back, for whoever comes by next. */
async function pause(held: Held): Promise<false> {
  await held.save({}, { held_until: now() })
  return false
}

/** Takes back what the rows have made, the last first; with `pending` only what waits. */
async function takeBack(held: Held, _work: Work, until: number, pending: boolean): Promise<boolean> {
  const { id } = held.now()
  const rows = (await queryAll(key.importRow(id, 0).pk, 'ROW#', false)).map((item) => parse(madeItem, item))
  const kept: string[] = []
  for (let at = 0; at < rows.length; at += AT_ONCE) {
    if (performance.now() >= until) return pause(held)
    const some = rows.slice(at, at + AT_ONCE)
    const undone = await Promise.all(some.map((it) => undo(it, pending)))
    kept.push(...some.filter((_, i) => undone[i] === 'kept').map((it) => it.entity_id))
    if (at % CHUNK === 0) await held.save({}, { done: at, of: rows.length, failures: 0 })
  }
  const state = pending ? ('withdrawn' as const) : ('taken_back' as const)
  await held.save({ state, kept: kept.slice(0, MOST_NAMED) }, null)
  return true
}

const AT_ONCE = 8
/** So many of the records that were left as they are are named. */
const MOST_NAMED = 200

/** A batch of which nothing waits any more is no line of the queue. */
async function closeBatches(): Promise<void> {
  const open = (await walk({ index: 'gsi1', pk: lists.batches, forward: true, limit: 100 })).map((item) =>
    parse(importItem, item),
  )
  const waiting = await waitingOf(open.map(({ id }) => id))
  for (const { id } of open) {
    if ((waiting.get(id) ?? 0) > 0) continue
    const it = await get(importItem, { id })
    // What is at work may make more of it.
    if (!it?.open || it.work || it.state === 'running') continue
    await transact([put(importItem, amended(it, { open: false }), it)]).catch(noneIf(isConflict))
  }
}

/** Removes the files of imports that are older than they may be; answers how many. Safe to repeat. */
export async function sweepImports(): Promise<number> {
  const oldest = await walk({ index: 'gsi4', pk: lists.files, forward: true, limit: 50 })
  const due = oldest
    .map((item) => parse(importItem, item))
    .filter(({ files_until }) => files_until !== null && files_until <= now())
  let cleared = 0
  for (const { id } of due) if (await clear(id)) cleared += 1
  return cleared
}

/** It names no file any more before the first one goes; until the last one is gone, it is due. */
async function clear(id: string): Promise<boolean> {
  const it = await get(importItem, { id })
  if (!it?.files_until || it.files_until > now() || it.work) return false
  const going = amended<Import>(it, { object_key: null, pending_key: null })
  const isOurs = await isDone(transact([put(importItem, going, it)]))
  if (!isOurs) return false
  await clearAway(id)
  return isDone(transact([put(importItem, amended<Import>(going, { files_until: null }), going)]))
}
