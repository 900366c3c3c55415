import { ScanCommand, type ScanCommandInput } from '@aws-sdk/lib-dynamodb'
import { db, TableName } from './client.ts'
import type { Stored } from './read.ts'
import { resolveStaged } from './two-phase/staged.ts'

/** Calls of a scan that are under way at once, each for a part of the table. */
const PARTS = 4

/**
 * Every item of some types in the whole table, strongly consistent, page by page in no order. It reads all there is: for
 * commands and for the sweeper, never for a request. `cost` hears how many items each page has looked at.
 */
export async function* scan(types: readonly string[], looked?: (items: number) => void): AsyncGenerator<Stored[]> {
  const parts = Array.from({ length: PARTS }, (_, Segment) => partOf(types, Segment, looked))
  const next = (part: AsyncGenerator<Stored[]>) => part.next().then((step) => ({ part, step }))
  const waiting = new Map(parts.map((part) => [part, next(part)]))
  while (waiting.size > 0) {
    const { part, step } = await Promise.race(waiting.values())
    if (step.done) waiting.delete(part)
    else {
      waiting.set(part, next(part))
      yield step.value
    }
  }
}

async function* partOf(
  types: readonly string[],
  Segment: number,
  looked?: (items: number) => void,
): AsyncGenerator<Stored[]> {
  const names = types.map((_, i) => `:type${i}`)
  const query: ScanCommandInput = {
    TableName,
    Segment,
    TotalSegments: PARTS,
    ConsistentRead: true,
    FilterExpression: `#type IN (${names.join(', ')})`,
    ExpressionAttributeNames: { '#type': 'type' },
    ExpressionAttributeValues: Object.fromEntries(types.map((type, i) => [`:type${i}`, type])),
  }
  do {
    const page = await db.send(new ScanCommand(query))
    looked?.(page.ScannedCount ?? 0)
    yield await resolveStaged(page.Items ?? [])
    query.ExclusiveStartKey = page.LastEvaluatedKey
  } while (query.ExclusiveStartKey)
}
