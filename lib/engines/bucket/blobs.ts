import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import type { GetObjectCommandOutput } from '@aws-sdk/client-s3'
import { timeOfDay } from '../../base/clock.ts'
import { config } from '../../base/config.ts'
import { currentSignal } from '../../base/deadline.ts'
import { localCredentials } from '../../base/telemetry/local-credentials.ts'
import { postFields, presignedGet, type Signer } from './presign.ts'

/** The client and its commands, loaded with the first call: they are a third of a bundle, and most processes never call the bucket. */
export const bucket = () => (opened ??= import('./bucket-client.ts').then((it) => it.clientOf(settings)))
let opened: Promise<ReturnType<typeof import('./bucket-client.ts').clientOf>> | undefined

const settings = {
  region: config.AWS_REGION,
  maxAttempts: 4,
  // The longest waits for a connection, and for a byte in either direction, in milliseconds. A copy of a large object takes seconds.
  requestHandler: { connectionTimeout: 2000, socketTimeout: 8000 },
  ...(config.S3_ENDPOINT && {
    endpoint: config.S3_ENDPOINT,
    forcePathStyle: true,
    // The local server does not read trailing checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED' as const,
    responseChecksumValidation: 'WHEN_REQUIRED' as const,
    credentials: localCredentials,
  }),
}
export const Bucket = config.BUCKET_NAME

export type Blob = { bytes: Uint8Array; type: string }

/** Stores bytes under a key, over whatever was there. */
export async function putObject(Key: string, bytes: Uint8Array, ContentType: string): Promise<void> {
  const { s3, PutObjectCommand } = await bucket()
  await s3.send(new PutObjectCommand({ Bucket, Key, Body: bytes, ContentType }))
}

/** The bytes under a key with their content type, or undefined. For objects that fit in memory. */
export async function getObject(Key: string): Promise<Blob | undefined> {
  const { Body, ContentType = 'application/octet-stream' } = await answerFor(Key)
  return Body && { bytes: await Body.transformToByteArray(), type: ContentType }
}

export type Stream = { body: Readable; etag: string }

/** The bytes under a key as they come, or undefined. For objects of any size. */
export async function streamObject(Key: string): Promise<Stream | undefined> {
  const { Body, ETag = '' } = await answerFor(Key)
  return Body && { body: Body as Readable, etag: ETag } // in Node a body is always a Readable
}

/** The text of some bytes under a key. Fails if there is no object. */
export async function getRange(Key: string, at: number, size: number): Promise<string> {
  const { s3, GetObjectCommand } = await bucket()
  const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key, Range: `bytes=${at}-${at + size - 1}` }))
  return (await Body?.transformToString('utf8')) ?? ''
}

/** The bucket's answer for a key; empty if there is no object. */
async function answerFor(Key: string): Promise<Partial<GetObjectCommandOutput>> {
  const { s3, GetObjectCommand } = await bucket()
  try {
    return await s3.send(new GetObjectCommand({ Bucket, Key }))
  } catch (error) {
    if (isNamed(error, 'NoSuchKey')) return {}
    throw error
  }
}

const isNamed = (error: unknown, name: string) => error instanceof Error && error.name === name

/** Stores a file under a key, over whatever was there, without holding it in memory. */
export async function putFile(Key: string, path: string, ContentType: string): Promise<void> {
  const { size } = await stat(path)
  await putStream(Key, () => createReadStream(path), size, ContentType)
}

/** As many attempts as the client makes with bytes in memory. */
const ATTEMPTS = 4

/**
 * Stores a stream of known length under a key. The client cannot send a stream twice. So a fresh one is opened
 * after a lost connection or a failure of the bucket.
 */
export async function putStream(
  Key: string,
  open: () => Readable,
  ContentLength: number,
  ContentType: string,
): Promise<void> {
  const { s3, PutObjectCommand } = await bucket()
  for (let attempt = 1; ; attempt += 1)
    try {
      await s3.send(new PutObjectCommand({ Bucket, Key, Body: open(), ContentLength, ContentType }))
      return
    } catch (error) {
      const passes = isNamed(error, 'TimeoutError') || Object(error).$fault === 'server'
      if (attempt === ATTEMPTS || !passes) throw error
    }
}

/** Copies an object. Fails if there is none. */
export async function copyObject(from: string, Key: string): Promise<void> {
  const { s3, CopyObjectCommand } = await bucket()
  await s3.send(new CopyObjectCommand({ Bucket, Key, CopySource: `${Bucket}/${from}` }))
}

/** Deletes an object. No object is no failure. */
export async function deleteObject(Key: string): Promise<void> {
  const { s3, DeleteObjectCommand } = await bucket()
  await s3.send(new DeleteObjectCommand({ Bucket, Key }))
}

/** Lists all keys with this prefix. */
export async function listKeys(Prefix: string): Promise<string[]> {
  const { s3, ListObjectsV2Command } = await bucket()
  const keys: string[] = []
  let ContinuationToken: string | undefined
  do {
    const page = await s3.send(new ListObjectsV2Command({ Bucket, Prefix, ContinuationToken }))
    keys.push(...(page.Contents ?? []).flatMap(({ Key }) => Key ?? []))
    ContinuationToken = page.NextContinuationToken
  } while (ContinuationToken)
  return keys
}

/** The size of an object in bytes, or undefined. */
export async function objectSize(Key: string): Promise<number | undefined> {
  const { s3, HeadObjectCommand } = await bucket()
  try {
    return (await s3.send(new HeadObjectCommand({ Bucket, Key }), currentSignal())).ContentLength
  } catch (error) {
    if (isNamed(error, 'NotFound')) return undefined
    throw error
  }
}

export type Upload = {
  write: (text: string | Uint8Array) => Promise<void>
  end: () => Promise<{ bytes: number; sha256: string }>
}

/** S3 takes parts of 5 MB and more. */
// prove: upload-part
const PART = 5 << 20

/** Stores text or bytes that come in pieces and are too many for memory. The object appears with `end`; S3 drops an unfinished upload after a day. */
export function startUpload(Key: string, ContentType: string, part = PART): Upload {
  const hash = createHash('sha256')
  const Parts: { ETag: string | undefined; PartNumber: number }[] = []
  let bytes = 0
  let waiting: Uint8Array[] = []
  let size = 0
  let UploadId: string | undefined
  const send = async () => {
    const { s3, CreateMultipartUploadCommand, UploadPartCommand } = await bucket()
    UploadId ??= (await s3.send(new CreateMultipartUploadCommand({ Bucket, Key, ContentType }))).UploadId
    const PartNumber = Parts.length + 1
    const Body = Buffer.concat(waiting)
    const { ETag } = await s3.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body }))
    Parts.push({ ETag, PartNumber })
    waiting = []
    size = 0
  }
  return {
    write: async (text) => {
      const piece = typeof text === 'string' ? Buffer.from(text) : text
      hash.update(piece)
      bytes += piece.length
      size += piece.length
      waiting.push(piece)
      if (size >= part) await send()
    },
    end: async () => {
      if (UploadId === undefined) await putObject(Key, Buffer.concat(waiting), ContentType)
      else {
        if (size > 0) await send()
        const { s3, CompleteMultipartUploadCommand } = await bucket()
        await s3.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }))
      }
      return { bytes, sha256: hash.digest('hex') }
    },
  }
}

/** Fails if the bucket does not answer. */
export async function pingBucket(): Promise<void> {
  const { s3, HeadBucketCommand } = await bucket()
  await s3.send(new HeadBucketCommand({ Bucket }), currentSignal())
}

const STEADY = 5 * 60 * 1000

export type LinkOptions = { type: string; disposition: string }
/** Makes an address under which one object can be read for a while. */
export type Links = (key: string, shown: LinkOptions) => Promise<string>

/**
 * Makes addresses that are good for `seconds`, counted from the last full five minutes. So an address stays the same for a while:
 * browsers keep what they show, and ETags of answers hold. Credentials are read once. Making an address needs no call.
 */
export async function createLinks(seconds = 900): Promise<Links> {
  const { at, ...rest } = await signer()
  const by = { ...rest, at: new Date(at.getTime() - (at.getTime() % STEADY)) }
  return (key, { type, disposition }) =>
    presignedGet(
      addressOf(key, by),
      { 'response-content-type': type, 'response-content-disposition': disposition, 'x-id': 'GetObject' },
      seconds,
      by,
    )
}

/** A form with which a client puts one file of this type and size under a key, within `seconds`. */
export async function uploadForm(key: string, file: { type: string; size: number }, seconds: number) {
  const by = await signer()
  const until = new Date(by.at.getTime() + seconds * 1000)
  const fields = await postFields({ bucket: Bucket, key, ...file, until }, by)
  return { url: addressOf('', by).href, fields, expires_at: until.toISOString() }
}

async function signer(): Promise<Signer> {
  const { s3 } = await bucket()
  const [credentials, region] = await Promise.all([s3.config.credentials(), s3.config.region()])
  return { credentials, region, at: new Date(timeOfDay()) }
}

/** The bucket is a host of its own at AWS, and a folder of the local server. */
const addressOf = (key: string, { region }: Signer) =>
  config.S3_ENDPOINT
    ? new URL(`${config.S3_ENDPOINT}/${Bucket}/${key}`.replace(/\/$/, ''))
    : new URL(`https://${Bucket}.s3.${region}.amazonaws.com/${key}`)
