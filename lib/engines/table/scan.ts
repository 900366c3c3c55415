import { ScanCommand, type ScanCommandInput } from '@aws-sdk/lib-dynamodb'
import { db, TableName } from './client.ts'
import type { Stored } from './read.ts'
import { resolveStaged } from './two-phase/staged.ts'

/** Segments of the table that are scanned at the same time. */
const PARTS = 4

/**
 * All items of some types, strongly consistent, page by page and in no order. It reads the whole table, so it is for commands and the
 * sweeper, never for a request. `looked` gets the number of items that each page has read.
 */
export const scan = (types: readonly string[], looked?: (items: number) => void): AsyncGenerator<Stored[]> =>
  scanAll(ofTypes(types), looked)

/** The items of all counters, as `scan` reads. */
export const scanCounters = (): AsyncGenerator<Stored[]> =>
  scanAll({
    FilterExpression: 'begins_with(pk, :count)',
    ExpressionAttributeValues: { ':count': 'COUNT#' },
  })

/**
 * All items of the table as they are stored, with the marks of two-phase commits. Page by page and in no order. For a worker that looks at
 * everything.
 */
export const scanRaw = (): AsyncGenerator<Stored[]> => scanAll({}, undefined, async (items) => [...items])

type Filter = Pick<ScanCommandInput, 'FilterExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'>

async function* scanAll(
  filter: Filter,
  looked?: (items: number) => void,
  resolve: (items: readonly Stored[]) => Promise<Stored[]> = resolveStaged,
): AsyncGenerator<Stored[]> {
  const parts = Array.from({ length: PARTS }, (_, Segment) => partOf(filter, Segment, looked, resolve))
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

function ofTypes(types: readonly string[]): Filter {
  const names = types.map((_, i) => `:type${i}`)
  return {
    FilterExpression: `#type IN (${names.join(', ')})`,
    ExpressionAttributeNames: { '#type': 'type' },
    ExpressionAttributeValues: Object.fromEntries(types.map((type, i) => [`:type${i}`, type])),
  }
}

async function* partOf(
  filter: Filter,
  Segment: number,
  looked: ((items: number) => void) | undefined,
  resolve: (items: readonly Stored[]) => Promise<Stored[]>,
): AsyncGenerator<Stored[]> {
  const query: ScanCommandInput = {
    TableName,
    Segment,
    TotalSegments: PARTS,
    ConsistentRead: true,
    ...filter,
  }
  do {
    const page = await db.send(new ScanCommand(query))
    looked?.(page.ScannedCount ?? 0)
    yield await resolve(page.Items ?? [])
    query.ExclusiveStartKey = page.LastEvaluatedKey
  } while (query.ExclusiveStartKey)
}
