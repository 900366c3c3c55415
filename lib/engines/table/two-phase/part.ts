import { gunzipSync, gzipSync } from 'node:zlib'
import * as v from 'valibot'
import { defineItem, put, type Write } from '../item.ts'
import { type Key, key, keyOf } from '../keys.ts'
import { get, queryAll } from '../read.ts'
import type { Mark } from './staged.ts'

/** An item that a part changes, and how. */
export type Touched = Key & {
  how: Exclude<Mark, 'before'>
  /** The version to delete, for an item that is deleted `later`. */
  version?: number | undefined
}

/**
 * A part of a two-phase commit. It is stored before the items that it changes, so that another process can settle or undo it
 * after a crash. Part 0 holds the counters.
 */
export type StagedPart = {
  id: string
  number: number
  touched: readonly Touched[]
  /** What the part adds to the size of each list. */
  counts: Readonly<Record<string, number>>
}

const StoredPart = v.object({
  id: v.string(),
  number: v.number(),
  /** The keys as gzipped JSON: ids are long, and share most of their letters. */
  touched: v.instance(Uint8Array),
  counts: v.record(v.string(), v.number()),
  version: v.number(),
})
const partItem = defineItem({
  type: 'large_part',
  schema: StoredPart,
  key: ({ id, number }: { id: string; number: number }) => key.twoPhasePart(id, number),
})
const Packed = v.array(
  v.tuple([v.string(), v.string(), v.picklist(['changed', 'new', 'gone', 'later']), v.nullish(v.number())]),
)

export const COUNTERS_PART = 0

export const keyOfPart = ({ id, number }: Pick<StagedPart, 'id' | 'number'>): Key => key.twoPhasePart(id, number)

/** The write of a part that is not stored yet. */
export const newPart = ({ touched, ...part }: StagedPart): Write => {
  const packed = gzipSync(JSON.stringify(touched.map(({ pk, sk, how, version }) => [pk, sk, how, version])))
  return put(partItem, { ...part, touched: packed, version: 1 }, undefined)
}

const unpackPart = ({ touched, ...part }: v.InferOutput<typeof StoredPart>): StagedPart => ({
  ...part,
  touched: v
    .parse(Packed, JSON.parse(gunzipSync(touched).toString()))
    .map(([pk, sk, how, version]) => ({ pk, sk, how, version: version ?? undefined })),
})

/** The keys of the items that a part created, from the part's image in the stream. Lambda passes bytes in base64. */
export function createdKeysIn({ touched, ...image }: Record<string, unknown>): Key[] {
  const bytes = typeof touched === 'string' ? Buffer.from(touched, 'base64') : touched
  const part = unpackPart(v.parse(StoredPart, { ...image, touched: bytes }))
  return part.touched.filter(({ how }) => how === 'new').map(keyOf)
}
export const isPart = (stored: { type?: unknown } | undefined): boolean => stored?.type === partItem.type

/** One part; undefined if it is not stored. */
export async function findPart(id: string, number: number): Promise<StagedPart | undefined> {
  const stored = await get(partItem, { id, number })
  return stored && unpackPart(stored)
}

/** All stored parts of a two-phase commit, by number. */
export async function partsOf(id: string): Promise<StagedPart[]> {
  const { pk, sk } = key.twoPhasePart(id, 0)
  return (await queryAll(pk, sk.replace(/\d+$/, ''))).map((item) => unpackPart(v.parse(StoredPart, item)))
}
