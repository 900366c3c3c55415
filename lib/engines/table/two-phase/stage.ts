import { PutCommand, type TransactWriteCommandInput, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { splitIntoParts } from '../../../base/concurrency.ts'
import { conflict } from '../../../base/errors.ts'
import { WRITES_IN_CALL } from '../batch.ts'
import { db, isConditionFailed, TableName } from '../client.ts'
import { type CounterChange, counterChanges, totalsOf } from '../counters.ts'
import type { Write } from '../item.ts'
import { type Key, keyOf, place } from '../keys.ts'
import { transact, withCause } from '../transact.ts'
import { putItems } from '../write.ts'
import { COUNTERS_PART, findPart, newPart, partsOf, type StagedPart, type Touched } from './part.ts'
import { checkTime, forEachThrottled, retryThrottled } from './patience.ts'
import { COUNTERS_IN_TRANSACTION, deleteGone, settle, undoPart } from './settle.ts'
import { beforeImage, deltaName, type Mark, type Raw, rawMany } from './staged.ts'
import * as transaction from './transaction.ts'

type Action = NonNullable<TransactWriteCommandInput['TransactItems']>[number]
/** One write of a part: the item before and after it. */
type Step = { key: Key; how: Exclude<Mark, 'before'>; old: Raw | undefined; next: Raw | undefined }

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
  const part: StagedPart = { id, number, touched: steps.map(touchedBy), counts: sumOf(writes) }
  await retryThrottled(() => transact([newPart(part)]))
  try {
    const images = steps.flatMap(({ how, old }) => (how === 'changed' && old ? [beforeImage(old, id)] : []))
    await forEachThrottled(splitIntoParts(images, WRITES_IN_CALL), putItems, until)
    const [first, ...others] = steps.filter(({ how }) => how !== 'later')
    // Steps have one order. So of two commits on the same items, one fails at its first step and the other goes on.
    await forEachThrottled(first ? [first] : [], (step) => write(id, step), until)
    await forEachThrottled(others, (step) => write(id, step), until)
  } catch (error) {
    throw isConditionFailed(error) ? conflict() : error
  }
}

const touchedBy = ({ key: at, how, old }: Step): Touched => ({
  ...at,
  how,
  ...(how === 'later' && { version: Number(old?.version) }),
})

/** The steps of these writes on items as they are now. Fails with the error of a condition that does not hold. */
async function stepsOf(id: string, writes: readonly Write[]): Promise<Step[]> {
  const keys = writes.map(({ action }) => keyOf(action.Put?.Item ?? action.Delete?.Key ?? {}))
  if (new Set(keys.map(place)).size < keys.length) throw new Error('two writes on one item')
  const items = await readUnmarked(keys)
  return writes.flatMap((write, i): Step[] => {
    const at = keys[i] ?? { pk: '', sk: '' }
    const old = items.get(place(at))
    if (!holds(write.action, old)) throw write.otherwise?.() ?? conflict()
    const { Item } = write.action.Put ?? {}
    if (!Item) return old ? [{ key: at, how: removalMark(write, old), old, next: undefined }] : []
    const how = old ? 'changed' : 'new'
    return [{ key: at, how, old, next: { ...withCause(Item), staged_by: id, staged_as: how } }]
  })
}

/** `later` for an item that has a version and that readers find only through another item: it needs no mark. */
const removalMark = ({ mayLag }: Write, { version }: Raw): 'gone' | 'later' =>
  mayLag && typeof version === 'number' ? 'later' : 'gone'

/** Whether the condition of a write holds. Throws for conditions other than those of `put` and `remove` in lib/engines/table/item.ts. */
function holds(action: Action, old: Raw | undefined): boolean {
  const write = action.Put ?? action.Delete
  const version = write?.ExpressionAttributeValues?.[':version']
  // prove: staged-version
  if (version !== undefined) return old?.version === version
  if (write?.ConditionExpression === undefined) return true
  if (write.ConditionExpression === 'attribute_not_exists(pk)') return old === undefined
  throw new Error(`a two-phase commit cannot check the condition ${write.ConditionExpression}`)
}

/** Writes a step in its place, if the item is still as it was read. Safe to repeat. */
async function write(id: string, { key: at, how, old, next }: Step): Promise<void> {
  if (next) {
    await db.send(new PutCommand({ TableName, Item: next, ...unchangedSince(id, old) }))
    return
  }
  const version = typeof old?.version === 'number' ? old.version : undefined
  const { ConditionExpression, ExpressionAttributeNames, ExpressionAttributeValues } = unchangedSince(id, old)
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

/** The condition that an item is as it was read, or that this commit has marked it already. */
function unchangedSince(id: string, old: Raw | undefined) {
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

/** Attempts to read items without marks of other commits. */
const UNMARKED_ATTEMPTS = 3

/** Reads items, after it has settled or undone the marks that finished or abandoned commits left on them. */
async function readUnmarked(keys: readonly Key[], attempt = 1): Promise<Map<string, Raw>> {
  const items = await rawMany(keys)
  const marked = [...items.values()].filter((it) => it.staged_by !== undefined)
  const undone = new Set<string>()
  for (const id of new Set(marked.map((it) => String(it.staged_by)))) if (!(await hasSwitched(id))) undone.add(id)
  const gone = marked.filter((it) => it.staged_as === 'gone')
  // The other marks that are left belong to commits that have switched, and mean nothing.
  if (undone.size === 0 && gone.length === 0) return items
  if (attempt === UNMARKED_ATTEMPTS) throw otherAtWork()
  const switched = gone.filter((it) => !undone.has(String(it.staged_by)))
  return forEachThrottled(switched, deleteGone).then(() => readUnmarked(keys, attempt + 1))
}

/** Whether another commit has switched. If it is abandoned, it is undone first. Fails with `conflict` while a process works on it. */
async function hasSwitched(id: string): Promise<boolean> {
  const other = await transaction.findTransaction(id)
  if (!other || other.state === 'done') return true
  if (other.state === 'open' && !transaction.isAbandoned(other)) throw otherAtWork()
  if (!(await transaction.callOff(id))) return true
  return settle(id).then(() => false)
}

const otherAtWork = () => conflict('Another merge is at work on the same records.')

/** What all of these add to each list. A list whose size stays the same is left out. */
const sumOf = (all: Parameters<typeof totalsOf>[0]): Record<string, number> =>
  Object.fromEntries([...totalsOf(all)].filter(([, by]) => by !== 0))

/** Stages the counters of all parts, each once. Call it after the last part is staged. Safe to repeat. */
export async function stageCounters(id: string): Promise<void> {
  const parts = await partsOf(id)
  const left = parts.find(({ number }) => number === COUNTERS_PART)
  if (left) await undoPart(left)
  const changes = counterChanges(Object.entries(sumOf(parts)))
  if (changes.length === 0) return
  const touched = changes.map(({ at }) => ({ ...at, how: 'changed' as const }))
  await retryThrottled(() => transact([newPart({ id, number: COUNTERS_PART, touched, counts: {} })]))
  for (const some of splitIntoParts(changes, COUNTERS_IN_TRANSACTION))
    await retryThrottled(() => transact(some.map((change) => ({ action: stageCounter(id, change), counts: {} }))))
}

/** Writes, beside the number of a counter, what the switch will add to it. */
const stageCounter = (id: string, { at, adds }: CounterChange): Action => ({
  Update: {
    TableName,
    Key: at,
    UpdateExpression: 'SET #staged = :adds',
    ExpressionAttributeNames: { '#staged': deltaName(id) },
    ExpressionAttributeValues: { ':adds': adds },
  },
})
