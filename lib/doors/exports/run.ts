import { isDone, orUndo } from '../../base/errors.ts'
import { commitWrites } from '../../engines/table/immediate.ts'
import { nextTake, put, withNextVersion } from '../../engines/table/index.ts'
import type { ExportListing } from './listing.ts'
import { makeExports } from './make.ts'
import { type ExportRun, exportRun, loadExportRun } from './run-state.ts'

/**
 * Makes the exports. After three runs that ended their process the exporter gives up, and readers keep the files of the last
 * complete run. `again` begins anew. Returns undefined if the exporter gave up, or if another run began at the same moment.
 */
export async function runExports(again: boolean): Promise<ExportListing | undefined> {
  const old = await loadExportRun()
  const takes = nextTake(again ? 0 : (old?.takes ?? 0))
  if (takes === undefined) {
    if (old && !old.is_given_up) await isDone(saveRun(old, { is_given_up: true }))
    return undefined
  }
  const begun = await beginRun(old, takes)
  if (!begun) return undefined
  // A conflict means that another run has begun since and keeps its own count.
  const end = () => isDone(saveRun(begun, { takes: 0 }))
  const listing = await orUndo(makeExports, end)
  await end()
  return listing
}

/** Stores that a run begins. Undefined if another process was faster. */
async function beginRun(old: ExportRun | undefined, takes: number): Promise<ExportRun | undefined> {
  const begun = { takes, is_given_up: false, version: (old?.version ?? 0) + 1 }
  return (await isDone(commitWrites([put(exportRun, begun, old)]))) ? begun : undefined
}

const saveRun = (old: ExportRun, changes: Partial<ExportRun>): Promise<void> =>
  commitWrites([put(exportRun, withNextVersion<ExportRun>(old, changes), old)])
