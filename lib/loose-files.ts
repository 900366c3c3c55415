import * as v from 'valibot'
import { later, now } from './clock.ts'
import { isDone, orUndo } from './errors.ts'
import { deleteObject } from './files/blobs.ts'
import { amended, defineItem, parse, put, putAlways, remove, type Write } from './table/item.ts'
import { key } from './table/keys.ts'
import { get, walk } from './table/read.ts'
import { transact } from './table/write.ts'

/** An object of the bucket that no other item names, yet or any longer. So whatever is broken off, it is known here, and goes. */
const LooseFile = v.object({
  object_key: v.string(),
  /** From then on it may be taken away. */
  until: v.string(),
  version: v.number(),
})
export type LooseFile = v.InferOutput<typeof LooseFile>

/** The index partition of all of them. */
const LOOSE = 'LOOSE'
const looseFile = defineItem({
  type: 'loose_file',
  schema: LooseFile,
  key: ({ object_key }: { object_key: string }) => key.looseFile(object_key),
  indexes: (it) => ({ gsi1: { pk: LOOSE, sk: `${it.until}#${it.object_key}` } }),
})

/** Far longer than any function runs. */
const LIFETIME_S = 3600

/** Notes that a file is about to be put under a key of its own. One call, which comes before the file. */
async function expectFile(object_key: string): Promise<LooseFile> {
  const made = { object_key, until: later(LIFETIME_S), version: 1 }
  await transact([put(looseFile, made, undefined)])
  return made
}

/** The write that goes with the item that names the file from now on. Fails with `conflict` when the file is being taken away. */
export const named = (it: LooseFile): Write => remove(looseFile, it)

/** The write that goes with the item that names the file no longer. */
export const lettingGoOf = (object_key: string): Write => putAlways(looseFile, { object_key, until: now(), version: 1 })

/**
 * Does work that puts a file under a key of its own, and writes `named` with the item that names it. Where that fails the file goes
 * again, unless an item names it by now and nobody was told. What does not succeed the sweeper does, and it comes once more for a
 * file that arrives late.
 */
export async function withFile<T>(object_key: string, work: (expected: LooseFile) => Promise<T>): Promise<T> {
  const expected = await expectFile(object_key)
  return orUndo(
    () => work(expected),
    () => takeAway(expected),
  )
}

/** Files in one visit of the sweeper. */
const MOST = 200

/** Takes away the files that nothing has named in time. Answers how many; safe to run twice at once. */
export async function sweepLooseFiles(): Promise<number> {
  const oldest = await walk({ index: 'gsi1', pk: LOOSE, forward: true, limit: MOST })
  let cleared = 0
  for (const { object_key } of oldest.map((item) => parse(looseFile, item))) if (await clear(object_key)) cleared += 1
  return cleared
}

async function clear(object_key: string): Promise<boolean> {
  const it = await get(looseFile, { object_key })
  // The index may be behind.
  if (!it || it.until > now()) return false
  return isDone(takeAway(it).then((going) => transact([remove(looseFile, going)])))
}

/** Takes the object away. Fails with `conflict` where it has been named; from here on it cannot be, since the mark that it goes is a version of its own. */
async function takeAway(it: LooseFile): Promise<LooseFile> {
  const going = amended(it, {})
  await transact([put(looseFile, going, it)])
  await deleteObject(it.object_key)
  return going
}
