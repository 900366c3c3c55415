import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { LocalStack } from '../../deploy/stack.ts'
import { createTable } from '../../deploy/stand-ins/table.ts'

/** Creates the table of serverless.yml under this name, in the emulator of the test run. */
export async function createTestTable(name: string): Promise<void> {
  const endpoint = process.env.DYNAMODB_ENDPOINT
  if (!endpoint) throw new Error('DYNAMODB_ENDPOINT is missing: tests/harness/setup.ts starts the emulator')
  await createTable(endpoint, name, await loadTableShape())
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
