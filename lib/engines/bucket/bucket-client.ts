import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { failedAt } from '../../base/dependency.ts'
import { notePending } from '../../base/telemetry/request-cost.ts'

/** The SDK's client, with the commands that `blobs.ts` sends. The bundler puts it into a file of its own, loaded with the first call. */
export const clientOf = (settings: S3ClientConfig) => ({
  s3: connect(settings),
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
})

function connect(settings: S3ClientConfig): S3Client {
  const s3 = new S3Client(settings)
  s3.middlewareStack.add((next) => (args) => notePending('bucket', () => next(args)).catch(failedAt('bucket')), {
    step: 'initialize',
    name: 'failedAt',
  })
  return s3
}
