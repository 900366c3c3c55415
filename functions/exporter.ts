import '../lib/effects/search-documents.ts'
import { makeExports } from '../lib/exports/make.ts'
import { log } from '../lib/ops/log.ts'

/** Comes by every day and writes what everyone may read to files. */
export async function handler(): Promise<{ files: number }> {
  const { files } = await makeExports()
  const records = files.filter((file) => file.format === 'jsonl')
  const exported = records.reduce((sum, file) => sum + file.rows, 0)
  log({ level: 'info', message: 'export', count: files.length, exported })
  return { files: files.length }
}
