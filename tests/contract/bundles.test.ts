import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { functionNames } from '../../deploy/function-names.ts'
import { keptPackages } from '../../deploy/packages/build.ts'
import { DOCUMENT } from '../../deploy/packages/built-document.ts'
import { unzip } from '../../deploy/packages/zip.ts'
import { bundlesBesideSdk, importedBy, sizeOver } from '../harness/bundles.ts'
import { createTestTable } from '../harness/emulator.ts'

const run = promisify(execFile)
const table = `bundles-${process.pid}`
let directory: string
/** The files of some packages, which lie unpacked in folders of their own. */
const files = new Map<string, Map<string, Buffer>>()
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'heritage-bundles-'))
  const packages = await keptPackages(process.cwd(), functionNames())
  for (const name of ['records', 'documents', 'registry'])
    files.set(name, await unzip(packages.get(name) ?? '', join(directory, name)))
  await createTestTable(table)
}, 300_000)
/** Where the bundle of one of them lies. */
const bundle = (name: string) => join(directory, name, `functions/${name}.mjs`)
afterAll(() => rm(directory, { recursive: true }))

const event = {
  rawQueryString: '',
  headers: { host: 'api.example.org' },
  requestContext: { requestId: '1', http: { method: 'GET', sourceIp: '192.0.2.1' } },
}
const program = `
  const { handler } = await import(process.argv[1])
  const { statusCode, body, isBase64Encoded } = await handler({ ...${JSON.stringify(event)}, rawPath: process.argv[2], rawQueryString: process.argv[3] }, { getRemainingTimeInMillis: () => 5000 })
  process.stdout.write(JSON.stringify({ statusCode, body: JSON.parse(Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8')) }), () => process.exit(0))`

test('a packaged function runs as on Lambda: outside the project, credentials from the environment', async () => {
  const { stdout } = await runOnLambda(bundle('records'), '/cidoc/structures/')
  expect(JSON.parse(stdout)).toEqual({ statusCode: 200, body: { count: 0, next: null, previous: null, results: [] } })
})

test('the package of the documents holds them, packed and without a map, and nothing else holds any', async () => {
  const registry = files.get('registry')
  expect(registry?.has('functions/nepali.mjs')).toBe(true)
  // It is whole and has nothing in vain: what its files import of each other is all that it has.
  const imported = [...(registry?.values() ?? [])].flatMap((code) => importedBy(code.toString(), true))
  expect(new Set(['functions/registry.mjs', ...imported])).toEqual(new Set(registry?.keys()))
  // To import a module of Node's own makes Node read all of it: only the banner does, which asks for `require`.
  const code = [...(registry?.values() ?? [])].join('\n')
  expect(
    [...code.matchAll(/from\s*["'](node:[\w/]+)/g)].map(([, from]) => from).filter((from) => from !== 'node:module'),
  ).toEqual([])
  expect(code).toContain('getBuiltinModule("node:crypto")')
  const { stdout } = await runOnLambda(bundle('documents'), '/schema/')
  expect(JSON.parse(stdout)).toEqual({
    statusCode: 200,
    body: JSON.parse(await readFile(DOCUMENT, 'utf8')),
  })
})

test('the catalogue of Nepali lies beside a function, which finds it there', async () => {
  const made = bundle('registry')
  expect(await readFile(made, 'utf8')).not.toMatch(/वास्तु|\\u0935\\u093E\\u0938/i)
  const [english, nepali] = await Promise.all(['', '?languages=ne'].map((query) => runOnLambda(made, REGISTRY, query)))
  const labelIn = ({ stdout = '{}' } = {}) => JSON.parse(stdout).body.classes.structure.label
  expect([labelIn(english), labelIn(nepali)]).toEqual(['Architectural Structure', 'वास्तु संरचना'])
})
const REGISTRY = '/cidoc/schema/registry/'

test('no start of a function reads more than 1.2 times what the SDK alone has', async () => {
  const made = await bundlesBesideSdk(join(directory, 'beside'))
  const functions = made.filter(({ name }) => functionNames().includes(name))
  expect(functions.map(({ name }) => name)).toEqual(functionNames())
  const over = functions.map((it) => [it.name, sizeOver(made, it)] as const).filter(([, size]) => size > 1.2)
  expect(over, 'in functions/NAME.ts load by `import()` in the handler what its first request does not need').toEqual(
    [],
  )
}, 120_000)

function runOnLambda(file: string, path: string, query = '') {
  return run(process.execPath, ['--input-type=module', '-e', program, file, path, query.slice(1)], {
    // The root of its package.
    cwd: dirname(dirname(file)),
    maxBuffer: 50_000_000,
    env: {
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_SESSION_TOKEN: 'session',
      // Where AWS would be. Not DYNAMODB_ENDPOINT, with which the client brings credentials of its own.
      AWS_ENDPOINT_URL_DYNAMODB: process.env.DYNAMODB_ENDPOINT,
      STAGE: 'prod',
      TABLE_NAME: table,
      SECRET_KEY: 'a-secret-key-of-32-bytes-or-more-for-this-test',
      ALLOWED_HOSTS: 'api.example.org',
      LOG_LEVEL: 'silent',
    },
  })
}
