import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { forLambda } from '../local/build.ts'
import { createTestTable } from './emulator.ts'

const run = promisify(execFile)
const table = `bundles-${process.pid}`
let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'heritage-bundles-'))
  await build({ ...forLambda(process.cwd()), entryPoints: ['functions/records.ts'], outdir: directory })
  await createTestTable(table)
})
afterAll(() => rm(directory, { recursive: true }))

const event = {
  rawPath: '/cidoc/structures/',
  rawQueryString: '',
  headers: { host: 'api.example.org' },
  requestContext: { requestId: '1', http: { method: 'GET', path: '/cidoc/structures/', sourceIp: '192.0.2.1' } },
}
const program = `
  const { handler } = await import(process.argv[1])
  const { statusCode, body } = await handler(${JSON.stringify(event)}, { getRemainingTimeInMillis: () => 5000 })
  process.stdout.write(JSON.stringify({ statusCode, body: JSON.parse(body) }))
  process.exit(0)`

test('a packaged function runs as on Lambda: outside the project, credentials from the environment', async () => {
  const { stdout } = await run(
    process.execPath,
    ['--input-type=module', '-e', program, join(directory, 'records.mjs')],
    {
      cwd: directory,
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
    },
  )
  expect(JSON.parse(stdout)).toEqual({ statusCode: 200, body: { count: 0, next: null, previous: null, results: [] } })
})
