import { sayIn } from '../../base/language/say.ts'
import { get } from '../../engines/table/index.ts'
import { type Actor, permissions, worksOn } from '../../platform/permissions.ts'
import * as users from '../../platform/users/users.ts'
import { type Contribution, kinds } from '../kinds/index.ts'
import type { Values } from '../names/values.ts'
import { headerOf } from '../records/build.ts'
import { type KnownEvidence, loadEvidence } from '../records/evidence.ts'
import { type RecordItem, revision } from '../records/items.ts'
import { valueEdges } from '../records/links.ts'
import { reviewStateOf } from '../records/review-state.ts'
import { findMove } from '../records/rules/status.ts'
import { EarlierRows, findLookAlikes, type RowLookAlike } from './alike.ts'
import { findDoubts, PeriodFinder } from './doubts.ts'
import { evidenceChanges, evidenceFaults } from './evidence.ts'
import { BAD_LINE } from './formats/json-lines.ts'
import { addCounts, type OutcomeCounts, type RowOutcome, zeroCounts } from './items.ts'
import { currentValues, findRecordsOfRows, listDifferences } from './known.ts'
import type { Mapping } from './mapping.ts'
import { ReferenceResolver, resolveValues } from './references.ts'
import { ReportWriter } from './report.ts'
import { type RowResult, storeResults } from './results.ts'
import { type CellFault, columnFor, createRowReader, damagedTexts, parseContribution, type ReadRow } from './rows.ts'
import { dataChunks, type TableRow } from './store.ts'
import { ValueTally } from './values.ts'

/** A table that was read, its mapping, and the person for whom it is tried. */
export type DryRunTable = { id: string; mapping: Mapping; columns: readonly string[]; actor: Actor }

/**
 * Decides for each row what the run would do with it. It stores the results and a report in the bucket, and writes no record. 2,000 rows
 * are looked up together. Earlier rows stay in memory only as far as later rows are compared with them. `advance` gets the number of rows
 * done.
 */
export async function dryRun(
  table: DryRunTable,
  advance: (done: number) => Promise<unknown> = async () => undefined,
): Promise<{ counts: OutcomeCounts; chunks: OutcomeCounts[]; values: string }> {
  const { id, mapping, actor } = table
  const context = contextOf(table)
  const reader = await users.loadUser(actor.id)
  const report = new ReportWriter(id, table.columns, await sayIn(reader?.language ?? 'en'))
  const chunks: OutcomeCounts[] = []
  let done = 0
  for await (const group of groupChunks(dataChunks(id, mapping))) {
    const rowsOfGroup = group.flatMap(({ rows }) => rows)
    const lookup = await lookUpRows(table, context, rowsOfGroup)
    for (const { chunk, rows } of group) {
      const results: RowResult[] = []
      for (const [row, cells] of rows) results.push(await checkRow(table, lookup, row, cells))
      await storeResults(id, chunk, results)
      for (const [i, result] of results.entries()) await report.add(rows[i]?.[1] ?? [], result)
      chunks.push(countOutcomes(results))
    }
    done += rowsOfGroup.length
    await advance(done)
  }
  await report.end()
  const values = await context.tally.store(id, context.resolver, context.periods)
  return { counts: chunks.reduce(addCounts, zeroCounts()), chunks, values }
}

function countOutcomes(results: readonly RowResult[]): OutcomeCounts {
  const counts = zeroCounts()
  for (const { outcome } of results) counts[outcome] += 1
  return counts
}

/** Chunks that are looked up together. A chunk has 500 rows. */
const CHUNKS_AT_ONCE = 4

async function* groupChunks<T>(chunks: AsyncIterable<T>): AsyncGenerator<T[]> {
  let group: T[] = []
  for await (const chunk of chunks) {
    group.push(chunk)
    if (group.length < CHUNKS_AT_ONCE) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}

/** The state of a dry run: the reader of rows, the rows before, and the relations that were resolved. */
type Context = {
  readRow: (cells: readonly string[]) => ReadRow
  earlier: EarlierRows
  /** By review identity: the first row of each record. By `=identifier`: the first row of each identifier. */
  firstRows: Map<string, number>
  resolver: ReferenceResolver
  /** Resolves the registered sources of cells about values. */
  sources: ReferenceResolver
  periods: PeriodFinder
  tally: ValueTally
}
/** The state of a dry run, with what was looked up for the present rows. */
type RowLookup = Context & {
  records: ReadonlyMap<number, RecordItem>
  /** What the values of these records rest on, by review identity. Empty if the table has no cells about values. */
  evidence: ReadonlyMap<string, KnownEvidence>
  alike: ReadonlyMap<number, RowLookAlike[]>
}

const contextOf = ({ mapping, columns, actor }: DryRunTable): Context => ({
  readRow: createRowReader(mapping, columns),
  earlier: new EarlierRows(),
  firstRows: new Map(),
  resolver: new ReferenceResolver(kinds[mapping.kind], actor),
  sources: new ReferenceResolver(kinds.assertion, actor),
  periods: new PeriodFinder(actor),
  tally: new ValueTally(mapping),
})

/** Looks up the records that rows are about. For rows without a record it looks up look-alikes. */
async function lookUpRows(
  { mapping, actor }: DryRunTable,
  context: Context,
  rows: readonly TableRow[],
): Promise<RowLookup> {
  const kind = kinds[mapping.kind]
  const references = rows.map(([row, cells]) => {
    const read = context.readRow(cells)
    const parsed = parseContribution(mapping, read, modeOf(mapping))
    if (damagedTexts(mapping, read).length > 0) return { row, id: undefined, header: undefined }
    const header = 'contribution' in parsed ? headerOf(kind, parsed.contribution.data) : undefined
    return { row, id: read.id, header }
  })
  const records = await findRecordsOfRows(mapping, references, actor)
  for (const { row, header } of references)
    for (const subject of [records.get(row)?.entity_id, header?.identifier && `=${header.identifier}`])
      if (subject && !context.firstRows.has(subject)) context.firstRows.set(subject, row)
  const newRows = references.flatMap(({ row, header }) =>
    header && !records.has(row) && mapping.match !== 'id' ? [{ row, header }] : [],
  )
  const hasCellsAboutValues = mapping.assertion.some(({ field }) => field !== undefined)
  const known = hasCellsAboutValues ? [...records.values()].map(({ entity_id }) => entity_id) : []
  const evidence = await loadEvidence(known, actor)
  return { ...context, records, evidence, alike: await findLookAlikes(kind.key, newRows, context.earlier, actor) }
}

const modeOf = ({ match }: Mapping) => (match === 'id' ? 'change' : 'create')

async function checkRow(
  table: DryRunTable,
  lookup: RowLookup,
  row: number,
  cells: readonly string[],
): Promise<RowResult> {
  const read = lookup.readRow(cells)
  const result = await checkReadRow(table, lookup, row, cells, read)
  lookup.tally.add(row, read, result.dates)
  return result
}

async function checkReadRow(
  table: DryRunTable,
  lookup: RowLookup,
  row: number,
  cells: readonly string[],
  read: ReadRow,
): Promise<RowResult> {
  const { mapping } = table
  const kind = kinds[mapping.kind]
  const record = lookup.records.get(row)
  const about = {
    row,
    name: (read.texts.get(kind.nameField) ?? '').toWellFormed(),
    entity_id: record?.entity_id ?? null,
  }
  const damaged = [...badLineFault(table, cells), ...damagedTexts(mapping, read)]
  if (damaged.length > 0) return resultWith('refused', about, { faults: damaged })
  const parsed = parseContribution(mapping, read, record ? 'change' : modeOf(mapping))
  if ('faults' in parsed) return resultWith('refused', about, { faults: parsed.faults })
  const resolved = await resolveValues(kind, parsed.contribution.data, lookup.resolver)
  const faults = [
    ...resolved.faults.map(({ name, message }) => faultIn(mapping, read, name, message)),
    ...(await evidenceFaults(mapping, read, lookup.sources)),
    ...rowFaults(mapping, lookup, { row, read, record }),
  ]
  if (faults.length > 0) return resultWith('refused', about, { faults })
  const { makes, values } = resolved
  const { data } = parsed.contribution
  const found = await findDoubts(mapping, read, { data, makes, periods: lookup.periods })
  if (record) {
    const known = lookup.evidence.get(record.entity_id)
    const compared = await compareWithRecord(table, record, read, { ...parsed.contribution, values, known })
    const isChanged = ({ field }: { field: string }) => compared.changes.some((change) => change.field === field)
    return resultWith(compared.outcome, about, {
      ...compared,
      dates: found.dates,
      doubts: found.doubts.filter(isChanged),
      makes: compared.changes.length > 0 ? makes : [],
    })
  }
  const linked = valueEdges({ entity_id: '', kind: mapping.kind, data: values }).map(({ to }) => to)
  const unlinked = (lookup.alike.get(row) ?? []).filter(
    ({ entity_id }) => entity_id === null || !linked.includes(entity_id),
  )
  const alike = [...unlinked, ...sameIdentifier(lookup, row, parsed.contribution)]
  const isDoubtful = alike.length > 0 || found.doubts.length > 0
  return resultWith(isDoubtful ? 'doubtful' : 'new', about, { alike, makes, ...found })
}

const resultWith = (
  outcome: RowOutcome,
  about: Pick<RowResult, 'row' | 'name' | 'entity_id'>,
  more: Partial<RowResult>,
): RowResult => ({
  ...{ faults: [], doubts: [], dates: [], alike: [], changes: [], conflicts: [], makes: [] },
  ...about,
  ...more,
  outcome,
})

/** The fault of a line of JSON Lines that has no object. */
function badLineFault({ columns }: DryRunTable, cells: readonly string[]): CellFault[] {
  const text = cells[columns.indexOf(BAD_LINE)] ?? ''
  if (text === '') return []
  return [{ field: '', column: null, value: text.slice(0, 200).toWellFormed(), message: BAD_LINE_TEXT }]
}
const BAD_LINE_TEXT = 'This line has no object in JSON.'

const faultIn = (mapping: Mapping, { texts }: ReadRow, field: string, message: string): CellFault => ({
  field,
  column: columnFor(mapping, [field]),
  value: (texts.get(field) ?? '').slice(0, 200).toWellFormed(),
  message,
})

/** Faults of a row as a whole: it names no record, or an earlier row is about the same record. */
function rowFaults(
  mapping: Mapping,
  { firstRows }: Context,
  { row, read, record }: { row: number; read: ReadRow; record: RecordItem | undefined },
): CellFault[] {
  const { match } = mapping
  if (match === 'id' && !record) {
    const label = kinds[mapping.kind].label.toLowerCase()
    const message = read.id === undefined ? `The row has no id of a ${label}.` : `There is no ${label} with this id.`
    return [faultIn(mapping, read, 'id', message)]
  }
  const first = record && firstRows.get(record.entity_id)
  if (first === undefined || first === row) return []
  const field = match === 'id' || match === 'identifier' ? match : 'name'
  return [faultIn(mapping, read, field, `Row ${first} is about the same record.`)]
}

/** An earlier row with the same identifier is about the same thing. */
function sameIdentifier({ firstRows }: Context, row: number, { data }: Contribution): RowLookAlike[] {
  const first = typeof data.identifier === 'string' ? firstRows.get(`=${data.identifier}`) : undefined
  return first === undefined || first === row
    ? []
    : [{ entity_id: null, row: first, name: String(data.identifier), how: 'same_identity', likeness: 1 }]
}

/** Compares a row with its record. A field that others have changed since the table was made is a conflict. */
async function compareWithRecord(
  { mapping, actor }: DryRunTable,
  record: RecordItem,
  read: ReadRow,
  { values, cleared, known }: Contribution & { values: Values; known: KnownEvidence | undefined },
): Promise<Pick<RowResult, 'changes' | 'conflicts' | 'faults'> & { outcome: RowOutcome }> {
  const kind = kinds[mapping.kind]
  const row = { values, cleared, texts: read.texts }
  const base = worksOn(actor, record) ? await loadBase(record, read.revision) : undefined
  const after = { ...values, ...Object.fromEntries(cleared.map((name) => [name, undefined])) }
  const aboutValues = (its: KnownEvidence | undefined) => (its ? evidenceChanges(its, read.evidence, after) : [])
  const sinceNow = [...listDifferences(kind, currentValues(record), row), ...aboutValues(known)]
  const past = base && known && { ...known, values: base, revision: read.revision }
  const sinceBase = base ? [...listDifferences(kind, base, row), ...aboutValues(past)] : sinceNow
  // A field that the row leaves is no conflict, even if others have changed it since.
  const changes = sinceNow.filter(({ field }) => sinceBase.some((difference) => difference.field === field))
  const conflicts = changes.filter(
    (change) => sinceBase.find(({ field }) => field === change.field)?.from !== change.from,
  )
  if (changes.length === 0) return { outcome: 'same', changes, conflicts: [], faults: [] }
  const refusal = refusalOf(record, actor)
  if (refusal !== undefined)
    return { outcome: 'refused', changes, conflicts: [], faults: [faultIn(mapping, read, 'id', refusal)] }
  return { outcome: conflicts.length > 0 ? 'conflict' : 'changes', changes, conflicts, faults: [] }
}

/** Loads the values of the revision from which the table was made. Undefined if the record still has this revision. */
async function loadBase(
  { entity_id, current_revision }: RecordItem,
  revision_number: number | undefined,
): Promise<Values | undefined> {
  if (revision_number === undefined || revision_number === current_revision) return undefined
  return (await get(revision, { entity_id, revision_number }))?.data
}

/** The reason why the sender may not change the record. Undefined if they may. */
function refusalOf(record: RecordItem, actor: Actor): string | undefined {
  if (permissions['record.update'].changes(actor, record) !== true)
    return 'This is a record of someone else, which only they and staff may change.'
  return findMove(reviewStateOf(record), 'edit') ? undefined : `A record that is ${record.status} cannot be changed.`
}
