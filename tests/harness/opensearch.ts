import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../deploy/stand-ins/free-port.ts'

const OPENSEARCH_URL = process.env.OPENSEARCH_URL ?? ''
const OPENSEARCH_JARS = process.env.OPENSEARCH_JARS ?? ''

/** Why there is no server to test with. Undefined if there is one. */
export const whyNoServer: string | undefined =
  OPENSEARCH_URL || OPENSEARCH_JARS ? undefined : 'neither OPENSEARCH_URL nor OPENSEARCH_JARS is set'

export type SearchServer = { url: string; stop: () => Promise<void> }

/** The server of `OPENSEARCH_URL`, or one from the jars in the folder `OPENSEARCH_JARS`, on loopback, in a folder of its own. */
export async function startSearchServer(): Promise<SearchServer> {
  if (OPENSEARCH_URL) return { url: OPENSEARCH_URL, stop: async () => undefined }
  const home = mkdtempSync(join(tmpdir(), 'heritage-opensearch-'))
  const port = await freePort()
  const source = fileURLToPath(new URL('opensearch/Server.java', import.meta.url))
  const options = ['-Xms512m', '-Xmx1g', '-cp', join(OPENSEARCH_JARS, '*')]
  const child = spawn('java', [...options, source, home, String(port)], { stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  const until = performance.now() + 90_000
  while (!(await answers(url))) {
    if (child.exitCode !== null || performance.now() > until) throw new Error('OpenSearch does not start')
    await sleep(200)
  }
  return {
    url,
    stop: async () => {
      const ended = once(child, 'exit')
      child.kill()
      await ended
      rmSync(home, { recursive: true, force: true })
    },
  }
}

const answers = (url: string) =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )

/** Stands before a server, and can be switched off: then connections break. */
export async function switchBefore(
  url: string,
): Promise<{ url: string; isOn: boolean; calls: string[]; stop: () => void }> {
  const before = { url: '', isOn: true, calls: [] as string[], stop: (): void => undefined }
  const server: Server = createServer((request, response) => {
    if (!before.isOn) {
      request.socket.destroy()
      return
    }
    before.calls.push(`${request.method} ${request.url}`)
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', async () => {
      const { 'content-type': type = 'application/json' } = request.headers
      const body = Buffer.concat(parts)
      const answer = await fetch(new URL(request.url ?? '/', url), {
        method: request.method ?? 'GET',
        headers: { 'content-type': type },
        ...(body.length > 0 && { body }),
      })
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  before.url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  before.stop = () => {
    server.closeAllConnections()
    server.close()
  }
  return before
}
