import { isDeepStrictEqual } from 'node:util'
import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import type { Problem } from '../../base/errors.ts'
import { TableName } from './client.ts'
import type { IndexName, Key } from './keys.ts'
import { pickMembers, shapeOf } from './shape.ts'

type Action = NonNullable<TransactWriteCommandInput['TransactItems']>[number]

/** A change as a value: nothing happens until `transact`. `otherwise` is thrown when its condition fails. */
export type Write = {
  action: Action
  counts: Readonly<Record<string, number>>
  otherwise?: (() => Problem) | undefined
  /** Readers of the item look at what it follows: it may go some seconds after that. */
  mayLag?: boolean
  /** The type of the item, where that matters after the commit. */
  type?: string
}

type Schema = v.GenericSchema<unknown, { version: number }>
export type ItemType<Id, S extends Schema> = {
  type: string
  schema: S
  key: (id: Id) => Key
  /** The indexes an item is in. Computed from the item at each put, so they cannot drift from it. */
  indexes?: (value: v.InferOutput<S>) => Partial<Record<IndexName, Key>>
  /** The lists whose exact size includes this item. */
  counted?: (value: v.InferOutput<S>) => readonly string[]
  /** How an item is stored in fewer bytes than its members take: what is written of a value, and the value of what was read. */
  packing?: {
    pack: (value: v.InferOutput<S>) => object
    unpack: (stored: Readonly<Record<string, unknown>>) => object
  }
  /** Seconds since 1970 after which the table may drop the item; readers compare it themselves. */
  expires?: (value: v.InferOutput<S>) => number | undefined
}

/** Declares an item type: its schema, key, index membership and counts. */
// prove: item-types
export function defineItem<Id, S extends Schema>(item: ItemType<Id, S>): ItemType<Id, S> {
  if (item.counted) counted.set(item.type, (stored) => item.counted?.(parse(item, stored)) ?? [])
  return item
}

const counted = new Map<string, (stored: unknown) => readonly string[]>()
/** The types of items whose lists have an exact size, of those that are declared by now. */
export const countedTypes = (): string[] => [...counted.keys()]
/** The lists whose exact size includes a stored item of that type. */
export const listsWith = (type: string, stored: unknown): readonly string[] => counted.get(type)?.(stored) ?? []

/** A stored item as its type says. An older shape is completed by the schema's defaults, or fails; one of today is taken as it is. */
export const parse = <Id, S extends Schema>(item: ItemType<Id, S>, stored: unknown): v.InferOutput<S> =>
  read(item.schema, item, item.packing ? item.packing.unpack(Object(stored)) : stored)

/** As `parse`, for those who need, and may have read, only what another schema says of items of this type. */
export function read<S extends v.GenericSchema>(
  wanted: S,
  { schema }: { schema: Schema },
  stored: unknown,
): v.InferOutput<S> {
  const { mark } = shapeOf(schema)
  const { shape } = Object(stored)
  if (mark === undefined || shape !== mark) return v.parse(wanted, stored)
  return pickMembers(shapeOf(wanted), Object(stored))
}

/** What is written of a value besides its own members: where it lies, what it is, and of which shape. */
const placed = <Id, S extends Schema>(item: ItemType<Id, S>, value: v.InferOutput<S> & Id) => ({
  ...attributes(item, value),
  ...item.key(value),
  type: item.type,
  shape: shapeOf(item.schema).mark,
})

/** Writes `next`: on absence when `old` is undefined, else over exactly the version that was read. */
export function put<Id, S extends Schema>(
  item: ItemType<Id, S>,
  next: v.InferOutput<S> & Id,
  old: v.InferOutput<S> | undefined,
  otherwise?: () => Problem,
): Write {
  return {
    action: {
      Put: {
        TableName,
        Item: { ...(item.packing?.pack(next) ?? next), ...placed(item, next) },
        // prove: put-condition
        ...(old ? over(old) : { ConditionExpression: 'attribute_not_exists(pk)' }),
      },
    },
    counts: difference(old ? item.counted?.(old) : [], item.counted?.(next)),
    otherwise,
    type: item.type,
  }
}

/** Writes an item whatever was there: for copies that one projector keeps. */
export const putAlways = <Id, S extends Schema>(item: ItemType<Id, S>, value: v.InferOutput<S> & Id): Write => ({
  action: { Put: { TableName, Item: { ...value, ...placed(item, value) } } },
  counts: {},
})

/** Moves an item that follows another one from one value to the next, whatever was there: the version of the other guards it. */
export function replaceDerived<Id, S extends Schema>(
  item: ItemType<Id, S>,
  old: (v.InferOutput<S> & Id) | undefined,
  next: (v.InferOutput<S> & Id) | undefined,
): Write[] {
  const counts = difference(old ? item.counted?.(old) : [], next ? item.counted?.(next) : [])
  if (next) return [{ ...putAlways(item, next), counts }]
  return old ? [{ action: { Delete: { TableName, Key: item.key(old) } }, counts }] : []
}

/** Removes exactly the version that was read. */
export function remove<Id, S extends Schema>(
  item: ItemType<Id, S>,
  old: v.InferOutput<S> & Id,
  otherwise?: () => Problem,
): Write {
  return {
    action: {
      Delete: {
        TableName,
        Key: item.key(old),
        // prove: remove-condition
        ...over(old),
      },
    },
    counts: difference(item.counted?.(old), []),
    otherwise,
    type: item.type,
  }
}

/** Entries of our own indexes (names, grid cells): put or removed whatever was there, since the head's version guards them. */
export const putEntry = (key: Key, entry: object): Write => ({
  action: { Put: { TableName, Item: { ...entry, ...key, type: 'entry' } } },
  counts: {},
})
/** Writes nothing, and fails where an item is no longer at this version: what was made from it would be of yesterday. */
export const checkVersion = (Key: Key, version: number): Write => ({
  action: {
    ConditionCheck: {
      TableName,
      Key,
      ConditionExpression: 'version = :version',
      ExpressionAttributeValues: { ':version': version },
    },
  },
  counts: {},
})
export const removeEntry = (key: Key): Write => ({ action: { Delete: { TableName, Key: key } }, counts: {} })

/** Entries that are counted: put on absence, removed on presence, so that a repeated effect counts once. */
export const addCounted = (key: Key, entry: object, list: string): Write => ({
  action: {
    Put: {
      TableName,
      Item: { ...entry, ...key, type: 'entry' },
      // prove: add-counted-condition
      ConditionExpression: 'attribute_not_exists(pk)',
    },
  },
  counts: { [list]: 1 },
})
export const removeCounted = (key: Key, list: string): Write => ({
  action: {
    Delete: {
      TableName,
      Key: key,
      // prove: remove-counted-condition
      ConditionExpression: 'attribute_exists(pk)',
    },
  },
  counts: { [list]: -1 },
})

/** Adds to several numbers of one item, which begins with them where there is none. */
export const addNumbers = (Key: Key, numbers: Readonly<Record<string, number>>): Write => ({
  action: { Update: { TableName, Key, ...addExpression(numbers) } },
  counts: {},
})

/** How an update says it; `others` are set, whatever they were. */
export function addExpression(
  numbers: Readonly<Record<string, number>>,
  others: Readonly<Record<string, number>> = {},
) {
  const added = Object.entries(numbers).map(([name, by], i) => ({ name, to: by, at: `#n${i}`, value: `:n${i}` }))
  const set = Object.entries(others).map(([name, to], i) => ({ name, to, at: `#s${i}`, value: `:s${i}` }))
  const adds = `ADD ${added.map(({ at, value }) => `${at} ${value}`).join(', ')}`
  const sets = set.length > 0 ? ` SET ${set.map(({ at, value }) => `${at} = ${value}`).join(', ')}` : ''
  const all = [...added, ...set]
  return {
    UpdateExpression: adds + sets,
    ExpressionAttributeNames: Object.fromEntries(all.map(({ at, name }) => [at, name])),
    ExpressionAttributeValues: Object.fromEntries(all.map(({ value, to }) => [value, to])),
  }
}

/** The next version of a stored value. */
export const withNextVersion = <T extends { version: number }>(old: T, changes: Partial<T>): T => ({
  ...old,
  ...changes,
  version: old.version + 1,
})

/** Whether a value says already what is to change of it: then nothing is written. The table does not keep the order of members. */
export const says = <T extends object>(old: T, changes: Partial<T>): boolean =>
  Object.entries(changes).every(([name, value]) => isDeepStrictEqual(value, (old as Record<string, unknown>)[name]))

// This keeps writers off what a large transaction is at work on as well: there the version is raised already; see two-phase/.
const over = (old: { version: number }) => ({
  ConditionExpression: '#version = :version',
  ExpressionAttributeNames: { '#version': 'version' },
  ExpressionAttributeValues: { ':version': old.version },
})

function attributes<Id, S extends Schema>(item: ItemType<Id, S>, value: v.InferOutput<S>) {
  const members: Record<string, string | number> = {}
  for (const [index, at] of Object.entries(item.indexes?.(value) ?? {})) {
    members[`${index}_pk`] = at.pk
    members[`${index}_sk`] = at.sk
  }
  const expires = item.expires?.(value)
  return expires === undefined ? members : { ...members, expires_at: expires }
}

function difference(before: readonly string[] = [], after: readonly string[] = []): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const partition of before) counts[partition] = (counts[partition] ?? 0) - 1
  for (const partition of after) counts[partition] = (counts[partition] ?? 0) + 1
  return counts
}
