import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { BatchWriteCommand, type BatchWriteCommandInput, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { newId } from '../../base/clock.ts'
import { splitIntoParts } from '../../base/concurrency.ts'
import { sendUnprocessed, WRITES_IN_CALL } from './batch.ts'
import { db, ignoreFailedCondition, TableName } from './client.ts'
import { addExpression } from './item.ts'
import type { Key } from './keys.ts'

/** Adds to the number `n` of an item in one atomic update. Returns the new value. */
export async function addToNumber(at: Key, by = 1): Promise<number> {
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

/** Sets the number `n` of an item to `to`, unless it is higher already. */
export const raiseNumber = (at: Key, to: number): Promise<void> =>
  ignoreFailedCondition(() =>
    db.send(
      new UpdateCommand({
        TableName,
        Key: at,
        UpdateExpression: 'SET #n = :to',
        ConditionExpression: 'attribute_not_exists(#n) OR #n < :to',
        ExpressionAttributeNames: { '#n': 'n' },
        ExpressionAttributeValues: { ':to': to },
      }),
    ),
  )

/** Adds to several numbers of an item in one atomic update, and sets `others` to the values given. */
export async function addToNumbers(
  at: Key,
  numbers: Readonly<Record<string, number>>,
  others: Readonly<Record<string, number>> = {},
): Promise<void> {
  await db.send(new UpdateCommand({ TableName, Key: at, ...addExpression(numbers, others) }))
}

/** Writes one item over whatever is under its key, outside of any transaction. */
export async function putItem(at: Key, item: object): Promise<void> {
  await db.send(new PutCommand({ TableName, Item: { ...item, ...at } }))
}

/**
 * Adds to a number that may not pass `limit`. Returns whether it was added. The item expires. It keeps the token of the last caller, so a
 * call that the SDK repeats adds once, unless another caller came between.
 */
export async function addBelowLimit(at: Key, limit: number, expires_at: number, by = 1): Promise<boolean> {
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

/**
 * Writes `item` over the item under its key, outside of any transaction, if both have the same version. The version stays. Nothing happens
 * if the stored item has changed or is gone.
 */
export const putIfUnchanged = (item: Readonly<Record<string, unknown>>): Promise<void> =>
  ignoreFailedCondition(() =>
    db.send(
      new PutCommand({
        TableName,
        Item: item,
        ...(item.version === undefined
          ? { ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(#version)' }
          : { ConditionExpression: '#version = :version', ExpressionAttributeValues: { ':version': item.version } }),
        ExpressionAttributeNames: { '#version': 'version' },
      }),
    ),
  )

/** Removes the items under these keys, 25 in a call. A key without an item is no failure. */
export const removeItems = (keys: readonly Key[]): Promise<void> =>
  writeBatches(keys.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } })))

/** Writes items over whatever is under their keys, 25 in a call. */
export const putItems = (items: readonly Record<string, unknown>[]): Promise<void> =>
  writeBatches(items.map((Item) => ({ PutRequest: { Item } })))

type Request = NonNullable<BatchWriteCommandInput['RequestItems']>[string][number]

async function writeBatches(requests: readonly Request[]): Promise<void> {
  for (const batch of splitIntoParts(requests, WRITES_IN_CALL))
    await sendUnprocessed(batch, async (some) => {
      const { UnprocessedItems } = await db.send(new BatchWriteCommand({ RequestItems: { [TableName]: [...some] } }))
      // prove: unprocessed-writes
      return UnprocessedItems?.[TableName] ?? []
    })
}
