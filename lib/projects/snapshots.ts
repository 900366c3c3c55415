import { createHash } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import * as v from 'valibot'
import { Assertion, RecordItem } from '../records/items.ts'
import { parse } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { queryAll } from '../table/read.ts'
import { Asset, Project, ProjectEntity, type ProjectSnapshot, projectSnapshot } from './items.ts'

/** Where snapshots are kept: objects named by their merge and by the digest of their bytes, so storing one twice is the same. */
export type Bucket = {
  keep: (name: string, bytes: Uint8Array) => Promise<void>
  read: (name: string) => Promise<Uint8Array | undefined>
  copy: (from: string, to: string) => Promise<void>
}
type Reader = Pick<Bucket, 'read'>

/** A record before a merge and after it. */
export const Accepted = v.object({
  before: v.object({ head: RecordItem, assertions: v.array(Assertion) }),
  after: v.object({ head: RecordItem, assertions: v.array(Assertion) }),
  /** What the merge itself added to the record's history. */
  decision_id: v.string(),
  activity_ids: v.array(v.string()),
})
export type Accepted = v.InferOutput<typeof Accepted>

/** An object of the bucket. */
export const Kept = v.object({ object_key: v.string(), sha256: v.string(), size: v.number() })
export type Kept = v.InferOutput<typeof Kept>

/** The state of a project before its merge; the records that it has accepted are in objects of their own, a part in each. */
const Snapshot = v.object({
  id: v.string(),
  created_at: v.string(),
  merged_by: v.string(),
  project: Project,
  entities: v.array(ProjectEntity),
  assets: v.array(Asset),
  parts: v.array(Kept),
})
export type Snapshot = v.InferOutput<typeof Snapshot>
const Records = v.array(Accepted)

/** Where all lies that a merge keeps. */
export const folderOf = (merge: string): string => `snapshots/${merge}/`

/** Stores a value for a merge under the digest of its packed text. */
async function keep(bucket: Bucket, merge: string, value: unknown): Promise<Kept> {
  const bytes = gzipSync(JSON.stringify(value))
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const object_key = `${folderOf(merge)}${sha256}.json.gz`
  await bucket.keep(object_key, bytes)
  return { object_key, sha256, size: bytes.length }
}

/** What was stored; undefined when it is gone. Fails when it is not what was stored. */
async function read(bucket: Reader, { object_key, sha256 }: Pick<Kept, 'object_key' | 'sha256'>): Promise<unknown> {
  const bytes = await bucket.read(object_key)
  if (!bytes) return undefined
  if (createHash('sha256').update(bytes).digest('hex') !== sha256)
    throw new Error(`${object_key} is not what was stored`)
  return JSON.parse(gunzipSync(bytes).toString())
}

export const keepSnapshot = (bucket: Bucket, merge: string, it: Snapshot): Promise<Kept> => keep(bucket, merge, it)
export const keepRecords = (bucket: Bucket, merge: string, records: readonly Accepted[]): Promise<Kept> =>
  keep(bucket, merge, records)

/** The state before a merge; undefined when it is gone. */
export async function readSnapshot(bucket: Reader, stored: ProjectSnapshot): Promise<Snapshot | undefined> {
  const found = await read(bucket, stored)
  return found === undefined ? undefined : v.parse(Snapshot, found)
}

/** The records of one part of it. */
export async function readRecords(bucket: Reader, part: Kept): Promise<Accepted[]> {
  const found = await read(bucket, part)
  if (found === undefined) throw new Error(`${part.object_key} is gone`)
  return v.parse(Records, found)
}

/** The snapshot of the merge that stands; undefined when there is none. */
export async function latestSnapshot(project: string): Promise<ProjectSnapshot | undefined> {
  const { pk } = key.project(project)
  const items = (await queryAll(pk, 'SNAPSHOT#', false)).map((item) => parse(projectSnapshot, item))
  return items.find((it) => it.restored_at === null)
}
