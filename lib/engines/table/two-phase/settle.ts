import { DeleteCommand, PutCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb'
import { db, TableName } from '../client.ts'
import { type Key, keyOf, place } from '../keys.ts'
import { removeAll, transact } from '../write.ts'
import { COUNTERS, keyOfPart, type Part, partsOf, type Touched } from './part.ts'
import { eachOf, inCalls, patiently, TimeOver } from './patience.ts'
import { beforeKey, deltaName, type Raw, rawMany, withoutStaging } from './staged.ts'
import * as transaction from './transaction.ts'

type Action = NonNullable<TransactWriteCommandInput['TransactItems']>[number]

/**
 * Puts everything in its place after the switch, or undoes it when there will be none, part by part; safe to repeat and to
 * interrupt. Answers whether nothing is left to do; `until` says when to stop, in milliseconds of `performance.now()`.
 */
export async function settle(id: string, until = Number.POSITIVE_INFINITY): Promise<boolean> {
  const it = await transaction.find(id)
  if (!it || it.settled) return true
  if (it.state === 'open') return false
  try {
    for (const part of await partsOf(id)) {
      if (performance.now() >= until) return false
      await (it.state === 'done' ? settlePart(part, until) : undoPart(part, until))
    }
  } catch (error) {
    if (!(error instanceof TimeOver)) throw error
    return false
  }
  await transaction.noteSettled(it)
  return true
}

/** After the switch: the before-images go, and the part last of all, since by them the stream is told of what has changed and of what is new. */
async function settlePart(part: Part, until: number): Promise<void> {
  if (part.number === COUNTERS) return settleCounters(part, true)
  // prove: gone-items
  await eachOf(of(part, 'gone'), (at) => drop(at, part.id), until)
  await eachOf(
    part.touched.filter(({ how }) => how === 'later'),
    dropVersion,
    until,
  )
  const befores = of(part, 'changed').map((at) => beforeKey(at, part.id))
  await eachOf(inCalls(befores), removeAll, until)
  await patiently(() => removeAll([keyOfPart(part)]))
}

/** Without a switch: everything is again what it was. Fails with `TimeOver` when the time is over before that; may be repeated. */
export async function undoPart(part: Part, until = Number.POSITIVE_INFINITY): Promise<void> {
  if (part.number === COUNTERS) return settleCounters(part, false)
  const befores = of(part, 'changed').map((at) => beforeKey(at, part.id))
  const found = await rawMany(befores)
  const undoing = [
    ...[...found.values()].map((image) => () => putBack(withoutStaging(image), part.id)),
    ...of(part, 'new').map((at) => () => drop(at, part.id)),
    ...of(part, 'gone').map((at) => () => lowerAgain(at, part.id)),
  ]
  await eachOf(undoing, (undo) => undo(), until)
  await eachOf(inCalls(befores), removeAll, until)
  await patiently(() => removeAll([keyOfPart(part)]))
}

/** Takes away what is gone of a transaction that is done. */
export const clearItem = (it: Raw): Promise<void> => drop(keyOf(it), String(it.staged_by))

const of = ({ touched }: Part, how: Touched['how']): Key[] => touched.filter((it) => it.how === how).map(keyOf)

const markedBy = (id: string) => ({
  ConditionExpression: 'staged_by = :id',
  ExpressionAttributeValues: { ':id': id },
})

const putBack = (Item: Raw, id: string) =>
  unlessOver(() => db.send(new PutCommand({ TableName, Item, ...markedBy(id) })))
const drop = (Key: Key, id: string) => unlessOver(() => db.send(new DeleteCommand({ TableName, Key, ...markedBy(id) })))

/** Takes away an item as it was when it was to go; what has been put there since stays. */
const dropVersion = ({ version, ...at }: Touched) =>
  unlessOver(() =>
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

/** The mark goes, and the version that it has raised is again what it was, where there is one. */
async function lowerAgain(at: Key, id: string): Promise<void> {
  const it = (await rawMany([at])).get(place(at))
  if (it?.staged_by !== id) return
  await putBack(withoutStaging(it), id)
}

/** It carries the mark no more: another who does the same has been faster. */
async function unlessOver(work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof Error && error.name === 'ConditionalCheckFailedException')) throw error
  }
}

/** So many counters are written in one transaction, with the part itself where it is the last. */
const COUNTERS_AT_ONCE = 90

async function settleCounters(part: Part, done: boolean): Promise<void> {
  const staged = deltaName(part.id)
  const found = await rawMany(part.touched)
  const left = [...found.values()].filter((it) => it[staged] !== undefined)
  for (let start = 0; start < left.length; start += COUNTERS_AT_ONCE) {
    const actions = left.slice(start, start + COUNTERS_AT_ONCE).map((it) => counterAction(it, staged, done))
    await patiently(() => transact(actions.map((action) => ({ action, counts: {} }))))
  }
  await patiently(() => removeAll([keyOfPart(part)]))
}

function counterAction(it: Raw, staged: string, done: boolean): Action {
  const names = done ? Object.keys(Object(it[staged])) : []
  const added = names.map((_, i) => `#n${i} = if_not_exists(#n${i}, :none) + #staged.#n${i}`)
  return {
    Update: {
      TableName,
      Key: keyOf(it),
      UpdateExpression: `${added.length > 0 ? `SET ${added.join(', ')} ` : ''}REMOVE #staged`,
      ConditionExpression: 'attribute_exists(#staged)',
      ExpressionAttributeNames: { '#staged': staged, ...Object.fromEntries(names.map((name, i) => [`#n${i}`, name])) },
      ...(added.length > 0 && { ExpressionAttributeValues: { ':none': 0 } }),
    },
  }
}
