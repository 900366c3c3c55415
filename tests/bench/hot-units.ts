import type { AttributeValue } from '@aws-sdk/client-dynamodb'

/** How DynamoDB reckons what is written, by the developer guide's pages on item sizes and on capacity. */

export type Item = Readonly<Record<string, AttributeValue>>
export type Entry = { key: string; part: string; units: number }

/** An item's size in bytes: names and values together. */
export const sizeOf = (item: Item): number =>
  Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueSize(value), 0)

function valueSize(value: AttributeValue): number {
  if (value.S !== undefined) return Buffer.byteLength(value.S)
  // A number takes a byte for two digits, and one more.
  if (value.N !== undefined) return Math.ceil(value.N.replace(/\D/g, '').length / 2) + 1
  if (value.B !== undefined) return value.B.length
  if (value.L) return 3 + value.L.reduce((sum, each) => sum + 1 + valueSize(each), 0)
  if (value.M) return 3 + Object.values(value.M).length + sizeOf(value.M)
  return 1
}

type Index = {
  IndexName: string
  Projection: { ProjectionType: string; NonKeyAttributes?: readonly string[] | undefined }
}

/** The units of a new item: `times` each begun kilobyte in the table, and one for each in the indexes that it is in. */
export function unitsOfPut(
  item: Item,
  times: number,
  indexes: readonly Index[],
): { key: string; units: number; index: boolean }[] {
  const own = { key: `table ${item.pk?.S}`, units: times * begun(sizeOf(item)), index: false }
  const others = indexes.flatMap(({ IndexName, Projection }) => {
    const pk = item[`${IndexName}_pk`]?.S
    if (pk === undefined) return []
    return [{ key: `${IndexName} ${pk}`, units: begun(sizeOf(projected(item, IndexName, Projection))), index: true }]
  })
  return [own, ...others]
}

/** What an index holds of an item. */
function projected(item: Item, index: string, { ProjectionType, NonKeyAttributes = [] }: Index['Projection']): Item {
  if (ProjectionType === 'ALL') return item
  const kept = new Set(['pk', 'sk', `${index}_pk`, `${index}_sk`, ...NonKeyAttributes])
  return Object.fromEntries(Object.entries(item).filter(([name]) => kept.has(name)))
}

const begun = (bytes: number) => Math.max(1, Math.ceil(bytes / 1024))
