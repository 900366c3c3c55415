import { type Size, sizeOf, sizesIn } from '../table/counters.ts'
import { addNumbers, countedTypes, listsWith } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { scan, scanCounters } from '../table/scan.ts'
import { transact } from '../table/write.ts'

/**
 * Puts right the exact sizes of all lists. Others write meanwhile, so that a difference counts only when it is found twice.
 * Answers how many sizes were wrong.
 */
export async function repairSizes(): Promise<number> {
  const first = await differences()
  if (first.size === 0) return 0
  const second = await differences()
  const wrong = [...second].filter(([place, { by }]) => first.get(place)?.by === by)
  // As transactions, so that what is asked for again after a lost reply is added once.
  for (const [, { at, by }] of wrong)
    await transact([addNumbers(key.count(at.group, 0, at.sk), { [at.attribute]: by })])
  return wrong.length
}

type Difference = { at: Size; by: number }

/** What each size lacks of what its list holds, by its place. */
async function differences(): Promise<Map<string, Difference>> {
  const found = new Map<string, Difference>()
  const note = (at: Size, by: number) => {
    const place = JSON.stringify(at)
    found.set(place, { at, by: (found.get(place)?.by ?? 0) + by })
  }
  for await (const page of scan([...countedTypes(), 'entry']))
    for (const item of page) for (const list of listsOf(item)) note(sizeOf(list), 1)
  for await (const page of scanCounters()) for (const item of page) for (const [at, n] of sizesIn(item)) note(at, -n)
  return new Map([...found].filter(([, { by }]) => by !== 0))
}

/** Of entries only those of related records are counted: by record and kind. */
function listsOf(item: Record<string, unknown>): readonly string[] {
  if (item.type !== 'entry') return listsWith(String(item.type), item)
  const pk = String(item.pk)
  return pk.startsWith('RELATED#') ? [`${pk}#${String(item.sk).split('#')[0]}`] : []
}
