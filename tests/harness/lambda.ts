import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Context } from 'aws-lambda'

/**
 * The part of Lambda's API by which functions call each other, in front of the handlers themselves: the answer of a call, or
 * 202 at once where the caller does not wait. Answers its address; it ends with the process.
 */
export async function serveLambda(): Promise<string> {
  const server = createServer((request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  server.unref()
  // Its type is that of a server on a pipe, too.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

let heard: readonly string[] | undefined

/** From now on only these functions hear calls that nobody waits for. */
export const answerFor = (names: readonly string[]): void => {
  heard = names
}

type Handler = (event: unknown, context: Context) => Promise<unknown>

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const name = /^\/2015-03-31\/functions\/([\w-]+)\/invocations$/.exec(request.url ?? '')?.[1] ?? ''
  const event: unknown = JSON.parse(Buffer.concat(await Array.fromAsync(request)).toString() || '{}')
  const isLater = request.headers['x-amz-invocation-type'] === 'Event'
  if (isLater) response.writeHead(202).end()
  if (isLater && heard && !heard.includes(name)) return
  try {
    const { handler }: { handler: Handler } = await import(`../../functions/${name}.ts`)
    const context = { functionName: name, awsRequestId: 'call', getRemainingTimeInMillis: () => 29_000 } as Context
    const result = await handler(event, context)
    if (!isLater) response.end(JSON.stringify(result ?? null))
  } catch (error) {
    if (!isLater) response.writeHead(200, { 'x-amz-function-error': 'Unhandled' }).end(JSON.stringify(String(error)))
  }
}
