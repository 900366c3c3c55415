import * as v from 'valibot'
import { clock, newId } from '../../base/clock.ts'
import { deleteObject, getObject, listKeys, putObject } from '../../engines/bucket/index.ts'
import type { Disagreements } from './disagreement-shape.ts'

/** The formats of exported files. CONTRIBUTING.md says how to add one. */
export const exportFormats = ['jsonl', 'csv', 'nq'] as const
export type ExportFormat = (typeof exportFormats)[number]

/** The media type with which files of a format are stored and served. */
export const mediaTypes: Readonly<Record<ExportFormat, string>> = {
  jsonl: 'application/jsonl; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  nq: 'application/n-quads',
}

/** The media type of the bag. */
export const ZIP = 'application/zip'

/** An exported file holds records with their values, or the provenance of each value. */
export const exportContents = ['records', 'provenance'] as const

const ExportedFile = v.object({
  name: v.string(),
  kind: v.string(),
  format: v.picklist(exportFormats),
  holds: v.picklist(exportContents),
  rows: v.number(),
  bytes: v.number(),
  sha256: v.string(),
  key: v.string(),
})
const ExportedBag = v.object({ name: v.string(), bytes: v.number(), sha256: v.string(), key: v.string() })
/** All files of a run, packed as one bag. */
export type ExportedBag = v.InferOutput<typeof ExportedBag>

const ExportListing = v.object({
  made_at: v.string(),
  licence: v.nullable(v.string()),
  files: v.array(ExportedFile),
  bag: v.optional(ExportedBag),
  /** The parts of the sitemap. Absent in listings that earlier releases made. */
  sitemap: v.optional(v.array(v.object({ key: v.string(), addresses: v.number(), changed: v.string() })), []),
  /** The objects of the index of statements. The first object describes the index. Runs of earlier releases made none. */
  fragments: v.optional(v.array(v.string()), []),
  /** Keys of the previous run's files. They stay, so that a download that has begun can end. */
  previous: v.array(v.string()),
})
/** The files of one run. Files never change: the current ones are those that the stored listing names. */
export type ExportListing = v.InferOutput<typeof ExportListing>
export type ExportedFile = v.InferOutput<typeof ExportedFile>

const FOLDER = 'exports/'
const KEY = `${FOLDER}current.json`
const DISAGREEMENTS = `${FOLDER}disagreements.json`

/** The longest run, in seconds. Files of a younger run are not deleted, since the run may not have ended. */
const LONGEST_RUN_S = 3600

/** The name of the folder for a run that begins now. Names of folders sort by time. */
export const newFolder = (): string => `${folderAt(clock.now().getTime())}-${newId()}`

/** Deletes files that no listing names: of earlier runs, and of runs that were stopped. */
export async function removeOldFolders(listing: ExportListing): Promise<void> {
  const named = new Set([KEY, DISAGREEMENTS, ...keysOf(listing), ...listing.previous])
  const before = folderAt(clock.now().getTime() - LONGEST_RUN_S * 1000)
  for (const key of await listKeys(FOLDER)) if (!named.has(key) && key < before) await deleteObject(key)
}

/** Deletes all files of runs that began before the run of this listing. A run that began later goes on. */
export async function removeEarlierFolders(listing: ExportListing): Promise<void> {
  const named = new Set([KEY, DISAGREEMENTS, ...keysOf(listing)])
  const own = keysOf(listing).sort()[0] ?? folderAt(clock.now().getTime())
  for (const key of await listKeys(FOLDER)) if (!named.has(key) && key < own) await deleteObject(key)
}

/** The keys of all objects of a run. */
export const keysOf = ({ files, bag, sitemap, fragments }: ExportListing): string[] => [
  ...[...files, ...(bag ? [bag] : []), ...sitemap].map(({ key }) => key),
  ...fragments,
]

const folderAt = (time: number) => `${FOLDER}${new Date(time).toISOString().replace(/\W/g, '')}`

/** Loads the listing of the last complete run. Undefined before the first. */
export async function loadListing(): Promise<ExportListing | undefined> {
  const object = await getObject(KEY)
  return object && v.parse(ExportListing, JSON.parse(Buffer.from(object.bytes).toString('utf8')))
}

/** Makes a run current, for every reader at once. */
export const publishListing = (listing: ExportListing): Promise<void> =>
  putObject(KEY, Buffer.from(JSON.stringify(listing)), 'application/json')

/** Loads the counts of disagreement between sources from the last run. Undefined before the first run. One call. */
export async function loadDisagreements(): Promise<Disagreements | undefined> {
  const object = await getObject(DISAGREEMENTS)
  // Only `storeDisagreements` writes it.
  return object && (JSON.parse(Buffer.from(object.bytes).toString('utf8')) as Disagreements)
}

/** Stores the counts of disagreement between sources, in place of those of the run before. */
export const storeDisagreements = (counted: Disagreements): Promise<void> =>
  putObject(DISAGREEMENTS, Buffer.from(JSON.stringify(counted)), 'application/json')
