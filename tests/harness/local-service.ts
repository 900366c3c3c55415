import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../local/service/ports.ts'

/** The whole local service, as `npm start` starts it, on free ports and in a folder of its own. */
export async function startService(): Promise<{ origin: string; idp: string; stop: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'heritage-local-'))
  const ports: Record<string, string> = {}
  for (const name of ['PORT', 'LAMBDA_PORT', 'DYNAMODB_PORT', 'S3_PORT', 'IDP_PORT', 'MAIL_PORT'])
    ports[name] = String(await freePort())
  const { PATH = '', HOME = '' } = process.env
  // None of what the tests set for themselves: it has an emulator and a table of its own.
  const child = spawn(process.execPath, ['--max-semi-space-size=4', 'local/service/start.ts'], {
    env: { PATH, HOME, LOCAL_DATA: folder, ...ports },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const gone = once(child, 'exit')
  let said = ''
  const ready = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text) => {
        said += text
        if (said.includes('The service is ready')) resolve()
      })
  })
  const stop = async () => {
    child.kill('SIGTERM')
    await gone
    await rm(folder, { recursive: true, force: true })
  }
  const failed = gone.then(() => {
    throw new Error(`The service ended: ${said}`)
  })
  await Promise.race([ready, failed])
  failed.catch(() => undefined)
  return { origin: `http://localhost:${ports.PORT}`, idp: `http://localhost:${ports.IDP_PORT}`, stop }
}
