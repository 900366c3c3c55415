import '../lib/domain/composition.ts'
import { log } from '../lib/base/telemetry/log.ts'
import { makeExports } from '../lib/doors/exports/make.ts'

/** Runs every day. Writes all public records to files. */
export async function handler(): Promise<{ files: number }> {
  const { files } = await makeExports()
  const records = files.filter((file) => file.format === 'jsonl')
  const exported = records.reduce((sum, file) => sum + file.rows, 0)
  log({ level: 'info', message: 'export', count: files.length, exported })
  return { files: files.length }
}
