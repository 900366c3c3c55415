import { addressOf } from '../../base/ids/address.ts'
import { type Actor, maySee } from '../../platform/permissions.ts'
import { kindOfScope } from '../kinds/index.ts'
import type { LoadedRecord } from './items.ts'
import { loadRecord, loadRecordById } from './load.ts'

/**
 * Finds the record that a client names: by its review identity, or by its kind and number. Undefined if there is none, if a number comes
 * without a kind, or if the caller may not see the record. One query.
 */
export async function findNamedRecord(
  id: string,
  entity_type: string,
  actor: Actor | null,
): Promise<LoadedRecord | undefined> {
  const kind = kindOfScope(entity_type)
  const identity = id.toLowerCase()
  const found = addressOf(identity)
    ? await loadRecordById(identity)
    : kind?.record && /^[1-9]\d{0,11}$/.test(id)
      ? await loadRecord(kind, Number(id))
      : undefined
  return found && maySee(actor, found) ? found : undefined
}
