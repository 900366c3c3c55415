import { gunzipSync, gzipSync } from 'node:zlib'
import * as v from 'valibot'
import { defineItem, put, type Write } from '../item.ts'
import { type Key, key, keyOf } from '../keys.ts'
import { get, queryAll } from '../read.ts'
import type { How } from './staged.ts'

/**
 * A part of a large transaction: what it touches is written down before it is touched, so that whoever comes after a
 * process that has ended can undo it, or put it in place. Part 0 holds the counters.
 */
export type Touched = Key & {
  how: Exclude<How, 'before'>
  /** Of what goes later: the version that does. */
  version?: number | undefined
}
export type Part = {
  id: string
  number: number
  touched: readonly Touched[]
  /** By list: what it adds to its size. */
  counts: Readonly<Record<string, number>>
}

const Stored = v.object({
  id: v.string(),
  number: v.number(),
  /** The keys that it touches, as packed JSON: ids are long, and much of them is the same. */
  touched: v.instance(Uint8Array),
  counts: v.record(v.string(), v.number()),
  version: v.number(),
})
const part = defineItem({
  type: 'large_part',
  schema: Stored,
  key: ({ id, number }: { id: string; number: number }) => key.largePart(id, number),
})
const Packed = v.array(
  v.tuple([v.string(), v.string(), v.picklist(['changed', 'new', 'gone', 'later']), v.nullish(v.number())]),
)

/** Where the counters are written down. */
export const COUNTERS = 0

export const keyOfPart = ({ id, number }: Pick<Part, 'id' | 'number'>): Key => key.largePart(id, number)

/** Writes down a part that is not there. */
export const newPart = ({ touched, ...it }: Part): Write => {
  const packed = gzipSync(JSON.stringify(touched.map(({ pk, sk, how, version }) => [pk, sk, how, version])))
  return put(part, { ...it, touched: packed, version: 1 }, undefined)
}

const partIn = ({ touched, ...it }: v.InferOutput<typeof Stored>): Part => ({
  ...it,
  touched: v
    .parse(Packed, JSON.parse(gunzipSync(touched).toString()))
    .map(([pk, sk, how, version]) => ({ pk, sk, how, version: version ?? undefined })),
})

/** The keys of what a part has made, from its item as the stream tells it: functions are given bytes in base64. */
export function newIn({ touched, ...it }: Record<string, unknown>): Key[] {
  const bytes = typeof touched === 'string' ? Buffer.from(touched, 'base64') : touched
  const part = partIn(v.parse(Stored, { ...it, touched: bytes }))
  return part.touched.filter(({ how }) => how === 'new').map(keyOf)
}
export const isPart = (stored: { type?: unknown } | undefined): boolean => stored?.type === part.type

/** One part; undefined when it is not there. */
export async function findPart(id: string, number: number): Promise<Part | undefined> {
  const found = await get(part, { id, number })
  return found && partIn(found)
}

/** All parts that there are. */
export async function partsOf(id: string): Promise<Part[]> {
  const { pk, sk } = key.largePart(id, 0)
  return (await queryAll(pk, sk.replace(/\d+$/, ''))).map((item) => partIn(v.parse(Stored, item)))
}
