import { now } from '../../base/clock.ts'
import { get, parse, put, queryAll, remove, type UnitOfWork, withNextVersion } from '../../engines/table/index.ts'

import { key } from '../../platform/table/keys.ts'
import { mappingItem, type StoredMapping } from './items.ts'
import type { Mapping } from './mapping.ts'

/** Mappings that people store under names of their own, for later tables. */

/** A person's stored mappings, by name. */
export async function listMappings(user_id: string): Promise<StoredMapping[]> {
  const { pk, sk } = key.importMapping(user_id, '')
  return (await queryAll(pk, sk)).map((item) => parse(mappingItem, item))
}

export const loadMapping = (user_id: string, name: string): Promise<StoredMapping | undefined> =>
  get(mappingItem, { user_id, name })

/** Stores a mapping under a name, in place of an earlier one. */
export async function keepMapping(
  unit: UnitOfWork,
  user_id: string,
  name: string,
  mapping: Mapping,
): Promise<StoredMapping> {
  const old = await loadMapping(user_id, name)
  const at = now()
  const next = old
    ? withNextVersion<StoredMapping>(old, { mapping, updated_at: at })
    : { user_id, name, mapping, created_at: at, updated_at: at, version: 1 }
  unit.add([put(mappingItem, next, old)])
  return next
}

/** Deletes a stored mapping. Returns whether there was one. */
export async function dropMapping(unit: UnitOfWork, user_id: string, name: string): Promise<boolean> {
  unit.retryOn('conflict')
  const old = await loadMapping(user_id, name)
  if (old) unit.add([remove(mappingItem, old)])
  return old !== undefined
}
