import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { root } from '../root.ts'
import type { World } from './aws/background.ts'
import type { Around } from './smoke.ts'

/** What an operator's command works on: the table and the bucket of the stage. */
export type Stage = { world: World; bucket: Around['bucket'] }
export type Said = { code: number | null; said: string }

/**
 * Runs a command of `local/commands` as deploy/OPERATING.md writes it, with the settings that it names and no others. The emulators stand
 * in for AWS. Example: `runCommand(stage, 'replay', '--parked')`.
 */
export async function runCommand({ world, bucket }: Stage, name: string, ...options: string[]): Promise<Said> {
  const { IDP_ISSUER = '' } = world.stack.functions().find((it) => it.name === 'records')?.variables ?? {}
  const env = {
    PATH: process.env.PATH,
    TABLE_NAME: world.table.name,
    BUCKET_NAME: bucket.name,
    AWS_REGION: 'us-east-1',
    IDP_ISSUER,
    DYNAMODB_ENDPOINT: world.table.endpoint,
    S3_ENDPOINT: bucket.endpoint,
  }
  const child = spawn(process.execPath, [join(root, 'local/commands', `${name}.ts`), ...options], { cwd: root, env })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text))
  const [code] = await once(child, 'exit')
  return { code, said }
}

/** Fails unless a command ended well and said these words. */
export function expectSaid({ code, said }: Said, words: string): void {
  if (code !== 0 || !said.includes(words))
    throw new Error(`it ended with ${code} and not "${words}": ${said.slice(-400)}`)
}
