import { GetCommand, QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb'
import type * as v from 'valibot'
import { db, TableName } from './client.ts'
import { isCount, SHARDS } from './counters.ts'
import { type ItemType, parse } from './item.ts'
import { keepRead, keptAt } from './kept.ts'
import { type IndexName, type Key, key, keyOf, place } from './keys.ts'
import { withPending } from './pending.ts'
import { projectionOf } from './projection.ts'
import { rawMany, resolveStaged, resolveStagedInIndex } from './two-phase/staged.ts'

export type Stored = Record<string, unknown>

/** One item by its id, strongly consistent; undefined if absent. */
export async function get<Id, S extends v.GenericSchema<unknown, { version: number }>>(
  item: ItemType<Id, S>,
  id: Id,
): Promise<v.InferOutput<S> | undefined> {
  const at = item.key(id)
  const { Item } = await db.send(new GetCommand({ TableName, Key: at, ConsistentRead: true }))
  const [shown] = await resolveStaged(Item ? [Item] : [])
  const now = withPending([at], new Map(shown && [[place(at), shown]])).get(place(at))
  return now && parse(item, now)
}

/**
 * The items under these keys, by `pk sk`, with one call for each 100. Absent items are left out. With `members` only these are read, so
 * counters have no sizes.
 */
export async function getMany(
  keys: readonly Key[],
  consistent = false,
  members?: readonly string[],
): Promise<Map<string, Stored>> {
  const known = consistent ? [] : keptAmong(keys)
  const asked = known.length === 0 ? keys : keys.filter((at) => !keptAt(place(at)))
  const found = await rawMany(asked, consistent, members)
  const resolved = [...known, ...(await resolveStaged([...found.values()]))]
  return withPending(keys, new Map(resolved.map((item) => [place(keyOf(item)), item])))
}

const keptAmong = (keys: readonly Key[]): Stored[] =>
  keys.map((at) => keptAt(place(at))).filter((it) => it !== undefined)

/** As a consistent `getMany`. What it reads is kept for the rest of the request, until the request writes. */
export async function getManyOnce(keys: readonly Key[]): Promise<Map<string, Stored>> {
  const found = await getMany(keys, true)
  keepRead(found)
  return found
}

/** An item that `getManyOnce` has read in the present request; undefined after the request has written. */
export const onceRead = (at: Key): Stored | undefined => keptAt(place(at))

/** The stored item under a key, among the results of `getMany`. */
export const itemAt = (found: ReadonlyMap<string, Stored>, at: Key): Stored | undefined => found.get(place(at))

/** The item with this id, parsed, among the results of `getMany`. */
export function itemIn<Id, S extends v.GenericSchema<unknown, { version: number }>>(
  found: ReadonlyMap<string, Stored>,
  item: ItemType<Id, S>,
  id: Id,
): v.InferOutput<S> | undefined {
  const stored = itemAt(found, item.key(id))
  return stored && parse(item, stored)
}

/** All items of a partition whose sort key begins with `prefix`, strongly consistent. For partitions of limited size, such as a record. */
export const queryAll = (pk: string, prefix: string, forward = true): Promise<Stored[]> =>
  pages({ ...beginning(pk, prefix), ScanIndexForward: forward, ConsistentRead: true })

/** All items of a partition with a sort key between two texts, both included, strongly consistent. For partitions of limited size. */
export const queryAllBetween = (pk: string, from: string, to: string): Promise<Stored[]> =>
  pages({ ...between(pk, from, to), ConsistentRead: true })

/** The first `limit` items with a sort key between two texts, both included, strongly consistent. One call. */
export async function queryBetween(pk: string, from: string, to: string, limit: number): Promise<Stored[]> {
  const query = { TableName, ...between(pk, from, to), Limit: limit, ConsistentRead: true }
  const { Items } = await db.send(new QueryCommand(query))
  return resolveStaged(Items ?? [])
}

/**
 * The first items of a partition after a sort key, up to 1 MB, and whether more follow. One call, strongly consistent. The items keep the
 * marks of two-phase commits.
 */
export async function queryBeyond(pk: string, sk: string): Promise<{ items: Stored[]; more: boolean }> {
  const { Items, LastEvaluatedKey } = await db.send(
    new QueryCommand({
      TableName,
      KeyConditionExpression: 'pk = :pk AND sk > :sk',
      ExpressionAttributeValues: { ':pk': pk, ':sk': sk },
      ConsistentRead: true,
    }),
  )
  return { items: Items ?? [], more: LastEvaluatedKey !== undefined }
}

export type Span = {
  pk: string
  prefix?: string
  forward: boolean
  limit: number
  /** Only items beyond this sort key, in the direction of the walk. */
  beyond?: string | undefined
  /** Strongly consistent unless false. */
  consistent?: boolean
}

/** The next items of one partition of the table whose sort key begins with `prefix`: `limit` of them, or all that are left. */
export const walkTable = ({ pk, prefix = '', forward, limit, beyond, consistent = true }: Span): Promise<Stored[]> =>
  pages(
    {
      ...beginning(pk, prefix),
      ScanIndexForward: forward,
      ConsistentRead: consistent,
      ...(beyond !== undefined && { ExclusiveStartKey: { pk, sk: beyond } }),
    },
    limit,
  )

/** The sort key of the nth item of a partition, from 1, or of the last item if it has fewer. Reads up to 1 MB a call, eventually consistent. */
export async function nthKey({ pk, forward, beyond }: Pick<Span, 'pk' | 'forward' | 'beyond'>, nth: number) {
  let last = beyond
  for (let left = nth; left > 0; ) {
    const { Items = [], LastEvaluatedKey } = await db.send(
      new QueryCommand({
        TableName,
        ...beginning(pk, ''),
        ProjectionExpression: 'sk',
        ScanIndexForward: forward,
        Limit: left,
        ...(last !== undefined && { ExclusiveStartKey: { pk, sk: last } }),
      }),
    )
    left -= Items.length
    last = Items.at(-1)?.sk ?? last
    if (!LastEvaluatedKey) break
  }
  return last
}

type Query = Omit<QueryCommandInput, 'TableName' | 'IndexName' | 'Limit'>

/** The items of a query, page by page: `limit` of them, or all. */
async function pages(query: Query, limit?: number): Promise<Stored[]> {
  const items: Stored[] = []
  let { ExclusiveStartKey } = query
  do {
    const Limit = limit && limit - items.length
    const page = await db.send(new QueryCommand({ TableName, ...query, Limit, ExclusiveStartKey }))
    items.push(...(await resolveStaged(page.Items ?? [])))
    ExclusiveStartKey = page.LastEvaluatedKey
  } while (ExclusiveStartKey && (limit === undefined || items.length < limit))
  return items
}

/** DynamoDB refuses to compare a key with an empty text. */
const beginning = (pk: string, prefix: string) =>
  prefix === ''
    ? { KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': pk } }
    : {
        KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
        ExpressionAttributeValues: { ':pk': pk, ':prefix': prefix },
      }

const between = (pk: string, from: string, to: string) => ({
  KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
  ExpressionAttributeValues: { ':pk': pk, ':from': from, ':to': to },
})

export type Walk = {
  index: IndexName
  pk: string
  forward: boolean
  limit: number
  /** Only items beyond this sort key, in the direction of the walk. */
  beyond?: string | undefined
  /** Only items whose attributes have these values. */
  only?: Readonly<Record<string, string | boolean>> | undefined
  /** Only items whose member `has[0]` has a member `has[1]`. */
  has?: readonly [member: string, of: string] | undefined
  /** Only these members of the items are read. */
  members?: readonly string[] | undefined
}

/**
 * The next items of one index partition. If a filter leaves the page short, more calls read up to 1,000 items each. They end when the page
 * is full or `budget` calls are spent.
 */
export async function walk(
  { index, pk, forward, limit, beyond, only = {}, has, members }: Walk,
  budget = 100,
): Promise<Stored[]> {
  const filters = [
    ...Object.keys(only).map((_, i) => `#only${i} = :only${i}`),
    ...(has ? ['attribute_exists(#has0.#has1)'] : []),
  ]
  const shown = members && projectionOf(members)
  const query: QueryCommandInput = {
    TableName,
    IndexName: index,
    KeyConditionExpression: `#pk = :pk${beyond === undefined ? '' : ` AND #sk ${forward ? '>' : '<'} :beyond`}`,
    ...(filters.length > 0 && { FilterExpression: filters.join(' AND ') }),
    ...(shown && { ProjectionExpression: `${shown.ProjectionExpression},#sk` }),
    ExpressionAttributeNames: {
      ...shown?.ExpressionAttributeNames,
      '#pk': `${index}_pk`,
      ...((shown || beyond !== undefined) && { '#sk': `${index}_sk` }),
      ...Object.fromEntries(Object.keys(only).map((name, i) => [`#only${i}`, name])),
      ...Object.fromEntries((has ?? []).map((name, i) => [`#has${i}`, name])),
    },
    ExpressionAttributeValues: {
      ':pk': pk,
      ...(beyond !== undefined && { ':beyond': beyond }),
      ...Object.fromEntries(Object.values(only).map((value, i) => [`:only${i}`, value])),
    },
    ScanIndexForward: forward,
  }
  const items: Stored[] = []
  const seen = new Set<string>()
  let passed = 0
  for (let calls = 0; calls < budget && items.length < limit; calls += 1) {
    // During a two-phase commit many items may be skipped, so further calls read large pages.
    const Limit = passed === 0 && (filters.length === 0 || calls === 0) ? limit - items.length : MOST_PASSED
    const { Items = [], LastEvaluatedKey } = await db.send(new QueryCommand({ ...query, Limit }))
    const seenNow = await resolveStagedInIndex(Items, seen)
    items.push(...seenNow)
    passed = Items.length - seenNow.length
    if (passed > 0) calls -= 1
    query.ExclusiveStartKey = LastEvaluatedKey
    if (!LastEvaluatedKey) break
  }
  return items.slice(0, limit)
}

const MOST_PASSED = 1000

/** The sizes of all lists in a group with several items: by sort key, then by list. */
export async function sizesOfParts(group: string): Promise<Map<string, Map<string, number>>> {
  const shards = Array.from({ length: SHARDS }, (_, shard) => queryAll(key.count(group, shard).pk, ''))
  const sizes = new Map<string, Map<string, number>>()
  for (const it of (await Promise.all(shards)).flat()) {
    const own = sizes.get(String(it.sk)) ?? new Map<string, number>()
    addCounts(own, it)
    sizes.set(String(it.sk), own)
  }
  return sizes
}

/** The sizes of all lists in a group with one item, by list. */
export async function sizesOfGroup(group: string): Promise<Map<string, number>> {
  const shards = Array.from({ length: SHARDS }, (_, shard) => key.count(group, shard))
  const sizes = new Map<string, number>()
  for (const it of (await getMany(shards, true)).values()) addCounts(sizes, it)
  return sizes
}

function addCounts(sizes: Map<string, number>, item: Stored): void {
  for (const [name, n] of Object.entries(item).filter(([name]) => isCount(name)))
    sizes.set(name.slice(1), (sizes.get(name.slice(1)) ?? 0) + Number(n))
}

/** Fails if the table does not answer. */
export async function ping(): Promise<void> {
  await db.send(new GetCommand({ TableName, Key: key.sequence('ping') }))
}
