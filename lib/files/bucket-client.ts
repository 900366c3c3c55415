import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3'

/** The SDK's client of the bucket with the commands that blobs.ts sends; a file of its own, which functions load with their first call. */
export {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'

export const clientOf = (settings: S3ClientConfig): S3Client => new S3Client(settings)
