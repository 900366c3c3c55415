import { type Cell, Cells, INDEXES, type Index, type Key, LONGEST_LAG, seen, textOf } from './cells.ts'
import {
  checkUsed,
  compareText,
  conditionOf,
  holds,
  Invalid,
  type Item,
  projected,
  updated,
  updateOf,
  type Words,
} from './expressions.ts'

import { hash, isSame } from './same.ts'

export { hash } from './same.ts'

/**
 * A DynamoDB table in memory, at the level of the wire's JSON: what a command does, in the moments in which it does it. A
 * transaction holds its items from its first moment to its last; a read of many items sees each at one of two moments.
 */
export type Change = { key: Key; before: Item | undefined; after: Item | undefined; at: number; expired: boolean }
/** What a command does: each step at a later moment; the last one answers. */
export type Steps = readonly ((now: number) => unknown)[]

/** What the table refuses with. */
export class Refused extends Error {
  readonly type: string
  readonly members: Readonly<Record<string, unknown>>
  constructor(type: string, message: string, members: Readonly<Record<string, unknown>> = {}) {
    super(message)
    this.type = type
    this.members = members
  }
}
const invalid = (message: string) => new Refused('ValidationException', message)
const broken = (Item?: Item) =>
  new Refused('ConditionalCheckFailedException', 'The conditional request failed', { ...(Item && { Item }) })

type Conditional = Words & { ConditionExpression?: string; ReturnValuesOnConditionCheckFailure?: string }
type Put = Conditional & { Item: Item }
type Keyed = Conditional & { Key: Item }
type Updating = Keyed & { UpdateExpression: string; ReturnValues?: string }
type Action = { Put?: Put; Delete?: Keyed; Update?: Updating; ConditionCheck?: Keyed }
type Reading = Words & {
  IndexName?: Index
  KeyConditionExpression?: string
  FilterExpression?: string
  ScanIndexForward?: boolean
  Limit?: number
  ExclusiveStartKey?: Item
  ConsistentRead?: boolean
  Segment?: number
  TotalSegments?: number
  ProjectionExpression?: string
}

/** What chance decides, and what the world asks of the table beyond what a command says. */
export type Chance = {
  /** How long ago an eventually consistent read sees the table, in milliseconds. */
  lag: (what: string) => number
  /** Whether a transaction is put in place in two moments, or a read of many items made in two. */
  torn: () => boolean
  /** Of so many, how many a batch takes. */
  taken: (many: number) => number
  /** A whole number below this one. */
  below: (limit: number) => number
}
/** Nothing lags, nothing is torn. */
export const strict: Chance = { lag: () => 0, torn: () => false, taken: (many) => many, below: () => 0 }

const MOST_BYTES = 400 * 1024
const PAGE_BYTES = 1 << 20
/** Units that one partition key has in a second. */
const UNITS = { write: 1000, read: 3000 }

const keyIn = (it: Item): Key => {
  const [pk, sk] = [it.pk?.S, it.sk?.S]
  if (typeof pk !== 'string' || typeof sk !== 'string') throw invalid('One of the required keys was not given a value')
  if (pk === '' || sk === '')
    throw invalid(
      'One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value.',
    )
  return { pk, sk }
}
const wireKey = ({ pk, sk }: Key): Item => ({ pk: { S: pk }, sk: { S: sk } })
const placeOf = ({ pk, sk }: Key) => `${pk} ${sk}`

const sizes = new WeakMap<object, number>()
/** About as many bytes as the table counts. */
function sizeOf(item: Item): number {
  const known = sizes.get(item)
  if (known !== undefined) return known
  const size = Buffer.byteLength(JSON.stringify(item))
  sizes.set(item, size)
  return size
}

function checkItem(item: Item): Key {
  const key = keyIn(item)
  for (const index of INDEXES)
    for (const name of [`${index}_pk`, `${index}_sk`])
      if (item[name] && typeof item[name]?.S !== 'string') throw invalid(`Type mismatch for Index Key ${name}`)
      else if (item[name]?.S === '')
        throw invalid(
          `The AttributeValue for a key attribute cannot contain an empty string value. IndexName: ${index}`,
        )
  if (sizeOf(item) > MOST_BYTES) throw invalid('Item size has exceeded the maximum allowed size')
  return key
}

type Done = { digest: string; at: number }

export class Table {
  readonly cells = new Cells()
  chance: Chance = strict
  /** Hears of each change, in the order in which they happen. */
  told: (change: Change) => void = () => undefined
  #locks = new Set<string>()
  #tokens = new Map<string, Done | 'running'>()
  #units = new Map<string, number>()
  #seen = new Map<string, number>()

  /** Forgets what was going on; the items stay. */
  calm(): void {
    this.#locks.clear()
    this.#tokens.clear()
    this.#units.clear()
    this.#seen.clear()
  }

  /** What a command does. Fails at once where it is malformed. */
  steps(command: string, input: unknown): Steps {
    const make = this.#commands[command]
    if (!make) throw new Error(`the simulated table does not know ${command}`)
    return make(input as never)
  }

  readonly #commands: Readonly<Record<string, (input: never) => Steps>> = {
    GetItem: (input: { Key: Item; ConsistentRead?: boolean }) => [(now) => this.#get(input, now)],
    BatchGetItem: (input: never) => this.#batchGet(input),
    Query: (input: Reading) => this.#reading(input),
    Scan: (input: Reading) => this.#reading(input),
    PutItem: (input: Put) => [(now) => this.#write({ Put: input }, now)],
    DeleteItem: (input: Keyed) => [(now) => this.#write({ Delete: input }, now)],
    UpdateItem: (input: Updating) => [(now) => this.#write({ Update: input }, now)],
    BatchWriteItem: (input: never) => this.#batchWrite(input),
    TransactWriteItems: (input: never) => this.#transact(input),
  }

  #spend(sort: 'read' | 'write', pk: string, units: number, now: number): void {
    const name = `${sort} ${Math.floor(now / 1000)} ${pk}`
    const spent = (this.#units.get(name) ?? 0) + units
    if (spent > UNITS[sort])
      throw new Refused(
        'ProvisionedThroughputExceededException',
        'The level of configured provisioned throughput for the table was exceeded.',
      )
    if (this.#units.size > 50_000) this.#units.clear()
    this.#units.set(name, spent)
  }

  #readAt(what: string, now: number, consistent: boolean | undefined): number {
    return consistent ? now : now - Math.min(LONGEST_LAG - 1, this.chance.lag(what))
  }

  #get({ Key, ConsistentRead }: { Key: Item; ConsistentRead?: boolean }, now: number): unknown {
    const key = keyIn(Key)
    const cell = this.cells.cell(key)
    const Item = cell && seen(cell, this.#readAt('table', now, ConsistentRead))
    this.#spend('read', key.pk, Item ? Math.ceil(sizeOf(Item) / 8192) : 1, now)
    return { ...(Item && { Item }), ...capacity(0.5) }
  }

  #batchGet({ RequestItems }: { RequestItems: Record<string, { Keys: Item[]; ConsistentRead?: boolean }> }): Steps {
    const [[name, { Keys, ConsistentRead }] = ['', { Keys: [] }]] = Object.entries(RequestItems)
    if (Keys.length > 100) throw invalid('Too many items requested for the BatchGetItem call')
    const keys = Keys.map(keyIn)
    if (new Set(keys.map(placeOf)).size < keys.length) throw invalid('Provided list of item keys contains duplicates')
    const taken = keys.slice(0, Math.max(1, this.chance.taken(keys.length)))
    const found: Item[] = []
    const some = (from: number, to: number) => (now: number) => {
      for (const key of taken.slice(from, to)) {
        const cell = this.cells.cell(key)
        const item = cell && seen(cell, this.#readAt('table', now, ConsistentRead))
        if (item) found.push(item)
      }
    }
    const half = this.chance.torn() ? this.chance.below(taken.length) : taken.length
    const left = Keys.slice(taken.length)
    const UnprocessedKeys = left.length > 0 ? { [name]: { Keys: left, ConsistentRead } } : {}
    const answer = () => ({ Responses: { [name]: found }, UnprocessedKeys, ...capacities(found.length / 2) })
    return half < taken.length
      ? [some(0, half), both(some(half, taken.length), answer)]
      : [both(some(0, taken.length), answer)]
  }

  #reading(input: Reading): Steps {
    checkUsed(input, [input.KeyConditionExpression, input.FilterExpression, input.ProjectionExpression])
    if (!this.chance.torn()) return [(now) => this.#page(input, () => this.#readMoment(input, now))]
    // The one half of the keys is read a moment before the other.
    let first = 0
    const salt = this.chance.below(1 << 20)
    return [
      (now) => {
        first = this.#readMoment(input, now)
      },
      (now) => {
        const second = this.#readMoment(input, now)
        return this.#page(input, (cell) => (hash(`${salt}${cell.sk}${cell.pk}`) % 2 === 0 ? first : second))
      },
    ]
  }

  #readMoment({ IndexName, ConsistentRead }: Reading, now: number): number {
    if (!IndexName) return this.#readAt('table', now, ConsistentRead)
    if (ConsistentRead) throw invalid('Consistent reads are not supported on global secondary indexes')
    // An index never goes back.
    const at = Math.max(this.#seen.get(IndexName) ?? 0, this.#readAt(IndexName, now, false))
    this.#seen.set(IndexName, at)
    return at
  }

  #page(input: Reading, momentOf: (cell: Cell) => number): unknown {
    const { IndexName, Limit = Number.POSITIVE_INFINITY, FilterExpression, ProjectionExpression } = input
    const { ScanIndexForward = true } = input
    const rows = this.#candidates(input, momentOf)
    if (!ScanIndexForward) rows.reverse()
    const start = input.ExclusiveStartKey
    const begun = start ? rows.filter((row) => isBeyond(row, start, IndexName, ScanIndexForward)) : rows
    const Items: Item[] = []
    let [looked, bytes] = [0, 0]
    let last: Item | undefined
    for (const row of begun) {
      if (looked >= Limit || bytes >= PAGE_BYTES) {
        last = startAfter(begun[looked - 1] ?? row, IndexName)
        break
      }
      looked += 1
      bytes += sizeOf(row)
      if (FilterExpression === undefined || holds(conditionOf(FilterExpression), row, input))
        Items.push(ProjectionExpression === undefined ? row : projected(ProjectionExpression, row, input))
    }
    // The table says that there may be more when a page ends with its limit, whether there is or not.
    if (!last && looked > 0 && looked >= Limit) last = startAfter(begun[looked - 1] ?? {}, IndexName)
    return {
      Items,
      Count: Items.length,
      ScannedCount: looked,
      ...(last && { LastEvaluatedKey: last }),
      ...capacity(Math.ceil(bytes / 8192) || 0.5),
    }
  }

  /** In the order of the sort key. */
  #candidates(input: Reading, momentOf: (cell: Cell) => number): Item[] {
    const { IndexName, KeyConditionExpression, Segment = 0, TotalSegments = 1 } = input
    if (KeyConditionExpression === undefined) {
      const all = [...this.cells.all()].filter((item) => hash(textOf(item, 'pk')) % TotalSegments === Segment)
      return all.sort((a, b) => compareText(scanOrder(a), scanOrder(b)))
    }
    const condition = conditionOf(KeyConditionExpression)
    const [pkName, skName] = IndexName ? [`${IndexName}_pk`, `${IndexName}_sk`] : ['pk', 'sk']
    const pk = partitionIn(condition, pkName, input)
    const cells = IndexName ? this.cells.indexed(IndexName, pk) : this.cells.partition(pk)
    const found = cells.flatMap((cell) => {
      const item = seen(cell, momentOf(cell))
      return item && textOf(item, pkName) === pk && holds(condition, item, input) ? [item] : []
    })
    if (!IndexName) return found
    const sorted = (item: Item) => textOf(item, skName)
    return found.sort((a, b) => compareText(sorted(a), sorted(b)) || compareText(scanOrder(a), scanOrder(b)))
  }

  /** What an action makes of its item; fails where its condition does not hold. */
  #planned(action: Action): { key: Key; before: Item | undefined; after: Item | undefined; names: string[] } {
    const { Put, Delete, Update, ConditionCheck } = action
    const one = Put ?? Delete ?? Update ?? ConditionCheck
    if (!one) throw invalid('an action without a part')
    const key = Put ? checkItem(Put.Item) : keyIn((Delete ?? Update ?? ConditionCheck)?.Key ?? {})
    const before = this.cells.get(key)
    if (one.ConditionExpression !== undefined && !holds(conditionOf(one.ConditionExpression), before, one))
      throw broken(one.ReturnValuesOnConditionCheckFailure === 'ALL_OLD' ? before : undefined)
    if (Put) return { key, before, after: Put.Item, names: [] }
    if (Delete) return { key, before, after: undefined, names: [] }
    if (!Update) return { key, before, after: before, names: [] }
    const { next, names } = updated(updateOf(Update.UpdateExpression), before, wireKey(key), Update)
    checkItem(next)
    return { key, before, after: next, names }
  }

  #store(key: Key, after: Item | undefined, now: number, expired = false): Change | undefined {
    const before = this.cells.get(key)
    if (before === after || (before && after && isSame(before, after))) return undefined
    this.cells.set(key, after, now)
    return { key, before, after, at: now, expired }
  }

  #tell(change: Change | undefined): void {
    if (change) this.told(change)
  }

  /** Writes an item, as somebody does of whom nothing else is known. */
  change(key: Key, after: Item, now: number): void {
    this.#tell(this.#store(key, after, now))
  }

  /** Lets the table drop an item whose time is over. */
  expire(key: Key, now: number): void {
    this.#tell(this.#store(key, undefined, now, true))
  }

  #write(action: Action, now: number): unknown {
    const one = action.Put ?? action.Delete ?? action.Update
    checkUsed(one ?? {}, [one?.ConditionExpression, action.Update?.UpdateExpression])
    const { key, after, names } = valid(() => this.#planned(action))
    if (this.#locks.has(placeOf(key)))
      throw new Refused('TransactionConflictException', 'Transaction is ongoing for the item')
    this.#spend('write', key.pk, after ? Math.ceil(sizeOf(after) / 1024) : 1, now)
    this.#tell(this.#store(key, after, now))
    const told = Object.fromEntries(names.flatMap((name) => (after?.[name] ? [[name, after[name]]] : [])))
    if (action.Update?.ReturnValues && action.Update.ReturnValues !== 'UPDATED_NEW') throw new Error('ReturnValues')
    return { ...(action.Update?.ReturnValues && { Attributes: told }), ...capacity(1) }
  }

  #batchWrite({
    RequestItems,
  }: {
    RequestItems: Record<string, { PutRequest?: { Item: Item }; DeleteRequest?: { Key: Item } }[]>
  }): Steps {
    const [[name, requests] = ['', []]] = Object.entries(RequestItems)
    if (requests.length > 25) throw invalid('Too many items requested for the BatchWriteItem call')
    const keys = requests.map((it) =>
      placeOf(it.PutRequest ? checkItem(it.PutRequest.Item) : keyIn(it.DeleteRequest?.Key ?? {})),
    )
    if (new Set(keys).size < keys.length) throw invalid('Provided list of item keys contains duplicates')
    const taken = requests.slice(0, this.chance.taken(requests.length))
    const apply = (from: number, to: number) => (now: number) => {
      for (const { PutRequest, DeleteRequest } of taken.slice(from, to))
        this.#write(PutRequest ? { Put: PutRequest } : { Delete: DeleteRequest ?? { Key: {} } }, now)
    }
    const left = requests.slice(taken.length)
    const answer = () => ({ UnprocessedItems: left.length > 0 ? { [name]: left } : {}, ...capacities(taken.length) })
    const half = this.chance.torn() ? this.chance.below(taken.length) : taken.length
    return [apply(0, half), both(apply(half, taken.length), answer)]
  }

  #transact({ TransactItems, ClientRequestToken }: { TransactItems: Action[]; ClientRequestToken?: string }): Steps {
    if (TransactItems.length > 100) throw invalid('Member must have length less than or equal to 100')
    const digest = ClientRequestToken ? JSON.stringify(TransactItems) : ''
    let held: string[] = []
    let plans: ReturnType<Table['plansOf']> = []
    let repeated = false
    const changes: (Change | undefined)[] = []
    const take = (now: number) => {
      repeated = this.#isRepeated(ClientRequestToken, digest, now)
      if (repeated) return
      plans = this.plansOf(TransactItems, now)
      held = plans.map(({ key }) => placeOf(key))
      for (const place of held) this.#locks.add(place)
      if (ClientRequestToken) this.#tokens.set(ClientRequestToken, 'running')
    }
    const place = (some: (i: number) => boolean) => (now: number) => {
      if (repeated) return
      for (const [i, { key, after }] of plans.entries())
        if (some(i)) {
          changes.push(this.#store(key, after, now))
          this.#locks.delete(placeOf(key))
        }
    }
    // The stream hears of a transaction when it is complete.
    const end = (now: number) => {
      for (const change of changes) this.#tell(change)
      if (ClientRequestToken && !repeated) this.#tokens.set(ClientRequestToken, { digest, at: now })
      return capacities(2 * TransactItems.length)
    }
    const salt = this.chance.below(1 << 20)
    if (!this.chance.torn())
      return [
        take,
        both(
          place(() => true),
          end,
        ),
      ]
    const early = (i: number) => hash(`${salt} ${i}`) % 2 === 0
    return [
      take,
      place(early),
      both(
        place((i) => !early(i)),
        end,
      ),
    ]
  }

  #isRepeated(token: string | undefined, digest: string, now: number): boolean {
    const known = token === undefined ? undefined : this.#tokens.get(token)
    if (known === 'running')
      throw new Refused(
        'TransactionInProgressException',
        'The transaction with the given request token is already in progress.',
      )
    if (known === undefined || now - known.at > 600_000) return false
    if (known.digest !== digest)
      throw new Refused(
        'IdempotentParameterMismatchException',
        'The request uses the same client token as a previous, but non-identical request.',
      )
    return true
  }

  /** What each action of a transaction makes of its item; fails with the reason of each where one does not hold. */
  plansOf(actions: readonly Action[], now: number) {
    const places = new Set<string>()
    const reasons: { Code: string; Message?: string }[] = []
    const plans = actions.map((action) => {
      const one = action.Put ?? action.Delete ?? action.Update ?? action.ConditionCheck
      valid(() => checkUsed(one ?? {}, [one?.ConditionExpression, action.Update?.UpdateExpression]))
      const key = action.Put
        ? checkItem(action.Put.Item)
        : keyIn((action.Delete ?? action.Update ?? action.ConditionCheck)?.Key ?? {})
      if (places.has(placeOf(key))) throw invalid('Transaction request cannot include multiple operations on one item')
      places.add(placeOf(key))
      if (this.#locks.has(placeOf(key))) {
        reasons.push({ Code: 'TransactionConflict', Message: 'Transaction is ongoing for the item' })
        return undefined
      }
      try {
        const plan = valid(() => this.#planned(action))
        this.#spend('write', key.pk, 2 * (plan.after ? Math.ceil(sizeOf(plan.after) / 1024) : 1), now)
        reasons.push({ Code: 'None' })
        return plan
      } catch (error) {
        const reason = error instanceof Refused ? REASONS[error.type] : undefined
        if (!reason || !(error instanceof Error)) throw error
        reasons.push({ Code: reason, Message: error.message })
        return undefined
      }
    })
    if (reasons.every(({ Code }) => Code === 'None')) return plans.flatMap((plan) => plan ?? [])
    throw new Refused(
      'TransactionCanceledException',
      `Transaction cancelled, please refer cancellation reasons for specific reasons [${reasons.map(({ Code }) => Code).join(', ')}]`,
      { CancellationReasons: reasons },
    )
  }
}

/** The one thing and then the other in one moment. */
const both =
  (first: (now: number) => unknown, second: (now: number) => unknown) =>
  (now: number): unknown => {
    first(now)
    return second(now)
  }

const REASONS: Readonly<Record<string, string>> = {
  ConditionalCheckFailedException: 'ConditionalCheckFailed',
  ProvisionedThroughputExceededException: 'ThrottlingError',
  ValidationException: 'ValidationError',
}

/** Work whose faults in an expression are told as the table tells them. */
function valid<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof Invalid ? invalid(error.message) : error
  }
}

const capacity = (CapacityUnits: number) => ({ ConsumedCapacity: { CapacityUnits } })
const capacities = (CapacityUnits: number) => ({ ConsumedCapacity: [{ CapacityUnits }] })
const scanOrder = (item: Item) => `${textOf(item, 'pk')}\u0000${textOf(item, 'sk')}`

function isBeyond(row: Item, start: Item, index: Index | undefined, forward: boolean): boolean {
  const by =
    (index ? compareText(textOf(row, `${index}_sk`), textOf(start, `${index}_sk`)) : 0) ||
    compareText(scanOrder(row), scanOrder(start))
  return forward ? by > 0 : by < 0
}

const startAfter = (row: Item, index: Index | undefined): Item =>
  Object.fromEntries(
    ['pk', 'sk', ...(index ? [`${index}_pk`, `${index}_sk`] : [])].flatMap((name) =>
      row[name] ? [[name, row[name]]] : [],
    ),
  )

/** The one partition that a key condition names. */
function partitionIn(it: ReturnType<typeof conditionOf>, name: string, words: Words): string {
  const sides = it.op === 'and' ? it.sides : [it]
  for (const side of sides) {
    if (side.op !== '=' || !('path' in side.left) || !('value' in side.right)) continue
    const [part = ''] = side.left.path
    const own = part.startsWith('#') ? words.ExpressionAttributeNames?.[part] : part
    const value = words.ExpressionAttributeValues?.[side.right.value]?.S
    if (own === name && typeof value === 'string') return value
  }
  throw invalid(`Query condition missed key schema element: ${name}`)
}
