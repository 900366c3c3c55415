import { appendFile, cp, mkdtemp, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { functionNames } from '../../deploy/function-names.ts'
import { buildLocal } from '../../deploy/packages/build.ts'
import { endingsOf, type LocalService, startService } from '../harness/local-service.ts'

/** `npm start` in a copy of the tree, whose files are then changed. */
let copy: string
let service: LocalService
beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'heritage-reload-'))
  const parts = ['api', 'deploy', 'functions', 'lib', 'local', 'package.json', 'package-lock.json', 'serverless.yml']
  for (const part of parts)
    await cp(part, join(copy, part), { recursive: true, filter: (file) => !file.includes('node_modules') })
  await symlink(join(process.cwd(), 'node_modules'), join(copy, 'node_modules'))
  await copyBuilt()
  service = await startService({}, copy)
}, 240_000)
afterAll(async () => {
  await service?.stop()
  await rm(copy, { recursive: true, force: true })
})

/** Copies what the start of a service builds, and says that it is newer than the copied sources. So the copy builds only what a test changes. */
async function copyBuilt(): Promise<void> {
  await buildLocal(process.cwd(), 'local-copied')
  await rm('.build/local-copied', { recursive: true })
  for (const part of ['openapi.json', 'documents', 'kept', 'kept-made']) {
    await cp(join('.build', part), join(copy, '.build', part), { recursive: true })
    await utimes(join(copy, '.build', part), new Date(), new Date())
  }
}

const read = async (path: string) => (await fetch(`${service.origin}${path}`)).text()
/** What the functions have logged. */
const log = () => readFile(join(service.settings.LOCAL_DATA ?? '', 'service.log'), 'utf8')
/** The sources of each function's bundle, as esbuild has found them. */
async function sources(): Promise<Record<string, readonly string[]>> {
  const bundles: Record<string, { sources: readonly string[] }> = JSON.parse(
    await readFile(join(copy, '.build/kept/bundles.json'), 'utf8'),
  )
  return Object.fromEntries(Object.entries(bundles).map(([name, it]) => [name, it.sources]))
}
/** How many functions were loaded anew by each change. */
const reloads = async () => [...(await log()).matchAll(/"reloaded (\d+) functions"/g)].map(([, many]) => Number(many))
const within = { timeout: 90_000, interval: 500 }

test('the first address that is printed is a page with records, people and what to do next', async () => {
  const [first] = /http:\S+/.exec(service.output()) ?? []
  expect(first).toBe(`${service.origin}/welcome/`)
  const page = await read('/welcome/')
  const [, record = ''] = /href="(\/api\/v1\/cidoc\/monuments\/\d+\/)"/.exec(page) ?? []
  expect((await fetch(`${service.origin}${record}`)).status).toBe(200)
  for (const [, address = ''] of page.matchAll(/href="([^"]+)"/g)) {
    const visit = async () => [address, (await fetch(`${service.origin}${address}`)).status]
    // Detailed health answers 503 while a part of the service is too slow, as on a busy machine.
    if (address === '/health/detailed/') await expect.poll(visit, within).toEqual([address, 200])
    else expect(await visit()).toEqual([address, 200])
  }
  for (const part of ['dev@heritage.test', 'expert curator', 'What you can do next', '/docs/'])
    expect(page).toContain(part)
  // At the root a browser gets the first page. All others get what they always got.
  const root = async (accept: string, query = '') => {
    const { headers } = await fetch(`${service.origin}/${query}`, { headers: { accept } })
    return headers.get('content-type')
  }
  for (const accept of ['*/*', 'text/plain', 'application/json'])
    expect([accept, await root(accept)]).toEqual([accept, expect.stringContaining('text/plain; version=0.0.4')])
  expect(await root('*/*', '?format=json')).toContain('application/json')
  expect(await root('text/html')).toContain('text/html')
})

test('a change of the folder of the API is served at once', { timeout: 120_000 }, async () => {
  await appendFile(join(copy, 'api/docs/page.css'), '/* changed */\n')
  await expect.poll(() => read('/docs/page.css'), within).toContain('/* changed */')
  expect(await reloads()).toEqual([1])
})

test('a change of the comments reloads the functions that show comments, and no others', {
  timeout: 120_000,
}, async () => {
  const changed = 'lib/domain/comments/threads.ts'
  const holders = Object.values(await sources()).filter((it) => it.includes(changed)).length
  await appendFile(join(copy, changed), "console.log('the comments are loaded')\n")
  await expect.poll(async () => (await reloads()).length, within).toBe(2)
  const [, many] = await reloads()
  expect(many).toBe(holders)
  expect(holders).toBeLessThan(functionNames().length / 2)
  await expect
    .poll(async () => (await read('/api/v1/data/comments/')) && (await log()), within)
    .toContain('the comments are loaded')
})

test('a source that is renamed is found under its new name', { timeout: 120_000 }, async () => {
  const comments = join(copy, 'lib/domain/comments')
  await rename(join(comments, 'view.ts'), join(comments, 'renamed.ts'))
  const importers = ['functions/comments.ts', 'lib/domain/comments/shown.ts']
  for (const file of importers.map((it) => join(copy, it)))
    await writeFile(file, (await readFile(file, 'utf8')).replace('/view.ts', '/renamed.ts'))
  await expect.poll(async () => (await sources()).comments, within).toContain('lib/domain/comments/renamed.ts')
})

test('changed routes start the functions again', { timeout: 120_000 }, async () => {
  await appendFile(join(copy, 'deploy/routes.ts'), '// changed\n')
  await expect.poll(() => service.output(), within).toContain('starts again with the new routes')
  await expect
    .poll(
      () =>
        fetch(`${service.origin}/health/`).then(
          ({ status }) => status,
          () => 0,
        ),
      within,
    )
    .toBe(200)
})

test.skipIf(process.platform !== 'linux')(
  'an orderly stop ends those that answer requests, then the background, then the emulator, and says nothing',
  async () => {
    const before = service.output()
    const names = ['serverless.js', 'background.ts', 'dynoxide']
    const ended = await endingsOf(service, names)
    // A shell guards the emulator, and ends with it.
    expect([...new Set(ended)]).toEqual(names)
    expect(service.output()).toBe(before)
  },
)
