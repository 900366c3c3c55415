import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { BatchWriteCommand, type BatchWriteCommandInput, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { newId } from '../../base/clock.ts'
import { unavailable } from '../../base/errors.ts'
import { pauseAfter } from '../../base/retry.ts'
import { db, TableName } from './client.ts'
import { addExpression, type Write } from './item.ts'
import type { Key } from './keys.ts'
import { transactTogether } from './together.ts'
import { ATTEMPTS, backoff } from './transact.ts'

/**
 * All of the writes and the counts they change, or none: alone, or with what is written by the tasks that run beside this one.
 * Fails as `transactAlone` does.
 */
export const transact = (writes: readonly Write[]): Promise<void> => transactTogether(writes)

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
  await db.send(new UpdateCommand({ TableName, Key: at, ...addExpression(numbers, others) }))
}

/** Writes an item whatever was there, in a transaction with nothing else. */
export async function write(at: Key, item: object): Promise<void> {
  await db.send(new PutCommand({ TableName, Item: { ...item, ...at } }))
}

/**
 * Adds to a number that may not pass `limit` and that expires. Returns whether it could. The item keeps a token of the last caller:
 * when a reply is lost and the SDK repeats the call, it adds once, unless others came between.
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
        // prove: hit-condition
        ConditionExpression:
          '(attribute_not_exists(#n) OR #n <= :limit) AND (attribute_not_exists(#last) OR #last <> :token)',
        ExpressionAttributeNames: { '#n': 'n', '#last': 'last' },
        ExpressionAttributeValues: {
          ':by': by,
          // prove: hit-limit
          ':limit': limit - by,
          ':expires': expires_at,
          ':token': token,
        },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    )
    return true
  } catch (error) {
    // prove: own-hit
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
      if (attempt > 1) await pauseAfter(attempt, backoff)
      const { UnprocessedItems } = await db.send(new BatchWriteCommand({ RequestItems: left }))
      // prove: unprocessed-writes
      left = UnprocessedItems ?? {}
    }
  }
}
