import { CreateBucketCommand, HeadBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { loadStack } from '../../deploy/stack.ts'
import { createTable } from '../../deploy/stand-ins/table.ts'
import { signerOf } from '../../lib/base/signing.ts'

/** Where table and bucket are, and who asks them. */
type Store = { dynamodb: string; s3: string; table: string; bucket: string; region: string; credentials: Credentials }
type Credentials = { accessKeyId: string; secretAccessKey: string }

export const storeIn = (environment: NodeJS.ProcessEnv): Store => ({
  dynamodb: environment.DYNAMODB_ENDPOINT ?? '',
  s3: environment.S3_ENDPOINT ?? '',
  table: environment.TABLE_NAME ?? '',
  bucket: environment.BUCKET_NAME ?? '',
  region: environment.AWS_REGION ?? 'us-east-1',
  credentials: {
    accessKeyId: environment.AWS_ACCESS_KEY_ID ?? '',
    secretAccessKey: environment.AWS_SECRET_ACCESS_KEY ?? '',
  },
})

/** Makes the table of `serverless.yml` and the bucket, unless they are there. Safe to repeat. */
export async function prepareStore({ dynamodb, s3, table, bucket, region, credentials }: Store): Promise<void> {
  await createTable(dynamodb, table, loadStack().table, { region, credentials })
  const client = new S3Client({ endpoint: s3, region, credentials, forcePathStyle: true })
  try {
    await client.send(new HeadBucketCommand({ Bucket: bucket }))
  } catch (error) {
    if (Object(error).$metadata?.httpStatusCode !== 404) throw error
    await client.send(new CreateBucketCommand({ Bucket: bucket }))
  } finally {
    client.destroy()
  }
}

/** Calls the stream API of the store, signed. Its records have the form that a function receives. */
export function streamCaller({ dynamodb, region, credentials }: Store) {
  const { protocol, hostname, host, port, href } = new URL('/', dynamodb)
  return async (operation: string, input: object): Promise<unknown> => {
    const body = JSON.stringify(input)
    const headers = {
      host,
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `DynamoDBStreams_20120810.${operation}`,
    }
    const request = {
      method: 'POST',
      protocol,
      hostname,
      path: '/',
      headers,
      body,
      ...(port && { port: Number(port) }),
    }
    const signed = await signerOf('dynamodb', region, credentials).sign(request)
    const response = await fetch(href, { method: 'POST', headers: signed.headers, body })
    if (!response.ok) throw new Error(`${operation}: ${(await response.text()).slice(0, 200)}`)
    return response.json()
  }
}
