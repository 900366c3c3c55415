import { createHash } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import * as v from 'valibot'
import { getObject, putObject } from '../../engines/bucket/index.ts'
import { parse, queryAll } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { Activity, Assertion, Decision, RecordItem, Revision } from '../records/items.ts'
import { Asset, Project, ProjectEntity, type ProjectSnapshot, projectSnapshot } from './items.ts'

/** A record before and after a merge. */
export const AcceptedRecord = v.object({
  before: v.object({ head: RecordItem, assertions: v.array(Assertion) }),
  after: v.object({ head: RecordItem, assertions: v.array(Assertion) }),
  /** The decision and the activities that the merge added to the record's history. */
  decision_id: v.string(),
  activity_ids: v.array(v.string()),
  /** What the merge added to the record's history. The second look of a rollback stores it again. Older snapshots lack it. */
  added: v.optional(
    v.object({ decisions: v.array(Decision), activities: v.array(Activity), revisions: v.array(Revision) }),
  ),
})
export type AcceptedRecord = v.InferOutput<typeof AcceptedRecord>

/** An object of a merge's snapshot. Reading it fails if the bytes do not have this digest. */
export const StoredObject = v.object({ object_key: v.string(), sha256: v.string(), size: v.number() })
export type StoredObject = v.InferOutput<typeof StoredObject>

/** The state of a project before its merge. The accepted records are in objects of their own, one for each part. */
const Snapshot = v.object({
  id: v.string(),
  created_at: v.string(),
  merged_by: v.string(),
  project: Project,
  entities: v.array(ProjectEntity),
  assets: v.array(Asset),
  parts: v.array(StoredObject),
})
export type Snapshot = v.InferOutput<typeof Snapshot>
const Records = v.array(AcceptedRecord)

/** The folder of all objects of a merge. */
export const folderOf = (merge: string): string => `snapshots/${merge}/`

/** Stores a value as compressed JSON. Its key names the merge and its digest, so storing it twice changes nothing. */
async function storeValue(merge: string, value: Snapshot | readonly AcceptedRecord[]): Promise<StoredObject> {
  const bytes = gzipSync(JSON.stringify(value))
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const object_key = `${folderOf(merge)}${sha256}.json.gz`
  await putObject(object_key, bytes, 'application/gzip')
  return { object_key, sha256, size: bytes.length }
}

/** Reads a stored value. Undefined if the object is missing. Fails if its bytes do not match the digest. */
async function readValue({ object_key, sha256 }: Pick<StoredObject, 'object_key' | 'sha256'>): Promise<unknown> {
  const bytes = (await getObject(object_key))?.bytes
  if (!bytes) return undefined
  if (createHash('sha256').update(bytes).digest('hex') !== sha256)
    throw new Error(`${object_key} is not what was stored`)
  return JSON.parse(gunzipSync(bytes).toString())
}

/** Stores the state of a project before a merge, without its records. */
export const storeSnapshot = (merge: string, snapshot: Snapshot): Promise<StoredObject> => storeValue(merge, snapshot)
/** Stores the records of one part, before and after the merge. */
export const storeRecords = (merge: string, records: readonly AcceptedRecord[]): Promise<StoredObject> =>
  storeValue(merge, records)

/** Reads the state of a project before a merge. Undefined if the object is missing. */
export async function readSnapshot(stored: ProjectSnapshot): Promise<Snapshot | undefined> {
  const value = await readValue(stored)
  return value === undefined ? undefined : v.parse(Snapshot, value)
}

/** Reads the records of one part. Fails if the object is missing. */
export async function readRecords(part: StoredObject): Promise<AcceptedRecord[]> {
  const value = await readValue(part)
  if (value === undefined) throw new Error(`${part.object_key} is gone`)
  return v.parse(Records, value)
}

/** Loads the snapshot of the merge that was not rolled back. Undefined if absent. */
export async function loadLatestSnapshot(project: string): Promise<ProjectSnapshot | undefined> {
  const { pk } = key.project(project)
  const items = (await queryAll(pk, 'SNAPSHOT#', false)).map((item) => parse(projectSnapshot, item))
  return items.find((it) => it.restored_at === null)
}
