import { now } from '../clock.ts'
import { commitPlan, commitWithAnswer } from '../commit.ts'
import { amended, parse, put, remove } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { get, queryAll } from '../table/read.ts'
import { type KeptMapping, mappingItem } from './items.ts'
import type { Mapping } from './mapping.ts'

/** Mappings that people keep, by a name of their own. */

/** The mappings that a user keeps, by name. */
export async function listMappings(user_id: string): Promise<KeptMapping[]> {
  const { pk, sk } = key.importMapping(user_id, '')
  return (await queryAll(pk, sk)).map((item) => parse(mappingItem, item))
}

export const loadMapping = (user_id: string, name: string): Promise<KeptMapping | undefined> =>
  get(mappingItem, { user_id, name })

/** Keeps a mapping under a name, over what was kept there. */
export async function keepMapping(user_id: string, name: string, mapping: Mapping): Promise<KeptMapping> {
  const old = await loadMapping(user_id, name)
  const at = now()
  const next = old
    ? amended<KeptMapping>(old, { mapping, updated_at: at })
    : { user_id, name, mapping, created_at: at, updated_at: at, version: 1 }
  commitWithAnswer([put(mappingItem, next, old)])
  return next
}

/** Drops what is kept under a name, as it is now; answers whether anything was. */
export const dropMapping = (user_id: string, name: string): Promise<boolean> =>
  commitPlan(async () => {
    const old = await loadMapping(user_id, name)
    return { result: old !== undefined, writes: old ? [remove(mappingItem, old)] : [] }
  })
