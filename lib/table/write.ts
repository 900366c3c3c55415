import { ConditionalCheckFailedException, TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import {
  BatchWriteCommand,
  type BatchWriteCommandInput,
  PutCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb'
import { clock, newId } from '../clock.ts'
import { conflict, unavailable } from '../errors.ts'
import { cost } from '../ops/request-cost.ts'
import { db, TableName } from './client.ts'
import { counterChanges, totalsOf } from './counters.ts'
import { adding, type Write } from './item.ts'
import type { Key } from './keys.ts'

/** So often a write is tried that the table has no room for: some 2 seconds in all, 5 at most. */
const ATTEMPTS = 8
/** So often a transaction is tried while others hold the same items, for they come to an end: some 8 seconds in all, 16 at most. */
const BESIDE_OTHERS = 14
/** What DynamoDB takes in one transaction. */
export const MOST_ACTIONS = 100

/**
 * All of the writes and the counts they change, or none. Fails with the `otherwise` of the first condition that does
 * not hold (by default `conflict`), or with `unavailable` when other transactions stand in the way for too long.
 * One client token for all attempts: a retry after a lost reply is not a second write.
 */
export async function transact(writes: readonly Write[]): Promise<void> {
  const TransactItems = [...writes.map(({ action }) => caused(action)), ...counterUpdates(writes)]
  if (TransactItems.length > MOST_ACTIONS) throw new Error(`${TransactItems.length} actions in one transaction`)
  const command: TransactWriteCommandInput = { TransactItems, ClientRequestToken: newId() }
  for (let attempt = 1; ; attempt += 1) {
    try {
      await db.send(new TransactWriteCommand(command))
      return
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) throw error
      const reasons = error.CancellationReasons ?? []
      const isOneOf = (codes: ReadonlySet<string>) => reasons.some(({ Code = '' }) => codes.has(Code))
      const isLast = attempt >= (isOneOf(throttles) ? ATTEMPTS : BESIDE_OTHERS)
      const failed = reasons.findIndex((reason) => reason.Code === 'ConditionalCheckFailed')
      // What others have not put in place yet may be the first condition that does not hold.
      if (failed >= 0 && (isLast || !isOneOf(passing))) throw writes[failed]?.otherwise?.() ?? conflict()
      if (!isOneOf(passing)) throw error
      if (isLast) throw unavailable()
      await pause(attempt)
    }
  }
}

const caused = (action: Write['action']): Write['action'] =>
  action.Put?.Item ? { ...action, Put: { ...action.Put, Item: withCause(action.Put.Item) } } : action

/** An item with the id of the request that writes it, which the stream hands on to all that follows from the change. */
export function withCause(item: Record<string, unknown>): Record<string, unknown> {
  const request_id = cost()?.request_id
  return request_id === undefined ? item : { ...item, request_id }
}

/** Adds to a number in one atomic update and answers the new value. */
export async function add(at: Key, by = 1): Promise<number> {
  const { Attributes } = await db.send(
    new UpdateCommand({
      TableName,
      Key: at,
      UpdateExpression: 'ADD #n :by',
      ExpressionAttributeNames: { '#n': 'n' },
      ExpressionAttributeValues: { ':by': by },
      ReturnValues: 'UPDATED_NEW',
    }),
  )
  return Number(Attributes?.n)
}

/** Raises a number to this one; where it is higher already, it stays. */
export async function raise(at: Key, to: number): Promise<void> {
  try {
    await db.send(
      new UpdateCommand({
        TableName,
        Key: at,
        UpdateExpression: 'SET #n = :to',
        ConditionExpression: 'attribute_not_exists(#n) OR #n < :to',
        ExpressionAttributeNames: { '#n': 'n' },
        ExpressionAttributeValues: { ':to': to },
      }),
    )
  } catch (error) {
    if (!(error instanceof Error && error.name === 'ConditionalCheckFailedException')) throw error
  }
}

/** Adds to several numbers of one item in one atomic update, and sets `others` of it to what is given. */
export async function addTo(
  at: Key,
  numbers: Readonly<Record<string, number>>,
  others: Readonly<Record<string, number>> = {},
): Promise<void> {
  await db.send(new UpdateCommand({ TableName, Key: at, ...adding(numbers, others) }))
}

/** Writes an item whatever was there, in a transaction with nothing else. */
export async function write(at: Key, item: object, abortSignal?: AbortSignal): Promise<void> {
  await db.send(new PutCommand({ TableName, Item: { ...item, ...at } }), abortSignal && { abortSignal })
}

/** Writes an item unless there is one. */
export async function writeOnce(at: Key, item: object): Promise<void> {
  const ConditionExpression = 'attribute_not_exists(pk)'
  try {
    await db.send(new PutCommand({ TableName, Item: { ...item, ...at }, ConditionExpression }))
  } catch (error) {
    if (!(error instanceof Error && error.name === 'ConditionalCheckFailedException')) throw error
  }
}

/**
 * Adds to a number that may not pass `limit` and expires; answers whether it could. The item keeps a token of who was the last,
 * so that a call whose reply is lost and that the SDK makes again adds once, unless others come between.
 */
export async function addBelow(at: Key, limit: number, expires_at: number, by = 1): Promise<boolean> {
  if (by > limit) return false
  const token = newId()
  try {
    await db.send(
      new UpdateCommand({
        TableName,
        Key: at,
        UpdateExpression: 'ADD #n :by SET expires_at = :expires, #last = :token',
        ConditionExpression:
          '(attribute_not_exists(#n) OR #n <= :limit) AND (attribute_not_exists(#last) OR #last <> :token)',
        ExpressionAttributeNames: { '#n': 'n', '#last': 'last' },
        ExpressionAttributeValues: { ':by': by, ':limit': limit - by, ':expires': expires_at, ':token': token },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    )
    return true
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return error.Item?.last?.S === token
    throw error
  }
}

/** Removes the items under these keys, in calls of 25, whether they are there or not. Asks again for keys that were not processed. */
export const removeAll = (keys: readonly Key[]): Promise<void> =>
  writeBatches(keys.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } })))

/** Writes items over whatever is under their keys, in calls of 25. Asks again for those that were not processed. */
export const putAll = (items: readonly Record<string, unknown>[]): Promise<void> =>
  writeBatches(items.map((Item) => ({ PutRequest: { Item } })))

type Request = NonNullable<BatchWriteCommandInput['RequestItems']>[string][number]

async function writeBatches(requests: readonly Request[]): Promise<void> {
  for (let start = 0; start < requests.length; start += 25) {
    let left: NonNullable<BatchWriteCommandInput['RequestItems']> = { [TableName]: requests.slice(start, start + 25) }
    for (let attempt = 1; left[TableName]?.length; attempt += 1) {
      if (attempt > ATTEMPTS) throw unavailable()
      if (attempt > 1) await pause(attempt)
      const { UnprocessedItems } = await db.send(new BatchWriteCommand({ RequestItems: left }))
      left = UnprocessedItems ?? {}
    }
  }
}

const throttles = new Set(['ThrottlingError', 'ProvisionedThroughputExceeded'])
const passing = new Set([...throttles, 'TransactionConflict'])

/** Exponential back-off with full jitter. */
const pause = (attempt: number) =>
  new Promise((done) => setTimeout(done, clock.random(25 * 2 ** Math.min(attempt, 6)) + 1))

const counterUpdates = (writes: readonly Write[]) =>
  counterChanges(totalsOf(writes)).map(({ at, adds }) => ({ Update: { TableName, Key: at, ...adding(adds) } }))
