import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import { ask, good } from '../../deploy/rehearse/speaker.ts'
import { root } from '../../deploy/root.ts'
import { loadFunctions } from '../../deploy/stack.ts'
import { freePort } from '../../deploy/stand-ins/free-port.ts'
import { startS3 } from '../../deploy/stand-ins/s3.ts'
import { readSettings } from '../../local/serve/settings.ts'
import { timers } from '../../local/serve/timers.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { bareEnvironment } from '../harness/bare-environment.ts'
import { makeQuickFolder } from '../harness/quick-folder.ts'

const password = 'correct horse battery staple'
let folder: string
let files: Awaited<ReturnType<typeof startS3>>
let settings: Record<string, string>
let origin: string
let serving: ChildProcess
let output = ''

/** A body of so many MiB whose length is not said before. */
const endless = (mib: number) =>
  new ReadableStream({
    pull: (controller) => {
      if (mib-- > 0) controller.enqueue(new Uint8Array(1 << 20))
      else controller.close()
    },
  })

beforeAll(async () => {
  folder = await makeQuickFolder('serve')
  files = await startS3({ port: 0, directory: join(folder, 's3'), bucket: 'files' })
  const [port, table] = [await freePort(), await freePort()]
  origin = `http://127.0.0.1:${port}`
  settings = {
    ...bareEnvironment,
    PORT: String(port),
    SERVE_DATA: join(folder, 'places'),
    TABLE_NAME: 'heritage',
    TABLE_FILE: join(folder, 'table.sqlite'),
    DYNAMODB_ENDPOINT: `http://127.0.0.1:${table}`,
    TABLE_TIMEOUT: '20',
    BUCKET_NAME: 'files',
    S3_ENDPOINT: files.endpoint,
    AWS_ACCESS_KEY_ID: 'S3RVER',
    AWS_SECRET_ACCESS_KEY: 'S3RVER',
    SECRET_KEY: 'q8Zt0mVhYw3kP5sRx7Lb2NcD9fGjUa4E',
    WEBHOOK_SECRET: 'a-secret-of-this-test',
    ALLOWED_HOSTS: '127.0.0.1',
    // A slow machine gets no further sign-in while it asks.
    RATE_TOKEN: '30/day',
    RATE_REGISTER: '100/min',
  }
  serving = start()
  await vi.waitFor(() => expect(output).toContain('It answers at'), { timeout: 110_000, interval: 200 })
}, 120_000)
afterAll(async () => {
  if (serving.exitCode === null) {
    serving.kill('SIGTERM')
    await once(serving, 'exit')
  }
  await files.stop()
  await rm(folder, { recursive: true, force: true })
})

function start(): ChildProcess {
  const [, ...args] = packageJson.scripts.serve.split(' ')
  const child = spawn(process.execPath, args, { env: settings, stdio: ['ignore', 'pipe', 'pipe'] })
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (output += text))
  return child
}

/** Runs a command as an operator of this server does. */
async function command(script: keyof typeof packageJson.scripts, ...more: string[]): Promise<string> {
  const [, ...args] = packageJson.scripts[script].split(' ')
  const child = spawn(process.execPath, [...args, ...more], { env: settings, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (said += text))
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`${script}: ${said}`)
  return said
}

async function signIn(username: string) {
  const { body } = good(await ask(origin, 'POST', '/api/token/', { body: { username, password } }))
  const headers = { authorization: `Bearer ${body.access}` }
  return (method: string, path: string, sent?: unknown) =>
    ask(origin, method, path, { headers, ...(sent !== undefined && { body: sent }) })
}
const register = (username: string) => {
  const body = { username, email: `${username}@example.org`, password, password_confirm: password }
  return ask(origin, 'POST', '/api/register/', { body })
}
/** The process of the server that the last start line, or the last restart, names. */
const processes = () => /Processes: (\d+) answers requests, (\d+) works/.exec(output)?.slice(1).map(Number) ?? []
const find = async (words: string) =>
  (await ask(origin, 'GET', `/data/search/?q=${encodeURIComponent(words)}`)).body.results as { title?: string }[]

describe('a server of one’s own', () => {
  test('takes a contribution, accepts it, and finds it', async () => {
    for (const name of ['maya', 'chief']) good(await register(name))
    expect(await command('staff', 'chief@example.org')).toContain('chief is staff.')
    const [maya, chief] = [await signIn('maya'), await signIn('chief')]
    const made = good(await maya('POST', '/cidoc/structures/', { name: 'Manga Hiti', construction_date: '570~' })).body
    const place = `/data/review-workspace/${made.cultural_entity_id}`
    good(await chief('POST', `${place}/decide/`, { verdict: 'accept' }))
    expect((await ask(origin, 'GET', `/cidoc/structures/${made.id}/`)).status).toBe(200)
    // The projector follows the stream.
    await vi.waitFor(async () => expect(await find('manga hiti')).toHaveLength(1), { timeout: 60_000, interval: 500 })
  }, 120_000)

  test('has each source in one file, so that its code and its caches are there once', async () => {
    const files = new Set(Object.values<string>(JSON.parse(await readFile('.build/serve/bundles.json', 'utf8'))))
    const places = new Map<string, string[]>()
    for (const file of files) {
      const text = await readFile(file, 'utf8')
      const [, map = ''] = /sourceMappingURL=data:application\/json;base64,([\w+/=]+)/.exec(text) ?? []
      const { sources }: { sources: string[] } = JSON.parse(Buffer.from(map, 'base64').toString())
      for (const it of sources) {
        const source = join(dirname(file), it)
        places.set(source, [...(places.get(source) ?? []), file])
      }
      for (const [, other = ''] of text.matchAll(/"(\.\.?\/(?:shared\/)?[\w-]+\.mjs)"/g))
        files.add(join(dirname(file), other))
    }
    expect(places.has('lib/base/lru.ts')).toBe(true)
    expect(places.size).toBeGreaterThan(500)
    expect([...places].filter(([, all]) => all.length > 1)).toEqual([])
  })

  test('starts a process again that was killed, and finds the record again', async () => {
    for (const pid of processes()) process.kill(pid, 'SIGKILL')
    await vi.waitFor(() => expect(output).toMatch(/was ended by SIGKILL[\s\S]*was ended by SIGKILL/), 20_000)
    const again = async () => expect(await find('manga hiti').catch(() => [])).toHaveLength(1)
    await vi.waitFor(again, { timeout: 60_000, interval: 500 })
    // What the second background process follows reaches search, too.
    const [maya, chief] = [await signIn('maya'), await signIn('chief')]
    const made = good(await maya('POST', '/cidoc/structures/', { name: 'Tusha Hiti' })).body
    good(await chief('POST', `/data/review-workspace/${made.cultural_entity_id}/decide/`, { verdict: 'accept' }))
    await vi.waitFor(async () => expect(await find('tusha hiti')).toHaveLength(1), { timeout: 60_000, interval: 500 })
  }, 150_000)

  test('has no door of dev mode open', async () => {
    const headers = { 'x-dev-user': 'maya@example.org' }
    expect((await ask(origin, 'GET', '/data/user/me/', { headers })).status).toBe(401)
    const body = { email: 'maya@example.org' }
    expect((await ask(origin, 'POST', '/api/auth/dev-login/', { body })).status).toBe(404)
    expect(
      (await ask(origin, 'POST', '/api/token/', { body: { username: 'dev', password: 'heritage-local' } })).status,
    ).toBe(401)
    expect((await ask(origin, 'GET', '/metrics/')).status).toBe(401)
    expect((await ask(origin, 'GET', '/welcome/')).status).toBe(404)
  })

  test('answers errors in the form of the service, and takes the client’s address from the proxy', async () => {
    expect((await ask(origin, 'GET', '/%E0%A4%A')).status).toBe(400)
    const large = await fetch(`${origin}/cidoc/structures/`, { method: 'POST', body: Buffer.alloc(11 << 20) })
    expect([large.status, await large.json()]).toEqual([413, { detail: 'Payload Too Large' }])
    const unmeasured = await fetch(`${origin}/cidoc/structures/`, {
      method: 'POST',
      body: endless(12),
      duplex: 'half',
    } as RequestInit)
    expect(unmeasured.status).toBe(413)
    let guesses = 0
    const from = (address: string) => {
      guesses += 1
      const body = { username: `nobody-${guesses}`, password: 'wrong' }
      return ask(origin, 'POST', '/api/token/', { body, headers: { 'x-forwarded-for': `203.0.113.9, ${address}` } })
    }
    const statuses = await Promise.all(Array.from({ length: 32 }, () => from('198.51.100.7')))
    expect(statuses.filter(({ status }) => status === 429).length).toBeGreaterThan(0)
    expect((await from('198.51.100.8')).status).not.toBe(429)
  })

  test('is backed up by the command for it', async () => {
    const place = ['--table', 'heritage', '--bucket', 'files', '--objects']
    expect(await command('export', join(folder, 'backup'), ...place)).toContain('Whole: ')
    expect(await readFile(join(folder, 'backup', 'table.jsonl'), 'utf8')).toContain('Manga Hiti')
  })

  test('ends in good order, and goes on from its data and with its bundles', async () => {
    const bundled = async () => (await stat(join(root, '.build/serve-made'))).mtimeMs
    const before = await bundled()
    serving.kill('SIGTERM')
    const [code] = await once(serving, 'exit')
    expect(code).toBe(0)
    output = ''
    serving = start()
    await vi.waitFor(() => expect(output).toContain('It answers at'), { timeout: 110_000, interval: 200 })
    expect(await find('manga hiti')).toHaveLength(1)
    expect(await bundled()).toBe(before)
    await sleep(10)
  }, 150_000)
})

describe('the settings of a server of one’s own', () => {
  const refuse = (environment: NodeJS.ProcessEnv) => {
    try {
      return readSettings({ ...environment })
    } catch (error) {
      return (error as Error).message
    }
  }

  test('name everything that is missing in one sentence', () => {
    expect(refuse({})).toBe(
      'Configuration: TABLE_NAME is missing; BUCKET_NAME is missing; DYNAMODB_ENDPOINT is missing; S3_ENDPOINT is missing; AWS_ACCESS_KEY_ID is missing; AWS_SECRET_ACCESS_KEY is missing; SECRET_KEY is missing; WEBHOOK_SECRET is missing.',
    )
  })

  test.each([
    [{ STAGE: 'local' }, 'STAGE must be staging or prod'],
    [{ STAGE: 'dev' }, 'STAGE must be staging or prod'],
    [{ SERVICE_DEV_AUTH: 'true' }, 'SERVICE_DEV_AUTH must be empty'],
    [{ PORT: 'http' }, 'PORT must be a port'],
    [{ STREAMS: 'maybe' }, 'STREAMS must be on or off'],
    [{ DYNAMODB_ENDPOINT: 'http://0.0.0.0:8001' }, 'DYNAMODB_ENDPOINT must be http://127.0.0.1:PORT beside TABLE_FILE'],
  ])('refuse %j', (wrong, fault) => {
    expect(refuse({ ...settings, ...wrong })).toBe(`Configuration: ${fault}.`)
  })

  test('come from files, as secrets do', async () => {
    const path = join(folder, 'places', 'stream.json')
    const environment: NodeJS.ProcessEnv = { ...settings, SECRET_KEY: '', SECRET_KEY_FILE: path }
    readSettings(environment)
    expect(environment.SECRET_KEY).toBe((await readFile(path, 'utf8')).trim())
  })

  test('know every function that comes by without being asked', () => {
    const scheduled = Object.entries(loadFunctions()).filter(([, it]) =>
      JSON.stringify(it.events ?? '').includes('schedule'),
    )
    expect(new Set(timers.map(({ name }) => name))).toEqual(new Set(scheduled.map(([name]) => name)))
  })
})

describe('the containers', () => {
  test('are described so that they fit each other', async () => {
    const compose = parse(await readFile('local/serve/compose.yml', 'utf8'))
    const { service, bucket, proxy } = compose.services
    expect(Object.keys(compose.services)).toEqual(['service', 'bucket', 'proxy'])
    // Only the proxy is reached from outside.
    expect([service.ports, bucket.ports, proxy.ports]).toEqual([undefined, undefined, ['80:80', '443:443']])
    for (const each of [service, bucket, proxy])
      for (const volume of each.volumes
        .map((it: string) => it.split(':')[0])
        .filter((it: string) => !it.startsWith('.')))
        expect(Object.keys(compose.volumes)).toContain(volume)
    for (const secret of [...service.secrets, ...bucket.secrets]) expect(Object.keys(compose.secrets)).toContain(secret)
    // What the file leaves out would stop the start.
    const given = Object.fromEntries(
      Object.entries<string>(service.environment).map(([name, value]) => [name.replace(/_FILE$/, ''), value]),
    )
    const { TABLE_FILE, ...environment } = { ...given, TABLE_FILE: service.environment.TABLE_FILE }
    expect(readSettings({ ...environment, TABLE_FILE })).toMatchObject({
      hasStreams: true,
      tableFile: '/data/table.sqlite',
    })
    const caddy = await readFile('local/serve/Caddyfile', 'utf8')
    for (const name of ['service:8000', 'bucket:9000', '{$API_HOST}', '{$FILES_HOST}']) expect(caddy).toContain(name)
  })

  test('are built from what the project has', async () => {
    const docker = await readFile('local/serve/Dockerfile', 'utf8')
    const run = [...docker.matchAll(/local\/serve\/[\w.]+\.ts/g)].map(([it]) => it)
    expect(run.length).toBeGreaterThan(1)
    for (const path of run) expect((await readFile(path)).length).toBeGreaterThan(0)
    expect(docker).toMatch(/^FROM node:24-/m)
    expect(docker).toMatch(/^USER node$/m)
  })
})
