import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type AccessRecord, deniedTarget, type RefusalReply, type Roles, refusal } from './judge.ts'
import { needsOfTarget, signerOfRequest } from './requests.ts'

/**
 * A fault on the way to the table: returns a reply in place of the table's, or waits. Undefined lets the call go on. `body` is that of the
 * request, as JSON text.
 */
export type Meddle = (signer: string | undefined, operation: string, body: string) => Promise<RefusalReply | undefined>
export type TableGate = { endpoint: string; stop: () => Promise<void> }

/**
 * Stands before the emulator of the table and its streams. It refuses what the signer's role does not allow, as AWS does. All else it
 * passes on unchanged, unless `meddle` answers instead.
 */
export async function startTableGate(
  target: string,
  roles: Roles,
  record: AccessRecord,
  meddle: Meddle = async () => undefined,
): Promise<TableGate> {
  const agent = new Agent({ keepAlive: true })
  const server = createServer((asked, answer) => void pass(asked, answer).catch(() => answer.destroy()))
  // Ten minutes, since clients keep connections: one that the server closes between two requests costs a retry.
  server.keepAliveTimeout = 600_000
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // The type also allows a pipe, which has no port.
  const address = server.address() as AddressInfo
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
      agent.destroy()
    },
  }

  async function pass(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const body = Buffer.concat(await Array.fromAsync(asked))
    const refused = refusedBy(asked, body.toString()) ?? (await meddledWith(asked, body.toString()))
    if (refused) return void answer.writeHead(refused.status, refused.headers).end(refused.body)
    const forward = request(new URL(asked.url ?? '/', target), { method: asked.method, headers: asked.headers, agent })
    forward.end(body)
    const [given]: IncomingMessage[] = await once(forward, 'response')
    answer.writeHead(given?.statusCode ?? 502, given?.headers)
    given?.pipe(answer)
  }

  function meddledWith({ headers }: IncomingMessage, body: string): Promise<RefusalReply | undefined> {
    const operation = String(headers['x-amz-target'] ?? '').split('.')[1] ?? ''
    return meddle(signerOfRequest({ headers: { authorization: headers.authorization }, query: {} }), operation, body)
  }

  function refusedBy({ method = '', headers }: IncomingMessage, body: string): RefusalReply | undefined {
    const plain = { authorization: headers.authorization, 'x-amz-target': [headers['x-amz-target']].flat()[0] }
    if (plain['x-amz-target'] === undefined) return undefined
    const asked = { method, path: '/', query: {}, headers: plain, body }
    const signer = signerOfRequest(asked)
    const need = refusal(roles, signer, needsOfTarget(asked), record)
    return need && deniedTarget(signer, need)
  }
}
