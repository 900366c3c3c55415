import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { S3Client } from '@aws-sdk/client-s3'
import { loadStack } from '../../../deploy/stack.ts'

/** A table and a bucket, with clients for them. */
export type Place = { db: DynamoDBClient; s3: S3Client; table: string; bucket: string; close: () => void }
type Where = {
  table: string
  bucket: string
  dynamodb?: string | undefined
  files?: string | undefined
  /** The credentials are the operator's, also at addresses of one's own. Emulators have theirs. */
  hasKey?: boolean
}

/** The named table and bucket, with the operator's credentials and region. Without names, those of the local service. */
export function placeNamed({ table, bucket }: { table?: string | undefined; bucket?: string | undefined }): Place {
  if (table && bucket) {
    const { DYNAMODB_ENDPOINT: dynamodb, S3_ENDPOINT: files } = process.env
    return open({ table, bucket, dynamodb, files, hasKey: true })
  }
  if (table || bucket) throw new Error('--table and --bucket go together.')
  const { TABLE_NAME = '', BUCKET_NAME = '', DYNAMODB_ENDPOINT, S3_ENDPOINT } = loadStack().environment
  return open({ table: TABLE_NAME, bucket: BUCKET_NAME, dynamodb: DYNAMODB_ENDPOINT, files: S3_ENDPOINT })
}

/** With endpoints it uses emulators, or the stores of a server of one's own. Without them it uses AWS. */
export function open({ table, bucket, dynamodb, files, hasKey = false }: Where): Place {
  const db = new DynamoDBClient({
    maxAttempts: 10,
    ...(dynamodb && {
      endpoint: dynamodb,
      region: process.env.AWS_REGION ?? 'us-east-1',
      ...(!hasKey && { credentials: credentialsOf('local') }),
    }),
  })
  const s3 = new S3Client({
    maxAttempts: 10,
    ...(files && {
      endpoint: files,
      forcePathStyle: true,
      requestChecksumCalculation: 'WHEN_REQUIRED' as const,
      responseChecksumValidation: 'WHEN_REQUIRED' as const,
      region: process.env.AWS_REGION ?? 'us-east-1',
      ...(!hasKey && { credentials: credentialsOf('S3RVER') }),
    }),
  })
  const close = () => {
    db.destroy()
    s3.destroy()
  }
  return { db, s3, table, bucket, close }
}

const credentialsOf = (name: string) => ({ accessKeyId: name, secretAccessKey: name })
