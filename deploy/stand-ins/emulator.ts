import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'

export type Emulator = { endpoint: string; process: ChildProcess; stop: () => Promise<void> }

/**
 * Starts the DynamoDB emulator on the loopback interface, with its data in `file`, and waits until it answers. Fails in
 * one line if there is no emulator for this machine.
 */
export async function startEmulator({ port, file }: { port: number; file: string }): Promise<Emulator> {
  // A process group of its own: Ctrl-C must not end it before those who use it.
  const child = spawn(
    '/bin/sh',
    ['-c', guarded, binary(), 'serve', '--host', '127.0.0.1', '--port', String(port), '--db-path', file],
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
  index(file)
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

/** Ends the emulator when our end of the pipe closes. That happens even if this process is killed. */
const guarded = 'exec 3<&0; "$0" "$@" 3<&- & it=$!; { cat <&3 >/dev/null; kill $it; } & wait $it'

/**
 * The emulator looks for the last stream record before each write, without an index. After 20,000 changes a write takes
 * 10 ms instead of 1. These indexes are all that we add to its file.
 */
function index(file: string): void {
  const database = new DatabaseSync(file, { timeout: 5000 })
  database.exec(`
    CREATE INDEX IF NOT EXISTS ours_last ON _stream_records (table_name, CAST(sequence_number AS INTEGER));
    CREATE INDEX IF NOT EXISTS ours_shard ON _stream_records (table_name, shard_id, sequence_number);
  `)
  database.close()
}

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
