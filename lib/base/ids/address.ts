import { hash } from 'node:crypto'

/*
 * Ids that contain their address. A record's review identity is a UUID of version 8 (RFC 9562, with 48 + 12 + 62 bits for the service).
 * So are the ids of all items in its partition: claims, revisions, activities, decisions, flags.
 *
 * - record: 8 bits kind code, 40 bits sequence number, 74 bits of a digest of both
 * - child: the 48 bits of its record, 42 bits milliseconds, 12 bits counter, 20 random bits
 *
 * So kind and number give the partition, and so does the id of any item in it, without a lookup, an index or a stale read.
 * The ids of one partition sort by time (until the year 2109).
 */

/** The review identity of the `sequence`-th record of a kind. The same arguments always give the same id. */
export function recordId(kindCode: number, sequence: number): string {
  const digest = hash('sha256', `${kindCode}/${sequence}`)
  return layOut((BigInt(kindCode) << 40n) | BigInt(sequence), BigInt(`0x${digest}`) & ALL_74)
}

/** The record of an id: the review identity itself, or the id of an item in its partition. Undefined for other UUIDs. */
export function addressOf(id: string): { kindCode: number; sequence: number; record: string } | undefined {
  if (!/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id)) return undefined
  const kindCode = Number.parseInt(id.slice(0, 2), 16)
  const sequence = Number.parseInt(id.slice(2, 8) + id.slice(9, 13), 16)
  return { kindCode, sequence, record: recordId(kindCode, sequence) }
}

/**
 * The id of a new item in a record's partition. It sorts after all ids of earlier milliseconds. `chance` is a random number below 2^20.
 */
export function childId(record: string, milliseconds: number, counter: number, chance: number): string {
  const prefix = BigInt(`0x${record.slice(0, 8)}${record.slice(9, 13)}`)
  return layOut(prefix, (BigInt(milliseconds) << 32n) | (BigInt(counter & 0xfff) << 20n) | BigInt(chance))
}

/**
 * The pack of an id. Claims that are made together are stored as one pack. Their ids differ in the counter alone, so each id contains its
 * pack and its place in the pack.
 */
export const packOf = (id: string): string => `${id.slice(0, -8)}${id.slice(-5)}`
/** The place of an id in its pack: its counter, a number from 0 to 4,095. The first id of a pack may have any place. */
export const placeInPack = (id: string): number => Number.parseInt(id.slice(-8, -5), 16)
/** The id at a place of a pack. */
export const packedId = (pack: string, place: number): string =>
  `${pack.slice(0, -5)}${place.toString(16).padStart(3, '0')}${pack.slice(-5)}`

/**
 * The time at which an item with this id was made, as ISO 8601. Undefined for other UUIDs. Never pass the id of a record itself, which
 * holds no time.
 */
export function timeOf(id: string): string | undefined {
  if (!addressOf(id)) return undefined
  const rest = BigInt(`0x${id.slice(15, 18)}${id.slice(19, 23)}${id.slice(24)}`)
  const milliseconds = Number((((rest >> 64n) << 62n) | (rest & ((1n << 62n) - 1n))) >> 32n)
  return new Date(milliseconds).toISOString()
}

const ALL_74 = (1n << 74n) - 1n

function layOut(prefix: bigint, rest: bigint): string {
  const head = prefix.toString(16).padStart(12, '0')
  const middle = (0x8000n | (rest >> 62n)).toString(16)
  const tail = ((2n << 62n) | (rest & ((1n << 62n) - 1n))).toString(16)
  return `${head.slice(0, 8)}-${head.slice(8)}-${middle}-${tail.slice(0, 4)}-${tail.slice(4)}`
}
