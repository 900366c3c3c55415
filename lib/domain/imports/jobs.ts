import * as v from 'valibot'
import { impossible, Problem } from '../../base/errors.ts'
import { defineItem, get, getMany, itemIn, put, type UnitOfWork, withNextVersion } from '../../engines/table/index.ts'
import type { Actor } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { beginImport, newReading, type SentFile } from './imports.ts'
import type { Import } from './items.ts'
import { loadReader } from './load-reader.ts'
import { type Mapping, mappingFaults } from './mapping.ts'
import { firstSentence } from './references.ts'
import { listRows } from './row-list.ts'
import { loadRows, type TableRow } from './store.ts'

/**
 * Imports as the dashboard shows them: a job with a mapping from headers to fields, the first rows, and remarks of its reader. A job has
 * the id of its import, so it is tried and run as any import.
 */

const anyObject = v.record(v.string(), v.unknown())

/** What a job has besides its import. Objects from the sender are stored as JSON text: DynamoDB refuses some numbers. */
const Job = v.object({
  import_id: v.string(),
  provenance: v.record(v.string(), v.string()),
  row_review_state: v.string(),
  version: v.number(),
})
export type Job = v.InferOutput<typeof Job>
const job = defineItem({
  type: 'import_job',
  schema: Job,
  key: ({ import_id }: { import_id: string }) => key.importJob(import_id),
})

/** The job of an import that was not sent as a job. */
const plainJob = (import_id: string): Job => ({ import_id, provenance: {}, row_review_state: '{}', version: 0 })

/** Loads the job of an import. One call. */
export const loadJob = async (import_id: string): Promise<Job> => (await get(job, { import_id })) ?? plainJob(import_id)

/** Loads the jobs of these imports. Returns a function from the id of an import to its job. One call for each hundred. */
export async function loadJobs(ids: readonly string[]): Promise<(id: string) => Job> {
  const found = await getMany(ids.map((id) => key.importJob(id)))
  return (import_id) => itemIn(found, job, { import_id }) ?? plainJob(import_id)
}

/** The notes of a person about rows, by the number of the row. */
export const notesOf = ({ row_review_state }: Job): Record<string, unknown> =>
  v.parse(anyObject, JSON.parse(row_review_state))

/** The most bytes of a file that is read while its sender waits. A larger one is read by the worker. */
const READ_AT_ONCE = 1024 * 1024

/**
 * Takes in a table. A small one is read at once: its columns are guessed, or its import has failed with a sentence that says why. The
 * provenance becomes the source of its rows. `there` names the file, which is in the bucket already.
 */
export async function beginJob(
  unit: UnitOfWork,
  actor: Actor,
  sent: SentFile,
  there: { id: string; object_key: string },
  provenance: Readonly<Record<string, string>>,
): Promise<{ made: Import; job: Job }> {
  const isSmall = sent.size <= READ_AT_ONCE
  const made = await beginImport(unit, actor, sent, {
    ...there,
    ...(isSmall && { read: await readAtOnce(actor, sent, there, provenance) }),
  })
  const first: Job = { ...plainJob(made.id), provenance: { ...provenance }, version: 1 }
  unit.add([put(job, first, undefined)])
  return { made, job: first }
}

type Read = Partial<Import> & Pick<Import, 'state'>

async function readAtOnce(
  actor: Actor,
  sent: SentFile,
  there: { id: string; object_key: string },
  provenance: Readonly<Record<string, string>>,
): Promise<Read> {
  try {
    const { readFile } = await loadReader()
    const read = await readFile({ ...sent, ...there, work: newReading(actor) })
    return { ...read, mapping: read.mapping && withProvenance(read.mapping, provenance), state: 'read' }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return { failed: firstSentence(error), state: 'failed' }
  }
}

/** Adds the provenance of a job to a mapping, as far as no column holds it for the whole row. */
function withProvenance(mapping: Mapping, provenance: Readonly<Record<string, string>>): Mapping {
  const { collection_name = '', source_institution = '', language } = provenance
  const citation = [collection_name, source_institution].filter(Boolean).join(', ')
  const isCited = mapping.assertion.some(({ member, field }) => member === 'source_citation' && field === undefined)
  return {
    ...mapping,
    ...(mapping.language === undefined && (language === 'ne' || language === 'en') && { language }),
    assertion: [
      ...mapping.assertion,
      ...(citation !== '' && !isCited ? [{ member: 'source_citation' as const, constant: citation }] : []),
    ],
  }
}

/** Fields by header; null takes a header out. */
export type ColumnMapping = Readonly<Record<string, string | null>>

/** The fields by header of a mapping. A column that fills several fields is shown with the first. */
export const columnsOf = ({ mapping }: Pick<Import, 'mapping'>): Record<string, string> =>
  Object.fromEntries((mapping?.rules ?? []).flatMap(({ column, field }) => (column ? [[column, field]] : [])).reverse())

/** Changes which field each header fills. Rules of headers that are not named stay as they are. */
export const withColumns = (mapping: Mapping, changes: ColumnMapping): Mapping => ({
  ...mapping,
  rules: [
    ...mapping.rules.filter(
      ({ column, field }) => column === undefined || !Object.hasOwn(changes, column) || changes[column] === field,
    ),
    ...Object.entries(changes).flatMap(([column, field]) =>
      field === null || mapping.rules.some((rule) => rule.column === column && rule.field === field)
        ? []
        : [{ column, field }],
    ),
  ],
})

/** Merges changes into an object, member by member. Null removes a member. */
function mergeMembers<T>(
  old: Readonly<Record<string, T>>,
  changes: Readonly<Record<string, T | null>>,
): Record<string, T> {
  const all = { ...old, ...changes }
  return Object.fromEntries(Object.entries(all).filter((entry): entry is [string, T] => entry[1] !== null))
}

export type JobChanges = {
  provenance?: Readonly<Record<string, string | null>> | undefined
  row_review_state?: Readonly<Record<string, unknown>> | undefined
}

/** The most bytes of the provenance and the notes of a job. An item of the table has 400 KB. */
const MOST_BYTES = 300_000

/**
 * Changes members of a job; null removes a member. Fails with `invalid` if it becomes too large, and with `conflict` if the job has changed
 * since it was read.
 */
export async function amendJob(unit: UnitOfWork, old: Job, changes: JobChanges): Promise<Job> {
  const next = withNextVersion<Job>(old, {
    provenance: mergeMembers(old.provenance, changes.provenance ?? {}),
    row_review_state: JSON.stringify(mergeMembers(notesOf(old), changes.row_review_state ?? {})),
  })
  const size = Buffer.byteLength(next.row_review_state) + Buffer.byteLength(JSON.stringify(next.provenance))
  if (size > MOST_BYTES) throw impossible('This is too much for one job.')
  unit.add([put(job, next, old.version === 0 ? undefined : old)])
  return next
}

/** The first rows of a table below its header, with their cells by header, and the faults of its mapping. */
export type StagedTable = {
  headers: string[]
  rows: { row: number; cells: Record<string, string> }[]
  faults: string[]
}

/** Loads those of the first 500 rows that are below the header. Two reads of one object of the bucket. Empty if the table is not read yet. */
export async function loadStaged({ id, mapping }: Import): Promise<StagedTable> {
  if (!mapping) return { headers: [], rows: [], faults: [] }
  const [headers, rows] = await Promise.all([
    loadReader().then((it) => it.loadColumnNames(id, mapping.sheet, mapping.header_row)),
    loadRows(id, mapping.sheet, 0),
  ])
  const below = rows.filter(([row]) => row > mapping.header_row)
  return { headers, rows: below.map((it) => stagedRow(it, headers)), faults: mappingFaults(mapping, headers) }
}

const stagedRow = ([row, cells]: TableRow, headers: readonly string[]) => ({
  row,
  cells: Object.fromEntries(headers.map((header, i) => [header, cells[i] ?? ''])),
})

/** The most rows whose faults a preview shows. */
const TOLD_ROWS = 100

/** The faults of the first 100 rows that the dry run refuses, one sentence each. Empty before a dry run. */
export async function listFaults(it: Import): Promise<string[]> {
  const { results } = await listRows(it, { outcome: 'refused' }, { limit: TOLD_ROWS, offset: 0 })
  return results.flatMap(({ result }) => result.faults.map(({ message }) => `Row ${result.row}: ${message}`))
}
