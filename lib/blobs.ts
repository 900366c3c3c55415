import { createHash } from 'node:crypto'
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
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

/** Removes what is under a key; nothing there is no failure. */
export async function deleteObject(Key: string): Promise<void> {
  await s3.send(new DeleteObjectCommand({ Bucket, Key }))
}

export type Upload = {
  write: (text: string) => Promise<void>
  end: () => Promise<{ bytes: number; sha256: string }>
}

/** S3 takes parts of 5 MB and more. */
const PART = 5 << 20

/** Stores text that comes piece by piece and is too long for memory. What is not ended is never there; S3 drops it after a day. */
export function startUpload(Key: string, ContentType: string, part = PART): Upload {
  const hash = createHash('sha256')
  const Parts: { ETag: string | undefined; PartNumber: number }[] = []
  let bytes = 0
  let waiting: Buffer[] = []
  let size = 0
  let UploadId: string | undefined
  const send = async () => {
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
      const piece = Buffer.from(text)
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
        await s3.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }))
      }
      return { bytes, sha256: hash.digest('hex') }
    },
  }
}

/** An address under which anyone may read an object for so many seconds. */
export const addressFor = (Key: string, name: string, expiresIn: number): Promise<string> =>
  getSignedUrl(
    s3,
    new GetObjectCommand({ Bucket, Key, ResponseContentDisposition: `attachment; filename="${name}"` }),
    { expiresIn },
  )

/** Whether the bucket answers at all. */
export async function ping(abortSignal: AbortSignal): Promise<void> {
  await s3.send(new HeadBucketCommand({ Bucket }), { abortSignal })
}
