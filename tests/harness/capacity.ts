import { ProvisionedThroughputExceededException, TransactionCanceledException } from '@aws-sdk/client-dynamodb'

/** The write units a second of a table: in all, and under one partition key of the table or of an index. */
export type Capacity = { total: number; key: number }
/** The units spent, by table and index. */
export type Spent = { units: Map<string, number>; throttled: number; hottest: number }

type Item = Record<string, unknown>
type Request = { PutRequest?: { Item: Item }; DeleteRequest?: { Key: Item } }
type Write = { Put?: { Item: Item }; Update?: { Key: Item }; Delete?: { Key: Item } }
type Input = { Item?: Item; Key?: Item; RequestItems?: Record<string, Request[]>; TransactItems?: Write[] }

/**
 * Runs work on a table of limited capacity, which throttles as DynamoDB does: single writes fail, batches return unprocessed items,
 * transactions are cancelled. The emulator reports the units of each write on the table and on each index. The keys come from the
 * request. The token bucket of a key holds the units of one second, and one request may overdraw it.
 */
export async function withCapacity(capacity: Capacity, work: () => Promise<void>): Promise<Spent> {
  const { db } = await import('../../lib/engines/table/client.ts')
  const buckets = new Map<string, { left: number; at: number }>()
  const spent: Spent = { units: new Map(), throttled: 0, hottest: 0 }
  const perSecond = new Map<string, number>()
  const bucket = (name: string, most: number) => {
    const at = performance.now()
    const it = buckets.get(name) ?? { left: most, at }
    it.left = Math.min(most, it.left + ((at - it.at) / 1000) * most)
    it.at = at
    buckets.set(name, it)
    return it
  }
  const take = (name: string, most: number, units: number) => {
    bucket(name, most).left -= units
  }
  db.middlewareStack.add(
    (next, context) => async (args) => {
      const isWrite = /^(Put|Update|Delete|BatchWrite|TransactWrite)/.test(String(context.commandName))
      const items = isWrite ? writtenItems(args.input as Input) : []
      if (items.length === 0) return next(args)
      const keys = items.flatMap(keysOf)
      const full =
        bucket('table', capacity.total).left <= 0 || keys.some((each) => bucket(each.name, capacity.key).left <= 0)
      if (full) {
        spent.throttled += 1
        return refused(String(context.commandName), args.input as Input)
      }
      for (const { name, units } of keys) {
        take(name, capacity.key, units)
        const second = `${name} ${Math.floor(performance.now() / 1000)}`
        perSecond.set(second, (perSecond.get(second) ?? 0) + units)
        spent.hottest = Math.max(spent.hottest, perSecond.get(second) ?? 0)
      }
      const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'INDEXES' } } as typeof args)
      for (const [where, units] of consumedIn(result.output)) {
        spent.units.set(where, (spent.units.get(where) ?? 0) + units)
        take(where, capacity.total, units)
      }
      return result
    },
    { step: 'initialize', name: 'capacity', priority: 'low' },
  )
  try {
    await work()
  } finally {
    db.middlewareStack.remove('capacity')
  }
  return spent
}

/** The items that a request writes, or their keys if it deletes them. */
function writtenItems({ Item, Key, RequestItems = {}, TransactItems = [] }: Input): Item[] {
  const batch = Object.values(RequestItems).flat()
  return [
    ...[Item ?? Key].filter((it) => it !== undefined),
    ...batch.map((it) => it.PutRequest?.Item ?? it.DeleteRequest?.Key ?? {}),
    ...TransactItems.map((it) => it.Put?.Item ?? it.Update?.Key ?? it.Delete?.Key ?? {}),
  ]
}

const unitsOf = (item: Item) => Math.max(1, Math.ceil(Buffer.byteLength(JSON.stringify(item)) / 1024))

/** The keys of an item in the table and in the indexes. */
function keysOf(item: Item): { name: string; units: number }[] {
  const units = unitsOf(item)
  const indexes = Object.entries(item).filter(([name]) => /^gsi\d_pk$/.test(name))
  return [['pk', item.pk] as const, ...indexes].map(([name, value]) => ({ name: `${name} ${value}`, units }))
}

type Consumed = {
  CapacityUnits?: number
  Table?: { CapacityUnits?: number }
  GlobalSecondaryIndexes?: Record<string, { CapacityUnits?: number }>
}

function consumedIn(output: object): [string, number][] {
  const { ConsumedCapacity }: { ConsumedCapacity?: Consumed | Consumed[] } = output
  return [ConsumedCapacity ?? []]
    .flat()
    .flatMap((it) => [
      ['table', it.Table?.CapacityUnits ?? it.CapacityUnits ?? 0] as [string, number],
      ...Object.entries(it.GlobalSecondaryIndexes ?? {}).map(([name, { CapacityUnits = 0 }]): [string, number] => [
        name,
        CapacityUnits,
      ]),
    ])
}

const about = { message: 'The level of configured provisioned throughput was exceeded.', $metadata: {} }

/** The error of DynamoDB for a throttled request. */
function refused(
  command: string,
  { RequestItems, TransactItems }: Input,
): never | { response: unknown; output: never } {
  if (command === 'TransactWriteItemsCommand' || TransactItems)
    throw new TransactionCanceledException({
      ...about,
      CancellationReasons: (TransactItems ?? []).map(() => ({ Code: 'ThrottlingError' })),
    })
  if (RequestItems) return { response: {}, output: { UnprocessedItems: RequestItems, $metadata: {} } as never }
  throw new ProvisionedThroughputExceededException(about)
}
