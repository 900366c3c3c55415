import * as v from 'valibot'
import type { Need } from './policy.ts'

/** An HTTP request to AWS. Header names are in lower case, `path` has no query. */
export type WireRequest = {
  method: string
  path: string
  query: Readonly<Record<string, string>>
  headers: Readonly<Record<string, string | undefined>>
  body: string
}

/** The account and region of the emulators. */
export const ACCOUNT = '000000000000'
export const REGION = 'us-east-1'

/** The access key id of a signature, in a header or in the query. Undefined if the request is not signed. */
export function signerOfRequest({ headers, query }: Pick<WireRequest, 'headers' | 'query'>): string | undefined {
  const scope = /Credential=([^,\s]+)/.exec(headers.authorization ?? '')?.[1] ?? query['X-Amz-Credential']
  return scope?.split('/')[0]
}

/** The rights that a request to DynamoDB, its streams or the parameter store needs. Throws for another service. */
export function needsOfTarget({ headers, body }: WireRequest): Need[] {
  const [service = '', operation = ''] = (headers['x-amz-target'] ?? '').split('.')
  const input = v.parse(Input, JSON.parse(body || '{}'))
  if (service === 'AmazonSSM')
    return (input.Names ?? []).map((name) => ({
      action: `ssm:${operation}`,
      resource: `arn:aws:ssm:${REGION}:${ACCOUNT}:parameter${name}`,
    }))
  if (service.startsWith('DynamoDBStreams'))
    return [{ action: `dynamodb:${operation}`, resource: input.StreamArn ?? input.ShardIterator ?? '*' }]
  if (service !== 'DynamoDB_20120810') throw new Error(`a call to ${service}.${operation}, which nobody judges`)
  if (input.TransactItems) return input.TransactItems.flatMap(inTransaction)
  if (input.RequestItems) return Object.keys(input.RequestItems).map((table) => ofTable(operation, table))
  return [ofTable(operation, input.TableName ?? '*', input.IndexName)]
}

/** A transaction needs the rights of its parts. IAM has no action for the transaction itself. */
const inTransaction = (item: Readonly<Record<string, { TableName: string }>>): Need[] =>
  Object.entries(item).map(([part, { TableName }]) =>
    ofTable(part === 'ConditionCheck' ? 'ConditionCheckItem' : `${part}Item`, TableName),
  )

const ofTable = (operation: string, table: string, index?: string): Need => ({
  action: `dynamodb:${operation}`,
  resource: `${tableArn(table)}${index === undefined ? '' : `/index/${index}`}`,
})

export const tableArn = (name: string): string =>
  name.startsWith('arn:') ? name : `arn:aws:dynamodb:${REGION}:${ACCOUNT}:table/${name}`

/** What says which rights are needed. All else is left out: a request may hold a megabyte of it. */
const Input = v.object({
  TableName: v.optional(v.string()),
  IndexName: v.optional(v.string()),
  RequestItems: v.optional(v.record(v.string(), v.unknown())),
  TransactItems: v.optional(v.array(v.record(v.string(), v.object({ TableName: v.string() })))),
  Names: v.optional(v.array(v.string())),
  StreamArn: v.optional(v.string()),
  ShardIterator: v.optional(v.string()),
})

/** The rights that a request to S3 needs. Paths begin with the bucket. `posted` is the key of a form, which has it in its body. */
export function needsOfObject({ method, path, query, headers }: Omit<WireRequest, 'body'>, posted?: string): Need[] {
  const [, bucket = '', ...rest] = decodeURIComponent(path).split('/')
  const key = posted ?? rest.join('/')
  const object = (action: string): Need => ({ action: `s3:${action}`, resource: objectArn(`${bucket}/${key}`) })
  if (key === '') return [{ action: `s3:${bucketActions[method] ?? method}`, resource: objectArn(bucket) }]
  const source = headers['x-amz-copy-source']
  const read = source
    ? [{ action: 's3:GetObject', resource: objectArn(decodeURIComponent(source).replace(/^\//, '')) }]
    : []
  if (method === 'DELETE' && 'uploadId' in query) return [object('AbortMultipartUpload')]
  return [...read, object(objectActions[method] ?? method)]
}

/** The ARN of a function, from its name or ARN. */
export const functionArn = (name: string): string =>
  name.startsWith('arn:') ? name : `arn:aws:lambda:${REGION}:${ACCOUNT}:function:${name}`

export const objectArn = (place: string): string => `arn:aws:s3:::${place}`
const bucketActions: Readonly<Record<string, string>> = { GET: 'ListBucket', HEAD: 'ListBucket' }
const objectActions: Readonly<Record<string, string>> = {
  GET: 'GetObject',
  HEAD: 'GetObject',
  PUT: 'PutObject',
  POST: 'PutObject',
  DELETE: 'DeleteObject',
}

export const bucketIn = (path: string): string => decodeURIComponent(path).split('/')[1] ?? ''

/** The right to list a bucket. S3 says that an object is missing only to those who have it. */
export const listing = (path: string): Need => ({
  action: 's3:ListBucket',
  resource: objectArn(bucketIn(path)),
})
