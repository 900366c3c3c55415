import { loadStack } from '../../local/deploy/stack.ts'
import { createTable } from '../../local/service/table.ts'

/** Creates the table of serverless.yml under this name, in the emulator of the test run. */
export async function createTestTable(name: string): Promise<void> {
  const endpoint = process.env.DYNAMODB_ENDPOINT
  if (!endpoint) throw new Error('DYNAMODB_ENDPOINT is missing: tests/harness/setup.ts starts the emulator')
  await createTable(endpoint, name, loadStack().table)
}
