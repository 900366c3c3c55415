import { commitWrites } from '../../engines/table/immediate.ts'
import {
  addNumbers,
  countedTypes,
  listsWith,
  type Size,
  scan,
  scanCounters,
  sizeOf,
  sizesIn,
} from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'

/**
 * Corrects the sizes of all lists. Others write meanwhile, so a difference counts only if two scans find it. Returns how
 * many sizes were wrong.
 */
export async function repairSizes(): Promise<number> {
  const first = await differences()
  if (first.size === 0) return 0
  const second = await differences()
  const wrong = [...second].filter(([place, { by }]) => first.get(place)?.by === by)
  // A transaction carries a token: if its reply is lost, the retry does not add twice.
  for (const [, { at, by }] of wrong)
    await commitWrites([addNumbers(key.count(at.group, 0, at.sk), { [at.attribute]: by })])
  return wrong.length
}

type Difference = { at: Size; by: number }

/** By place, how much a stored size is too small; negative if it is too large. */
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

/** Of index entries, only links between records are counted: by record and kind. */
function listsOf(item: Record<string, unknown>): readonly string[] {
  if (item.type !== 'entry') return listsWith(String(item.type), item)
  const pk = String(item.pk)
  return pk.startsWith('RELATED#') ? [`${pk}#${String(item.sk).split('#')[0]}`] : []
}
