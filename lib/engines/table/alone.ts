import { PutCommand } from '@aws-sdk/lib-dynamodb'
import { newId, nowSeconds } from '../../base/clock.ts'
import { db, TableName } from './client.ts'
import { key } from './keys.ts'

/**
 * Does some work unless somebody is at it already, in whatever process; then it answers undefined and has done nothing. Whoever
 * is stopped in the middle keeps others off for `seconds`, so these are as many as the work may take.
 */
export async function alone<T>(name: string, seconds: number, work: () => Promise<T>): Promise<T | undefined> {
  const holder = newId()
  if (!(await take(name, holder, nowSeconds() + seconds))) return undefined
  try {
    return await work()
  } finally {
    // Where it cannot be given back it runs out.
    await take(name, holder, 0).catch(() => undefined)
  }
}

/** Takes the lease, or takes it anew, until this moment in seconds since 1970; answers whether nobody else holds it. */
async function take(name: string, holder: string, expires_at: number): Promise<boolean> {
  try {
    await db.send(
      new PutCommand({
        TableName,
        Item: { ...key.lock(name), type: 'lock', holder, expires_at },
        ConditionExpression: 'attribute_not_exists(pk) OR holder = :me OR expires_at <= :now',
        ExpressionAttributeValues: { ':me': holder, ':now': nowSeconds() },
      }),
    )
    return true
  } catch (error) {
    if (error instanceof Error && error.name === 'ConditionalCheckFailedException') return false
    throw error
  }
}
