import { countedTypes, listsWith } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { countsOf } from '../table/read.ts'
import { scan } from '../table/scan.ts'
import { add } from '../table/write.ts'

/**
 * Puts right the exact sizes of all lists. Others write meanwhile, so that a difference counts only when it is found twice.
 * Answers how many sizes were wrong.
 */
export async function repairSizes(): Promise<number> {
  const first = await differences()
  if (first.size === 0) return 0
  const second = await differences()
  const wrong = [...second].filter(([list, by]) => first.get(list) === by)
  for (const [list, by] of wrong) await add(key.count(0, list), by)
  return wrong.length
}

/** What each size lacks of what its list holds. */
async function differences(): Promise<Map<string, number>> {
  const held = await sizesHeld()
  const kept = await countsOf('')
  const all = [...new Set([...held.keys(), ...kept.keys()])]
  return new Map(
    all.map((list) => [list, (held.get(list) ?? 0) - (kept.get(list) ?? 0)] as const).filter(([, by]) => by !== 0),
  )
}

async function sizesHeld(): Promise<Map<string, number>> {
  const sizes = new Map<string, number>()
  for await (const page of scan([...countedTypes(), 'entry']))
    for (const item of page) for (const list of listsOf(item)) sizes.set(list, (sizes.get(list) ?? 0) + 1)
  return sizes
}

/** Of entries only those of related records are counted: by record and kind. */
function listsOf(item: Record<string, unknown>): readonly string[] {
  if (item.type !== 'entry') return listsWith(String(item.type), item)
  const pk = String(item.pk)
  return pk.startsWith('RELATED#') ? [`${pk}#${String(item.sk).split('#')[0]}`] : []
}
