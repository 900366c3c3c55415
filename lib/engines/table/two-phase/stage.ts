import { PutCommand, type TransactWriteCommandInput, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { conflict } from '../../../base/errors.ts'
import { db, TableName } from '../client.ts'
import { type CounterChange, counterChanges } from '../counters.ts'
import type { Write } from '../item.ts'
import { type Key, keyOf, place } from '../keys.ts'
import { withCause } from '../transact.ts'
import { putAll, transact } from '../write.ts'
import { COUNTERS, findPart, newPart, type Part, partsOf, type Touched } from './part.ts'
import { checkTime, eachOf, inCalls, patiently } from './patience.ts'
import { clearItem, settle, undoPart } from './settle.ts'
import { beforeImage, deltaName, type How, type Raw, rawMany } from './staged.ts'
import * as transaction from './transaction.ts'

type Action = NonNullable<TransactWriteCommandInput['TransactItems']>[number]
type Step = { key: Key; how: Exclude<How, 'before'>; old: Raw | undefined; next: Raw | undefined }

/**
 * Stages one part of a two-phase commit. If an earlier process left this part half staged, that is undone first. So a part may be staged
 * again, with another plan. Writes are plain ones, at half the cost of a transaction: marks hide them until the switch.
 * Fails with `conflict`, or with the error of a condition that does not hold. Fails with `TimeOver` between two calls once
 * `performance.now()` passes `until`; the part may then be half staged.
 */
export async function stagePart(
  id: string,
  number: number,
  plan: () => Promise<readonly Write[]>,
  until = Number.POSITIVE_INFINITY,
): Promise<void> {
  const left = await findPart(id, number)
  if (left) await undoPart(left, until)
  const writes = await plan()
  checkTime(until)
  const steps = (await stepsOf(id, writes)).sort((a, b) => (place(a.key) < place(b.key) ? -1 : 1))
  checkTime(until)
  const part: Part = { id, number, touched: steps.map(touchedBy), counts: totals(writes) }
  await patiently(() => transact([newPart(part)]))
  try {
    const images = steps.flatMap(({ how, old }) => (how === 'changed' && old ? [beforeImage(old, id)] : []))
    await eachOf(inCalls(images), putAll, until)
    const [first, ...others] = steps.filter(({ how }) => how !== 'later')
    // The first decides between two transactions on the same items, so that one of them goes on.
    await eachOf(first ? [first] : [], (step) => write(id, step), until)
    await eachOf(others, (step) => write(id, step), until)
  } catch (error) {
    throw isBroken(error) ? conflict() : error
  }
}

const touchedBy = ({ key: at, how, old }: Step): Touched => ({
  ...at,
  how,
  ...(how === 'later' && { version: Number(old?.version) }),
})

const isBroken = (error: unknown) => error instanceof Error && error.name === 'ConditionalCheckFailedException'

/** What each write comes to, from the items as they are; fails where a condition does not hold. */
async function stepsOf(id: string, writes: readonly Write[]): Promise<Step[]> {
  const keys = writes.map(({ action }) => keyOf(action.Put?.Item ?? action.Delete?.Key ?? {}))
  if (new Set(keys.map(place)).size < keys.length) throw new Error('two writes on one item')
  const found = await unmarked(keys)
  return writes.flatMap((write, i): Step[] => {
    const at = keys[i] ?? { pk: '', sk: '' }
    const old = found.get(place(at))
    if (!holds(write.action, old)) throw write.otherwise?.() ?? conflict()
    const { Item } = write.action.Put ?? {}
    if (!Item) return old ? [{ key: at, how: goes(write, old), old, next: undefined }] : []
    const how = old ? 'changed' : 'new'
    return [{ key: at, how, old, next: { ...withCause(Item), staged_by: id, staged_as: how } }]
  })
}

/** How an item goes: that which nobody goes by alone need not be marked, but for its version. */
const goes = ({ mayLag }: Write, { version }: Raw): 'gone' | 'later' =>
  mayLag && typeof version === 'number' ? 'later' : 'gone'

/** Whether the condition of a write holds for what is there. Only those that lib/engines/table/item.ts puts on versions and absence. */
function holds(action: Action, old: Raw | undefined): boolean {
  const given = action.Put ?? action.Delete
  const version = given?.ExpressionAttributeValues?.[':version']
  // prove: staged-version
  if (version !== undefined) return old?.version === version
  if (given?.ConditionExpression === undefined) return true
  if (given.ConditionExpression === 'attribute_not_exists(pk)') return old === undefined
  throw new Error(`a large transaction does not know the condition ${given.ConditionExpression}`)
}

/** Writes an item in its place, on condition that it is still as it was read. What is there already is written again. */
async function write(id: string, { key: at, how, old, next }: Step): Promise<void> {
  if (next) {
    await db.send(new PutCommand({ TableName, Item: next, ...stillAs(id, old) }))
    return
  }
  const version = typeof old?.version === 'number' ? old.version : undefined
  const { ConditionExpression, ExpressionAttributeNames, ExpressionAttributeValues } = stillAs(id, old)
  await db.send(
    new UpdateCommand({
      TableName,
      Key: at,
      UpdateExpression: `SET staged_by = :id, staged_as = :how${version === undefined ? '' : ', #version = :next'}`,
      ConditionExpression,
      ...(ExpressionAttributeNames && { ExpressionAttributeNames }),
      ExpressionAttributeValues: {
        ...ExpressionAttributeValues,
        ':how': how,
        ...(version !== undefined && { ':next': version + 1 }),
      },
    }),
  )
}

/** That an item is as it was read, or marked by this very transaction. */
function stillAs(id: string, old: Raw | undefined) {
  if (!old) return condition('attribute_not_exists(pk) OR staged_by = :id', { ':id': id })
  if (typeof old.version === 'number')
    return {
      ...condition('#version = :version OR staged_by = :id', { ':id': id, ':version': old.version }),
      ExpressionAttributeNames: { '#version': 'version' },
    }
  return condition('attribute_exists(pk) AND (attribute_not_exists(staged_by) OR staged_by IN (:id, :before))', {
    ':id': id,
    ':before': old.staged_by ?? id,
  })
}

type Condition = {
  ConditionExpression: string
  ExpressionAttributeValues: Record<string, unknown>
  ExpressionAttributeNames?: Record<string, string>
}
const condition = (ConditionExpression: string, ExpressionAttributeValues: Record<string, unknown>): Condition => ({
  ConditionExpression,
  ExpressionAttributeValues,
})

/** The items under these keys, once what others have left on them is in place or cleared away. */
async function unmarked(keys: readonly Key[], attempt = 1): Promise<Map<string, Raw>> {
  const found = await rawMany(keys)
  const marked = [...found.values()].filter((it) => it.staged_by !== undefined)
  const busy = new Set<string>()
  for (const id of new Set(marked.map((it) => String(it.staged_by)))) if (await isUnclear(id)) busy.add(id)
  const hidden = marked.filter((it) => it.staged_as === 'gone')
  // What is left are marks of transactions that are done, which say nothing any more.
  if (busy.size === 0 && hidden.length === 0) return found
  if (attempt === 3) throw conflict('Another merge is at work on the same records.')
  const done = hidden.filter((it) => !busy.has(String(it.staged_by)))
  return eachOf(done, clearItem).then(() => unmarked(keys, attempt + 1))
}

/** Whether it is not settled what a mark means. Calls off what is abandoned; fails with `conflict` where someone is at work. */
async function isUnclear(id: string): Promise<boolean> {
  const other = await transaction.find(id)
  if (!other || other.state === 'done') return false
  if (other.state === 'open' && !transaction.isAbandoned(other))
    throw conflict('Another merge is at work on the same records.')
  if (await transaction.callOff(id)) return false
  return settle(id).then(() => true)
}

const totals = (writes: readonly Write[]): Record<string, number> => sumOf(writes.map(({ counts }) => counts))

function sumOf(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sums = new Map<string, number>()
  for (const counts of all) for (const [list, by] of Object.entries(counts)) sums.set(list, (sums.get(list) ?? 0) + by)
  return Object.fromEntries([...sums].filter(([, by]) => by !== 0))
}

/** So many counters are written in one transaction. */
const COUNTERS_AT_ONCE = 90

/** Prepares the counters of all parts, each once. To be called when every part is staged; may be repeated. */
export async function stageCounters(id: string): Promise<void> {
  const parts = await partsOf(id)
  const left = parts.find((it) => it.number === COUNTERS)
  if (left) await undoPart(left)
  const actions = counterChanges(Object.entries(sumOf(parts.map(({ counts }) => counts))))
  if (actions.length === 0) return
  const touched = actions.map(({ at }) => ({ ...at, how: 'changed' as const }))
  await patiently(() => transact([newPart({ id, number: COUNTERS, touched, counts: {} })]))
  for (let start = 0; start < actions.length; start += COUNTERS_AT_ONCE) {
    const some = actions.slice(start, start + COUNTERS_AT_ONCE)
    await patiently(() => transact(some.map((change) => ({ action: delta(id, change), counts: {} }))))
  }
}

const delta = (id: string, { at, adds }: CounterChange): Action => ({
  Update: {
    TableName,
    Key: at,
    UpdateExpression: 'SET #staged = :adds',
    ExpressionAttributeNames: { '#staged': deltaName(id) },
    ExpressionAttributeValues: { ':adds': adds },
  },
})
