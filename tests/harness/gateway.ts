import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { call } from './app.ts'

/** Serves the handlers on a local port, for clients that speak HTTP, such as a browser or the typed client. */
export async function serveHandlers(): Promise<{ origin: string; stop: () => Promise<void> }> {
  const server = createServer((request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // The address of a server on a port is an object; on a pipe it would be a text.
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const body = Buffer.concat(await Array.fromAsync(request))
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    const {
      status,
      headers: given,
      cookies,
      bytes,
    } = await call(request.method ?? 'GET', request.url ?? '/', headers, body)
    response.writeHead(status, { ...given, ...(cookies.length > 0 && { 'set-cookie': cookies }) }).end(bytes)
  } catch (error) {
    response.writeHead(500).end(String(error))
  }
}
