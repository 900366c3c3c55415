import { TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb'
import { newId } from '../../base/clock.ts'
import { conflict, unavailable } from '../../base/errors.ts'
import { pauseAfter } from '../../base/retry.ts'
import { cost } from '../../base/telemetry/request-cost.ts'
import { db, TableName } from './client.ts'
import { counterChanges, totalsOf } from './counters.ts'
import { addExpression, type Write } from './item.ts'

/** So often a write is tried that the table has no room for: some 2 seconds in all, 5 at most. */
export const ATTEMPTS = 8
/** So often a transaction is tried while others hold the same items, for they come to an end: some 8 seconds in all, 16 at most. */
const BESIDE_OTHERS = 14
/** What DynamoDB takes in one transaction. */
export const MOST_ACTIONS = 100

/** So many actions one transaction of these writes has, the counts that they change among them. */
export const actionsOf = (writes: readonly Write[]): number => writes.length + counterChanges(totalsOf(writes)).length

/**
 * All of the writes and the counts they change, or none. Fails with the `otherwise` of the first condition that does
 * not hold (by default `conflict`), or with `unavailable` when other transactions stand in the way for too long.
 * One client token for all attempts: a retry after a lost reply is not a second write.
 */
export async function transactAlone(writes: readonly Write[]): Promise<void> {
  const TransactItems = [
    ...writes.map(({ action }) => caused(action)),
    // prove: list-sizes
    ...counterUpdates(writes),
  ]
  if (TransactItems.length > MOST_ACTIONS) throw new Error(`${TransactItems.length} actions in one transaction`)
  const command: TransactWriteCommandInput = {
    TransactItems,
    // prove: client-token
    ClientRequestToken: newId(),
  }
  for (let attempt = 1; ; attempt += 1) {
    try {
      // prove: transaction-wait
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
      await pauseAfter(attempt, backoff)
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

const throttles = new Set(['ThrottlingError', 'ProvisionedThroughputExceeded'])
const passing = new Set([...throttles, 'TransactionConflict'])

/** Pauses between attempts, in milliseconds. */
export const backoff = { first: 25, most: 1600 }

const counterUpdates = (writes: readonly Write[]) =>
  counterChanges(totalsOf(writes)).map(({ at, adds }) => ({ Update: { TableName, Key: at, ...addExpression(adds) } }))
