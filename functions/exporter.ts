import '../lib/domain/composition.ts'
import { log } from '../lib/base/telemetry/log.ts'
import { runExports } from '../lib/doors/exports/run.ts'
import { areExportsGivenUp } from '../lib/doors/exports/run-state.ts'
import { worker } from '../lib/platform/worker.ts'

/**
 * Runs every day. Writes all public records to files. After three runs that ended their process it only logs that it gave up, until
 * it is called with `{"again": true}`.
 */
export const handler = worker(async (event?: { again?: unknown }): Promise<{ files: number }> => {
  const listing = await runExports(event?.again === true)
  if (!listing) {
    if (await areExportsGivenUp()) log({ level: 'error', message: 'export', error: 'given up' })
    return { files: 0 }
  }
  const { files } = listing
  const records = files.filter((file) => file.format === 'jsonl')
  const exported = records.reduce((sum, file) => sum + file.rows, 0)
  log({ level: 'info', message: 'export', count: files.length, exported })
  return { files: files.length }
})
