import { newId } from '../clock.ts'
import { config } from '../config.ts'
import { invalid } from '../errors.ts'
import { links, putObject } from '../files/blobs.ts'
import { disposition } from '../files/names.ts'
import { CSV, XLSX } from '../http/media.ts'
import { content, Reply } from '../http/reply.ts'
import { warn } from '../http/warnings.ts'
import type { Kind } from '../kinds/index.ts'
import { cut } from '../matching/cut.ts'
import { meantBy } from '../matching/nearest.ts'
import { type Actor, worksOn } from '../permissions.ts'
import type { RecordItem } from '../records/items.ts'
import type { Shown } from '../records/shown.ts'
import { valuesFor } from '../records/views/record.ts'
import { cellText } from './cell-text.ts'
import { csvLine } from './csv.ts'

/** Lists of records as tables that may be corrected and come back: with ids and the revisions that they were written from. */

const tableTypes = { csv: CSV, xlsx: XLSX } as const
export type TableFormat = keyof typeof tableTypes

/** So many rows a table holds at most: as many as come back in one. */
export const MOST_ROWS = 20_000

const before = ['id', 'revision'] as const
const after = ['status', 'contributor', 'updated_at'] as const

/** The columns of a table: those that are asked for, with commas between, or all. Fails with `invalid` on one that there is not. */
export function columnsFor(kind: Kind, asked: string | undefined): string[] {
  const all = [...before, ...Object.keys(kind.fields), ...after]
  if (asked === undefined) return all
  const chosen = asked
    .split(',')
    .map((it) => it.trim())
    .filter(Boolean)
  const unknown = chosen.find((it) => !all.includes(it))
  if (unknown !== undefined) throw invalid({ columns: [`There is no column ${unknown}.${meantBy(unknown, all)}`] })
  // Without these it could not come back.
  return [...before, ...chosen.filter((it) => !before.some((each) => each === it))]
}

/** A row of a table. Whoever works on a record gets the values that wait; everyone else those that stand. */
export function cellsOf(kind: Kind, columns: readonly string[], it: Shown<RecordItem>, actor: Actor | null): string[] {
  const inside = worksOn(actor, it)
  const values = valuesFor(it, (inside && it.proposed) || it.data, actor)
  const beside: Readonly<Record<string, string>> = {
    id: String(it.id),
    revision: String(inside ? it.current_revision : (it.accepted_revision ?? it.current_revision)),
    status: inside ? it.status : 'accepted',
    contributor: it.contributor,
    updated_at: inside ? it.updated_at : (it.accepted_at ?? it.created_at),
  }
  return columns.map((name) => {
    const field = kind.fields[name]
    return field ? cellText(field, values[name]) : (beside[name] ?? '')
  })
}

/** Rows below their header as an answer: a file, or the address of one that is larger than an answer may be. What is too much is left out, and told. */
export async function tableReply(
  format: TableFormat,
  name: string,
  rows: readonly (readonly unknown[])[],
): Promise<Reply> {
  const kept = rows.slice(0, MOST_ROWS + 1)
  if (kept.length < rows.length)
    warn({ member: 'format', message: `The table holds the first ${MOST_ROWS} rows. Narrow the list for the others.` })
  const bytes = await tableBytes(format, name, kept)
  const location = await addressOf(format, name, bytes)
  if (location !== undefined) return new Reply(303, undefined, { location })
  const file = { 'content-disposition': disposition('attachment', `${name}.${format}`) }
  return content(bytes, tableTypes[format], file)
}

/** The bytes of a table. In text no cell is taken for a formula; a workbook holds texts as such. */
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

/** The same rows are the same bytes, and so keep their ETag. */
const UNDATED = new Date('1980-01-01T00:00:00Z')

/** Excel takes so many characters, and keeps the name of its own history to itself. */
const sheetNamed = (name: string) => (name === 'history' ? 'changes' : name.slice(0, 31))

/** A workbook holds numbers, truths and texts; of a text no cell takes more. */
const inSheet = (value: unknown) =>
  typeof value === 'number' || typeof value === 'boolean' ? value : cut(String(value ?? ''), 32_767)

/** Seconds for which the address of a table is good that is too large for an answer. */
const GOOD_FOR = 3600

/** Where a table lies that is too large for an answer; undefined where it is not. */
async function addressOf(format: TableFormat, name: string, bytes: Uint8Array): Promise<string | undefined> {
  if (bytes.length <= config.LARGEST_TABLE) return undefined
  const key = `tables/${newId()}.${format}`
  await putObject(key, bytes, tableTypes[format])
  const link = await links(GOOD_FOR)
  return link(key, { type: tableTypes[format], disposition: disposition('attachment', `${name}.${format}`) })
}
