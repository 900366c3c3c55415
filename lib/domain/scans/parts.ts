import { newId, now, nowSeconds } from '../../base/clock.ts'
import { goneForGood, impossible, Problem } from '../../base/errors.ts'
import { putObject, streamObject } from '../../engines/bucket/index.ts'
import { withSpool } from '../../engines/media/index.ts'
import { get, put, type UnitOfWork, withNextVersion } from '../../engines/table/index.ts'
import { fileInForm } from '../../platform/http/form-file.ts'
import { STORED_IN, type StoredAt } from '../../platform/http/rest.ts'
import type { Subject } from '../../platform/permissions.ts'
import { type PartedScan, partedScan, type Scan, type ScanPart } from './items.ts'
import { beginScan } from './scans.ts'

/** Files that are sent in parts, one after the other. */

/** Bytes of the largest document. */
export const LARGEST_SCAN = 25 * 1024 * 1024
/** Bytes of the parts that the dashboard sends. */
export const DASHBOARD_PART = 6 * 1024 * 1024
/** Seconds after which an incomplete file is given up. The bucket deletes its parts a day later. */
const LIFETIME_S = 2 * 86_400
/** The most parts of a file. */
const MOST_PARTS = 200

export type PartedSubject = Subject & { about: PartedScan; version: number }

/** Loads a file that is being sent. Undefined if absent or given up. One call. */
export async function loadParted(id: string): Promise<PartedSubject | undefined> {
  const about = await get(partedScan, { id })
  if (!about || about.until <= nowSeconds()) return undefined
  return { about, contributor_id: about.owner_id, public: false, version: about.version }
}

export type PartedInput = Pick<
  PartedScan,
  'owner_id' | 'file_name' | 'expected_bytes' | 'media_type' | 'description' | 'provenance'
>

/** Begins a file that is sent in parts. It is given up if it is not complete after two days. */
export function beginParted(unit: UnitOfWork, input: PartedInput): PartedScan {
  const made: PartedScan = {
    ...input,
    id: newId(),
    bytes_written: 0,
    parts: [],
    until: nowSeconds() + LIFETIME_S,
    created_at: now(),
    version: 1,
  }
  unit.add([put(partedScan, made, undefined)])
  return made
}

/**
 * Adds the next part. With `offset`, a part that was sent before is not added again. Fails with `invalid` if the part does not begin
 * where the last one ended, or goes beyond the announced size. Fails with `conflict` if another part came at the same time.
 */
export async function appendPart(
  unit: UnitOfWork,
  before: PartedScan,
  bytes: Uint8Array,
  offset: number | undefined,
): Promise<PartedScan> {
  checkOpen(before)
  const old = await settleParts(before)
  if (offset !== undefined && old.parts.some((part) => part.from === offset && part.size === bytes.length)) return old
  checkOffset(old, offset)
  if (bytes.length === 0) throw impossible('The part is empty.')
  checkRoom(old, old.bytes_written + bytes.length > old.expected_bytes)
  const object_key = await unit.once('part', async () => {
    const to = `uploads/scans/${old.id}/${newId()}`
    await putObject(to, bytes, 'application/octet-stream')
    return to
  })
  const next = withNextVersion<PartedScan>(before, {
    parts: [...old.parts, { object_key, from: old.bytes_written, size: bytes.length }],
    bytes_written: old.bytes_written + bytes.length,
  })
  unit.add([put(partedScan, next, before)])
  return next
}

/** What the head of a request says of a part that the REST API is about to store. `length`: bytes of the whole form, if the head has them. */
export type PartHead = { boundary: string; length: number | undefined; offset: number | undefined }

/**
 * Notes the next part before the REST API stores it, and returns the place to store it (`at`). The part has the expected size until the
 * next call measures it. This call measures the part before, and drops it if it is not in the bucket. Without `at` the part at `offset` was
 * sent before. Fails as `appendPart` does.
 */
export async function reservePart(
  unit: UnitOfWork,
  before: PartedScan,
  { boundary, length, offset }: PartHead,
): Promise<{ parted: PartedScan; at?: StoredAt }> {
  checkOpen(before)
  const old = await settleParts(before)
  if (offset !== undefined && old.parts.some((part) => part.from === offset)) return { parted: old }
  checkOffset(old, offset)
  const left = old.expected_bytes - old.bytes_written
  checkRoom(old, left <= 0 || (length !== undefined && length - MOST_FRAMING > left))
  const at = { upload: old.id, part: newId() }
  const inside = length === undefined ? left : Math.max(1, length - leastFraming(boundary))
  const part: ScanPart = {
    object_key: `${STORED_IN}/${at.upload}/${at.part}`,
    from: old.bytes_written,
    size: Math.min(DASHBOARD_PART, left, inside),
    form: 'expected',
  }
  const parted = withNextVersion<PartedScan>(before, {
    parts: [...old.parts, part],
    bytes_written: part.from + part.size,
  })
  unit.add([put(partedScan, parted, before)])
  return { parted, at }
}

/** The least bytes that a form has around its file. With other members a form has `MOST_FRAMING` around it at most. */
const leastFraming = (boundary: string) =>
  `--${boundary}\r\nContent-Disposition: form-data; name="chunk"; filename=""\r\n\r\n\r\n--${boundary}--\r\n`.length
const MOST_FRAMING = 4000

/** The upload with the true size of its last part, measured in the bucket. A last part that is missing or is no valid form is left out. */
async function settleParts(old: PartedScan): Promise<PartedScan> {
  const last = old.parts.at(-1)
  if (last?.form !== 'expected') return old
  const size = await measurePart(last)
  const measured: ScanPart = { ...last, size, form: 'measured' }
  return {
    ...old,
    parts: [...old.parts.slice(0, -1), ...(size > 0 ? [measured] : [])],
    bytes_written: last.from + size,
  }
}

async function measurePart(part: ScanPart): Promise<number> {
  let size = 0
  try {
    for await (const block of bytesOf(part)) size += block.length
    return size
  } catch (error) {
    if (error instanceof Problem) return 0
    throw error
  }
}

/** The bytes of a part, without its form. Fails with `gone` if it is not in the bucket. */
async function* bytesOf({ object_key, form }: ScanPart): AsyncGenerator<Uint8Array> {
  const object = await streamObject(object_key)
  if (!object) throw goneForGood('This upload has expired. Begin a new one.')
  yield* form ? fileInForm(object.body, ['chunk', 'file']) : object.body
}

async function* bytesOfAll(parts: readonly ScanPart[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield* bytesOf(part)
}

/**
 * Makes a document of a file whose parts were all sent. Fails with `invalid` if parts are missing or the document was made before, and with
 * `gone` if a part was deleted. The parts pass through a file on the disk, so memory stays flat.
 */
export async function completeParted(unit: UnitOfWork, before: PartedScan): Promise<Scan> {
  checkOpen(before)
  const old = await settleParts(before)
  if (old.bytes_written !== old.expected_bytes)
    throw impossible(`${old.bytes_written} of ${old.expected_bytes} bytes have been sent.`)
  if (old.expected_bytes > LARGEST_SCAN) throw impossible('A document has 25 MB at most.')
  const { owner_id, file_name, description, provenance } = old
  const input = { owner_id, file_name, description, provenance, entity_id: null, submission_id: '', media_type: '' }
  const made = await withSpool(bytesOfAll(old.parts), LARGEST_SCAN, ({ source }) =>
    beginScan(unit, source, input, { keepsFaulty: true }),
  )
  if (!made) throw impossible('A document has 25 MB at most.')
  unit.add([put(partedScan, withNextVersion<PartedScan>(before, { scan_id: made.id }), before)])
  return made
}

function checkOffset({ bytes_written }: PartedScan, offset: number | undefined): void {
  if (offset !== undefined && offset !== bytes_written)
    throw impossible(`The next part begins at byte ${bytes_written}.`)
}

function checkRoom({ expected_bytes, parts }: PartedScan, isTooLarge: boolean): void {
  if (isTooLarge) throw impossible(`With this part the file would be larger than ${expected_bytes} bytes.`)
  if (parts.length >= MOST_PARTS) throw impossible(`A file has no more than ${MOST_PARTS} parts.`)
}

function checkOpen({ scan_id }: PartedScan): void {
  if (scan_id) throw impossible(`This file is complete. Its document is ${scan_id}.`)
}
