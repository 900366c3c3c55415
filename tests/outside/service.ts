import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { freePort } from '../../deploy/stand-ins/free-port.ts'

/** A running service with data of its own. */
export type Service = {
  address: string
  /** Asks as one of the demonstration's people, such as `curator`, and answers the JSON. Fails unless it succeeds. */
  ask: (who: string, method: string, path: string, body?: object | FormData) => Promise<Record<string, unknown>>
  stop: () => Promise<void>
}

/** Starts the service, and waits until it is ready. Fails with its last words if it ends instead. */
export async function startService(folder: string): Promise<Service> {
  const ports: Record<string, string> = {}
  for (const name of ['PORT', 'LAMBDA_PORT', 'S3_PORT', 'IDP_PORT', 'DYNAMODB_PORT', 'MAIL_PORT'])
    ports[name] = String(await freePort())
  const environment = { ...process.env, ...ports, LOCAL_DATA: join(folder, 'data') }
  const child = spawn(process.execPath, ['local/service/start.ts'], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let words = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => {
      words = `${words}${text}`.slice(-2000)
    })
  const ended = once(child, 'exit')
  const address = `http://127.0.0.1:${ports.PORT}`
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
  }
  const early = ended.then(() => Promise.reject(new Error(`The service has ended.\n${words}`)))
  await Promise.race([answerAt(`${address}/health/ready/`), early]).catch(async (error: unknown) => {
    await stop()
    throw error
  })
  early.catch(() => undefined)
  return { address, ask: askAt(address), stop }
}

const askAt =
  (address: string): Service['ask'] =>
  async (who, method, path, body) => {
    const isForm = body instanceof FormData
    const answer = await fetch(`${address}${path}`, {
      method,
      headers: { 'x-dev-user': `${who}@heritage.test`, ...(!isForm && { 'content-type': 'application/json' }) },
      ...(body && { body: isForm ? body : JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path} was answered ${answer.status}: ${text.slice(0, 300)}`)
    return JSON.parse(text)
  }

/** Waits until an address answers, for two minutes at most. */
export async function answerAt(address: string): Promise<void> {
  for (let attempt = 0; attempt < 240; attempt += 1) {
    const isReady = await fetch(address).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) return
    await new Promise((done) => setTimeout(done, 500))
  }
  throw new Error(`${address} does not answer.`)
}
