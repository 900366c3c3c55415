import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { expect, test } from 'vitest'
import { readRequest } from '../../../lib/platform/http/request.ts'

test('a body that a gateway gives as null is an empty body', () => {
  const event: APIGatewayProxyEventV2 = JSON.parse(`{
    "version": "2.0", "rawPath": "/api/user/info/", "rawQueryString": "", "headers": { "host": "localhost:8000" }, "body": null,
    "isBase64Encoded": false, "requestContext": { "requestId": "r", "http": { "method": "GET", "path": "/", "sourceIp": "127.0.0.1" } }
  }`)
  expect(readRequest(event)).toMatchObject({ path: '/api/user/info/', isAltered: false, body: Buffer.from('') })
})
