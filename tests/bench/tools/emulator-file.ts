import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { marshall } from '@aws-sdk/util-dynamodb'
import { startEmulator } from '../../../deploy/stand-ins/emulator.ts'
import { freePort } from '../../../deploy/stand-ins/free-port.ts'

/**
 * An emulator of one's own, and a way to put items of no index into its file past it, some 50 times as fast as through
 * it: a million people are six million items. Reads go through it as ever, and it counts their units from what is here.
 */
export async function openEmulator(): Promise<{
  stop: () => Promise<void>
  fill: (table: string, items: Iterable<Record<string, unknown>>) => void
}> {
  const directory = await mkdtemp(join(tmpdir(), 'heritage-bench-'))
  const file = join(directory, 'dynamodb.sqlite')
  const emulator = await startEmulator({ port: await freePort(), file })
  process.env.DYNAMODB_ENDPOINT = emulator.endpoint
  return {
    stop: async () => {
      await emulator.stop()
      await rm(directory, { recursive: true, force: true })
    },
    fill: (table, items) => {
      const database = new DatabaseSync(file, { timeout: 60_000 })
      const insert = database.prepare(
        `INSERT INTO "${table}" (pk, sk, item_json, item_size, hash_prefix) VALUES (?, ?, ?, ?, '000000')`,
      )
      let open = 0
      for (const item of items) {
        if (open === 0) database.exec('BEGIN')
        const stored = marshall(item)
        insert.run(`S:${item.pk}`, `S:${item.sk}`, JSON.stringify(stored), sizeOf(stored))
        open = (open + 1) % 50_000
        if (open === 0) database.exec('COMMIT')
      }
      if (open > 0) database.exec('COMMIT')
      database.close()
    },
  }
}

/** The bytes that an item counts for. */
const sizeOf = (item: Record<string, AttributeValue>): number =>
  Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + bytesOf(value), 0)

function bytesOf({ S, N, L, M }: AttributeValue): number {
  if (S !== undefined) return Buffer.byteLength(S)
  if (N !== undefined) return Math.ceil(N.replace('-', '').length / 2) + (N.startsWith('-') ? 2 : 1)
  if (L) return 3 + L.reduce((sum, each) => sum + 1 + bytesOf(each), 0)
  if (M) return 3 + Object.keys(M).length + sizeOf(M)
  return 1
}
