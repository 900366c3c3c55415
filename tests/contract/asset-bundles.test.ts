import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { marshall } from '@aws-sdk/util-dynamodb'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { functionNames } from '../../deploy/function-names.ts'
import { keptPackages } from '../../deploy/packages/build.ts'
import { carriedBy } from '../../deploy/packages/carried.ts'
import { unzip } from '../../deploy/packages/zip.ts'
import { type App, openApp } from '../harness/app.ts'
import { newProject, upload } from '../harness/asset-world.ts'
import { answerFor } from '../harness/lambda.ts'
import { sure } from '../harness/make.ts'

const run = promisify(execFile)
let app: App
let directory: string
let packages: Map<string, string>
beforeAll(async () => {
  app = await openApp()
  directory = await mkdtemp(join(tmpdir(), 'heritage-packages-'))
  packages = await keptPackages(process.cwd(), functionNames())
}, 300_000)
afterAll(() => rm(directory, { recursive: true }))

/** Unpacks the package of a function: the bundle, and what it takes along. */
async function unpacked(name: string): Promise<string> {
  const place = join(directory, name)
  await unzip(packages.get(name) ?? '', place)
  return join(place, 'functions', `${name}.mjs`)
}

const program = `
  const { handler } = await import(process.argv[1])
  process.stdout.write(JSON.stringify((await handler(JSON.parse(process.argv[2]), { functionName: process.argv[3] })) ?? null))
  process.exit(0)`

/** Runs a packaged function as on Lambda: outside the project, with nothing but its package. */
async function invoke(name: string, event: object) {
  const { stdout } = await run(
    process.execPath,
    ['--input-type=module', '-e', program, await unpacked(name), JSON.stringify(event), name],
    {
      cwd: directory,
      env: {
        AWS_REGION: 'us-east-1',
        AWS_ACCESS_KEY_ID: 'S3RVER',
        AWS_SECRET_ACCESS_KEY: 'S3RVER',
        AWS_ENDPOINT_URL_DYNAMODB: process.env.DYNAMODB_ENDPOINT,
        AWS_ENDPOINT_URL_S3: process.env.S3_ENDPOINT,
        AWS_ENDPOINT_URL_LAMBDA: process.env.LAMBDA_ENDPOINT,
        // The local server does not read trailing checksums.
        AWS_REQUEST_CHECKSUM_CALCULATION: 'WHEN_REQUIRED',
        STAGE: 'prod',
        TABLE_NAME: process.env.TABLE_NAME,
        BUCKET_NAME: process.env.BUCKET_NAME,
        SECRET_KEY: 'a-secret-key-of-32-bytes-or-more-for-this-test',
        ALLOWED_HOSTS: 'api.example.org',
        LOG_LEVEL: 'silent',
      },
    },
  )
  return JSON.parse(stdout)
}

const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="600" height="120"><rect width="100%" height="100%" fill="white"/>
  <text x="30" y="75" font-family="DejaVu Serif" font-size="36">The Nyatapola Temple</text></svg>`

test('the packages of the two workers are whole: an image gets its thumbnail and its text', {
  timeout: 60_000,
}, async () => {
  const assets = await newProject(app)
  const page = await sharp(Buffer.from(svg)).png().toBuffer()
  const made = sure(201, await upload(app.contributor, assets, page, 'page.png', { run_ocr: 'true' }))
  const { loadAsset } = await import('../../lib/domain/projects/assets/assets.ts')
  const image = marshall(await loadAsset(made.project, made.id)) as Record<string, { S: string }>
  answerFor([])
  const record = { dynamodb: { SequenceNumber: '1', NewImage: { ...image, type: { S: 'project_asset' } } } }
  expect(await invoke('asset-files', { Records: [record] })).toEqual({ batchItemFailures: [] })
  await invoke('ocr', { project_id: made.project, id: made.id })
  const after = sure(200, await app.contributor.get(`${assets}${made.id}/`))
  expect(after).toMatchObject({ ocr_status: 'completed', ocr_text: 'The Nyatapola Temple' })
  expect((await fetch(after.thumbnail_url)).status).toBe(200)
})

test('the other functions take nothing along', async () => {
  expect(await carriedBy('assets', process.cwd())).toEqual({})
})

test('what is not installed cannot be packaged', async () => {
  await expect(carriedBy('asset-files', directory)).rejects.toThrow(
    'sharp is not installed. Packages are made with: npm install',
  )
})
