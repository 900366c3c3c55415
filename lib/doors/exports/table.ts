import * as v from 'valibot'
import { newId } from '../../base/clock.ts'
import { config } from '../../base/config.ts'
import { invalid } from '../../base/errors.ts'
import { cellText } from '../../domain/cell-text.ts'
import type { Kind } from '../../domain/kinds/index.ts'
import { LabelView, labelsView, labelTexts } from '../../domain/labels/labels.ts'
import {
  type EvidenceColumn,
  evidenceColumns,
  evidenceFor,
  evidenceText,
  type KnownEvidence,
  loadEvidence,
} from '../../domain/records/evidence.ts'
import type { RecordItem } from '../../domain/records/items.ts'
import type { Visible } from '../../domain/records/shown.ts'
import { columnsBeside } from '../../domain/records/table-columns.ts'
import { visibleValues } from '../../domain/records/views/record.ts'
import { createLinks, putObject } from '../../engines/bucket/index.ts'
import { cut, didYouMean } from '../../engines/matching/index.ts'
import { contentDisposition } from '../../engines/media/index.ts'
import { csvLine } from '../../platform/cells/csv.ts'
import { CSV, XLSX } from '../../platform/http/media.ts'
import { type Reply, replyContent, replySeeOther } from '../../platform/http/reply.ts'
import { warn } from '../../platform/http/warnings.ts'
import { type Actor, worksOn } from '../../platform/permissions.ts'

/** Lists of records as tables that can be corrected and imported again: they hold ids and revisions. */

const tableTypes = { csv: CSV, xlsx: XLSX } as const
export type TableFormat = keyof typeof tableTypes

/** The most rows of a table. An import takes as many. */
export const MOST_ROWS = 20_000

/** The most rows of a table with sources and confidences: each record is read with its claims. */
export const MOST_EVIDENCE_ROWS = 2_000

const { before, after } = columnsBeside.list
type ColumnBeside = (typeof before | typeof after)[number]

export { loadEvidence }

/** The columns about the value of a field, named after the field. Example: `condition.confidence`. */
const columnsAbout = (field: string): string[] => evidenceColumns.map((column) => `${field}.${column}`)

/** Whether some column is about a value: its source, or its confidence. */
export const hasEvidence = (columns: readonly string[]): boolean => columns.some((it) => it.includes('.'))

/**
 * The columns of a table: all, or id, revision and the columns in `asked`, separated by commas. Columns about values come with `evidence`,
 * or if `asked` names them. Throws `invalid` for an unknown column.
 */
export function columnsFor(kind: Kind, asked: string | undefined, evidence: boolean): string[] {
  const fields = Object.keys(kind.fields)
  const withAbout = (names: readonly string[]) =>
    evidence ? names.flatMap((name) => (name in kind.fields ? [name, ...columnsAbout(name)] : [name])) : [...names]
  if (asked === undefined) return withAbout([...before, ...fields, ...after])
  const all = [...before, ...fields.flatMap((name) => [name, ...columnsAbout(name)]), ...after]
  const chosen = asked
    .split(',')
    .map((it) => it.trim())
    .filter(Boolean)
  const unknown = chosen.find((it) => !all.includes(it))
  if (unknown !== undefined) throw invalid({ columns: [`There is no column ${unknown}.${didYouMean(unknown, all)}`] })
  // Without id and revision the table could not be imported again.
  const others = chosen.filter((it) => !before.some((each) => each === it))
  return [...new Set([...before, ...withAbout(others)])]
}

/** A row of a table. Callers who work on the record get its waiting values, all others the published ones. */
export function cellsOf(
  kind: Kind,
  columns: readonly string[],
  it: Visible<RecordItem>,
  actor: Actor | null,
  known?: KnownEvidence,
): string[] {
  const inside = worksOn(actor, it)
  const values = visibleValues(it, (inside && it.proposed) || it.data, actor)
  const beside: Readonly<Record<ColumnBeside, string>> = {
    id: String(it.id),
    revision: String(inside ? it.current_revision : (it.accepted_revision ?? it.current_revision)),
    status: inside ? it.status : 'accepted',
    contributor: it.contributor,
    updated_at: inside ? it.updated_at : (it.accepted_at ?? it.created_at),
    labels: labelTexts(labelsView(it.labels)).join('\n'),
  }
  return columns.map((name) => {
    const [property = '', column] = name.split('.')
    const about = evidenceColumns.find((each) => each === column)
    if (about) return known && property in known.values ? textAbout(known, property, about) : ''
    const field = kind.fields[name]
    return field ? cellText(field, values[name]) : (new Map(Object.entries(beside)).get(name) ?? '')
  })
}

const textAbout = ({ claims, names, values }: KnownEvidence, property: string, column: EvidenceColumn): string =>
  evidenceText(evidenceFor(claims, property, values), column, names)

const Labelled = v.object({ labels: v.optional(v.array(LabelView), []) })
/** The labels of a row of any list as one cell: for each label, a line in each language. */
export const labelsCell = (row: unknown): string => labelTexts(v.parse(Labelled, row).labels).join('\n')

/**
 * A table as an answer: the file, or the address of a file that is too large for an answer. Rows above the limit are left out, and the
 * answer says so.
 */
export async function tableReply(
  format: TableFormat,
  name: string,
  rows: readonly (readonly unknown[])[],
  most = MOST_ROWS,
): Promise<Reply<200, Uint8Array> | Reply<303, undefined>> {
  const kept = rows.slice(0, most + 1)
  if (kept.length < rows.length)
    warn({ member: 'format', message: `The table holds the first ${most} rows. Narrow the list for the others.` })
  const bytes = await tableBytes(format, name, kept)
  const location = await addressOf(format, name, bytes)
  if (location !== undefined) return replySeeOther(location)
  const file = { 'content-disposition': contentDisposition('attachment', `${name}.${format}`) }
  return replyContent(bytes, tableTypes[format], file)
}

/** The bytes of a table. CSV gets protection from formulas; a workbook marks texts as texts. */
async function tableBytes(
  format: TableFormat,
  name: string,
  rows: readonly (readonly unknown[])[],
): Promise<Uint8Array> {
  if (format === 'csv') return Buffer.from(`\uFEFF${rows.map(csvLine).join('')}`)
  const { writeXlsx } = await import('hucre/xlsx')
  const sheet = { name: sheetNamed(name), rows: rows.map((row) => row.map(inSheet)) }
  return writeXlsx({ sheets: [sheet], properties: { modified: UNDATED } })
}

/** The date of every workbook, so that equal rows give equal bytes and an equal ETag. */
const UNDATED = new Date('1980-01-01T00:00:00Z')

/** Excel allows 31 characters, and reserves the name "history". */
const sheetNamed = (name: string) => (name === 'history' ? 'changes' : name.slice(0, 31))

/** A cell of a workbook: a number, a boolean, or a text of at most 32,767 characters. */
const inSheet = (value: unknown) =>
  typeof value === 'number' || typeof value === 'boolean' ? value : cut(String(value ?? ''), 32_767)

/** For how many seconds the address of a file is good. */
const GOOD_FOR = 3600

/** Stores a table that is too large for an answer, and returns its address; undefined if it is small enough. */
async function addressOf(format: TableFormat, name: string, bytes: Uint8Array): Promise<string | undefined> {
  if (bytes.length <= config.LARGEST_TABLE) return undefined
  const key = `tables/${newId()}.${format}`
  await putObject(key, bytes, tableTypes[format])
  const link = await createLinks(GOOD_FOR)
  return link(key, { type: tableTypes[format], disposition: contentDisposition('attachment', `${name}.${format}`) })
}
