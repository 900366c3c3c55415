import { isDeepStrictEqual } from 'node:util'
import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import type { Problem } from '../../base/errors.ts'
import { TableName } from './client.ts'
import type { IndexName, Key } from './keys.ts'
import { pickMembers, shapeOf } from './shape.ts'

type Action = NonNullable<TransactWriteCommandInput['TransactItems']>[number]

/** A name that is entered in a register, and whether the register holds it itself. */
export type Entry = { name: string; isHeld: boolean }

/** A write as a value: nothing is stored until a commit. `otherwise` makes the error if its condition fails. */
export type Write = {
  action: Action
  counts: Readonly<Record<string, number>>
  otherwise?: (() => Problem) | undefined
  /** Readers find the item only through another one, so it may be deleted some seconds later. */
  mayLag?: boolean
  /** The type of the item. The cache uses it to find the answers that become stale. */
  type?: string
  /** What the write enters in a register; see register.ts. */
  enters?: readonly Entry[]
  /** Makes the stored form of the item that is replaced or deleted. Absent for a new item. */
  replaces?: (() => Record<string, unknown>) | undefined
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
  /** Stores an item in fewer bytes: `pack` makes what is stored, `unpack` makes the value again. */
  packing?: {
    pack: (value: v.InferOutput<S>) => object
    unpack: (stored: Readonly<Record<string, unknown>>) => object
  }
  /**
   * Seconds since 1970 after which DynamoDB may delete the item, up to days later. So a reader that must hide expired items compares the
   * time.
   */
  expires?: (value: v.InferOutput<S>) => number | undefined
}

/** Declares an item type: its schema, key, index membership and counts. */
// prove: item-types
export function defineItem<Id, S extends Schema>(item: ItemType<Id, S>): ItemType<Id, S> {
  if (item.counted) counted.set(item.type, (stored) => item.counted?.(parse(item, stored)) ?? [])
  return item
}

const counted = new Map<string, (stored: unknown) => readonly string[]>()
/** The declared item types that count in lists. */
export const countedTypes = (): string[] => [...counted.keys()]
/** The lists in which a stored item of this type counts. */
export const listsWith = (type: string, stored: unknown): readonly string[] => counted.get(type)?.(stored) ?? []

/** The value of a stored item. An item of the present shape is not validated again. An older one gets the schema's defaults, or fails. */
export const parse = <Id, S extends Schema>(item: ItemType<Id, S>, stored: unknown): v.InferOutput<S> =>
  read(item.schema, item, item.packing ? item.packing.unpack(Object(stored)) : stored)

/** As `parse`, with another schema, for callers that read only some members of items of this type. */
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

/** The attributes that the table adds to the members of a value: keys, type and shape. */
const tableAttributes = <Id, S extends Schema>(item: ItemType<Id, S>, value: v.InferOutput<S> & Id) => ({
  ...attributes(item, value),
  ...item.key(value),
  type: item.type,
  shape: shapeOf(item.schema).mark,
})

/** The write of `next`. Its condition: the item is absent if `old` is undefined, else it has the version of `old`. */
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
        Item: { ...(item.packing?.pack(next) ?? next), ...tableAttributes(item, next) },
        // prove: put-condition
        ...(old ? over(old) : { ConditionExpression: 'attribute_not_exists(pk)' }),
      },
    },
    counts: difference(old ? item.counted?.(old) : [], item.counted?.(next)),
    otherwise,
    type: item.type,
    replaces: old && (() => storedForm(item, old)),
  }
}

/** A value as it is stored, without its keys. */
const storedForm = <Id, S extends Schema>(item: ItemType<Id, S>, value: v.InferOutput<S>): Record<string, unknown> => ({
  ...(item.packing?.pack(value) ?? value),
  type: item.type,
  shape: shapeOf(item.schema).mark,
})

/** The write of an item without a condition, over whatever is under its key. It changes no counts. */
export const putAlways = <Id, S extends Schema>(item: ItemType<Id, S>, value: v.InferOutput<S> & Id): Write => ({
  action: { Put: { TableName, Item: { ...value, ...tableAttributes(item, value) } } },
  counts: {},
})

/**
 * Writes that replace a derived item. They have no condition. Commit them with the item from which it derives: the version of that item
 * guards both.
 */
export function replaceDerived<Id, S extends Schema>(
  item: ItemType<Id, S>,
  old: (v.InferOutput<S> & Id) | undefined,
  next: (v.InferOutput<S> & Id) | undefined,
): Write[] {
  const counts = difference(old ? item.counted?.(old) : [], next ? item.counted?.(next) : [])
  if (next) return [{ ...putAlways(item, next), counts }]
  return old ? [{ action: { Delete: { TableName, Key: item.key(old) } }, counts }] : []
}

/** The write that deletes an item, if it has the version of `old`. */
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
    replaces: () => storedForm(item, old),
  }
}

/** The write of an entry in an index of our own (names, grid cells). It has no condition: the version of the record guards it. */
export const putEntry = (key: Key, entry: object): Write => ({
  action: { Put: { TableName, Item: { ...entry, ...key, type: 'entry' } } },
  counts: {},
})
/** A condition without a write: the item still has this version. For plans that were made from that version. */
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

/** The write of an entry that counts in a list. It fails if the entry exists, so a repeated effect counts once. */
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

/** The write that adds to several numbers of an item. An absent item begins at zero. */
export const addNumbers = (Key: Key, numbers: Readonly<Record<string, number>>): Write => ({
  action: { Update: { TableName, Key, ...addExpression(numbers) } },
  counts: {},
})

/** The update expression that adds to numbers and sets `others`. */
export function addExpression(
  numbers: Readonly<Record<string, number>>,
  others: Readonly<Record<string, number>> = {},
) {
  const added = Object.entries(numbers).map(([name, by], i) => ({ name, to: by, at: `#n${i}`, value: `:n${i}` }))
  const set = Object.entries(others).map(([name, to], i) => ({ name, to, at: `#s${i}`, value: `:s${i}` }))
  const adds = added.length > 0 ? [`ADD ${added.map(({ at, value }) => `${at} ${value}`).join(', ')}`] : []
  const sets = set.length > 0 ? [`SET ${set.map(({ at, value }) => `${at} = ${value}`).join(', ')}`] : []
  const all = [...added, ...set]
  return {
    UpdateExpression: [...adds, ...sets].join(' '),
    ExpressionAttributeNames: Object.fromEntries(all.map(({ at, name }) => [at, name])),
    ExpressionAttributeValues: Object.fromEntries(all.map(({ value, to }) => [value, to])),
  }
}

/** A stored value with changes and the next version. */
export const withNextVersion = <T extends { version: number }>(old: T, changes: Partial<T>): T => ({
  ...old,
  ...changes,
  version: old.version + 1,
})

/** Whether a value has all of these members already, so that no write is needed. The order of members does not matter. */
export const says = <T extends object>(old: T, changes: Partial<T>): boolean =>
  Object.entries(changes).every(([name, value]) => isDeepStrictEqual(value, (old as Record<string, unknown>)[name]))

// Staging raises the version of an item. So this condition also refuses other writers while a two-phase commit is open; see two-phase/.
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
