import { DeleteCommand, PutCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb'
import { splitIntoParts } from '../../../base/concurrency.ts'
import { WRITES_IN_CALL } from '../batch.ts'
import { db, ignoreFailedCondition, TableName } from '../client.ts'
import { type Key, keyOf, place } from '../keys.ts'
import { transact } from '../transact.ts'
import { removeItems } from '../write.ts'
import { COUNTERS_PART, keyOfPart, partsOf, type StagedPart, type Touched } from './part.ts'
import { forEachThrottled, retryThrottled, TimeOver } from './patience.ts'
import { beforeKey, deltaName, type Raw, rawMany, withoutStaging } from './staged.ts'
import * as transaction from './transaction.ts'

type Action = NonNullable<TransactWriteCommandInput['TransactItems']>[number]

/**
 * Settles all parts after the switch, or undoes them after a call-off, part by part. Safe to repeat and to interrupt.
 * Returns whether nothing is left to do. Stops when `performance.now()` reaches `until`.
 */
export async function settle(id: string, until = Number.POSITIVE_INFINITY): Promise<boolean> {
  const stored = await transaction.findTransaction(id)
  if (!stored || stored.settled) return true
  if (stored.state === 'open') return false
  try {
    for (const part of await partsOf(id)) {
      if (performance.now() >= until) return false
      await (stored.state === 'done' ? settlePart(part, until) : undoPart(part, until))
    }
  } catch (error) {
    if (!(error instanceof TimeOver)) throw error
    return false
  }
  await transaction.noteSettled(stored)
  return true
}

/**
 * Deletes what the switch has replaced: items that are gone, then before-images, then the item of the part.
 * The stream reports changed items by their before-images and created ones by the part, so the part goes last.
 */
async function settlePart(part: StagedPart, until: number): Promise<void> {
  if (part.number === COUNTERS_PART) return settleCounters(part, true)
  // prove: gone-items
  await forEachThrottled(keysIn(part, 'gone'), (at) => deleteMarked(at, part.id), until)
  await forEachThrottled(
    part.touched.filter(({ how }) => how === 'later'),
    deleteVersion,
    until,
  )
  const befores = keysIn(part, 'changed').map((at) => beforeKey(at, part.id))
  await forEachThrottled(splitIntoParts(befores, WRITES_IN_CALL), removeItems, until)
  await retryThrottled(() => removeItems([keyOfPart(part)]))
}

/** Puts all items of a part back as they were. Fails with `TimeOver` when `performance.now()` reaches `until`. Safe to repeat. */
export async function undoPart(part: StagedPart, until = Number.POSITIVE_INFINITY): Promise<void> {
  if (part.number === COUNTERS_PART) return settleCounters(part, false)
  const befores = keysIn(part, 'changed').map((at) => beforeKey(at, part.id))
  const images = await rawMany(befores)
  const undoing = [
    ...[...images.values()].map((image) => () => putBack(withoutStaging(image), part.id)),
    ...keysIn(part, 'new').map((at) => () => deleteMarked(at, part.id)),
    ...keysIn(part, 'gone').map((at) => () => removeMark(at, part.id)),
  ]
  await forEachThrottled(undoing, (undo) => undo(), until)
  await forEachThrottled(splitIntoParts(befores, WRITES_IN_CALL), removeItems, until)
  await retryThrottled(() => removeItems([keyOfPart(part)]))
}

/** Deletes an item that a two-phase commit has deleted by its switch. */
export const deleteGone = (stored: Raw): Promise<void> => deleteMarked(keyOf(stored), String(stored.staged_by))

const keysIn = ({ touched }: StagedPart, how: Touched['how']): Key[] =>
  touched.filter((it) => it.how === how).map(keyOf)

/** A condition. If it fails, another process that does the same was faster, and nothing is left to do. */
const markedBy = (id: string) => ({
  ConditionExpression: 'staged_by = :id',
  ExpressionAttributeValues: { ':id': id },
})

const putBack = (Item: Raw, id: string) =>
  ignoreFailedCondition(() => db.send(new PutCommand({ TableName, Item, ...markedBy(id) })))
const deleteMarked = (Key: Key, id: string) =>
  ignoreFailedCondition(() => db.send(new DeleteCommand({ TableName, Key, ...markedBy(id) })))

/** Deletes an item without a mark, unless it has been written since: its version is the condition. */
const deleteVersion = ({ version, ...at }: Touched) =>
  ignoreFailedCondition(() =>
    db.send(
      new DeleteCommand({
        TableName,
        Key: keyOf(at),
        ConditionExpression: '#version = :version',
        ExpressionAttributeNames: { '#version': 'version' },
        ExpressionAttributeValues: { ':version': version },
      }),
    ),
  )

/** Takes the mark off an item that was to be deleted, and lowers the version that the mark had raised. */
async function removeMark(at: Key, id: string): Promise<void> {
  const stored = (await rawMany([at])).get(place(at))
  if (stored?.staged_by !== id) return
  await putBack(withoutStaging(stored), id)
}

/** Counters in one transaction, below the limit of 100 actions. */
export const COUNTERS_IN_TRANSACTION = 90

async function settleCounters(part: StagedPart, isDone: boolean): Promise<void> {
  const staged = deltaName(part.id)
  const counters = [...(await rawMany(part.touched)).values()].filter((it) => it[staged] !== undefined)
  for (const some of splitIntoParts(counters, COUNTERS_IN_TRANSACTION)) {
    const writes = some.map((counter) => ({ action: settleCounter(counter, staged, isDone), counts: {} }))
    await retryThrottled(() => transact(writes))
  }
  await retryThrottled(() => removeItems([keyOfPart(part)]))
}

/** Removes the staged numbers of a counter. If the switch has happened, adds them to the numbers of the counter. */
function settleCounter(counter: Raw, staged: string, isDone: boolean): Action {
  const names = isDone ? Object.keys(Object(counter[staged])) : []
  const added = names.map((_, i) => `#n${i} = if_not_exists(#n${i}, :none) + #staged.#n${i}`)
  return {
    Update: {
      TableName,
      Key: keyOf(counter),
      UpdateExpression: `${added.length > 0 ? `SET ${added.join(', ')} ` : ''}REMOVE #staged`,
      ConditionExpression: 'attribute_exists(#staged)',
      ExpressionAttributeNames: { '#staged': staged, ...Object.fromEntries(names.map((name, i) => [`#n${i}`, name])) },
      ...(added.length > 0 && { ExpressionAttributeValues: { ':none': 0 } }),
    },
  }
}
