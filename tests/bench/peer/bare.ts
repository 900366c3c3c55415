import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerOf } from '../../../local/commands/demo/in-process.ts'

/**
 * The functions behind the least HTTP server there is, in a process of its own: what a request costs without a gateway. Its parent
 * is told the port, and the processor time so far, in microseconds, whenever it asks.
 */
const server = createServer((request, response) => void answer(request, response))
// Its connections are kept while it is the other side's turn.
server.keepAliveTimeout = 600_000
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.({ microseconds: user + system })
})
process.send?.({ port })

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = Buffer.concat(await Array.fromAsync(request)).toString()
  const { host = '', authorization = '', 'content-type': type = 'application/json' } = request.headers
  const headers = { authorization, ...(body !== '' && { 'content-type': type }) }
  const asked = { method: request.method ?? 'GET', headers, body: body === '' ? undefined : body }
  const { statusCode = 200, headers: told = {}, body: said } = await answerOf(`http://${host}${request.url}`, asked)
  for (const [name, value] of Object.entries(told)) response.setHeader(name, String(value))
  response.writeHead(statusCode).end(said)
}
