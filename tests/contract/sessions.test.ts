import { execFile, spawnSync } from 'node:child_process'
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openApp } from '../harness/app.ts'
import { serveHandlers } from '../harness/gateway.ts'
import { startService } from '../harness/local-service.ts'

/** Sessions with the service as its pages show them, and as the typed client has them. */
const hasCurl = spawnSync('curl', ['--version']).status === 0
if (!hasCurl) console.warn('skipped: the sessions of the READMEs, since there is no curl')

const run = promisify(execFile)
let folder: string
let service: Awaited<ReturnType<typeof serveHandlers>>
beforeAll(async () => {
  await openApp()
  service = await serveHandlers()
  // Inside of the project, where its one dependency is found.
  folder = await mkdtemp('.build/client-test-')
  await run(process.execPath, ['api/client.ts', folder])
  for (const name of ['tsconfig.json', 'example.ts', 'wrong.ts'])
    await copyFile(`api/client/${name}`, join(folder, name))
}, 60_000)
afterAll(async () => {
  await service?.stop()
  if (folder) await rm(folder, { recursive: true })
})

test('a use of the client compiles, and what is wrong does not', { timeout: 60_000 }, async () => {
  const sent = (await readFile('api/client/wrong.ts', 'utf8')).match(/@ts-expect-error/g)
  expect(sent?.length).toBe(21)
  const { stdout } = await run('api/client/node_modules/.bin/tsc', ['--project', folder]).catch(
    (failed: { stdout: string }) => failed,
  )
  expect(stdout).toBe('')
})

type Example = { session: (baseUrl: string) => Promise<Record<string, string[]>> }
const example = (): Promise<Example> => import(/* @vite-ignore */ join(process.cwd(), folder, 'example.js'))
async function expectSession(origin: string) {
  const { listed, waiting, ...rest } = await (await example()).session(origin)
  expect([waiting, listed]).toEqual([
    expect.arrayContaining(['Chyasilin Mandap']),
    expect.arrayContaining(['Chyasilin Mandap']),
  ])
  expect(rest).toMatchObject({
    record: { name: 'Chyasilin Mandap', status: 'accepted', latitude: 27.6722 },
    standing: ['name: Chyasilin Mandap (Field notes 1991)'],
  })
}

test('it refuses to be misunderstood, and makes nothing twice, unless its caller says otherwise', async () => {
  const { createHeritageClient } = await import(/* @vite-ignore */ join(process.cwd(), folder, 'index.js'))
  const sent: Request[] = []
  const fetch = async (request: Request) => {
    sent.push(request)
    return Response.json({})
  }
  const calls = createHeritageClient({ baseUrl: 'http://localhost', fetch })
  const headers = { prefer: 'handling=lenient', 'idempotency-key': 'mine' }
  await calls.GET('/api/v1/data/search/', { params: { query: { q: 'gate' } } })
  await calls.POST('/api/v1/cidoc/persons/', { body: { name: 'Arniko' } })
  await calls.POST('/api/v1/cidoc/persons/', { body: { name: 'Arniko' }, headers })
  const names = ['prefer', 'idempotency-key']
  expect(sent.map((it) => names.map((name) => it.headers.get(name)))).toEqual([
    ['handling=strict', null],
    ['handling=strict', expect.stringMatching(/^[0-9a-f-]{36}$/)],
    ['handling=lenient', 'mine'],
  ])
})

const client = (to: string) => run(process.execPath, ['api/client.ts', to])

test('it is written anywhere, again over itself, and never over files of others', { timeout: 120_000 }, async () => {
  const place = await mkdtemp(join(tmpdir(), 'heritage-client-'))
  const own = ['README.md', 'index.d.ts', 'index.js', 'package.json', 'schema.d.ts']
  await client(join(place, 'new'))
  await client(join(place, 'new'))
  expect((await readdir(join(place, 'new'))).sort()).toEqual(own)
  for (const [name, text] of [
    ['notes.txt', 'mine'],
    ['package.json', '{"name":"other"}'],
  ] as const) {
    const theirs = await mkdtemp(join(place, 'theirs-'))
    await writeFile(join(theirs, name), text)
    const refused = await client(theirs).catch((failed: { stderr: string }) => failed)
    expect(refused.stderr).toContain(`holds other files (${name})`)
    expect(await readdir(theirs)).toEqual([name])
    expect(await readFile(join(theirs, name), 'utf8')).toBe(text)
  }
  await rm(place, { recursive: true })
})

test('and runs against the handlers', () => expectSession(service.origin))

/** The pages and the client share a service, since its start is seconds of work. */
describe('with the local service as it is started', { timeout: 180_000 }, () => {
  let local: Awaited<ReturnType<typeof startService>>
  beforeAll(async () => {
    local = await startService()
  }, 60_000)
  afterAll(() => local?.stop())

  test('the client runs', () => expectSession(local.origin))

  /** Runs the first block of shell in a text; answers what each curl prints. */
  async function shell(text: string): Promise<string[]> {
    const block = /^```sh\n([\s\S]*?)^```/m.exec(text)?.[1] ?? ''
    const own = block.replaceAll('http://localhost:8000', local.origin).replaceAll('http://localhost:9400', local.idp)
    expect(own).toContain('curl')
    const { stdout } = await run('bash', ['-euc', `curl() { command curl "$@"; echo; }\n${own}`])
    return stdout.split('\n').filter(Boolean)
  }

  test.skipIf(!hasCurl)('the first session of the README goes from a contribution to its being found', async () => {
    const [, page = ''] = (await readFile('README.md', 'utf8')).split('## A first session\n')
    const [hidden, queue = '', workspace = '', decision = '', record = '', ...searched] = await shell(page)
    expect(hidden).toBe('404')
    expect(queue).toContain('Chyasilin Mandap')
    expect(workspace).toContain('Chyasilin Mandap')
    expect(JSON.parse(decision)).toMatchObject({ verdict: 'accept' })
    const { id, name } = JSON.parse(record)
    expect(name).toBe('Chyasilin Mandap')
    expect(searched.length).toBe(1)
    await expect
      .poll(async () => (await fetch(`${local.origin}/data/search/?q=chyasilin&resource=structures`)).json(), {
        timeout: 100_000,
      })
      .toMatchObject({ results: expect.arrayContaining([expect.objectContaining({ id: String(id), title: name })]) })
  })

  test.skipIf(!hasCurl)('the page of the local service gets a token of the identity provider', async () => {
    expect((await shell(await readFile('local/service/README.md', 'utf8'))).length).toBe(1)
  })
})
