import type { APIGatewayRequestAuthorizerEvent, Context } from 'aws-lambda'
import { fileOf, form } from './asset-world.ts'

/** A REST API, as it stands before the function of scanned documents: it asks its authorizer, and stores a whole form itself. */

export const restContext = { awsRequestId: 'rest', getRemainingTimeInMillis: () => 29_000 } as Context

/** The head of an event of a REST API. */
export function headOf(
  method: string,
  path: string,
  headers: Record<string, string>,
  query: Record<string, string> = {},
) {
  const all = { Host: 'localhost', ...headers }
  return {
    resource: '/{id}/append',
    path,
    httpMethod: method,
    headers: all,
    multiValueHeaders: Object.fromEntries(Object.entries(all).map(([name, value]) => [name, [value]])),
    queryStringParameters: query,
    multiValueQueryStringParameters: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value]])),
    pathParameters: null,
    stageVariables: null,
    requestContext: {
      accountId: '0',
      apiId: 'x',
      domainName: 'localhost',
      stage: 'live',
      requestId: 'rest',
      identity: { sourceIp: '192.0.2.7', userAgent: 'test' },
    },
  }
}

/** Asks the authorizer for the next part of an upload. Returns its answer, and where the part is to be stored. */
export async function askForPart(id: string, headers: Record<string, string>, query: Record<string, string> = {}) {
  const { handler } = await import('../../functions/scans.ts')
  const sent = { 'Content-Type': 'multipart/form-data; boundary=x', ...headers }
  const head = headOf('POST', `/api/v1/data/ocr-chunk-uploads/${id}/append/`, sent, query)
  const methodArn = 'arn:aws:execute-api:us-east-1:0:x/live/POST/append'
  const event = { type: 'REQUEST', methodArn, ...head } as unknown as APIGatewayRequestAuthorizerEvent
  const result = await handler(event, restContext)
  const { folder, upload, part, status, answer, ...rest } = result.context ?? {}
  const body = JSON.parse(Buffer.from(String(answer), 'base64').toString())
  return { status: Number(status), key: `${folder}/${upload}/${part}`, body, rest, result, methodArn }
}

/** Stores a part as the REST API does: the whole form. */
export async function storePart(key: string, bytes: Uint8Array, more: Record<string, string> = {}): Promise<void> {
  const body = new Response(form({ ...more, chunk: fileOf(bytes, 'part.bin') }))
  const { putObject } = await import('../../lib/engines/bucket/index.ts')
  await putObject(key, new Uint8Array(await body.arrayBuffer()), 'multipart/form-data')
}
