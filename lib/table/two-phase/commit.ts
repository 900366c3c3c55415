import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import { now, nowSeconds } from '../../clock.ts'
import { conflict, isConflict } from '../../errors.ts'
import { TableName } from '../client.ts'
import { counterChanges, totalsOf } from '../counters.ts'
import { amended, defineItem, put, type Write } from '../item.ts'
import { type Key, key } from '../keys.ts'
import { get, queryAll, walk } from '../read.ts'
import { transact } from '../write.ts'
import { deltaName, type How, imageKey, imageOf, keyOf, place, type Raw, rawMany, withoutStaging } from './staged.ts'

/**
 * Transactions larger than the table takes. All changes are first written beside what they change, marked so that
 * readers pass over them and writers keep off; then one small transaction switches one item, and from that moment every
 * reader sees all of them; then they take their places at leisure. Whoever is stopped in between leaves either nothing
 * or everything for readers to see, and `tidy` clears away or completes the rest.
 */
const Large = v.object({
  id: v.string(),
  /** `open` until the switch; `done` after it; `void` when there will be none. */
  state: v.picklist(['open', 'done', 'void']),
  /** Nothing of it is left to put in place or to clear away. */
  settled: v.boolean(),
  created_at: v.string(),
  version: v.number(),
})
type Large = v.InferOutput<typeof Large>

const UNSETTLED = 'LARGE'
const large = defineItem({
  type: 'large',
  schema: Large,
  key: ({ id }: { id: string }) => key.large(id),
  indexes: (it) => (it.settled ? {} : { gsi2: { pk: UNSETTLED, sk: `${it.created_at}#${it.id}` } }),
  // What is settled is of no more use; whatever it had marked is unmarked.
  expires: (it) => (it.settled ? nowSeconds() + 7 * 86_400 : undefined),
})

type Action = NonNullable<TransactWriteCommandInput['TransactItems']>[number]
type Step = { key: Key; how: Exclude<How, 'image'>; actions: Action[]; bytes: number }

const Part = v.object({
  id: v.string(),
  number: v.number(),
  steps: v.array(v.object({ pk: v.string(), sk: v.string(), how: v.picklist(['changed', 'new', 'gone']) })),
  /** The keys of counters. */
  counters: v.array(v.object({ pk: v.string(), sk: v.string(), names: v.array(v.string()) })),
  version: v.number(),
})
type Part = v.InferOutput<typeof Part>
const part = defineItem({
  type: 'large_part',
  schema: Part,
  key: ({ id, number }: { id: string; number: number }) => key.largePart(id, number),
})

/** So many parts are written at the same time; each with so many actions and bytes at most. */
const AT_ONCE = 8
const MOST_ACTIONS = 96
const MOST_BYTES = 2_000_000

/**
 * All of the writes, or none, however many; the `last` ones in the very transaction that switches. Fails as `transact`
 * does, and then nothing has changed; with `conflict` also while another large transaction is at work on the same items.
 */
export async function commitLarge(id: string, writes: readonly Write[], last: readonly Write[]): Promise<void> {
  const begun: Large = { id, state: 'open', settled: false, created_at: now(), version: 1 }
  await transact([put(large, begun, undefined)])
  let parts = 0
  try {
    parts = await stage(id, writes)
    await transact([...last, put(large, amended(begun, { state: 'done' }), begun)])
  } catch (error) {
    if (!(await isSwitched(id))) {
      await settle(id).catch(() => undefined)
      throw error
    }
  }
  // From here on it has happened, whatever becomes of the rest: readers see it, and `tidy` completes what nobody waits for.
  if (parts <= MOST_WAITED_FOR) await settle(id).catch(() => undefined)
}

/** A few parts are put in place at once, so that what is small is over when it is answered. */
const MOST_WAITED_FOR = 16

/** Whether the switch has happened although its reply was lost; if not, it never will. */
async function isSwitched(id: string): Promise<boolean> {
  const found = await get(large, { id })
  if (found?.state === 'open') {
    try {
      await transact([put(large, amended(found, { state: 'void' }), found)])
    } catch (error) {
      if (isConflict(error)) return isSwitched(id)
      throw error
    }
  }
  return found?.state === 'done'
}

/** Answers in how many parts it is prepared. */
async function stage(id: string, writes: readonly Write[]): Promise<number> {
  const steps = await stepsOf(id, writes)
  const counters = countersOf(id, writes)
  const parts = parted(id, steps, counters)
  await eachOf(parts, ({ made, actions }) =>
    transact([put(part, made, undefined), ...actions.map((action) => ({ action, counts: {} }))]),
  )
  return parts.length
}

/** What has to be written to prepare each change, from the items as they are; fails where a condition does not hold. */
async function stepsOf(id: string, writes: readonly Write[]): Promise<Step[]> {
  const keys = writes.map(keyOfWrite)
  if (new Set(keys.map(place)).size < keys.length) throw new Error('two writes on one item')
  const found = await unmarked(keys)
  return writes.flatMap((write, i) => {
    const at = keys[i] ?? { pk: '', sk: '' }
    const old = found.get(place(at))
    if (!holds(write.action, old)) throw write.otherwise?.() ?? conflict()
    const next = write.action.Put?.Item
    if (!next) return old ? [step(at, 'gone', [mark(at, old, id, 'gone')])] : []
    if (!old) {
      const made = { ...next, staged_by: id, staged_as: 'new' }
      return [step(at, 'new', [{ Put: { TableName, Item: made, ConditionExpression: 'attribute_not_exists(pk)' } }])]
    }
    return [step(at, 'changed', [mark(at, old, id, 'changed'), { Put: { TableName, Item: imageOf(next, id) } }])]
  })
}

const step = (at: Key, how: Step['how'], actions: Action[]): Step => ({
  key: at,
  how,
  actions,
  bytes: Buffer.byteLength(JSON.stringify(actions)),
})

/** Marks an item that is still as it was read, and that nobody else has marked. */
const mark = (Key: Key, old: Raw, id: string, how: How): Action => ({
  Update: {
    TableName,
    Key,
    UpdateExpression: 'SET staged_by = :id, staged_as = :how',
    ConditionExpression: `attribute_exists(pk) AND attribute_not_exists(staged_by)${'version' in old ? ' AND #version = :version' : ''}`,
    ...('version' in old && { ExpressionAttributeNames: { '#version': 'version' } }),
    ExpressionAttributeValues: { ':id': id, ':how': how, ...('version' in old && { ':version': old.version }) },
  },
})

const keyOfWrite = ({ action }: Write): Key => keyOf(action.Put?.Item ?? action.Delete?.Key ?? {})

/** Whether the condition of a write holds for what is there. Only those that lib/table/item.ts puts on versions and absence. */
function holds(action: Action, old: Raw | undefined): boolean {
  const given = action.Put ?? action.Delete
  const version = given?.ExpressionAttributeValues?.[':version']
  if (version !== undefined) return old?.version === version
  if (given?.ConditionExpression === undefined) return true
  if (given.ConditionExpression === 'attribute_not_exists(pk)') return old === undefined
  throw new Error(`a large transaction does not know the condition ${given.ConditionExpression}`)
}

/** The items under these keys, once what others have left on them is in place or cleared away. */
async function unmarked(keys: readonly Key[]): Promise<Map<string, Raw>> {
  for (let attempt = 1; ; attempt += 1) {
    const found = await rawMany(keys)
    const others = new Set([...found.values()].flatMap((it) => (it.staged_by ? [String(it.staged_by)] : [])))
    if (others.size === 0) return found
    for (const id of others) {
      const other = await get(large, { id })
      const isAtWork = !other || (other.state === 'open' && !isStale(other))
      if (isAtWork || attempt === 3) throw conflict('Another merge is at work on the same records.')
      await isSwitched(id)
      await settle(id)
    }
  }
}

type Counter = Part['counters'][number]

/** What is added to each counter at the switch. */
const countersOf = (id: string, writes: readonly Write[]): { counter: Counter; action: Action }[] =>
  counterChanges(totalsOf(writes)).map(({ at, adds }) => {
    const each = Object.entries(adds).map(([name, by], i) => ({ name, by, i }))
    const action = {
      Update: {
        TableName,
        Key: at,
        UpdateExpression: `SET ${each.map(({ i }) => `#staged${i} = :by${i}`).join(', ')}`,
        ConditionExpression: 'attribute_not_exists(#staged0)',
        ExpressionAttributeNames: Object.fromEntries(each.map(({ name, i }) => [`#staged${i}`, deltaName(id, name)])),
        ExpressionAttributeValues: Object.fromEntries(each.map(({ by, i }) => [`:by${i}`, by])),
      },
    }
    return { counter: { ...at, names: Object.keys(adds) }, action }
  })

type Planned = { made: Part; actions: Action[] }

function parted(
  id: string,
  steps: readonly Step[],
  counters: readonly { counter: Counter; action: Action }[],
): Planned[] {
  const parts: Planned[] = []
  let open: Planned | undefined
  let bytes = 0
  const room = (actions: number, more: number): Planned => {
    if (!open || open.actions.length + actions > MOST_ACTIONS || bytes + more > MOST_BYTES) {
      open = { made: { id, number: parts.length + 1, steps: [], counters: [], version: 1 }, actions: [] }
      bytes = 0
      parts.push(open)
    }
    bytes += more
    return open
  }
  for (const { key: at, how, actions, bytes: more } of steps) {
    const into = room(actions.length, more)
    into.made.steps.push({ ...at, how })
    into.actions.push(...actions)
  }
  for (const { counter, action } of counters) {
    const into = room(1, 300)
    into.made.counters.push(counter)
    into.actions.push(action)
  }
  return parts
}

/** Puts everything in its place after the switch, or clears it away when there will be none. Safe to repeat and to interrupt. */
async function settle(id: string): Promise<void> {
  const it = await get(large, { id })
  if (!it || it.state === 'open' || it.settled) return
  const done = it.state === 'done'
  const { pk, sk } = key.largePart(id, 0)
  const parts = (await queryAll(pk, sk.replace(/\d+$/, ''))).map((item) => v.parse(Part, item))
  await eachOf(parts, (each) => settlePart(each, done))
  // One whose switch was called off may still be heard of by a writer who is late.
  if (!done && !isStale(it, 10)) return
  await transact([put(large, amended(it, { settled: true }), it)]).catch(ifAnother)
}

async function settlePart(it: Part, done: boolean): Promise<void> {
  const images = await rawMany(it.steps.filter(({ how }) => how === 'changed').map(imageKey))
  const actions = it.steps.flatMap((each): Action[] => {
    const at = { pk: each.pk, sk: each.sk }
    const remains = each.how === 'new' ? done : !done
    if (each.how === 'changed') {
      const image = images.get(place(imageKey(at)))
      const cleared = { Delete: { TableName, Key: imageKey(at) } }
      if (!done) return [unmark(at, it.id), cleared]
      return image ? [{ Put: { TableName, Item: withoutStaging(image), ...markedBy(it.id) } }, cleared] : []
    }
    return [remains ? unmark(at, it.id) : { Delete: { TableName, Key: at, ...markedBy(it.id) } }]
  })
  const gone: Action = {
    Delete: { TableName, Key: part.key(it), ConditionExpression: 'attribute_exists(pk)' },
  }
  const all = [gone, ...actions, ...it.counters.map((at) => settleCounter(at, it.id, done))]
  await transact(all.map((action) => ({ action, counts: {} }))).catch(ifAnother)
}

const markedBy = (id: string) => ({
  ConditionExpression: 'staged_by = :id',
  ExpressionAttributeValues: { ':id': id },
})
const unmark = (Key: Key, id: string): Action => ({
  Update: { TableName, Key, UpdateExpression: 'REMOVE staged_by, staged_as', ...markedBy(id) },
})
function settleCounter({ pk, sk, names }: Counter, id: string, done: boolean): Action {
  const each = names.map((name, i) => ({ name, i }))
  return {
    Update: {
      TableName,
      Key: { pk, sk },
      UpdateExpression: `${done ? `SET ${each.map(({ i }) => `#n${i} = if_not_exists(#n${i}, :none) + #staged${i}`).join(', ')} ` : ''}REMOVE ${each.map(({ i }) => `#staged${i}`).join(', ')}`,
      ConditionExpression: 'attribute_exists(#staged0)',
      ExpressionAttributeNames: Object.fromEntries(
        each.flatMap(({ name, i }) => [[`#staged${i}`, deltaName(id, name)], ...(done ? [[`#n${i}`, name]] : [])]),
      ),
      ...(done && { ExpressionAttributeValues: { ':none': 0 } }),
    },
  }
}

/** Another who settles the same has been faster. */
function ifAnother(error: unknown): void {
  if (!isConflict(error)) throw error
}

async function eachOf<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = [...all]
  const worker = async () => {
    try {
      for (let one = left.shift(); one !== undefined; one = left.shift()) await work(one)
    } catch (error) {
      left.length = 0
      throw error
    }
  }
  // None may go on once the failure of another is told.
  const ended = await Promise.allSettled(Array.from({ length: AT_ONCE }, worker))
  const failed = ended.find((it) => it.status === 'rejected')
  if (failed) throw failed.reason
}

/** Longer than any process works on one. */
const STALE = 60_000
const isStale = (it: Large, times = 1) => Date.parse(now()) - Date.parse(it.created_at) >= times * STALE
/** So many are looked at in one visit. */
const MOST_VISITED = 50

/** Completes what was stopped after its switch, and clears away what was stopped before. Answers how many were settled. */
export async function recoverStaged(): Promise<number> {
  const items = await walk({ index: 'gsi2', pk: UNSETTLED, forward: true, limit: MOST_VISITED })
  let settled = 0
  for (const it of items.map((item) => v.parse(Large, item))) {
    if (it.state !== 'done' && !isStale(it)) continue
    await isSwitched(it.id)
    await settle(it.id)
    settled += 1
  }
  return settled
}
