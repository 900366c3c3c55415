import { join } from 'node:path'
import { backupIn, closeBag, openFolder } from './bag.ts'
import { type Item, isFollowing, isTableEmpty, itemOf, lineOf, readTable, writeTable } from './items.ts'
import { type Described, describeFile, readBackupLines, sorter, writeLines } from './lines.ts'
import { type Manifest, readManifest, writeManifest } from './manifest.ts'
import { type Entry, isBucketEmpty, readBucket, writeObject } from './objects.ts'
import type { Place } from './place.ts'

/**
 * Writes a backup into an empty folder: all items, the list of objects, and with `objects` their bytes. With `bag` the folder becomes a bag
 * that tools for archives can check.
 */
export async function exportTo(
  whole: string,
  place: Place,
  { objects, bag = false, most }: { objects: boolean; bag?: boolean; most?: number },
): Promise<Manifest> {
  const folder = await openFolder(whole, bag)
  const lines = sorter(join(folder, 'sorting'), most)
  await readTable(place, (item) => lines.add(lineOf(item)))
  const table = await writeLines(folder, 'table.jsonl', lines.sorted())
  const bucket = await writeLines(
    folder,
    'bucket.jsonl',
    indexLines(place, objects ? join(folder, 'objects') : undefined),
  )
  const manifest = await writeManifest(folder, { table, bucket, objects })
  if (bag) await closeBag(whole, new Date().toISOString())
  return manifest
}

async function* indexLines(place: Place, keep: string | undefined): AsyncGenerator<string> {
  for await (const entry of readBucket(place, keep)) yield JSON.stringify(entry)
}

/**
 * Restores a backup, which may be a bag, into an empty table and bucket. Checks every file first: if one is missing or changed, it is named and nothing is
 * written. With `over` the table and bucket need not be empty, to finish a restore that was broken off. What the backup does not hold
 * stays.
 */
export async function restoreFrom(whole: string, place: Place, { over }: { over: boolean }): Promise<Manifest> {
  const folder = await backupIn(whole)
  const manifest = await readManifest(folder)
  for (const file of [manifest.table, manifest.bucket]) await check(folder, file)
  if (manifest.objects) for await (const entry of entriesOf(folder)) await checkObject(folder, entry)
  if (!over) await checkEmpty(place, manifest)
  // Items that the projector computes come first. When the stream then shows it the others, it finds its work done and counts nothing twice.
  await writeTable(place, itemsOf(folder, isFollowing))
  await writeTable(
    place,
    itemsOf(folder, (item) => !isFollowing(item)),
  )
  if (manifest.objects)
    for await (const entry of entriesOf(folder)) await writeObject(place, join(folder, 'objects'), entry)
  return manifest
}

async function check(folder: string, wanted: Described): Promise<void> {
  const found = await describeFile(folder, wanted.file).catch(() => undefined)
  if (!found) throw new Error(`${wanted.file} is missing.`)
  if (found.bytes < wanted.bytes) throw new Error(`${wanted.file} is cut off: ${found.bytes} of ${wanted.bytes} bytes.`)
  if (found.sha256 !== wanted.sha256) throw new Error(`${wanted.file} was changed since it was written.`)
}

async function checkObject(folder: string, { key, sha256 }: Entry): Promise<void> {
  const found = await describeFile(join(folder, 'objects'), sha256).catch(() => undefined)
  if (found?.sha256 !== sha256) {
    throw new Error(`objects/${sha256} (${key}) ${found ? 'was changed since it was written' : 'is missing'}.`)
  }
}

async function checkEmpty(place: Place, { objects }: Manifest): Promise<void> {
  if (!(await isTableEmpty(place))) throw new Error(`The table ${place.table} is not empty. ${anyway}`)
  if (objects && !(await isBucketEmpty(place))) throw new Error(`The bucket ${place.bucket} is not empty. ${anyway}`)
}

const anyway = 'With --over the backup is written over what is there.'

async function* itemsOf(folder: string, wanted: (item: Item) => boolean): AsyncGenerator<Item> {
  for await (const line of readBackupLines(join(folder, 'table.jsonl'))) {
    const item = itemOf(line)
    if (wanted(item)) yield item
  }
}

async function* entriesOf(folder: string): AsyncGenerator<Entry> {
  for await (const line of readBackupLines(join(folder, 'bucket.jsonl'))) yield JSON.parse(line)
}
