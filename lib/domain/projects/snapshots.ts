import { createHash } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import * as v from 'valibot'
import { parse, queryAll } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { Assertion, RecordItem } from '../records/items.ts'
import { Asset, Project, ProjectEntity, type ProjectSnapshot, projectSnapshot } from './items.ts'

/** The port to the bucket. Objects are named by merge and digest, so storing one twice changes nothing. */
export type Bucket = {
  keep: (name: string, bytes: Uint8Array) => Promise<void>
  read: (name: string) => Promise<Uint8Array | undefined>
  copy: (from: string, to: string) => Promise<void>
}
type Reader = Pick<Bucket, 'read'>

/** A record before and after a merge. */
export const AcceptedRecord = v.object({
  before: v.object({ head: RecordItem, assertions: v.array(Assertion) }),
  after: v.object({ head: RecordItem, assertions: v.array(Assertion) }),
  /** What the merge itself added to the record's history. */
  decision_id: v.string(),
  activity_ids: v.array(v.string()),
})
export type AcceptedRecord = v.InferOutput<typeof AcceptedRecord>

/** An object of the bucket. */
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

/** Stores a value as compressed JSON, named by its digest. */
async function keep(bucket: Bucket, merge: string, value: unknown): Promise<StoredObject> {
  const bytes = gzipSync(JSON.stringify(value))
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const object_key = `${folderOf(merge)}${sha256}.json.gz`
  await bucket.keep(object_key, bytes)
  return { object_key, sha256, size: bytes.length }
}

/** Reads a stored value; undefined if it is gone. Fails if the digest is not that of its bytes. */
async function read(
  bucket: Reader,
  { object_key, sha256 }: Pick<StoredObject, 'object_key' | 'sha256'>,
): Promise<unknown> {
  const bytes = await bucket.read(object_key)
  if (!bytes) return undefined
  if (createHash('sha256').update(bytes).digest('hex') !== sha256)
    throw new Error(`${object_key} is not what was stored`)
  return JSON.parse(gunzipSync(bytes).toString())
}

export const keepSnapshot = (bucket: Bucket, merge: string, it: Snapshot): Promise<StoredObject> =>
  keep(bucket, merge, it)
export const keepRecords = (bucket: Bucket, merge: string, records: readonly AcceptedRecord[]): Promise<StoredObject> =>
  keep(bucket, merge, records)

/** The state before a merge; undefined if it is gone. */
export async function readSnapshot(bucket: Reader, stored: ProjectSnapshot): Promise<Snapshot | undefined> {
  const found = await read(bucket, stored)
  return found === undefined ? undefined : v.parse(Snapshot, found)
}

/** The records of one part. Fails if they are gone. */
export async function readRecords(bucket: Reader, part: StoredObject): Promise<AcceptedRecord[]> {
  const found = await read(bucket, part)
  if (found === undefined) throw new Error(`${part.object_key} is gone`)
  return v.parse(Records, found)
}

/** The snapshot of the merge that stands; undefined without one. */
export async function latestSnapshot(project: string): Promise<ProjectSnapshot | undefined> {
  const { pk } = key.project(project)
  const items = (await queryAll(pk, 'SNAPSHOT#', false)).map((item) => parse(projectSnapshot, item))
  return items.find((it) => it.restored_at === null)
}
