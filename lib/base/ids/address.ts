import { hash } from 'node:crypto'

/**
 * Ids that carry their address. A record's review identity and everything that lives in its partition (assertions,
 * revisions, activities, decisions, flags) are UUIDs of version 8 (RFC 9562: 48 + 12 + 62 bits of our own):
 *
 * - record: 8 bits kind code, 40 bits sequence number; then 74 bits of a digest of both
 * - child: the same 48 bits; then 42 bits milliseconds, 12 bits counter, 20 bits chance
 *
 * So (kind, number) gives the partition, and so does the id of anything in it: no lookup, no index, no stale read.
 * The ids of one partition sort by time (until the year 2109).
 */

/** The review identity of the `sequence`-th record of a kind; the same two always give the same id. */
export function recordId(kindCode: number, sequence: number): string {
  const digest = hash('sha256', `${kindCode}/${sequence}`)
  return layOut((BigInt(kindCode) << 40n) | BigInt(sequence), BigInt(`0x${digest}`) & ALL_74)
}

/** The record named by the id of anything in its partition (or by its own); undefined for other UUIDs. */
export function addressOf(id: string): { kindCode: number; sequence: number; record: string } | undefined {
  if (!/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id)) return undefined
  const kindCode = Number.parseInt(id.slice(0, 2), 16)
  const sequence = Number.parseInt(id.slice(2, 8) + id.slice(9, 13), 16)
  return { kindCode, sequence, record: recordId(kindCode, sequence) }
}

/** The id of a new thing in a record's partition: sorts after those made before it. `chance` is below 2^20. */
export function childId(record: string, milliseconds: number, counter: number, chance: number): string {
  const prefix = BigInt(`0x${record.slice(0, 8)}${record.slice(9, 13)}`)
  return layOut(prefix, (BigInt(milliseconds) << 32n) | (BigInt(counter & 0xfff) << 20n) | BigInt(chance))
}

/**
 * Things that are made together may lie together in a pack. Their ids differ in the counter alone. So each id tells its
 * pack, and its place in it.
 */
export const packOf = (id: string): string => `${id.slice(0, -8)}${id.slice(-5)}`
export const placeInPack = (id: string): number => Number.parseInt(id.slice(-8, -5), 16)
/** The id of the thing at this place of a pack. */
export const packedId = (pack: string, at: number): string =>
  `${pack.slice(0, -5)}${at.toString(16).padStart(3, '0')}${pack.slice(-5)}`

/** When the thing with this child's id was made, as ISO 8601; undefined for an id that tells no time. */
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
