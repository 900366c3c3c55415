import { sayIn } from '../../base/language/say.ts'
import { get } from '../../engines/table/index.ts'
import { type Actor, mayInspect, permissions, worksOn } from '../../platform/permissions.ts'
import * as users from '../../platform/users/users.ts'
import { type Contribution, kinds } from '../kinds/index.ts'
import type { Values } from '../names/values.ts'
import { headerOf } from '../records/build.ts'
import { type RecordItem, revision } from '../records/items.ts'
import { valueEdges } from '../records/links.ts'
import { findMove } from '../records/rules/status.ts'
import { reviewStateOf } from '../records/write.ts'
import { type EarlierRows, earlierRows, findLookAlikes, type RowLookAlike } from './alike.ts'
import { addCounts, type OutcomeCounts, type RowOutcome, zeroCounts } from './items.ts'
import { currentValues, findRecordsOfRows, listDifferences, loadHeads } from './known.ts'
import type { Mapping } from './mapping.ts'
import { resolver, valuesOf } from './references.ts'
import { reportWriter } from './report.ts'
import { type RowResult, storeResults } from './results.ts'
import { type CellFault, columnFor, createRowReader, parseContribution, type ReadRow } from './rows.ts'
import { dataChunks, type TableRow } from './store.ts'

/** What a dry run needs: the rows that were read, the mapping, and the person. */
export type Table = { id: string; mapping: Mapping; columns: readonly string[]; actor: Actor }

/**
 * Decides for each row what the run would do with it. It stores the results and a report in the bucket, and writes no record. Two
 * thousand rows are looked up together. Of earlier rows only what later ones are compared with stays in memory.
 */
export async function dryRun(
  table: Table,
  advance: (done: number) => Promise<unknown> = async () => undefined,
): Promise<{ counts: OutcomeCounts; chunks: OutcomeCounts[] }> {
  const { id, mapping } = table
  const scene = sceneOf(table)
  const reader = await users.loadUser(table.actor.id)
  const report = reportWriter(id, table.columns, await sayIn(reader?.language ?? 'en'))
  const chunks: OutcomeCounts[] = []
  let done = 0
  for await (const piece of inPieces(dataChunks(id, mapping))) {
    const looked = await lookUp(
      table,
      scene,
      piece.flatMap(({ rows }) => rows),
    )
    for (const { chunk, rows } of piece) {
      const results: RowResult[] = []
      for (const [row, cells] of rows) results.push(await resultOf(table, looked, row, cells))
      const shown = await hideLookAlikes(results, table.actor)
      await storeResults(id, chunk, shown)
      for (const [i, result] of shown.entries()) await report.add(rows[i]?.[1] ?? [], result)
      const counts = zeroCounts()
      for (const { outcome } of results) counts[outcome] += 1
      chunks.push(counts)
    }
    done += piece.reduce((sum, { rows }) => sum + rows.length, 0)
    await advance(done)
  }
  await report.end()
  return { counts: chunks.reduce(addCounts, zeroCounts()), chunks }
}

/** Chunks that are looked up together; each has 500 rows. */
const CHUNKS_AT_ONCE = 4

async function* inPieces<T>(all: AsyncIterable<T>): AsyncGenerator<T[]> {
  let piece: T[] = []
  for await (const each of all) {
    piece.push(each)
    if (piece.length < CHUNKS_AT_ONCE) continue
    yield piece
    piece = []
  }
  if (piece.length > 0) yield piece
}

/** What is known from the rows so far. */
type Scene = {
  reads: (cells: readonly string[]) => ReadRow
  earlier: EarlierRows
  /** The first row for each record, and the first row with each identifier. */
  first: Map<string, number>
  resolves: ReturnType<typeof resolver>
}
/** The same, with what was looked up for the present rows. */
type LookedUp = Scene & { known: ReadonlyMap<number, RecordItem>; alike: ReadonlyMap<number, RowLookAlike[]> }

const sceneOf = ({ mapping, columns, actor }: Table): Scene => ({
  reads: createRowReader(mapping, columns),
  earlier: earlierRows(),
  first: new Map(),
  resolves: resolver(kinds[mapping.kind], actor),
})

async function lookUp({ mapping, actor }: Table, scene: Scene, rows: readonly TableRow[]): Promise<LookedUp> {
  const kind = kinds[mapping.kind]
  const { first } = scene
  const sought = rows.map(([row, cells]) => {
    const read = scene.reads(cells)
    const came = parseContribution(mapping, read, modeOf(mapping))
    const header = 'contribution' in came ? headerOf(kind, came.contribution.data) : undefined
    return { row, id: read.id, header }
  })
  const known = await findRecordsOfRows(mapping, sought, actor)
  for (const { row, header } of sought)
    for (const thing of [known.get(row)?.entity_id, header?.identifier && `=${header.identifier}`])
      if (thing && !first.has(thing)) first.set(thing, row)
  const fresh = sought.flatMap(({ row, header }) =>
    header && !known.has(row) && mapping.match !== 'id' ? [{ row, header }] : [],
  )
  return { ...scene, known, alike: await findLookAlikes(kind.key, fresh, scene.earlier) }
}

const modeOf = ({ match }: Mapping) => (match === 'id' ? 'change' : 'create')

async function resultOf(table: Table, scene: LookedUp, row: number, cells: readonly string[]): Promise<RowResult> {
  const { mapping } = table
  const read = scene.reads(cells)
  const name = read.texts.get(kinds[mapping.kind].nameField) ?? ''
  const record = scene.known.get(row)
  const plain = { row, name, entity_id: record?.entity_id ?? null }
  const came = parseContribution(mapping, read, record ? 'change' : modeOf(mapping))
  if ('faults' in came) return resultWith('refused', plain, { faults: came.faults })
  const given = await valuesOf(kinds[mapping.kind], came.contribution.data, scene.resolves)
  const faults = [
    ...given.faults.map(({ name, message }) => faultIn(mapping, read, name, message)),
    ...rowFaults(mapping, scene, { row, read, record }),
  ]
  if (faults.length > 0) return resultWith('refused', plain, { faults })
  const { makes } = given
  if (record) {
    const compared = await compare(table, record, read, { ...came.contribution, values: given.values })
    return resultWith(compared.outcome, plain, { ...compared, makes: compared.changes.length > 0 ? makes : [] })
  }
  const linked = valueEdges({ entity_id: '', kind: mapping.kind, data: given.values }).map(({ to }) => to)
  const others = (scene.alike.get(row) ?? []).filter((it) => it.entity_id === null || !linked.includes(it.entity_id))
  const alike = [...others, ...sameIdentifier(scene, row, came.contribution)]
  return resultWith(alike.length > 0 ? 'doubtful' : 'new', plain, { alike, makes })
}

const resultWith = (
  outcome: RowOutcome,
  plain: Pick<RowResult, 'row' | 'name' | 'entity_id'>,
  more: Partial<RowResult>,
): RowResult => ({ faults: [], alike: [], changes: [], conflicts: [], makes: [], ...plain, ...more, outcome })

const faultIn = (mapping: Mapping, { texts }: ReadRow, field: string, message: string): CellFault => ({
  field,
  column: columnFor(mapping, [field]),
  value: (texts.get(field) ?? '').slice(0, 200),
  message,
})

/** Faults of a row as a whole: it names no record, or a record that another row names too. */
function rowFaults(
  mapping: Mapping,
  { first }: Scene,
  { row, read, record }: { row: number; read: ReadRow; record: RecordItem | undefined },
): CellFault[] {
  if (mapping.match === 'id' && !record) {
    const label = kinds[mapping.kind].label.toLowerCase()
    return [
      faultIn(
        mapping,
        read,
        'id',
        read.id === undefined ? `The row has no id of a ${label}.` : `There is no ${label} with this id.`,
      ),
    ]
  }
  const before = record && first.get(record.entity_id)
  return before !== undefined && before !== row
    ? [
        faultIn(
          mapping,
          read,
          mapping.match === 'id' ? 'id' : mapping.match === 'identifier' ? 'identifier' : 'name',
          `Row ${before} is about the same record.`,
        ),
      ]
    : []
}

/** An earlier row with the same identifier is the same thing. */
function sameIdentifier({ first }: Scene, row: number, { data }: Contribution): RowLookAlike[] {
  const before = typeof data.identifier === 'string' ? first.get(`=${data.identifier}`) : undefined
  return before === undefined || before === row
    ? []
    : [{ entity_id: null, row: before, name: String(data.identifier), how: 'same_identity', likeness: 1 }]
}

type Given = Contribution & { values: Values }

/** Compares a row with its record. */
async function compare(
  { mapping, actor }: Table,
  record: RecordItem,
  read: ReadRow,
  { values, cleared }: Given,
): Promise<Pick<RowResult, 'changes' | 'conflicts' | 'faults'> & { outcome: RowOutcome }> {
  const kind = kinds[mapping.kind]
  const row = { values, cleared, texts: read.texts }
  const now = currentValues(record)
  const base = worksOn(actor, record) ? await baseOf(record, read.revision) : undefined
  const against = listDifferences(kind, now, row)
  const own = base ? listDifferences(kind, base, row) : against
  // Only fields that the row changes count. A field that it leaves is no conflict, whoever has changed it since.
  const changes = against.filter(({ field }) => own.some((it) => it.field === field))
  const theirs = base ? changes.filter((it) => own.find(({ field }) => field === it.field)?.from !== it.from) : []
  if (changes.length === 0) return { outcome: 'same', changes, conflicts: [], faults: [] }
  const refusal = refusalOf(record, actor)
  if (refusal !== undefined)
    return { outcome: 'refused', changes, conflicts: [], faults: [faultIn(mapping, read, 'id', refusal)] }
  return { outcome: theirs.length > 0 ? 'conflict' : 'changes', changes, conflicts: theirs, faults: [] }
}

/** The values of the revision from which the table was made. Undefined if the record still has this revision. */
async function baseOf(
  { entity_id, current_revision }: RecordItem,
  number: number | undefined,
): Promise<Values | undefined> {
  if (number === undefined || number === current_revision) return undefined
  return (await get(revision, { entity_id, revision_number: number }))?.data
}

function refusalOf(record: RecordItem, actor: Actor): string | undefined {
  if (permissions['record.update'].changes(actor, record) !== true)
    return 'This is a record of someone else, which only they and staff may change.'
  return findMove(reviewStateOf(record), 'edit') ? undefined : `A record that is ${record.status} cannot be changed.`
}

/** Hides look-alikes that the contributor may not see. */
async function hideLookAlikes(results: readonly RowResult[], actor: Actor): Promise<RowResult[]> {
  const heads = await loadHeads([...new Set(results.flatMap(({ alike }) => alike.flatMap((it) => it.entity_id ?? [])))])
  const shown = (it: RowLookAlike): RowLookAlike => {
    const head = it.entity_id === null ? undefined : heads.get(it.entity_id)
    return it.entity_id === null || (head && mayInspect(actor, head)) ? it : { ...it, entity_id: null, name: '' }
  }
  return results.map((it) => ({ ...it, alike: it.alike.map(shown) }))
}
