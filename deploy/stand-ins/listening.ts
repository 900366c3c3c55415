import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Listening = { port: number; stop: () => Promise<void> }

/** Serves on a port of this machine; 0 takes a free one. If `serve` fails, the connection is closed. */
export async function listen(
  serve: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  port = 0,
): Promise<Listening> {
  const server = createServer((request, response) => void serve(request, response).catch(() => response.destroy()))
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  // The type also allows a pipe, which has no port.
  const address = server.address() as AddressInfo
  return {
    port: address.port,
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** The whole body of a request. */
export const readBody = async (request: IncomingMessage): Promise<Buffer> =>
  Buffer.concat(await Array.fromAsync(request))
