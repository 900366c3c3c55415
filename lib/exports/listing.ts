import * as v from 'valibot'
import { getObject, putObject } from '../blobs.ts'

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
  /** Keys of the files before these: who has begun to read them can end. The next run removes them. */
  previous: v.array(v.string()),
})
/** What one run of the job has made. Files are never changed; what is current is what this names. */
export type Listing = v.InferOutput<typeof Listing>
export type File = v.InferOutput<typeof File>

const KEY = 'exports/current.json'

/** The last whole run, if there was one. */
export async function currentListing(): Promise<Listing | undefined> {
  const stored = await getObject(KEY)
  return stored && v.parse(Listing, JSON.parse(Buffer.from(stored.bytes).toString('utf8')))
}

/** Makes a run the current one, at once for every reader. */
export const publishListing = (listing: Listing): Promise<void> =>
  putObject(KEY, Buffer.from(JSON.stringify(listing)), 'application/json')
