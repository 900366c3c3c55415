import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'

export type Emulator = { endpoint: string; process: ChildProcess; stop: () => Promise<void> }

/**
 * Starts the DynamoDB emulator on the loopback interface and waits until it answers; without a file it keeps all in
 * memory. Fails in one line where the emulator does not exist for this machine.
 */
export async function startEmulator({ port, file }: { port: number; file?: string }): Promise<Emulator> {
  const kept = file ? ['--db-path', file] : []
  // A process group of its own: Ctrl-C must not end it before those who use it.
  const child = spawn(
    '/bin/sh',
    ['-c', guarded, binary(), 'serve', '--host', '127.0.0.1', '--port', String(port), ...kept],
    {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    },
  )
  let failed: Error | undefined
  child.on('error', (error) => {
    failed = error
  })
  const endpoint = `http://127.0.0.1:${port}`
  while (!(await answers(endpoint))) {
    if (failed) throw new Error(`The DynamoDB emulator cannot run here (${failed.message}). ${elsewhere}`)
    if (child.exitCode !== null)
      throw new Error(`The DynamoDB emulator ended at once (port ${port}, exit code ${child.exitCode}).`)
    await sleep(5)
  }
  return {
    endpoint,
    process: child,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.stdin.end()
      await once(child, 'exit')
    },
  }
}

/** Ends the emulator as soon as our end of the pipe closes, which it does even when we are killed. */
const guarded = 'exec 3<&0; "$0" "$@" 3<&- & it=$!; { cat <&3 >/dev/null; kill $it; } & wait $it'

const elsewhere =
  'Start DynamoDB Local or another emulator yourself and set DYNAMODB_ENDPOINT to its address, such as http://127.0.0.1:8001.'

function binary(): string {
  const platform = `${process.platform}-${process.arch}`
  try {
    return createRequire(import.meta.url).resolve(`@dynoxide/${platform}/dynoxide`)
  } catch {
    throw new Error(`There is no DynamoDB emulator package for ${platform}. ${elsewhere}`)
  }
}

async function answers(endpoint: string): Promise<boolean> {
  try {
    await fetch(endpoint)
    return true
  } catch {
    return false
  }
}
