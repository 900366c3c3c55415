import type { Item, Words } from './expressions.ts'
import type { Table } from './table.ts'

/** What a call asks of an item as it is. */
type Conditional = Words & { ConditionExpression?: string; Item?: Item; Key?: Item }
export type Asked = Conditional & { TransactItems?: readonly Readonly<Record<string, Conditional>>[] }

/**
 * Somebody else is faster: the first item of a call that must have the version in which it was read is written once more before that,
 * in its next version, and says the same. A call that asks for no version is as it was.
 */
export function overtake(table: Table, asked: Asked, now: number): void {
  const all = asked.TransactItems?.flatMap((action) => Object.values(action)) ?? [asked]
  for (const { ConditionExpression = '', ExpressionAttributeValues, Item, Key = Item } of all) {
    const name = /version = (:\w+)/.exec(ConditionExpression)?.[1] ?? ''
    const version = ExpressionAttributeValues?.[name]?.N
    const key = { pk: String(Key?.pk?.S), sk: String(Key?.sk?.S) }
    const there = table.cells.get(key)
    if (version === undefined || there?.version?.N !== version) continue
    table.change(key, { ...there, version: { N: String(Number(version) + 1) } }, now)
    return
  }
}
