import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { root } from './root.ts'

/** Runs a command of the Serverless Framework, and shows its output. Ends the process if the command fails. */
export function runFramework(command: readonly string[], env: NodeJS.ProcessEnv = {}): void {
  const { status } = spawnSync(
    process.execPath,
    [join(root, 'node_modules/serverless/bin/serverless.js'), ...command],
    {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, ...env },
    },
  )
  if (status !== 0) process.exit(status ?? 1)
}
