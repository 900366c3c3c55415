import type { Stack } from '../../local/deploy/stack.ts'
import { createTable } from '../../local/service/table.ts'

/** Creates the table of serverless.yml under this name, in the emulator of the test run. */
export async function createTestTable(name: string): Promise<void> {
  const endpoint = process.env.DYNAMODB_ENDPOINT
  if (!endpoint) throw new Error('DYNAMODB_ENDPOINT is missing: tests/harness/setup.ts starts the emulator')
  await createTable(endpoint, name, await shape())
}

/** As the run has read it, or read here: to take serverless.yml apart takes a tenth of a second. */
async function shape(): Promise<Stack['table']> {
  const { TABLE_SHAPE } = process.env
  if (TABLE_SHAPE) return JSON.parse(TABLE_SHAPE)
  const { loadStack } = await import('../../local/deploy/stack.ts')
  return loadStack().table
}
