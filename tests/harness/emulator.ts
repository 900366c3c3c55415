import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { LocalStack } from '../../deploy/stack.ts'
import { createTable } from '../../deploy/stand-ins/table.ts'

/** Creates the table of serverless.yml under this name, in the emulator of the test run. */
export async function createTestTable(name: string): Promise<void> {
  const endpoint = process.env.DYNAMODB_ENDPOINT
  if (!endpoint) throw new Error('DYNAMODB_ENDPOINT is missing: tests/harness/setup.ts starts the emulator')
  await createTable(endpoint, name, await shape())
}

/** Creates a bucket in the S3 server of the test run: to that server a folder is one. */
export async function createTestBucket(name: string): Promise<void> {
  const folder = process.env.S3_FOLDER
  if (!folder) throw new Error('S3_FOLDER is missing: tests/harness/setup.ts starts the S3 server')
  await mkdir(join(folder, name))
}

/** As the run has read it, or read here: to take serverless.yml apart takes a tenth of a second. */
async function shape(): Promise<LocalStack['table']> {
  const { TABLE_SHAPE } = process.env
  if (TABLE_SHAPE) return JSON.parse(TABLE_SHAPE)
  const { loadStack } = await import('../../deploy/stack.ts')
  return loadStack().table
}
