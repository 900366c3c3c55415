import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { loadStack } from '../stack.ts'
import { createTable } from '../stand-ins/table.ts'
import type { World } from './background.ts'
import type { Around } from './smoke.ts'

/**
 * The table is lost. What an operator does then is played with the commands of a backup. The old table stands for one that was restored to
 * a point in time or from a copy. It is exported, and comes back into an empty table of the next number. Both must hold the same.
 * Prints how long each step took. Returns what went wrong.
 */
export async function tableLost({ table, folder }: World, bucket: Around['bucket']): Promise<string[]> {
  const [{ exportTo, restoreFrom }, { open }] = await Promise.all([
    import('../../local/commands/backup/backup.ts'),
    import('../../local/commands/backup/place.ts'),
  ])
  const at = (name: string) =>
    open({ table: name, bucket: bucket.name, dynamodb: table.endpoint, files: bucket.endpoint })
  const [old, next] = [at(table.name), at(`${table.name}-2`)]
  const [before, after] = [join(folder, 'backup-before'), join(folder, 'backup-after')]
  await timeStep('exported', () => exportTo(before, old, { objects: false }))
  await createTable(table.endpoint, next.table, loadStack().table)
  await timeStep('restored', () => restoreFrom(before, next, { over: true }))
  await exportTo(after, next, { objects: false })
  for (const place of [old, next]) place.close()
  const [sent, came] = await Promise.all([before, after].map((it) => readFile(join(it, 'table.jsonl'), 'utf8')))
  if (sent === came) return []
  return [
    `the table is lost: ${sent?.split('\n').length} items were exported, and ${came?.split('\n').length} came back`,
  ]
}

async function timeStep(what: string, work: () => Promise<unknown>): Promise<void> {
  const began = performance.now()
  await work()
  console.log(`         the table is ${what} in ${((performance.now() - began) / 1000).toFixed(1)} s`)
}
