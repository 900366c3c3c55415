import { mapAtOnce, splitIntoParts } from '../../base/concurrency.ts'
import { parse, queryAll } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { dryRun } from './check.ts'
import { addDecided, decideRows, rowsWithOutcome } from './decide.ts'
import { type Import, rowMark, type Task, type TaskState } from './items.ts'
import type { LeasedImport } from './leased-import.ts'
import { loadColumnNames, readFile } from './read.ts'
import { storeRuns } from './results.ts'
import { addMade, runChunk } from './run.ts'
import { ROWS_IN_CHUNK } from './store.ts'
import { undoRow } from './undo.ts'

/**
 * Works on the present task of an import. `until` is a time of `performance.now()`. Returns whether the task has ended. If it has
 * not, the lease is given back, and the next visit continues.
 */
export function runTask(lease: LeasedImport, task: TaskState, until: number): Promise<boolean> {
  return runners[task.task](lease, task, until)
}

type TaskRunner = (lease: LeasedImport, task: TaskState, until: number) => Promise<boolean>

const runners: Readonly<Record<Task, TaskRunner>> = {
  read: runRead,
  check: runCheck,
  run: runRun,
  decide: runDecide,
  withdraw: (lease, _task, until) => undoBatch(lease, 'withdrawn', until),
  take_back: (lease, _task, until) => undoBatch(lease, 'taken_back', until),
}

async function runRead(lease: LeasedImport): Promise<boolean> {
  const file = await readFile(lease.item)
  await lease.save({ ...file, state: 'read', failed: null }, null)
  return true
}

async function runCheck(lease: LeasedImport, { by, of }: TaskState): Promise<boolean> {
  const { id } = lease.item
  const { mapping, columns } = await loadTable(lease.item)
  const result = await dryRun({ id, mapping, columns, actor: by }, async (done) => {
    if (done < of) await lease.save({}, { done })
  })
  await lease.save({ ...result, state: 'checked' }, null)
  return true
}

async function runRun(lease: LeasedImport, task: TaskState, until: number): Promise<boolean> {
  const { id, chunks } = lease.item
  const { mapping, columns } = await loadTable(lease.item)
  const order = { id, mapping, columns, actor: task.by, doubtful: task.doubtful, changes: task.changes }
  const countRows = (chunk: number) => Object.values(chunks[chunk] ?? {}).reduce((sum, rows) => sum + rows, 0)
  let done = chunks.slice(0, task.next).reduce((sum, _, chunk) => sum + countRows(chunk), 0)
  for (let chunk = task.next; ; chunk += 1) {
    const results = await runChunk(order, chunk, until, (rows) => lease.save({}, { done: done + rows }))
    if (!results) return pauseTask(lease)
    await storeRuns(id, chunk, results)
    done += countRows(chunk)
    const made = addMade(lease.item.made, results)
    if (chunk >= chunks.length - 1) {
      await lease.save({ made, state: 'done' }, null)
      return true
    }
    await lease.saveProgress({ made }, { next: chunk + 1, done })
  }
}

/** The mapping of an import, and the names of the columns that it maps. */
async function loadTable({ id, mapping }: Import) {
  if (!mapping) throw new Error(`the import ${id} has no mapping`)
  return { mapping, columns: await loadColumnNames(id, mapping.sheet, mapping.header_row) }
}

async function runDecide(lease: LeasedImport, { by, decide, next }: TaskState, until: number): Promise<boolean> {
  if (!decide) throw new Error('a batch is decided on without a verdict')
  const { id, chunks } = lease.item
  const among = decide.outcome === null ? undefined : await rowsWithOutcome(id, chunks.length, decide.outcome)
  for (let behind = next; ; ) {
    if (performance.now() >= until) return pauseTask(lease)
    const step = await decideRows(id, { ...decide, among }, by, behind)
    behind = step.next
    const decided = addDecided(lease.item.decided ?? { records: 0, left: 0, reasons: [] }, step.reasons)
    if (step.ended) {
      await lease.save({ decided }, null)
      return true
    }
    await lease.saveProgress({ decided }, { next: behind, done: decided.records })
  }
}

/** Rows that are undone in parallel. */
const ROWS_AT_ONCE = 8
/** Records at most that an import names as left. */
const NAMED_LIMIT = 200

/** Undoes what the rows made, last row first. `withdrawn` undoes only records that still wait for review. */
async function undoBatch(lease: LeasedImport, state: 'withdrawn' | 'taken_back', until: number): Promise<boolean> {
  const { id } = lease.item
  const rows = (await queryAll(key.importRow(id, 0).pk, 'ROW#', false)).map((item) => parse(rowMark, item))
  const kept: string[] = []
  for (const [index, chunk] of splitIntoParts(rows, ROWS_IN_CHUNK).entries()) {
    for (const part of splitIntoParts(chunk, ROWS_AT_ONCE)) {
      if (performance.now() >= until) return pauseTask(lease)
      const results = await mapAtOnce(part, ROWS_AT_ONCE, (row) => undoRow(row, state === 'withdrawn'))
      kept.push(...part.filter((_, i) => results[i] === 'kept').map(({ entity_id }) => entity_id))
    }
    await lease.saveProgress({}, { done: index * ROWS_IN_CHUNK + chunk.length, of: rows.length })
  }
  await lease.save({ state, kept: kept.slice(0, NAMED_LIMIT) }, null)
  return true
}

/** Gives the lease back. Returns false: the task has not ended. */
async function pauseTask(lease: LeasedImport): Promise<false> {
  await lease.release()
  return false
}
