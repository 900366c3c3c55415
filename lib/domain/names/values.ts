import { invalidObject } from '../../base/errors.ts'

/** The stored values of a record by field: text, numbers, lists, links and pictures. */
export type Values = Record<string, unknown>

/**
 * A stored relation: the other record's id, its name at the time, and the contributor's words where it was sent in words.
 * Readers see it through lib/domain/records/shown.ts, which hides links to what they may not see.
 */
export type Link = { id: number | string; name: string; entity_id?: string | undefined; text?: string | undefined }

/** An item may have 400 KB, and a record holds its values twice while an edit waits. */
const MOST_BYTES = 150_000

/** Fails with 400 when the values are too large for a record. */
export function checkSize(values: Values): void {
  if (Buffer.byteLength(JSON.stringify(values)) > MOST_BYTES)
    throw invalidObject(`The values together are larger than ${MOST_BYTES} bytes.`)
}
