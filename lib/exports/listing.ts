import * as v from 'valibot'
import { clock, newId } from '../clock.ts'
import { deleteObject, getObject, keysUnder, putObject } from '../files/blobs.ts'

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
  /** Keys of the files before these: who has begun to read them can end. */
  previous: v.array(v.string()),
})
/** What one run of the job has made. Files are never changed; what is current is what this names. */
export type Listing = v.InferOutput<typeof Listing>
export type File = v.InferOutput<typeof File>

const FOLDER = 'exports/'
const KEY = `${FOLDER}current.json`

/** No run takes longer: what a younger one has made may still be named. */
const LONGEST_RUN = 3600

/** Where a run that begins now puts its files. Folders are in the order of time. */
export const newFolder = (): string => `${folderAt(clock.now().getTime())}-${newId()}`

/** Removes what no reader comes by: the files of earlier runs, and of runs that came to no end. */
export async function clearAway({ files, previous }: Listing): Promise<void> {
  const named = new Set([KEY, ...files.map((file) => file.key), ...previous])
  const before = folderAt(clock.now().getTime() - LONGEST_RUN * 1000)
  for (const key of await keysUnder(FOLDER)) if (!named.has(key) && key < before) await deleteObject(key)
}

const folderAt = (time: number) => `${FOLDER}${new Date(time).toISOString().replace(/\W/g, '')}`

/** The last whole run, if there was one. */
export async function currentListing(): Promise<Listing | undefined> {
  const stored = await getObject(KEY)
  return stored && v.parse(Listing, JSON.parse(Buffer.from(stored.bytes).toString('utf8')))
}

/** Makes a run the current one, at once for every reader. */
export const publishListing = (listing: Listing): Promise<void> =>
  putObject(KEY, Buffer.from(JSON.stringify(listing)), 'application/json')
