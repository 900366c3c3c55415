import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { LocalStack } from '../../deploy/stack.ts'
import { type Emulator, indexEmulator, startEmulator } from '../../deploy/stand-ins/emulator.ts'
import { freePort } from '../../deploy/stand-ins/free-port.ts'
import { createTable } from '../../deploy/stand-ins/table.ts'

/**
 * Puts the address of a test file's own emulator of DynamoDB into the environment. The emulator starts with the first table. Where the
 * environment names one already, that one serves. Returns the function that stops it and deletes its file.
 *
 * Why not one for all: the emulator keeps the token of each transaction for ten minutes and looks at all of them with the next one.
 * After a few thousand transactions that was a third of its time.
 */
export async function serveTable(): Promise<() => Promise<void>> {
  const { DYNAMODB_ENDPOINT: outside, TABLE_FOLDER: folder } = process.env
  if (outside) return async () => undefined
  if (!folder) throw new Error('TABLE_FOLDER is missing: tests/harness/setup.ts makes it')
  const port = await freePort()
  own = { port, file: join(folder, `dynamodb-${process.pid}.sqlite`) }
  process.env.DYNAMODB_ENDPOINT = `http://127.0.0.1:${port}`
  return async () => {
    if (!running) return
    await (await running).stop()
    await Promise.all(['', '-wal', '-shm'].map((end) => rm(`${own?.file}${end}`, { force: true })))
  }
}
let own: { port: number; file: string } | undefined
let running: Promise<Emulator> | undefined

/** Creates the table of serverless.yml under this name, in the emulator of this process. */
export async function createTestTable(name: string): Promise<void> {
  const endpoint = process.env.DYNAMODB_ENDPOINT
  if (!endpoint) throw new Error('DYNAMODB_ENDPOINT is missing: tests/harness/own-emulator.ts sets it')
  if (own) running ??= startEmulator(own)
  await running
  await createTable(endpoint, name, await loadTableShape())
  if (own) indexEmulator(own.file)
}

/** Creates a bucket in the S3 server of the test run, which keeps each bucket as a folder. */
export async function createTestBucket(name: string): Promise<void> {
  const folder = process.env.S3_FOLDER
  if (!folder) throw new Error('S3_FOLDER is missing: tests/harness/setup.ts starts the S3 server')
  await mkdir(join(folder, name))
}

/** The table of serverless.yml. `setup.ts` puts it into the environment, because parsing the file takes 0.1 s. */
async function loadTableShape(): Promise<LocalStack['table']> {
  const { TABLE_SHAPE } = process.env
  if (TABLE_SHAPE) return JSON.parse(TABLE_SHAPE)
  const { loadStack } = await import('../../deploy/stack.ts')
  return loadStack().table
}
