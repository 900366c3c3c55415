import * as v from 'valibot'
import type { Problem } from '../../base/errors.ts'
import { TableName } from './client.ts'
import type { Entry, Write } from './item.ts'
import { type Key, keyOf, place } from './keys.ts'

// A register is an item that counts what is entered under its key. To close it, a caller gives the count that it has read. If the count has
// changed, the write fails. So nothing is entered between the read and the closing, nor afterwards.

const Register = v.object({
  entries: v.optional(v.number(), 0),
  /** The first names that were entered. The register holds them itself, so these entries need no other item. */
  held: v.optional(v.set(v.string()), new Set<string>()),
  /** The names that the last transaction entered and the register does not hold. A query may see the register before their items. */
  latest: v.optional(v.array(v.string()), []),
})
type Register = v.InferOutput<typeof Register>

/** The number of names, more or less, that a register holds itself. With ids as names it stays within 1 KB, the unit of a write. */
const MOST_HELD = 20

/** A register as it is stored; an empty one if there is none. */
export const readRegister = (stored: unknown): Register => v.parse(Register, stored ?? {})

/**
 * Whether a register is full. Then each further name gets an item of its own. Two requests that read the register at once may both add a
 * name, so it can hold a few more than `MOST_HELD`. That does no harm: the limit only keeps the item small.
 */
export const isFull = ({ held }: Register): boolean => held.size >= MOST_HELD

/**
 * The write that enters `name` in a register. The transaction fails with `otherwise` if the register is closed. `isHeld`: the
 * register holds the name itself. Entries of one transaction to the same register are one action.
 */
export const enter = (at: Key, name: string, isHeld: boolean, otherwise: () => Problem): Write =>
  entryOf(at, [{ name, isHeld }], otherwise)

function entryOf(Key: Key, entries: readonly Entry[], otherwise: Write['otherwise']): Write {
  const [held, beside] = [true, false].map((is) => entries.flatMap(({ name, isHeld }) => (isHeld === is ? [name] : [])))
  const latest = beside?.length ? { ':latest': beside } : undefined
  const holds = held?.length ? { ':held': new Set(held) } : undefined
  return {
    action: {
      Update: {
        TableName,
        Key,
        UpdateExpression: `ADD #entries :more${holds ? ', #held :held' : ''} SET #type = :type${latest ? ', #latest = :latest' : ''}`,
        ConditionExpression: 'attribute_not_exists(#closed)',
        ExpressionAttributeNames: {
          ...{ '#entries': 'entries', '#type': 'type', '#closed': 'closed' },
          ...(holds && { '#held': 'held' }),
          ...(latest && { '#latest': 'latest' }),
        },
        ExpressionAttributeValues: { ':more': entries.length, ':type': 'register', ...holds, ...latest },
      },
    },
    counts: {},
    otherwise,
    enters: entries,
  }
}

/** The write that closes a register, if nothing was entered since the register was read. */
export const closeRegister = (Key: Key, { entries }: Register): Write => ({
  action: {
    Update: {
      TableName,
      Key,
      UpdateExpression: 'SET #closed = :closed, #type = :type',
      ...(entries === 0
        ? { ConditionExpression: 'attribute_not_exists(#entries)' }
        : { ConditionExpression: '#entries = :seen' }),
      ExpressionAttributeNames: { '#entries': 'entries', '#closed': 'closed', '#type': 'type' },
      ExpressionAttributeValues: {
        ':closed': true,
        ':type': 'register',
        ...(entries > 0 && { ':seen': entries }),
      },
    },
  },
  counts: {},
})

/** The write that opens a register again, whether it is closed or not. */
export const openRegister = (Key: Key): Write => ({
  action: {
    Update: {
      TableName,
      Key,
      UpdateExpression: 'SET #type = :type REMOVE #closed',
      ExpressionAttributeNames: { '#closed': 'closed', '#type': 'type' },
      ExpressionAttributeValues: { ':type': 'register' },
    },
  },
  counts: {},
})

/** The key of the register in which a write enters something; undefined for any other write. */
const registerOf = ({ enters, action }: Write): string | undefined => enters && place(keyOf(action.Update?.Key ?? {}))

/** The writes of a transaction, with one write for all entries to the same register. The others keep their order. */
export function joinEntries(writes: readonly Write[]): readonly Write[] {
  if (!writes.some(({ enters }) => enters)) return writes
  const byRegister = Map.groupBy(writes, registerOf)
  return writes.flatMap((write) => {
    const register = registerOf(write)
    if (register === undefined) return [write]
    const entries = byRegister.get(register) ?? []
    if (entries[0] !== write) return []
    const all = entries.flatMap(({ enters = [] }) => enters)
    return [entries.length === 1 ? write : entryOf(keyOf(write.action.Update?.Key ?? {}), all, write.otherwise)]
  })
}
