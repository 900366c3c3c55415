import { randomUUID } from 'node:crypto'
import type { Context } from 'aws-lambda'
import { groupOf } from '../../../lib/http/groups.ts'
import { canonical } from '../../../lib/http/path.ts'
import type { Event, Result } from '../../../lib/http/shell.ts'
import type { Send } from '../import/client.ts'

/** Requests to the functions themselves, without a gateway: for work that is done before one runs. */
export const inProcess: Send = async (url, { method, headers, body }) => {
  if (body instanceof FormData) throw new Error('Forms come through a gateway.')
  const { host, pathname, search } = new URL(url)
  const requestId = randomUUID()
  const event: Event = {
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
      requestId,
      routeKey: '$default',
      stage: '$default',
      time: new Date().toUTCString(),
      timeEpoch: Date.now(),
    },
    ...(body !== undefined && { body }),
    isBase64Encoded: false,
  }
  const serve = await handlerOf(pathname)
  const answer = await serve(event, { awsRequestId: requestId, getRemainingTimeInMillis: () => 30_000 })
  return new Response(answer.body || null, { status: answer.statusCode ?? 200, headers: headersOf(answer) })
}

type Handler = (event: Event, context: Pick<Context, 'awsRequestId' | 'getRemainingTimeInMillis'>) => Promise<Result>

/** The function of the group whose path it is. */
async function handlerOf(path: string): Promise<Handler> {
  const { handler }: { handler: Handler } = await import(`../../../functions/${groupOf(canonical(path))}.ts`)
  return handler
}

const headersOf = ({ headers = {} }: Result) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
