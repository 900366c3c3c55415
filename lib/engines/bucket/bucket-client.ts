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
import { logCall } from '../../base/telemetry/log.ts'
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
  s3.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        const began = performance.now()
        try {
          return await notePending('bucket', () => next(args))
        } catch (error) {
          return failedAt('bucket')(error)
        } finally {
          logCall('bucket', commandName.replace(/Command$/, ''), began)
        }
      },
    { step: 'initialize', name: 'failedAt' },
  )
  return s3
}
