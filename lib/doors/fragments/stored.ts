import { lru } from '../../base/lru.ts'
import { getObject, putObject } from '../../engines/bucket/index.ts'
import type { SortedLines } from '../../engines/sorted-lines/index.ts'
import type { Order } from './terms.ts'

/** The public statements in three orders. */
export type FragmentIndex = Record<Order, SortedLines>

/** Stores where the orders are, and returns the keys of all objects. */
export async function storeIndex(folder: string, index: FragmentIndex): Promise<string[]> {
  const key = `${folder}/fragments.json`
  await putObject(key, Buffer.from(JSON.stringify(index)), 'application/json')
  return [key, ...Object.values(index).map((it) => it.key)]
}

const known = lru<string, FragmentIndex>(2)

/** Loads an index by the key of its description. It never changes, so a process reads it once. Undefined if it is gone. */
export async function loadIndex(key: string): Promise<FragmentIndex | undefined> {
  const kept = known.get(key)
  if (kept) return kept
  const object = await getObject(key)
  if (!object) return undefined
  const index: FragmentIndex = JSON.parse(Buffer.from(object.bytes).toString('utf8'))
  known.set(key, index)
  return index
}
