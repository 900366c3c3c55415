import type { Readable } from 'node:stream'
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { config } from './config.ts'
import { postFields, presignedGet, type Signer } from './presign.ts'

export const s3 = new S3Client({
  region: config.AWS_REGION,
  maxAttempts: 4,
  ...(config.S3_ENDPOINT && {
    endpoint: config.S3_ENDPOINT,
    forcePathStyle: true,
    // The local server reads neither trailing checksums nor any other pair of credentials.
    requestChecksumCalculation: 'WHEN_REQUIRED' as const,
    responseChecksumValidation: 'WHEN_REQUIRED' as const,
    credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
  }),
})
export const Bucket = config.BUCKET_NAME

export type Blob = { bytes: Uint8Array; type: string }

/** Stores bytes under a key, over whatever was there. */
export async function putObject(Key: string, bytes: Uint8Array, ContentType: string): Promise<void> {
  await s3.send(new PutObjectCommand({ Bucket, Key, Body: bytes, ContentType }))
}

/** The bytes under a key with their content type, or undefined. For objects that fit in memory. */
export async function getObject(Key: string): Promise<Blob | undefined> {
  try {
    const { Body, ContentType } = await s3.send(new GetObjectCommand({ Bucket, Key }))
    return Body && { bytes: await Body.transformToByteArray(), type: ContentType ?? 'application/octet-stream' }
  } catch (error) {
    if (error instanceof NoSuchKey) return undefined
    throw error
  }
}

/** Removes what is under a key; nothing there is no failure. */
export async function deleteObject(Key: string): Promise<void> {
  await s3.send(new DeleteObjectCommand({ Bucket, Key }))
}

/** Whether the bucket answers at all. */
export async function ping(abortSignal: AbortSignal): Promise<void> {
  await s3.send(new HeadBucketCommand({ Bucket }), { abortSignal })
}

export type Stream = { body: AsyncIterable<Uint8Array>; etag: string }

/** The bytes under a key as they come, or undefined. For objects of any size. */
export async function streamObject(Key: string): Promise<Stream | undefined> {
  try {
    const { Body, ETag = '' } = await s3.send(new GetObjectCommand({ Bucket, Key }))
    return Body && { body: Body as Readable, etag: ETag } // in Node a body is always a Readable
  } catch (error) {
    if (error instanceof NoSuchKey) return undefined
    throw error
  }
}

/** Stores bytes as they come, so many of them, under a key. */
export async function putStream(
  Key: string,
  Body: Readable,
  ContentLength: number,
  ContentType: string,
): Promise<void> {
  await s3.send(new PutObjectCommand({ Bucket, Key, Body, ContentLength, ContentType }))
}

/** Stores what is under one key under another one too. Fails when there is nothing. */
export async function copyObject(from: string, Key: string): Promise<void> {
  await s3.send(new CopyObjectCommand({ Bucket, Key, CopySource: `${Bucket}/${from}` }))
}

const STEADY = 5 * 60 * 1000

export type Shown = { type: string; disposition: string }
/** Makes addresses under which one object can be read for a while. */
export type Links = (key: string, shown: Shown) => string

/**
 * A maker of addresses that are good for 15 minutes from the last full five on: so they stay the same for a while, and
 * with them what browsers keep and the ETags of answers. Asks for credentials once; each address is arithmetic.
 */
export async function links(): Promise<Links> {
  const { at, ...rest } = await signer()
  const by = { ...rest, at: new Date(at.getTime() - (at.getTime() % STEADY)) }
  return (key, { type, disposition }) =>
    presignedGet(
      addressOf(key, by),
      { 'response-content-type': type, 'response-content-disposition': disposition, 'x-id': 'GetObject' },
      900,
      by,
    )
}

/** What a client posts, and where, to put one file of this type and size under a key, within so many seconds. */
export async function uploadForm(key: string, file: { type: string; size: number }, seconds: number) {
  const by = await signer()
  const until = new Date(by.at.getTime() + seconds * 1000)
  const fields = postFields({ bucket: Bucket, key, ...file, until }, by)
  return { url: addressOf('', by).href, fields, expires_at: until.toISOString() }
}

/** The time of day, not the service's clock: the bucket compares it with its own. */
async function signer(): Promise<Signer> {
  const [credentials, region] = await Promise.all([s3.config.credentials(), s3.config.region()])
  return { credentials, region, at: new Date() }
}

/** The bucket is a host of its own at AWS, and a folder of the local server. */
const addressOf = (key: string, { region }: Signer) =>
  config.S3_ENDPOINT
    ? new URL(`${config.S3_ENDPOINT}/${Bucket}/${key}`.replace(/\/$/, ''))
    : new URL(`https://${Bucket}.s3.${region}.amazonaws.com/${key}`)
