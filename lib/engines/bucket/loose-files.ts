import * as v from 'valibot'
import { later, now } from '../../base/clock.ts'
import { isDone, orUndo } from '../../base/errors.ts'
import { commitWrites, runUnit } from '../table/immediate.ts'
import {
  defineItem,
  get,
  parse,
  put,
  putAlways,
  remove,
  type UnitOfWork,
  type Write,
  walk,
  withNextVersion,
} from '../table/index.ts'
import { deleteObject } from './blobs.ts'

/**
 * A loose file: an object that no other item names, not yet or no longer. If the process that works on the file dies, the sweeper finds the
 * file by this item.
 */
const LooseFile = v.object({
  object_key: v.string(),
  /** The time from which the sweeper may remove the object. */
  until: v.string(),
  version: v.number(),
})
export type LooseFile = v.InferOutput<typeof LooseFile>

/** The index partition of all loose files. */
const LOOSE = 'LOOSE'
const looseFile = defineItem({
  type: 'loose_file',
  schema: LooseFile,
  key: ({ object_key }: { object_key: string }) => ({ pk: `LOOSE#${object_key}`, sk: 'HEAD' }),
  indexes: (it) => ({ gsi1: { pk: LOOSE, sk: `${it.until}#${it.object_key}` } }),
})

/** Seconds after which an expected file may be removed. No function works on it for so long. */
const LIFETIME_S = 3600

/** Adds the loose item of a file that is about to be put. */
function expectFile(unit: UnitOfWork, object_key: string): LooseFile {
  const made = { object_key, until: later(LIFETIME_S), version: 1 }
  unit.add([put(looseFile, made, undefined)])
  return made
}

/**
 * Deletes the loose item of a file. Commit this write with the item that names the file from now on. Fails with `conflict` if the file is
 * being removed.
 */
export const forgetLooseFile = (it: LooseFile): Write => remove(looseFile, it)

/**
 * Write it instead of `forgetLooseFile` with an item that names the file only until then. The sweeper may remove it from `until` on. Fails
 * with `conflict` if the file is being removed.
 */
export const keepLooseUntil = (it: LooseFile, until: string): Write =>
  put(looseFile, withNextVersion(it, { until }), it)

/** Marks a file that the sweeper may remove from `until` on. Write it with the item that stops naming the file then. */
export const markLoose = (object_key: string, until = now()): Write =>
  putAlways(looseFile, { object_key, until, version: 1 })

/**
 * Runs work that puts a file under a new key and commits `forgetLooseFile` with the item that names the file. If the work fails, the file
 * is removed, unless an item names it after all: the reply of the commit may have been lost. The sweeper removes what cannot be removed
 * now.
 */
export async function withFile<T>(object_key: string, work: (expected: LooseFile) => Promise<T>): Promise<T> {
  const expected = await runUnit((unit) => expectFile(unit, object_key))
  return orUndo(
    () => work(expected),
    () => takeAway(expected),
  )
}

/**
 * Puts a file under a key of its own, only once even if the unit runs again. The commit also deletes the file's loose item. A unit that
 * does not commit removes the file as `withFile` does.
 */
export async function storeInUnit<T>(
  unit: UnitOfWork,
  object_key: string,
  store: (object_key: string) => Promise<T>,
): Promise<{ object_key: string; stored: T }> {
  const expected = await unit.storeAhead(
    'expected file',
    (own) => expectFile(own, object_key),
    (own, it) => {
      beginRemoval(own, it)
      own.afterCommit(() => deleteObject(it.object_key))
    },
  )
  const stored = await unit.once('stored file', () => store(expected.object_key))
  unit.add([forgetLooseFile(expected)])
  return { object_key: expected.object_key, stored }
}

/** The most files that one run of the sweeper removes. */
const MOST = 200

/** Removes the files that no item has named in time. Returns how many. Safe to run twice at once. */
export async function sweepLooseFiles(): Promise<number> {
  const oldest = await walk({ index: 'gsi1', pk: LOOSE, forward: true, limit: MOST })
  let cleared = 0
  for (const { object_key } of oldest.map((item) => parse(looseFile, item))) if (await clear(object_key)) cleared += 1
  return cleared
}

async function clear(object_key: string): Promise<boolean> {
  const it = await get(looseFile, { object_key })
  // The index may lag behind the item.
  if (!it || it.until > now()) return false
  return isDone(takeAway(it).then((going) => commitWrites([remove(looseFile, going)])))
}

/** Removes the object. Fails with `conflict` if an item names it by now. */
async function takeAway(it: LooseFile): Promise<LooseFile> {
  const going = await runUnit((unit) => beginRemoval(unit, it))
  await deleteObject(it.object_key)
  return going
}

/** Raises the version of the loose item. So a unit that has read it can no longer forget it and name the file. */
function beginRemoval(unit: UnitOfWork, it: LooseFile): LooseFile {
  const going = withNextVersion(it, {})
  unit.add([put(looseFile, going, it)])
  return going
}
