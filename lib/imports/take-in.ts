import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { newId } from '../clock.ts'
import { invalid } from '../errors.ts'
import { putStream, streamObject, uploadForm } from '../files/blobs.ts'
import { blocks, type Source } from '../files/media/source.ts'
import { spooled } from '../files/spool.ts'
import { named, withFile } from '../loose-files.ts'
import type { Actor } from '../permissions.ts'
import type { Write } from '../table/item.ts'
import { complete, objectKey } from './imports.ts'
import type { Format, Import } from './items.ts'

/** How the file of an import comes in. */

/** The largest file that is taken. */
export const LARGEST_FILE = 50 * 1024 * 1024
/** How long a client may take to send a file to the bucket. */
const FORM_SECONDS = 3600

const byEnding: Readonly<Record<string, Format>> = {
  ...{ csv: 'csv', txt: 'csv', tsv: 'tsv', tab: 'tsv', xlsx: 'xlsx' },
  ...{ jsonl: 'jsonl', ndjson: 'jsonl' },
}
const instead: Readonly<Record<string, string>> = {
  xlsm: 'The workbook may carry macros. Save it as .xlsx, without them.',
  xls: 'The workbook is in the format of Excel 97 to 2003. Save it as .xlsx.',
  ods: 'Save the table as .xlsx or .csv.',
}

/** The format that the end of a file's name means, or why it is not taken. */
export function formatOf(file_name: string): { format: Format } | { refusal: string } {
  const ending = /\.([a-z0-9]+)$/i.exec(file_name)?.[1]?.toLowerCase() ?? ''
  const format = Object.hasOwn(byEnding, ending) ? byEnding[ending] : undefined
  if (format) return { format }
  return {
    refusal:
      (Object.hasOwn(instead, ending) && instead[ending]) || 'The name must end in .csv, .tsv, .txt, .xlsx or .jsonl.',
  }
}

const type = 'application/octet-stream'

/** Where a file lies that has come with the request; `also` is written with the import that names it. */
export type Stored = { id: string; object_key: string; sha256: string; size: number; also: readonly Write[] }

/** Stores a file that has come with the request, for `work` to make an import of it; it goes again when that fails, by the sweeper at the latest. */
export async function whileStored<T>(format: Format, source: Source, work: (at: Stored) => Promise<T>): Promise<T> {
  if (source.size === 0) throw invalid({ file: ['The file is empty.'] })
  checkBeginning(format, source)
  const id = newId()
  const object_key = objectKey(id)
  return withFile(object_key, async (expected) => {
    await store(object_key, source)
    return work({ id, object_key, sha256: digestOf(source), size: source.size, also: [named(expected)] })
  })
}

/** What a client posts, and where, to send the file of an import. */
export const formFor = ({ pending_key, size }: Import) => uploadForm(pending_key ?? '', { type, size }, FORM_SECONDS)

/** Takes in a file that the client has put into the bucket: what is read here is what is kept, whatever comes to lie there meanwhile. */
export async function takeInSent(old: Import, actor: Actor): Promise<Import> {
  const { pending_key, size, format } = old
  const sent = pending_key === null ? undefined : await streamObject(pending_key)
  if (!sent || pending_key === null) throw invalid({ file: ['The file has not been sent yet.'] })
  const object_key = objectKey(old.id)
  const sha256 = await spooled(sent.body, size, async ({ source, sha256: found }) => {
    if (source.size !== size) throw otherSize()
    if (old.sha256 !== null && old.sha256 !== found)
      throw invalid({ file: ['The file is not the one that was announced.'] })
    checkBeginning(format, source)
    await store(object_key, source)
    return found
  })
  if (sha256 === undefined) throw otherSize()
  // What the client has sent goes by itself after three days.
  return complete(old, actor, { object_key, sha256 })
}

const otherSize = () => invalid({ file: ['The file is not as large as was announced.'] })

/** A workbook is an archive, or a compound file when it is encrypted or old: the worker says which. A text is neither. */
function checkBeginning(format: Format, source: Source): void {
  const head = source.read(0, Math.min(4, source.size)).toString('latin1')
  const isBook = head === 'PK\u0003\u0004' || head === '\u00d0\u00cf\u0011\u00e0'
  if (format === 'xlsx' && !isBook) throw invalid({ file: ['The file is no XLSX workbook.'] })
  if (format !== 'xlsx' && isBook)
    throw invalid({ file: ['The file is a workbook, and its name does not end in .xlsx.'] })
}

function digestOf(source: Source): string {
  const hash = createHash('sha256')
  for (const { block } of blocks(source, 0, source.size)) hash.update(block)
  return hash.digest('hex')
}

function* piecesOf(source: Source) {
  for (const { block } of blocks(source, 0, source.size)) yield Buffer.from(block)
}

const store = (object_key: string, source: Source): Promise<void> =>
  putStream(object_key, () => Readable.from(piecesOf(source), { objectMode: false }), source.size, type)
