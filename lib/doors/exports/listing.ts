import * as v from 'valibot'
import { clock, newId } from '../../base/clock.ts'
import { deleteObject, getObject, listKeys, putObject } from '../../engines/bucket/index.ts'

const File = v.object({
  name: v.string(),
  kind: v.string(),
  format: v.picklist(['jsonl', 'csv']),
  holds: v.picklist(['records', 'provenance']),
  rows: v.number(),
  bytes: v.number(),
  sha256: v.string(),
  key: v.string(),
})
const Listing = v.object({
  made_at: v.string(),
  licence: v.nullable(v.string()),
  files: v.array(File),
  /** Keys of the previous run's files. They stay, so that a download that has begun can end. */
  previous: v.array(v.string()),
})
/** The files of one run. Files never change: the current ones are those that the stored listing names. */
export type Listing = v.InferOutput<typeof Listing>
export type File = v.InferOutput<typeof File>

const FOLDER = 'exports/'
const KEY = `${FOLDER}current.json`

/** The longest run, in seconds. Files of a younger run are not deleted, since it may still go on. */
const LONGEST_RUN = 3600

/** A folder for a run that begins now. Names of folders sort by time. */
export const newFolder = (): string => `${folderAt(clock.now().getTime())}-${newId()}`

/** Deletes files that no listing names: of earlier runs, and of runs that were stopped. */
export async function removeOldFolders({ files, previous }: Listing): Promise<void> {
  const named = new Set([KEY, ...files.map((file) => file.key), ...previous])
  const before = folderAt(clock.now().getTime() - LONGEST_RUN * 1000)
  for (const key of await listKeys(FOLDER)) if (!named.has(key) && key < before) await deleteObject(key)
}

const folderAt = (time: number) => `${FOLDER}${new Date(time).toISOString().replace(/\W/g, '')}`

/** The listing of the last complete run, if there was one. */
export async function currentListing(): Promise<Listing | undefined> {
  const stored = await getObject(KEY)
  return stored && v.parse(Listing, JSON.parse(Buffer.from(stored.bytes).toString('utf8')))
}

/** Makes a run current, for every reader at once. */
export const publishListing = (listing: Listing): Promise<void> =>
  putObject(KEY, Buffer.from(JSON.stringify(listing)), 'application/json')
