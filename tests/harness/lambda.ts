import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Context } from 'aws-lambda'

/**
 * Serves the `Invoke` operation of Lambda's API, by which functions call each other. It runs the handler in this process and replies with its
 * result. A call of the type `Event` gets 202 at once. Returns the address. The server ends with the process.
 */
export async function serveLambda(): Promise<string> {
  const server = createServer((request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  server.unref()
  // The address of a server on a port is an object; on a pipe it would be a text.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

let receivers: readonly string[] | undefined

/** From now on, calls of the type `Event` reach these functions only. Those to other functions are dropped. */
export const answerFor = (names: readonly string[]): void => {
  receivers = names
}

type Handler = (event: unknown, context: Context) => Promise<unknown>

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const name = /^\/2015-03-31\/functions\/([\w-]+)\/invocations$/.exec(request.url ?? '')?.[1] ?? ''
  const event: unknown = JSON.parse(Buffer.concat(await Array.fromAsync(request)).toString() || '{}')
  const isLater = request.headers['x-amz-invocation-type'] === 'Event'
  if (isLater) response.writeHead(202).end()
  if (isLater && receivers && !receivers.includes(name)) return
  try {
    const { handler }: { handler: Handler } = await import(`../../functions/${name}.ts`)
    const context = { functionName: name, awsRequestId: 'call', getRemainingTimeInMillis: () => 29_000 } as Context
    const result = await handler(event, context)
    if (!isLater) response.end(JSON.stringify(result ?? null))
  } catch (error) {
    if (!isLater) response.writeHead(200, { 'x-amz-function-error': 'Unhandled' }).end(JSON.stringify(String(error)))
  }
}
