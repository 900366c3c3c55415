import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../../local/service/ports.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { quickFolder } from './quick-folder.ts'

/** The whole local service, as `npm start` starts it, on free ports and in a folder of its own. */
export async function startService(): Promise<{ origin: string; idp: string; pid: number; stop: () => Promise<void> }> {
  const folder = await mkdtemp(join(quickFolder, 'heritage-local-'))
  const ports: Record<string, string> = {}
  for (const name of ['PORT', 'LAMBDA_PORT', 'DYNAMODB_PORT', 'S3_PORT', 'IDP_PORT', 'MAIL_PORT'])
    ports[name] = String(await freePort())
  const { PATH = '', HOME = '' } = process.env
  // None of what the tests set for themselves: it has an emulator and a table of its own.
  const [, ...args] = packageJson.scripts.start.split(' ')
  const child = spawn(process.execPath, args, {
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
  return {
    origin: `http://localhost:${ports.PORT}`,
    idp: `http://localhost:${ports.IDP_PORT}`,
    pid: child.pid ?? 0,
    stop,
  }
}
