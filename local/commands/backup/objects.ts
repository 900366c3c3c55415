import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3'
import { PRIVATE } from './lines.ts'
import type { Place } from './place.ts'

/** An object of the bucket. Its bytes are in `objects/<sha256>`, if the backup holds them. */
export type Entry = {
  key: string
  size: number
  sha256: string
  type: string
  metadata: Record<string, string>
}

/** How many objects are read or written at once. */
const AT_ONCE = 8
/** Folders that the service makes anew, so a backup leaves them out. */
const made = /^(exports|search|derivatives)\//

/** The objects of the bucket in the order of their keys. Each is read for its hash; with `keep`, its bytes go into that folder. */
export async function* readBucket(place: Place, keep?: string): AsyncGenerator<Entry> {
  if (keep) await mkdir(keep, { recursive: true, mode: 0o700 })
  let ContinuationToken: string | undefined
  do {
    const page = await place.s3.send(new ListObjectsV2Command({ Bucket: place.bucket, ContinuationToken }))
    const keys = (page.Contents ?? []).flatMap(({ Key }) => (Key && !made.test(Key) ? [Key] : []))
    for (let start = 0; start < keys.length; start += AT_ONCE)
      yield* await Promise.all(keys.slice(start, start + AT_ONCE).map((key) => readObject(place, key, keep)))
    ContinuationToken = page.NextContinuationToken
  } while (ContinuationToken)
}

async function readObject({ s3, bucket }: Place, key: string, keep: string | undefined): Promise<Entry> {
  const { Body, ContentType = '', Metadata = {} } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }))
  const hash = createHash('sha256')
  let size = 0
  const hashed = async function* (source: AsyncIterable<Buffer>) {
    for await (const chunk of source) {
      hash.update(chunk)
      size += chunk.length
      yield chunk
    }
  }
  const name = createHash('sha256').update(key).digest('hex')
  // Without a folder the bytes are only read, for their hash.
  const target = keep
    ? createWriteStream(join(keep, `${name}.part`), { mode: PRIVATE })
    : async (it: AsyncIterable<Buffer>) => {
        for await (const _ of it);
      }
  await pipeline(Body as Readable, hashed, target)
  const sha256 = hash.digest('hex')
  if (keep) await rename(join(keep, `${name}.part`), join(keep, sha256))
  const metadata = Object.fromEntries(Object.entries(Metadata).sort(([a], [b]) => (a < b ? -1 : 1)))
  return { key, size, sha256, type: ContentType, metadata }
}

/** Whether the bucket holds nothing that a backup would hold. */
export async function isBucketEmpty(place: Place): Promise<boolean> {
  const { Contents = [] } = await place.s3.send(new ListObjectsV2Command({ Bucket: place.bucket }))
  return Contents.every(({ Key = '' }) => made.test(Key))
}

/** Stores an object of a backup in the bucket. */
export async function writeObject({ s3, bucket }: Place, folder: string, it: Entry): Promise<void> {
  await s3.send(
    new PutObjectCommand({
      Bucket: bucket,
      Key: it.key,
      Body: createReadStream(join(folder, it.sha256)),
      ContentLength: it.size,
      ContentType: it.type,
      Metadata: it.metadata,
    }),
  )
}
