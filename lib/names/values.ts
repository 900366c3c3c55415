import { invalidObject } from '../errors.ts'

/** The values of a record by field, as they are stored: text, numbers, lists of them, and links. */
export type Values = Record<string, unknown>

/**
 * A relation as it is stored: the other record's id, its name at the time, and the words of the contributor where it was
 * given in words. What readers are shown of it depends on who they are: see lib/records/shown.ts.
 */
export type Link = { id: number | string; name: string; entity_id?: string | undefined; text?: string | undefined }

/** An item of the table holds 400 KB, and a record holds its values twice while an edit waits. */
const MOST_BYTES = 150_000

/** Fails when the values are too large for a record. */
export function checkSize(values: Values): void {
  if (Buffer.byteLength(JSON.stringify(values)) > MOST_BYTES)
    throw invalidObject(`The values together are larger than ${MOST_BYTES} bytes.`)
}
