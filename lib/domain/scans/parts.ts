import { newId, now, nowSeconds } from '../../base/clock.ts'
import { goneForGood, impossible } from '../../base/errors.ts'
import { getObject, putObject } from '../../engines/bucket/index.ts'
import { get, put, type UnitOfWork, withNextVersion } from '../../engines/table/index.ts'
import type { Subject } from '../../platform/permissions.ts'
import { type PartedScan, partedScan, type Scan } from './items.ts'
import { beginScan } from './scans.ts'

/** Files that are sent in parts, one after the other. */

/** Bytes of the largest document. */
export const LARGEST_SCAN = 25 * 1024 * 1024
/** Seconds until a file that is not complete is given up. The bucket deletes its parts a day later. */
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

/** Announces a file in parts. */
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
 * Adds the next part. With `offset`, a part that is there already is not added twice. Fails with `invalid` if the part begins elsewhere or goes
 * beyond the announced size, and with `conflict` if another part came at the same time.
 */
export async function appendPart(
  unit: UnitOfWork,
  old: PartedScan,
  bytes: Uint8Array,
  offset: number | undefined,
): Promise<PartedScan> {
  checkOpen(old)
  if (offset !== undefined && old.parts.some((part) => part.from === offset && part.size === bytes.length)) return old
  if (offset !== undefined && offset !== old.bytes_written)
    throw impossible(`The next part begins at byte ${old.bytes_written}.`)
  if (bytes.length === 0) throw impossible('The part is empty.')
  if (old.bytes_written + bytes.length > old.expected_bytes)
    throw impossible(`With this part the file would be larger than ${old.expected_bytes} bytes.`)
  if (old.parts.length >= MOST_PARTS) throw impossible(`A file has no more than ${MOST_PARTS} parts.`)
  const object_key = await unit.once('part', async () => {
    const to = `uploads/scans/${old.id}/${newId()}`
    await putObject(to, bytes, 'application/octet-stream')
    return to
  })
  const next = withNextVersion<PartedScan>(old, {
    parts: [...old.parts, { object_key, from: old.bytes_written, size: bytes.length }],
    bytes_written: old.bytes_written + bytes.length,
  })
  unit.add([put(partedScan, next, old)])
  return next
}

/**
 * Makes a document of a file whose parts are all there. Fails with `invalid` if parts are
 * missing or the document is made, and with `gone` if a part was deleted.
 */
export async function completeParted(unit: UnitOfWork, old: PartedScan): Promise<Scan> {
  checkOpen(old)
  if (old.bytes_written !== old.expected_bytes)
    throw impossible(`${old.bytes_written} of ${old.expected_bytes} bytes have been sent.`)
  if (old.expected_bytes > LARGEST_SCAN) throw impossible('A document has 25 MB at most.')
  const parts: Uint8Array[] = []
  for (const { object_key } of old.parts) {
    const object = await getObject(object_key)
    if (!object) throw goneForGood('This upload has expired. Begin a new one.')
    parts.push(object.bytes)
  }
  const { owner_id, file_name, description, provenance } = old
  const input = { owner_id, file_name, description, provenance, entity_id: null, submission_id: '', media_type: '' }
  const made = await beginScan(unit, Buffer.concat(parts), input, { keepsFaulty: true })
  unit.add([put(partedScan, withNextVersion<PartedScan>(old, { scan_id: made.id }), old)])
  return made
}

function checkOpen({ scan_id }: PartedScan): void {
  if (scan_id) throw impossible(`This file is complete. Its document is ${scan_id}.`)
}
