import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { type App, openApp } from '../harness/app.ts'
import { serveHandlers } from '../harness/gateway.ts'
import { sure } from '../harness/make.ts'
import { photographs } from '../harness/media-files.ts'

/** The examples in the README of the typed client: they compile, and they do what it says. */
type Examples = {
  firstCall: (baseUrl: string) => Promise<string[]>
  tryToCreate: (baseUrl: string, token: string, name: string) => Promise<string>
  uploadPicture: (baseUrl: string, token: string, bytes: Uint8Array) => Promise<number>
  uploadForm: (baseUrl: string, token: string, form: FormData) => Promise<number>
}

const run = promisify(execFile)
let folder: string
let app: App
let service: Awaited<ReturnType<typeof serveHandlers>>
let token: string
let examples: Examples
beforeAll(async () => {
  app = await openApp()
  service = await serveHandlers()
  const body = { username: 'dev', password: 'heritage-local' }
  token = sure(200, await app.anon.post('/api/token/', { body })).access
  // Inside of the project, where its one dependency is found.
  folder = await mkdtemp('.build/client-readme-')
  await run(process.execPath, ['api/client.ts', folder])
  await copyFile('api/client/tsconfig.json', join(folder, 'tsconfig.json'))
  const readme = await readFile(join(folder, 'README.md'), 'utf8')
  const blocks = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code)
  const names = await Promise.all(
    blocks.map(async (code, i) => {
      await writeFile(join(folder, `readme-${i}.ts`), code.replace("'heritage-client'", "'./index.js'"))
      return `readme-${i}.js`
    }),
  )
  const { stdout } = await run('api/client/node_modules/.bin/tsc', ['--project', folder]).catch(
    (failed: { stdout: string }) => failed,
  )
  expect(stdout).toBe('')
  const modules = await Promise.all(
    names.map((name) => import(/* @vite-ignore */ pathToFileURL(join(folder, name)).href)),
  )
  examples = Object.assign({}, ...modules)
}, 240_000)
afterAll(async () => {
  await service?.stop()
  if (folder) await rm(folder, { recursive: true })
})

test('the package has the version of the service', async () => {
  const { name, version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  expect([name, version]).toEqual(['heritage-client', packageJson.version])
})

test('a first call reads a list', async () => {
  expect(await examples.firstCall(service.origin)).toEqual([])
})

test('an error is told by its type', async () => {
  expect(await examples.tryToCreate(service.origin, token, 'Pati')).toMatch(/^Record \d+ waits for review\.$/)
  expect(await examples.tryToCreate(service.origin, token, '')).toMatch(/^400: name: /)
  expect(await examples.tryToCreate(service.origin, 'none', 'Pati')).toMatch(/^401: \w/)
})

test('a picture goes as an object with a file, and as a form', async () => {
  const bytes = new Uint8Array((await photographs())['image/png'])
  expect(await examples.uploadPicture(service.origin, token, bytes)).toBe(201)
  const form = new FormData()
  form.set('file', new File([bytes], 'gate.png'))
  expect(await examples.uploadForm(service.origin, token, form)).toBe(201)
})
