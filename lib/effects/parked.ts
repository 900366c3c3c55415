import { gunzipSync, gzipSync } from 'node:zlib'
import * as v from 'valibot'
import { now } from '../clock.ts'
import { defineItem, parse, putAlways } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { queryAll, walkTable } from '../table/read.ts'
import type { Images } from '../table/stream.ts'
import { removeAll, transact } from '../table/write.ts'

/**
 * Changes that could not be applied, whole: the stream forgets them after a day. `npm run replay -- --parked` applies them
 * once what was wrong with them is mended.
 */
const Piece = v.object({
  /** The place of the change in the stream. */
  id: v.string(),
  /** A change may be larger than an item: from 1. */
  piece: v.number(),
  pieces: v.number(),
  error: v.string(),
  /** Both images, as packed JSON. */
  bytes: v.instance(Uint8Array),
  parked_at: v.string(),
  version: v.number(),
})
const piece = defineItem({
  type: 'parked_change',
  schema: Piece,
  key: (it: { id: string; piece: number }) => key.parked(it.id, it.piece),
})
export type Parked = { id: string; error: string; parked_at: string; images: Images }

/** An item holds 400 KB. */
const MOST_BYTES = 300_000

/** Puts a change aside. The same change again is the same. */
export async function park(id: string, images: Images, error: string): Promise<void> {
  const packed = gzipSync(JSON.stringify(images))
  const pieces = Math.ceil(packed.length / MOST_BYTES)
  const all = Array.from({ length: pieces }, (_, i) => ({
    ...{ id, piece: i + 1, pieces, error, parked_at: now(), version: 1 },
    bytes: packed.subarray(i * MOST_BYTES, (i + 1) * MOST_BYTES),
  }))
  await transact(all.map((it) => putAlways(piece, it)))
}

/** All changes that were put aside, in the order of the stream. */
export async function parked(): Promise<Parked[]> {
  const { pk } = key.parked('', 0)
  const pieces = (await queryAll(pk, '')).map((item) => parse(piece, item))
  const byId = Map.groupBy(pieces, (it) => it.id)
  return [...byId].map(([id, them]) => ({
    id,
    error: them[0]?.error ?? '',
    parked_at: them[0]?.parked_at ?? '',
    images: v.parse(Both, JSON.parse(gunzipSync(Buffer.concat(them.map(({ bytes }) => bytes))).toString())),
  }))
}
const Stored = v.optional(v.record(v.string(), v.unknown()), undefined)
const Both = v.pipe(
  v.object({ before: Stored, after: Stored }),
  v.transform(({ before, after }): Images => ({ before, after })),
)

/** How many there are, up to a hundred. */
export async function countParked(): Promise<number> {
  const { pk } = key.parked('', 0)
  const items = await walkTable({ pk, forward: true, limit: 100, consistent: false })
  return new Set(items.map((item) => item.id)).size
}

/** Forgets one that was applied. */
export async function unpark(id: string): Promise<void> {
  const { pk, sk } = key.parked(id, 0)
  const items = await queryAll(pk, sk.replace(/#\d+$/, '#'))
  await removeAll(items.map((item) => ({ pk, sk: String(item.sk) })))
}
