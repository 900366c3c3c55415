import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type AccessRecord, type Answer, deniedTarget, type Roles, refusal } from './judge.ts'
import { needsOfTarget, signerOf } from './requests.ts'

/** What goes wrong with a call on its way, and by how much it is late; undefined where it goes on. */
export type Meddle = (signer: string | undefined, operation: string) => Promise<Answer | undefined>
export type TableGate = { endpoint: string; stop: () => Promise<void> }

/**
 * Stands before an emulator that is spoken to in AWS's JSON protocol (the table, its streams): what the role of whoever
 * signed does not allow ends here as it ends at AWS; all else passes as it is, unless someone meddles.
 */
export async function startTableGate(
  target: string,
  roles: Roles,
  record: AccessRecord,
  meddle: Meddle = async () => undefined,
): Promise<TableGate> {
  const agent = new Agent({ keepAlive: true })
  const server = createServer((asked, answer) => void pass(asked, answer).catch(() => answer.destroy()))
  // Clients keep their connections; one that ends between two requests costs them a retry.
  server.keepAliveTimeout = 600_000
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // Its type is that of a server on a pipe, too.
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
    const refused = refusedBy(asked, body.toString()) ?? (await meddledWith(asked))
    if (refused) return void answer.writeHead(refused.status, refused.headers).end(refused.body)
    const forward = request(new URL(asked.url ?? '/', target), { method: asked.method, headers: asked.headers, agent })
    forward.end(body)
    const [given]: IncomingMessage[] = await once(forward, 'response')
    answer.writeHead(given?.statusCode ?? 502, given?.headers)
    given?.pipe(answer)
  }

  function meddledWith({ headers }: IncomingMessage): Promise<Answer | undefined> {
    const operation = String(headers['x-amz-target'] ?? '').split('.')[1] ?? ''
    return meddle(signerOf({ headers: { authorization: headers.authorization }, query: {} }), operation)
  }

  function refusedBy({ method = '', headers }: IncomingMessage, body: string): Answer | undefined {
    const plain = { authorization: headers.authorization, 'x-amz-target': [headers['x-amz-target']].flat()[0] }
    if (plain['x-amz-target'] === undefined) return undefined
    const asked = { method, path: '/', query: {}, headers: plain, body }
    const signer = signerOf(asked)
    const need = refusal(roles, signer, needsOfTarget(asked), record)
    return need && deniedTarget(signer, need)
  }
}
