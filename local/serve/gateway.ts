import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { STATUS_CODES } from 'node:http'
import { groupOf } from '../../lib/platform/http/groups.ts'
import { canonicalPath } from '../../lib/platform/http/path.ts'
import type { HttpEvent, HttpResult } from '../../lib/platform/http/shell.ts'

type Context = { awsRequestId: string; functionName: string; getRemainingTimeInMillis: () => number }
export type Handler = (event: HttpEvent, context: Context) => Promise<HttpResult>

/** The most bytes of a body. Larger files go to the bucket by a form. */
const MOST_IN = 10 << 20
/** The most bytes that are read of a body that is too long. A client that sends more loses its connection. */
const MOST_THROWN_AWAY = 64 << 20
/** The longest time for a request, in milliseconds. */
const PATIENCE_MS = 29_000
/** Bodies of these types are given to the function as text, all others in base64. */
const asText = /^(text\/.*|application\/(json|xml|javascript))(;|$)/i

/**
 * Answers a request by the function of its group, with events in payload format 2.0. A proxy stands before it: the client's address is the
 * last one that the proxy has written into `X-Forwarded-For`.
 */
export async function serveRequest(
  request: IncomingMessage,
  response: ServerResponse,
  handlerOf: (group: string) => Promise<Handler>,
): Promise<void> {
  const body = await readBody(request)
  if (!body) return refuse(response, 413)
  const event = eventOf(request, body)
  if (!event) return refuse(response, 400)
  const group = groupOf(canonicalPath(event.rawPath))
  const until = performance.now() + PATIENCE_MS
  try {
    const handle = await handlerOf(group)
    const { requestId } = event.requestContext
    const result = await handle(event, {
      awsRequestId: requestId,
      functionName: `heritage-${process.env.STAGE}-${group}`,
      getRemainingTimeInMillis: () => Math.max(0, until - performance.now()),
    })
    const { statusCode = 200, headers = {}, cookies = [], body: text = '', isBase64Encoded } = result
    response.writeHead(statusCode, { ...headers, ...(cookies.length > 0 && { 'set-cookie': cookies }) } as never)
    response.end(Buffer.from(text, isBase64Encoded ? 'base64' : 'utf8'))
  } catch (error) {
    console.error(error instanceof Error ? error.stack : error)
    refuse(response, 500)
  }
}

/**
 * The body of a request. Undefined if it is too long: the rest is read and thrown away, since a client that is still sending hears no answer.
 */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length
    if (length <= MOST_IN) parts.push(part)
    else parts.length = 0
    if (length > MOST_THROWN_AWAY) break
  }
  return length > MOST_IN ? undefined : Buffer.concat(parts)
}

/** An answer without any function, in the form of the others. */
function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' })
  response.end(JSON.stringify({ detail: STATUS_CODES[status] }))
}

/** The event of a request. Undefined if the path is not percent-encoded UTF-8. */
function eventOf(request: IncomingMessage, body: Buffer): HttpEvent | undefined {
  const { method = 'GET', url = '/', headers } = request
  const [path = '/', ...queries] = url.split('?')
  const { cookie, ...others } = headers
  const rawPath = decodePath(path)
  if (rawPath === undefined) return undefined
  const isText = asText.test(headers['content-type'] ?? '')
  const given = Object.entries(others).map(([name, value]) => [name, [value].flat().join(',')])
  const forwarded = [headers['x-forwarded-for']].flat().join(',').split(',').at(-1)?.trim()
  const host = headers.host ?? ''
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath,
    rawQueryString: queries.join('?'),
    ...(cookie && { cookies: cookie.split('; ') }),
    headers: Object.fromEntries(given),
    requestContext: {
      accountId: 'own',
      apiId: 'own',
      domainName: host,
      domainPrefix: host,
      requestId: randomUUID(),
      routeKey: '$default',
      stage: '$default',
      time: new Date().toUTCString(),
      timeEpoch: Date.now(),
      http: {
        method,
        path: rawPath,
        protocol: 'HTTP/1.1',
        userAgent: String(headers['user-agent'] ?? ''),
        sourceIp: forwarded || (request.socket.remoteAddress ?? ''),
      },
    },
    ...(body.length > 0 && { body: body.toString(isText ? 'utf8' : 'base64') }),
    isBase64Encoded: body.length > 0 && !isText,
  }
}

function decodePath(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}
