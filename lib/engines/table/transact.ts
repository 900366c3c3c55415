import { TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb'
import { newId } from '../../base/clock.ts'
import { conflict, unavailable } from '../../base/errors.ts'
import { pauseAfter } from '../../base/retry.ts'
import { currentMeter } from '../../base/telemetry/request-cost.ts'
import { db, TableName } from './client.ts'
import { counterChanges, totalsOf } from './counters.ts'
import { addExpression, type Write } from './item.ts'
import { joinEntries } from './register.ts'

/** Actions that DynamoDB accepts in one transaction. */
export const MOST_ACTIONS = 100

/** Attempts for a transaction that the table throttles: about 2 seconds in all, 5 at most. */
const THROTTLED_ATTEMPTS = 8
/** Attempts while other transactions hold the same items. The pauses take about 7 seconds in all, 15 at most. */
const CONTENDED_ATTEMPTS = 14
/** Pauses between attempts, in milliseconds. */
const backoff = { first: 25, most: 1600 }

/** Codes of failures that pass by themselves. */
const throttles = new Set(['ThrottlingError', 'ProvisionedThroughputExceeded'])
const passing = new Set([...throttles, 'TransactionConflict'])

/**
 * The number of actions of these writes: one for each write, and one for each counter item that they change. Entries to the same register
 * are one action.
 */
export const actionsOf = (writes: readonly Write[]): number =>
  joinEntries(writes).length + counterChanges(totalsOf(writes)).length

/**
 * Stores all of the writes and the counts that they change in one transaction, or nothing. Fails with the `otherwise` of the first
 * condition that does not hold, by default `conflict`. Fails with `unavailable` when throttles or other transactions last too long. All
 * attempts carry one client token, so an attempt after a lost reply is not a second write.
 */
export async function transact(added: readonly Write[]): Promise<void> {
  const writes = joinEntries(added)
  const TransactItems = [
    ...writes.map(({ action }) => actionWithCause(action)),
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
      const hasReason = (codes: ReadonlySet<string>) => reasons.some(({ Code = '' }) => codes.has(Code))
      const isLast = attempt >= (hasReason(throttles) ? THROTTLED_ATTEMPTS : CONTENDED_ATTEMPTS)
      const failed = reasons.findIndex((reason) => reason.Code === 'ConditionalCheckFailed')
      // DynamoDB may report a failed condition because another transaction is still being applied. So it is tried again first.
      if (failed >= 0 && (isLast || !hasReason(passing))) throw writes[failed]?.otherwise?.() ?? conflict()
      if (!hasReason(passing)) throw error
      if (isLast) throw unavailable(undefined, 'table')
      await pauseAfter(attempt, backoff)
    }
  }
}

const actionWithCause = (action: Write['action']): Write['action'] =>
  action.Put?.Item ? { ...action, Put: { ...action.Put, Item: withCause(action.Put.Item) } } : action

/** An item with the id of the request that writes it. The stream passes it on to each effect of the change. */
export function withCause(item: Record<string, unknown>): Record<string, unknown> {
  const request_id = currentMeter()?.request_id
  return request_id === undefined ? item : { ...item, request_id }
}

const counterUpdates = (writes: readonly Write[]) =>
  counterChanges(totalsOf(writes)).map(({ at, adds }) => ({ Update: { TableName, Key: at, ...addExpression(adds) } }))
