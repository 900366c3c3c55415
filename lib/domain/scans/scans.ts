import { gunzipSync, gzipSync } from 'node:zlib'
import * as v from 'valibot'
import { newId, now } from '../../base/clock.ts'
import { Problem } from '../../base/errors.ts'
import { getObject, putObject, storeInUnit } from '../../engines/bucket/index.ts'
import { admitFile, type ContentType, type Source, storeFile } from '../../engines/media/index.ts'
import { addToNumber } from '../../engines/table/immediate.ts'
import {
  get,
  type PageRequest,
  type PageResult,
  parse,
  put,
  readList,
  type UnitOfWork,
  withNextVersion,
} from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { firstSentence } from '../imports/references.ts'
import { asSubject, Reading, type Scan, type ScanSubject, scan, scanList, type scanStatuses } from './items.ts'

/** The types of files whose text is read. */
const types: readonly ContentType[] = ['image/jpeg', 'image/png', 'image/webp', 'application/pdf']

/** What a sender says of a document. */
export type ScanInput = Pick<
  Scan,
  'owner_id' | 'entity_id' | 'submission_id' | 'file_name' | 'description' | 'provenance'
> & {
  media_type: string
}

/** Loads a document. Undefined if absent. One call. */
export async function loadScan(id: string): Promise<ScanSubject | undefined> {
  const it = await get(scan, { id })
  return it && asSubject(it)
}

/** Lists one page of a person's documents, newest first. Two calls. */
export async function listScans(
  owner: string,
  status: (typeof scanStatuses)[number] | undefined,
  page: PageRequest,
): Promise<PageResult<Scan>> {
  const pk = scanList(owner, status)
  const partitions = [{ index: status ? ('gsi4' as const) : ('gsi3' as const), pk }]
  const { items, ...listed } = await readList({ partitions, counted: [pk] }, page)
  return { ...listed, results: items.map((item) => parse(scan, item)) }
}

/**
 * Stores a document, whose text a worker reads next. Fails with `invalid` if the file is no whole image or PDF. With `keepsFaulty` such a
 * file becomes a document of the status `failed` instead, with the reason.
 */
export async function beginScan(
  unit: UnitOfWork,
  source: Source,
  { media_type, ...input }: ScanInput,
  { keepsFaulty = false }: { keepsFaulty?: boolean } = {},
): Promise<Scan> {
  const [id, media] = [newId(), await addToNumber(key.sequence('media'))]
  const checked = await admitFile(source, { media_type: media_type || undefined }, { types }).catch(
    (error: unknown) => {
      if (!keepsFaulty || !(error instanceof Problem)) throw error
      return firstSentence(error)
    },
  )
  const at = now()
  const base: Scan = {
    ...input,
    id,
    media,
    content_type: '',
    media_type: '',
    size: source.size,
    sha256: '',
    width: null,
    height: null,
    object_key: null,
    status: 'failed',
    document_type: 'image_print',
    error: '',
    ocr_since: null,
    ocr_attempts: 0,
    started_at: null,
    ended_at: null,
    raw_text: '',
    confidence: 0,
    page_count: 0,
    found_at: null,
    finalized_at: null,
    made: null,
    created_at: at,
    updated_at: at,
    version: 1,
  }
  if (typeof checked === 'string') return addScan(unit, { ...base, error: checked, ended_at: at })
  const { content_type, width = null, height = null } = checked
  const { object_key, stored } = await storeInUnit(unit, `scans/${id}/${newId()}`, (to) =>
    storeFile(to, source, checked),
  )
  return addScan(unit, {
    ...base,
    ...stored,
    content_type,
    media_type: content_type === 'application/pdf' ? 'document' : 'image',
    document_type: content_type === 'application/pdf' ? 'pdf_scanned' : 'image_print',
    width,
    height,
    object_key,
    status: 'pending',
    ocr_since: at,
  })
}

function addScan(unit: UnitOfWork, made: Scan): Scan {
  unit.add([put(scan, made, undefined)])
  return made
}

/** Changes a document. Fails with `conflict` if it has changed since it was read. */
export function amendScan(unit: UnitOfWork, old: Scan, changes: Partial<Scan>): Scan {
  const next = withNextVersion<Scan>(old, { ...changes, updated_at: now() })
  unit.add([put(scan, next, old)])
  return next
}

/** Makes a failed document wait for OCR again, like a new one. */
export const retryScan = (unit: UnitOfWork, old: Scan): Scan =>
  amendScan(unit, old, { status: 'pending', error: '', ocr_since: now(), ocr_attempts: 0, ended_at: null })

const readingKey = (id: string) => `scans/${id}/reading.json.gz`

/** Stores the reading of a document, in place of an earlier one. */
export const putReading = (id: string, reading: Reading): Promise<void> =>
  putObject(readingKey(id), gzipSync(JSON.stringify(reading)), 'application/gzip')

/** Loads the reading of a document. Without pages and fields if nothing was read yet. */
export async function loadReading({ id, status }: Pick<Scan, 'id' | 'status'>): Promise<Reading> {
  const object = status === 'completed' ? await getObject(readingKey(id)) : undefined
  return object ? v.parse(Reading, JSON.parse(gunzipSync(object.bytes).toString())) : { pages: [], fields: [] }
}
