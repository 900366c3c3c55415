import { gunzipSync, gzipSync } from 'node:zlib'
import * as v from 'valibot'
import { now } from '../../base/clock.ts'
import { commitWrites, removeItems } from '../../engines/table/immediate.ts'
import type { Images } from '../../engines/table/index.ts'
import { defineItem, parse, putAlways, queryAll, walkTable } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'

/**
 * A piece of a change that could not be applied. The stream forgets a change after a day, so the whole change is kept.
 * `npm run replay -- --parked` applies it once the fault is mended.
 */
const Piece = v.object({
  /** The place of the change in the stream, as `project.ts` spells it. */
  id: v.string(),
  /** Counts from 1. A change may be larger than an item, so it is cut into pieces. */
  piece: v.number(),
  pieces: v.number(),
  error: v.string(),
  /** Both images as gzipped JSON, or a piece of that. */
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

/** DynamoDB takes at most 400 KB for an item. */
const MOST_BYTES = 300_000

/** Parks a change. Parking it again replaces it. */
export async function parkChange(id: string, images: Images, error: string): Promise<void> {
  const packed = gzipSync(JSON.stringify(images))
  const pieces = Math.ceil(packed.length / MOST_BYTES)
  const all = Array.from({ length: pieces }, (_, i) => ({
    id,
    piece: i + 1,
    pieces,
    error,
    parked_at: now(),
    version: 1,
    bytes: packed.subarray(i * MOST_BYTES, (i + 1) * MOST_BYTES),
  }))
  await commitWrites(all.map((it) => putAlways(piece, it)))
}

/** Loads all parked changes, in the order of the stream. */
export async function listParked(): Promise<Parked[]> {
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

/** How many changes are parked. Reads at most 100 pieces: `isAll` is false if there may be more. */
export async function countParked(): Promise<{ parked: number; isAll: boolean }> {
  const { pk } = key.parked('', 0)
  const items = await walkTable({ pk, forward: true, limit: MOST_READ, consistent: false })
  return { parked: new Set(items.map((item) => item.id)).size, isAll: items.length < MOST_READ }
}
const MOST_READ = 100

/** Removes a parked change, with all its pieces. */
export async function unparkChange(id: string): Promise<void> {
  const { pk, sk } = key.parked(id, 0)
  // The keys of `4711#1` begin as those of `4711` do.
  const items = await queryAll(pk, sk.replace(/#\d+$/, '#'))
  await removeItems(items.filter((item) => item.id === id).map((item) => ({ pk, sk: String(item.sk) })))
}
