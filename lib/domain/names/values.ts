import { invalidObject } from '../../base/errors.ts'

/** The stored values of a record by field: text, numbers, lists, links and pictures. */
export type Values = Record<string, unknown>

/**
 * A stored relation: the other record's id and its name at the time. `text` holds the contributor's words, if it was sent
 * in words. lib/domain/records/shown.ts hides it from readers who may not see the other record.
 */
export type Link = { id: number | string; name: string; entity_id?: string | undefined; text?: string | undefined }

/** An item of DynamoDB may have 400 KB, and a record holds its values twice while an edit waits. */
const MAX_VALUE_BYTES = 150_000

/** Fails with 400 if the values are too large for a record. */
export function checkSize(values: Values): void {
  if (Buffer.byteLength(JSON.stringify(values)) > MAX_VALUE_BYTES)
    throw invalidObject(`The values together are larger than ${MAX_VALUE_BYTES} bytes.`)
}
