import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { newId } from '../../base/clock.ts'
import { goneForGood, invalid } from '../../base/errors.ts'
import { putStream, storeInUnit, streamObject, uploadForm } from '../../engines/bucket/index.ts'
import { readBlocks, type Source, withSpool } from '../../engines/media/index.ts'
import type { UnitOfWork } from '../../engines/table/index.ts'
import type { Actor } from '../../platform/permissions.ts'
import { completeImport, newFileKey } from './imports.ts'
import type { Import, ImportFormat } from './items.ts'

/** How the file of an import gets into the bucket. */

/** Bytes of the largest file. */
export const LARGEST_FILE = 50 * 1024 * 1024
/** Seconds in which a client may post a file to the bucket. */
const FORM_SECONDS = 3600

const byEnding: Readonly<Record<string, ImportFormat>> = {
  ...{ csv: 'csv', txt: 'csv', tsv: 'tsv', tab: 'tsv', xlsx: 'xlsx', ods: 'ods' },
  ...{ jsonl: 'jsonl', ndjson: 'jsonl' },
}
const refusalByEnding: Readonly<Record<string, string>> = {
  xlsm: 'The workbook may carry macros. Save it as .xlsx, without them.',
  xls: 'The workbook is in the format of Excel 97 to 2003. Save it as .xlsx.',
}

/** The format by the end of the file's name, or the reason why it is refused. */
export function formatOf(file_name: string): { format: ImportFormat } | { refusal: string } {
  const ending = /\.([a-z0-9]+)$/i.exec(file_name)?.[1]?.toLowerCase() ?? ''
  const format = Object.hasOwn(byEnding, ending) ? byEnding[ending] : undefined
  if (format) return { format }
  return {
    refusal:
      (Object.hasOwn(refusalByEnding, ending) && refusalByEnding[ending]) ||
      'The name must end in .csv, .tsv, .txt, .xlsx, .ods or .jsonl.',
  }
}

const type = 'application/octet-stream'

/** A file that came with the request. */
type Stored = { id: string; object_key: string; sha256: string; size: number }

/**
 * Stores a file that came with the request. If the unit of work is not committed, the file is deleted, by the sweeper at the
 * latest.
 */
export async function storeSent(unit: UnitOfWork, format: ImportFormat, source: Source): Promise<Stored> {
  if (source.size === 0) throw invalid({ file: ['The file is empty.'] })
  checkBeginning(format, source)
  const id = newId()
  const { object_key } = await storeInUnit(unit, newFileKey(id), (key) => store(key, source))
  return { id, object_key, sha256: digestOf(source), size: source.size }
}

/** The form with which the client posts the file. */
export const formFor = ({ pending_key, size }: Import) => uploadForm(pending_key ?? '', { type, size }, FORM_SECONDS)

/**
 * Takes in a file that the client put into the bucket. It is copied while it is checked, so a later upload under the same key
 * changes nothing. Fails with `gone` if an earlier owner of the account announced it.
 */
export async function takeInFile(unit: UnitOfWork, old: Import, actor: Actor): Promise<Import> {
  const { pending_key, size, format } = old
  if (old.ownership !== (actor.ownership ?? 1)) throw goneForGood('This upload has expired. Begin a new one.')
  const sent = pending_key === null ? undefined : await streamObject(pending_key)
  if (!sent || pending_key === null) throw invalid({ file: ['The file has not been sent yet.'] })
  const object_key = newFileKey(old.id)
  const sha256 = await withSpool(sent.body, size, async ({ source, sha256: found }) => {
    if (source.size !== size) throw wrongSize()
    if (old.sha256 !== null && old.sha256 !== found)
      throw invalid({ file: ['The file is not the one that was announced.'] })
    checkBeginning(format, source)
    await store(object_key, source)
    return found
  })
  if (sha256 === undefined) throw wrongSize()
  // The bucket itself deletes what the client sent after three days.
  return completeImport(unit, old, actor, { object_key, sha256 })
}

const wrongSize = () => invalid({ file: ['The file is not as large as was announced.'] })

/**
 * A workbook begins as a ZIP archive. An encrypted or old one begins as a compound file, which the worker reports. Text begins as
 * neither.
 */
function checkBeginning(format: ImportFormat, source: Source): void {
  const head = source.read(0, Math.min(4, source.size)).toString('latin1')
  const isBook = head === 'PK\u0003\u0004' || head === '\u00d0\u00cf\u0011\u00e0'
  if (format === 'xlsx' && !isBook) throw invalid({ file: ['The file is no XLSX workbook.'] })
  if (format === 'ods' && !isBook) throw invalid({ file: ['The file is no ODS workbook.'] })
  if (format !== 'xlsx' && format !== 'ods' && isBook)
    throw invalid({ file: ['The file is a workbook, and its name ends neither in .xlsx nor in .ods.'] })
}

function digestOf(source: Source): string {
  const hash = createHash('sha256')
  for (const { block } of readBlocks(source, 0, source.size)) hash.update(block)
  return hash.digest('hex')
}

function* piecesOf(source: Source) {
  for (const { block } of readBlocks(source, 0, source.size)) yield Buffer.from(block)
}

const store = (object_key: string, source: Source): Promise<void> =>
  putStream(object_key, () => Readable.from(piecesOf(source), { objectMode: false }), source.size, type)
