import { checkAllowed, conflict, isConflict, isProblem, Problem } from '../../base/errors.ts'
import { get, inTurns, put, together, type UnitOfWork } from '../../engines/table/index.ts'
import type { Actor } from '../../platform/permissions.ts'
import { permissions } from '../../platform/permissions.ts'
import { inUnit } from '../../platform/unit-of-work.ts'
import { type Contribution, kinds } from '../kinds/index.ts'
import { recordItemOf } from '../records/items.ts'
import { amendRecord, createRecord, loadRecordById } from '../records/write.ts'
import { storeBefore } from './before.ts'
import { type Import, type Made, rowMark, type TaskState } from './items.ts'
import { isUnchanged } from './known.ts'
import type { Mapping } from './mapping.ts'
import { firstSentence } from './references.ts'
import { loadResults, type RowResult, type RunResult } from './results.ts'
import { createRowReader, parseContribution, type ReadRow } from './rows.ts'
import { loadRows, type TableRow } from './store.ts'

/** Rows written in parallel, which usually makes two transactions. As many more are read meanwhile. */
const AT_ONCE = 14
/** Rows after which the progress is stored. */
const REPORT_EVERY = 70

type Order = { id: string; mapping: Mapping; columns: readonly string[]; actor: Actor } & Pick<
  TaskState,
  'doubtful' | 'changes'
>

/**
 * Runs the rows of a chunk, each as an ordinary contribution. A row's mark is in the transaction of what it makes. So a chunk may
 * run again after a stop, and no row runs twice.
 */
export async function runChunk(
  order: Order,
  chunk: number,
  until: number,
  advance: (rows: number) => Promise<unknown>,
): Promise<RunResult[] | undefined> {
  const { id, mapping } = order
  const rows = (await loadRows(id, mapping.sheet, chunk)).filter(([row]) => row > mapping.header_row)
  const checked = new Map((await loadResults(id, chunk)).map((it) => [it.row, it]))
  const reads = createRowReader(mapping, order.columns)
  const results = new Map<number, RunResult[]>()
  let [done, reported] = [0, 0]
  await inTurns(rows, AT_ONCE, async (some) => {
    if (performance.now() >= until) return
    results.set(
      some[0]?.[0] ?? 0,
      await together(some.map((row) => () => runRow(order, row, checked.get(row[0]), reads))),
    )
    done += some.length
    if (done < reported + REPORT_EVERY || done === rows.length) return undefined
    reported = done
    return advance(done)
  })
  return done < rows.length ? undefined : [...results].sort(([a], [b]) => a - b).flatMap(([, some]) => some)
}

async function runRow(
  order: Order,
  [row, cells]: TableRow,
  checked: RowResult | undefined,
  reads: (cells: readonly string[]) => ReadRow,
): Promise<RunResult> {
  const left = (reason: string): RunResult => ({ row, what: 'left', entity_id: null, reason })
  if (!checked) return left('The dry run has not seen this row.')
  const skips: Partial<Record<RowResult['outcome'], string>> = {
    same: 'The record says this already.',
    refused: checked.faults[0]?.message ?? 'The dry run has refused this row.',
    conflict: CHANGED,
    ...(order.changes === 'leave' && { changes: 'The record is known, and what it says was to stay.' }),
    ...(order.doubtful === 'skip' && { doubtful: 'It looks like something that is known.' }),
  }
  const reason = skips[checked.outcome]
  if (reason !== undefined) return left(reason)
  try {
    const made = await runOnce(order, row, checked, reads(cells))
    return made ? resultOf(made) : left(CHANGED)
  } catch (error) {
    if (!(error instanceof Problem) || error.code === 'unavailable') throw error
    return { row, what: 'failed', entity_id: checked.entity_id, reason: firstSentence(error) }
  }
}

const CHANGED = 'Somebody has changed this since the table was written.'

const resultOf = ({ row, what, entity_id }: Made): RunResult => ({ row, what, entity_id, reason: '' })

/** Runs a row unless it has run already. Undefined if somebody else has changed what it would change. */
async function runOnce(order: Order, row: number, checked: RowResult, read: ReadRow): Promise<Made | undefined> {
  try {
    return await (checked.entity_id === null ? makeOne(order, row, read) : amendOne(order, row, checked, read))
  } catch (error) {
    // The row has run already: by another worker, or by this one before it stopped.
    const done =
      isConflict(error) || isProblem(error, 'invalid') ? await get(rowMark, { import_id: order.id, row }) : undefined
    if (done) return done
    throw error
  }
}

async function makeOne(order: Order, row: number, read: ReadRow): Promise<Made> {
  const contribution = contributionFrom(order.mapping, read, 'create')
  const { id, actor } = order
  return inUnit(async (unit) => {
    const { entity_id, named } = await createRecord(unit, kinds[order.mapping.kind], actor, contribution, { id, row })
    return addMark(unit, { import_id: id, row, entity_id, what: 'created', named, version: 1 })
  })
}

/** Others may change the record at the same moment, so it is read and tried this often. */
const ATTEMPTS = 4

/** Changes only the fields that differed in the dry run, and only if they still have the values of that time. */
async function amendOne(
  order: Order,
  row: number,
  checked: RowResult,
  read: ReadRow,
  attempt = 1,
): Promise<Made | undefined> {
  const { id, actor } = order
  const { entity_id } = checked
  const done = await get(rowMark, { import_id: id, row })
  if (done) return done
  const old = entity_id === null ? undefined : await loadRecordById(entity_id)
  if (!old || old.deleted_at) throw conflict('The record is gone.')
  checkAllowed(permissions['record.update'].changes(actor, old))
  if (!isUnchanged(old, checked.changes)) return undefined
  const whole = contributionFrom(order.mapping, read, 'change')
  const fields = new Set(checked.changes.map((it) => it.field))
  const contribution: Contribution = {
    data: Object.fromEntries(Object.entries(whole.data).filter(([name]) => fields.has(name))),
    cleared: whole.cleared.filter((name) => fields.has(name)),
    assertion: whole.assertion,
  }
  await storeBefore(id, row, { head: recordItemOf(old), assertions: old.assertions })
  try {
    return await inUnit(async (unit) => {
      const { entity_id, named } = await amendRecord(unit, old, actor, contribution, { batch: { id, row } })
      return addMark(unit, { import_id: id, row, entity_id, what: 'amended', named, version: 1 })
    })
  } catch (error) {
    if (isConflict(error) && attempt < ATTEMPTS) return amendOne(order, row, checked, read, attempt + 1)
    throw error
  }
}

function contributionFrom(mapping: Mapping, read: ReadRow, mode: 'create' | 'change'): Contribution {
  const came = parseContribution(mapping, read, mode)
  if ('faults' in came) throw conflict(came.faults[0]?.message)
  return came.contribution
}

/** Adds the mark of a row to the unit of work of its contribution. A row that runs again finds the mark and makes nothing. */
function addMark(unit: UnitOfWork, made: Made): Made {
  if (!unit.isEmpty) unit.addFirst([put(rowMark, made, undefined)])
  return made
}

/** Adds the results of a chunk to the earlier ones. */
export function addMade(before: Import['made'], results: readonly RunResult[]): Import['made'] {
  const many = (what: RunResult['what']) => results.filter((it) => it.what === what).length
  return {
    created: before.created + many('created'),
    amended: before.amended + many('amended'),
    left: before.left + many('left'),
    failed: before.failed + many('failed'),
  }
}
