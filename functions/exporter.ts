import { makeExports } from '../lib/exports/make.ts'
import { log } from '../lib/log.ts'

/** Comes by every day and writes what everyone may read to files. */
export async function handler(): Promise<{ files: number }> {
  const { files } = await makeExports()
  log({ level: 'info', message: 'export', count: files.length })
  return { files: files.length }
}
