import { splitIntoParts } from '../../base/concurrency.ts'
import { parse, queryAll } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { batchDecisionList } from '../records/items.ts'
import { dryRun } from './check.ts'
import { addLeft, countDecided, decideRows, rowsWithOutcome } from './decide.ts'
import { type Import, type RowMark, rowMark, type Task, type TaskState, type UndoResult } from './items.ts'
import type { LeasedImport } from './leased-import.ts'
import { loadReader } from './load-reader.ts'
import { storeRuns } from './results.ts'
import { addMade, runChunk } from './run.ts'
import { planUndo, undoRecords } from './undo.ts'

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
  withdraw: (lease, task, until) => undoBatch(lease, task, 'withdrawn', until),
  take_back: (lease, task, until) => undoBatch(lease, task, 'taken_back', until),
}

async function runRead(lease: LeasedImport): Promise<boolean> {
  const { readFile } = await loadReader()
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
  const { loadColumnNames } = await loadReader()
  return { mapping, columns: await loadColumnNames(id, mapping.sheet, mapping.header_row) }
}

async function runDecide(lease: LeasedImport, { by, decide, next, since }: TaskState, until: number): Promise<boolean> {
  if (!decide) throw new Error('a batch is decided on without a verdict')
  const { id, chunks } = lease.item
  const among = decide.outcome === null ? undefined : await rowsWithOutcome(id, chunks.length, decide.outcome)
  const batch = batchDecisionList(id, since)
  for (let behind = next; ; ) {
    if (performance.now() >= until) return pauseTask(lease)
    const step = await decideRows(id, { ...decide, among, batch }, by, behind)
    behind = step.next
    const decided = addLeft(lease.item.decided, step.reasons, await countDecided(batch))
    if (step.ended) {
      await lease.save({ decided }, null)
      return true
    }
    await lease.saveProgress({ decided }, { next: behind, done: decided.records + decided.left })
  }
}

/** Records that are undone between two looks at the time. */
const RECORDS_IN_STEP = 64
/** The most records that stay after an undo and are named in the import. */
const NAMED_LIMIT = 200

/**
 * Undoes what the rows made: all rows, or those that the order names. `withdrawn` undoes only records that still wait for
 * review. A preview ends with the plan. After a stop the rest is planned again, without the records that are undone already.
 */
async function undoBatch(
  lease: LeasedImport,
  task: TaskState,
  state: 'withdrawn' | 'taken_back',
  until: number,
): Promise<boolean> {
  const { id } = lease.item
  const all = (await queryAll(key.importRow(id, 0).pk, 'ROW#', false)).map((item) => parse(rowMark, item))
  const isOrdered = ({ row }: RowMark) => task.rows.length === 0 || task.rows.includes(row)
  const marks = all.filter(isOrdered)
  const pending = state === 'withdrawn'
  const { goes, stays } = await planUndo({ marks, others: all.filter((it) => !isOrdered(it)), pending })
  // The size is counted at the first visit, since later visits find some of the records undone.
  const of = task.next === 0 ? goes.length + stays.length : task.of
  const result = (): UndoResult => ({
    ...{ preview: task.preview, rows: task.rows, goes: of - stays.length, stays: stays.length },
    records: stays.slice(0, NAMED_LIMIT),
  })
  if (task.preview) {
    await lease.save({ undo: result() }, null)
    return true
  }
  if (task.next === 0) await lease.saveProgress({}, { next: 1, done: stays.length, of })
  const going = new Set(goes.map(({ entity_id }) => entity_id))
  let left = goes.length
  for (const step of splitIntoParts(goes, RECORDS_IN_STEP)) {
    if (performance.now() >= until) return pauseTask(lease)
    stays.push(...(await undoRecords(step, going, pending)))
    left -= step.length
    await lease.saveProgress({}, { done: of - left })
  }
  const kept = stays.map(({ entity_id }) => entity_id).slice(0, NAMED_LIMIT)
  await lease.save({ ...(task.rows.length === 0 && { state }), kept, undo: result() }, null)
  return true
}

/** Gives the lease back. Returns false: the task has not ended. */
async function pauseTask(lease: LeasedImport): Promise<false> {
  await lease.release()
  return false
}
