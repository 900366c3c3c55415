import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { config } from './config.ts'

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

/** Stores a file under a key, over whatever was there, without holding it in memory. */
export async function putFile(Key: string, path: string, ContentType: string): Promise<void> {
  const { size } = await stat(path)
  await s3.send(new PutObjectCommand({ Bucket, Key, Body: createReadStream(path), ContentLength: size, ContentType }))
}

/** The bytes under a key as they come, or undefined. */
export async function readObject(Key: string): Promise<Readable | undefined> {
  try {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }))
    return Body instanceof Readable ? Body : undefined
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
