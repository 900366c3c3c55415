import {
  type AttributeValue,
  BatchWriteItemCommand,
  type BatchWriteItemCommandInput,
  ScanCommand,
  type ScanCommandInput,
} from '@aws-sdk/client-dynamodb'
import { mapAtOnce, splitIntoParts } from '../../../lib/base/concurrency.ts'
import { pauseAfter } from '../../../lib/base/retry.ts'
import type { Place } from './place.ts'

export type Item = Record<string, AttributeValue>

/** Segments of the table that are read at once. */
const SEGMENTS = 4
/** Batches that are written to the table at once. */
const BATCHES = 8
/** Items in one batch: DynamoDB accepts no more. */
const ITEMS_IN_BATCH = 25
/** Attempts for the items that the table leaves over: about 15 seconds in all, 30 at most. */
const ATTEMPTS = 12
/** Pauses between attempts, in milliseconds. */
const backoff = { first: 25, most: 5000 }

/** Calls `take` with every item that a backup keeps, in no order. */
export async function readTable({ db, table }: Place, take: (item: Item) => void): Promise<void> {
  const readSegment = async (Segment: number) => {
    let ExclusiveStartKey: ScanCommandInput['ExclusiveStartKey']
    do {
      const page = await db.send(
        new ScanCommand({
          TableName: table,
          Segment,
          TotalSegments: SEGMENTS,
          ConsistentRead: true,
          ExclusiveStartKey,
        }),
      )
      for (const item of page.Items ?? []) if (isKept(item)) take(item)
      ExclusiveStartKey = page.LastEvaluatedKey
    } while (ExclusiveStartKey)
  }
  await Promise.all(Array.from({ length: SEGMENTS }, (_, segment) => readSegment(segment)))
}

/** Whether the table is empty. The stamp of a new table counts as nothing. */
export async function isTableEmpty({ db, table }: Place): Promise<boolean> {
  const { Items = [] } = await db.send(new ScanCommand({ TableName: table, Limit: 2 }))
  return Items.every(({ pk }) => pk?.S === 'LAYOUT')
}

/** Writes items, over any that have the same keys. Returns how many. Safe to repeat. */
export async function writeTable(place: Place, items: AsyncIterable<Item>): Promise<number> {
  let waiting: Item[] = []
  let count = 0
  const writeWaiting = async () => {
    await mapAtOnce(splitIntoParts(waiting, ITEMS_IN_BATCH), BATCHES, (batch) => writeBatch(place, batch))
    count += waiting.length
    waiting = []
  }
  for await (const item of items) {
    waiting.push(item)
    if (waiting.length === ITEMS_IN_BATCH * BATCHES) await writeWaiting()
  }
  await writeWaiting()
  return count
}

/** Writes the items as they are stored, unlike `putItems` of the engine, which takes values of JavaScript and one fixed table. */
async function writeBatch({ db, table }: Place, items: readonly Item[]): Promise<void> {
  let left: BatchWriteItemCommandInput['RequestItems'] = {
    [table]: items.map((Item) => ({ PutRequest: { Item } })),
  }
  for (let attempt = 1; ; attempt += 1) {
    left = (await db.send(new BatchWriteItemCommand({ RequestItems: left }))).UnprocessedItems
    if (!left?.[table]?.length) return
    if (attempt === ATTEMPTS) throw new Error(`The table ${table} refused some items ${ATTEMPTS} times.`)
    await pauseAfter(attempt, backoff)
  }
}

/**
 * Items that a backup leaves out. They live for minutes or belong to one running service: sessions, throttles, names that are being
 * reserved, leases, progress, cached answers. The change log of search is built anew from the table.
 */
const passing = /^(TOKEN#|RATE#|STUB#|PROJECTOR$|SEARCH$|SEARCH#|VERSIONS$|CACHE#)/
const isKept = ({ pk, sk }: Item) => !passing.test(pk?.S ?? '') && sk?.S !== 'LEASE'

/** Whether the projector computes the item from others: counts, notifications, links, places in lists. */
export const isFollowing = ({ pk, sk }: Item): boolean => made.test(pk?.S ?? '') || placed.test(sk?.S ?? '')
const made = /^(BOARD|COUNT|INBOX|NOTIFICATION|DELIVERY|RELATED|WORD)#/
const placed = /^(HEAD#LINK|PLACE|TEXT)#/

/** An item as a line: keys first, then members by name; sets are sorted, binary is base64. Equal items give equal lines. */
export function lineOf(item: Item): string {
  const { pk, sk, ...others } = item
  const names = Object.keys(others).sort()
  const parts = names.map((name) => `${JSON.stringify(name)}:${textOf(others[name])}`)
  return `{${[`"pk":${textOf(pk)}`, `"sk":${textOf(sk)}`, ...parts].join(',')}}`
}

/** The reverse of `lineOf`. */
export function itemOf(line: string): Item {
  const item: Record<string, Written> = JSON.parse(line)
  return attributeMap(item)
}

function textOf(value: AttributeValue | undefined): string {
  if (!value) throw new Error('An item without a key, or a member without a value.')
  if (value.B) return JSON.stringify({ B: base64(value.B) })
  if (value.BS) return JSON.stringify({ BS: value.BS.map(base64).sort() })
  if (value.SS) return JSON.stringify({ SS: value.SS.toSorted() })
  if (value.NS) return JSON.stringify({ NS: value.NS.toSorted() })
  if (value.L) return `{"L":[${value.L.map(textOf).join(',')}]}`
  if (value.M) {
    const { M } = value
    const parts = Object.keys(M)
      .sort()
      .map((name) => `${JSON.stringify(name)}:${textOf(M[name])}`)
    return `{"M":{${parts.join(',')}}}`
  }
  return JSON.stringify(value)
}

/** A value in a line. JSON has no bytes, so binary is base64. */
type Written =
  | { S: string }
  | { N: string }
  | { BOOL: boolean }
  | { NULL: true }
  | { SS: string[] }
  | { NS: string[] }
  | { B: string }
  | { BS: string[] }
  | { L: Written[] }
  | { M: Record<string, Written> }

function attributeOf(written: Written): AttributeValue {
  if ('B' in written) return { B: Buffer.from(written.B, 'base64') }
  if ('BS' in written) return { BS: written.BS.map((each) => Buffer.from(each, 'base64')) }
  if ('L' in written) return { L: written.L.map(attributeOf) }
  if ('M' in written) return { M: attributeMap(written.M) }
  return written
}

const attributeMap = (members: Record<string, Written>): Item =>
  Object.fromEntries(Object.entries(members).map(([name, written]) => [name, attributeOf(written)]))
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
