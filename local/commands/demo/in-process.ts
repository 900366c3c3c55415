import { randomUUID } from 'node:crypto'
import type { Context } from 'aws-lambda'
import { groupOf } from '../../../lib/platform/http/groups.ts'
import { canonicalPath } from '../../../lib/platform/http/path.ts'
import type { HttpEvent, HttpResult } from '../../../lib/platform/http/shell.ts'
import type { Send } from '../import/client.ts'

/** Calls the functions directly, without a gateway: for work that is done before a gateway runs. */
export const inProcess: Send = async (url, asked) => {
  const answer = await answerOf(url, asked.body instanceof FormData ? await withForm(asked, asked.body) : asked)
  return new Response(answer.body || null, { status: answer.statusCode ?? 200, headers: headersOf(answer) })
}

type Asked = { method: string; headers: Record<string, string>; body?: string | Buffer | FormData | undefined }

/** The request with the form's bytes as its body. */
async function withForm({ method, headers }: Asked, form: FormData): Promise<Asked> {
  const sent = new Response(form)
  const type = sent.headers.get('content-type') ?? ''
  return { method, headers: { ...headers, 'content-type': type }, body: Buffer.from(await sent.arrayBuffer()) }
}

/** Calls the function of the path's group, and returns its answer in the gateway's format. */
export async function answerOf(url: string, asked: Asked): Promise<HttpResult> {
  const event = eventOf(new URL(url), asked)
  const serve = await handlerOf(groupOf(canonicalPath(event.rawPath)))
  return serve(event, { awsRequestId: event.requestContext.requestId, getRemainingTimeInMillis: () => 30_000 })
}

function eventOf({ host, pathname, search }: URL, { method, headers, body }: Asked): HttpEvent {
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: pathname,
    rawQueryString: search.slice(1),
    headers: { host, ...headers },
    requestContext: {
      accountId: '000000000000',
      apiId: 'local',
      domainName: host,
      domainPrefix: '',
      http: { method, path: pathname, protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: 'seed' },
      requestId: randomUUID(),
      routeKey: '$default',
      stage: '$default',
      time: new Date().toUTCString(),
      timeEpoch: Date.now(),
    },
    ...(typeof body === 'string' && { body }),
    // A gateway gives a function bytes as base64.
    ...(body instanceof Buffer ? { body: body.toString('base64'), isBase64Encoded: true } : { isBase64Encoded: false }),
  }
}

type Handler = (
  event: HttpEvent,
  context: Pick<Context, 'awsRequestId' | 'getRemainingTimeInMillis'>,
) => Promise<HttpResult>
const handlers = new Map<string, Promise<{ handler: Handler }>>()

async function handlerOf(group: string): Promise<Handler> {
  const found = handlers.get(group) ?? import(`../../../functions/${group}.ts`)
  handlers.set(group, found)
  return (await found).handler
}

const headersOf = ({ headers = {} }: HttpResult) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
