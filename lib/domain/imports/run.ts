import { mapAtOnce, splitIntoParts } from '../../base/concurrency.ts'
import { checkAllowed, conflict, isConflict, isProblem, Problem } from '../../base/errors.ts'
import { commitTogether } from '../../engines/table/immediate.ts'
import { type Commit, get, put, type UnitOfWork } from '../../engines/table/index.ts'
import { type Actor, permissions } from '../../platform/permissions.ts'
import { inUnit } from '../../platform/unit-of-work.ts'
import { type Contribution, kinds } from '../kinds/index.ts'
import { evidenceIn } from '../records/evidence.ts'
import { recordItemOf } from '../records/items.ts'
import { amendRecord, createRecord, loadRecordById } from '../records/write.ts'
import { isEvidenceUnchanged, withEvidence } from './evidence.ts'
import { type Import, type RowMark, rowMark, type TaskState } from './items.ts'
import { isUnchanged } from './known.ts'
import { aboutValue, type Mapping } from './mapping.ts'
import { firstSentence } from './references.ts'
import { loadResults, type RowResult, type RunResult } from './results.ts'
import { createRowReader, parseContribution, type ReadRow } from './rows.ts'
import { loadRows, type TableRow } from './store.ts'
import { storeBefore } from './undo.ts'

/** Rows written in parallel. Their writes usually fit into two transactions. The next rows are read meanwhile. */
const AT_ONCE = 14
/** Rows after which the progress is stored. */
const REPORT_EVERY = 70
/** The most attempts of one change, since others may change the same record at the same moment. */
const ATTEMPTS = 4

/** A run: the table, the person for whom its rows are contributed, and which rows to leave. */
type RunOrder = { id: string; mapping: Mapping; columns: readonly string[]; actor: Actor } & Pick<
  TaskState,
  'doubtful' | 'changes'
>

/**
 * Runs the rows of a chunk, each as an ordinary contribution. A row's mark is in the transaction of what it makes. So a chunk may
 * run again after a stop, and no row runs twice.
 */
export async function runChunk(
  order: RunOrder,
  chunk: number,
  until: number,
  advance: (rows: number) => Promise<unknown>,
): Promise<RunResult[] | undefined> {
  const { id, mapping } = order
  const rows = (await loadRows(id, mapping.sheet, chunk)).filter(([row]) => row > mapping.header_row)
  const checked = new Map((await loadResults(id, chunk)).map((it) => [it.row, it]))
  const readRow = createRowReader(mapping, order.columns)
  const results = new Map<number, RunResult[]>()
  let [done, reported] = [0, 0]
  await mapAtOnce(splitIntoParts(rows, AT_ONCE), 2, async (part) => {
    if (performance.now() >= until) return
    const tasks = part.map((row) => (commit: Commit) => runRow(order, row, checked.get(row[0]), readRow, commit))
    results.set(part[0]?.[0] ?? 0, await commitTogether(tasks))
    done += part.length
    if (done < reported + REPORT_EVERY || done === rows.length) return
    reported = done
    await advance(done)
  })
  return done < rows.length ? undefined : [...results].sort(([a], [b]) => a - b).flatMap(([, some]) => some)
}

async function runRow(
  order: RunOrder,
  [row, cells]: TableRow,
  checked: RowResult | undefined,
  readRow: (cells: readonly string[]) => ReadRow,
  commit: Commit,
): Promise<RunResult> {
  const left = (reason: string): RunResult => ({ row, what: 'left', entity_id: null, reason })
  if (!checked) return left('The dry run has not seen this row.')
  const reasonsToLeave: Partial<Record<RowResult['outcome'], string | undefined>> = {
    same: 'The record says this already.',
    refused: checked.faults[0]?.message ?? 'The dry run has refused this row.',
    conflict: CHANGED,
    changes: order.changes === 'leave' ? 'The record is known, and what it says was to stay.' : undefined,
    doubtful: order.doubtful === 'skip' ? (checked.alike.length > 0 ? KNOWN : checked.doubts[0]?.message) : undefined,
  }
  const reason = reasonsToLeave[checked.outcome]
  if (reason !== undefined) return left(reason)
  try {
    const mark = await runOnce(order, row, checked, readRow(cells), commit)
    return mark ? { row, what: mark.what, entity_id: mark.entity_id, reason: '' } : left(CHANGED)
  } catch (error) {
    if (!(error instanceof Problem) || error.code === 'unavailable') throw error
    return { row, what: 'failed', entity_id: checked.entity_id, reason: firstSentence(error) }
  }
}

const KNOWN = 'It looks like something that is known.'
const CHANGED = 'Somebody has changed this since the table was written.'

/** Runs a row unless it has run already. Undefined if somebody else has changed what it would change. */
async function runOnce(
  order: RunOrder,
  row: number,
  checked: RowResult,
  read: ReadRow,
  commit: Commit,
): Promise<RowMark | undefined> {
  try {
    return await (checked.entity_id === null
      ? createFromRow(order, row, read, commit)
      : amendFromRow(order, row, checked, checked.entity_id, read, commit))
  } catch (error) {
    // If the row has run already, by another worker or by this one before it stopped, its mark is there.
    const mark = isConflict(error) || isProblem(error, 'invalid') ? await loadMark(order, row) : undefined
    if (mark) return mark
    throw error
  }
}

const loadMark = ({ id }: RunOrder, row: number): Promise<RowMark | undefined> => get(rowMark, { import_id: id, row })

function createFromRow({ id, mapping, actor }: RunOrder, row: number, read: ReadRow, commit: Commit): Promise<RowMark> {
  const made = contributionFrom(mapping, read, 'create')
  const contribution = withEvidence(made, read.evidence, new Set(Object.keys(made.data)))
  return inUnit(
    async (unit) => {
      const { entity_id, named } = await createRecord(unit, kinds[mapping.kind], actor, contribution, { id, row })
      return addMark(unit, { import_id: id, row, entity_id, what: 'created', named, version: 1 })
    },
    { commit },
  )
}

/** Changes only the fields that differed in the dry run, and only if they still have the values of that time. */
function amendFromRow(
  order: RunOrder,
  row: number,
  checked: RowResult,
  entity_id: string,
  read: ReadRow,
  commit: Commit,
): Promise<RowMark | undefined> {
  const { id, mapping, actor } = order
  const whole = contributionFrom(mapping, read, 'change')
  const ofValues = checked.changes.filter(({ field }) => aboutValue(field) === undefined)
  const aboutValues = checked.changes.filter((change) => !ofValues.includes(change))
  const fields = new Set(ofValues.map(({ field }) => field))
  const touched = new Set([...fields, ...aboutValues.flatMap(({ field }) => aboutValue(field)?.field ?? [])])
  const contribution: Contribution = {
    data: Object.fromEntries(Object.entries(whole.data).filter(([name]) => fields.has(name))),
    cleared: whole.cleared.filter((name) => fields.has(name)),
    assertion: whole.assertion,
  }
  return inUnit(
    async (unit) => {
      unit.retryOn('conflict', ATTEMPTS)
      const mark = await loadMark(order, row)
      if (mark) return mark
      const record = await loadRecordById(entity_id)
      if (!record || record.deleted_at) throw conflict('The record is gone.')
      checkAllowed(permissions['record.update'].changes(actor, record))
      const known = read.evidence.size > 0 ? await evidenceIn(record, actor) : undefined
      if (!isUnchanged(record, ofValues) || (known && !isEvidenceUnchanged(known, aboutValues))) return undefined
      await storeBefore(id, row, { head: recordItemOf(record), assertions: record.assertions })
      const { named } = await amendRecord(
        unit,
        record,
        actor,
        withEvidence(contribution, read.evidence, touched, known),
        { batch: { id, row } },
      )
      return addMark(unit, { import_id: id, row, entity_id, what: 'amended', named, version: 1 })
    },
    { commit },
  )
}

/** The contribution of a row. Fails with `conflict` if the row has faults by now: the dry run found none. */
function contributionFrom(mapping: Mapping, read: ReadRow, mode: 'create' | 'change'): Contribution {
  const parsed = parseContribution(mapping, read, mode)
  if ('faults' in parsed) throw conflict(parsed.faults[0]?.message)
  return parsed.contribution
}

/** Adds the mark of a row to the unit of work of its contribution. A row that runs again finds the mark and makes nothing. */
function addMark(unit: UnitOfWork, mark: RowMark): RowMark {
  if (!unit.isEmpty) unit.addFirst([put(rowMark, mark, undefined)])
  return mark
}

/** Adds the results of a chunk to the earlier ones. */
export function addMade(before: Import['made'], results: readonly RunResult[]): Import['made'] {
  const count = (what: RunResult['what']) => results.filter((result) => result.what === what).length
  return {
    created: before.created + count('created'),
    amended: before.amended + count('amended'),
    left: before.left + count('left'),
    failed: before.failed + count('failed'),
  }
}
