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
  indexEmulator(file)
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
 * Adds the indexes that the emulator's own queries lack, for the tables that are there. It is called when the emulator starts, and once
 * more when a table is made.
 *
 * Before each write the emulator looks for the last stream record: after 20,000 changes that took 10 ms instead of 1. For each page of a
 * scan it sorts the whole table: with 100,000 records a page took longer than its reader waits.
 */
export function indexEmulator(file: string): void {
  const database = new DatabaseSync(file, { timeout: 5000 })
  database.exec(`
    CREATE INDEX IF NOT EXISTS ours_last ON _stream_records (table_name, CAST(sequence_number AS INTEGER));
    CREATE INDEX IF NOT EXISTS ours_shard ON _stream_records (table_name, shard_id, sequence_number);
  `)
  for (const { table_name } of database.prepare('SELECT table_name FROM _tables').all())
    database.exec(`CREATE INDEX IF NOT EXISTS "ours_scan_${table_name}" ON "${table_name}" (hash_prefix, pk, sk)`)
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
