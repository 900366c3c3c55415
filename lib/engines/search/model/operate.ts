import { loadLogEnd } from '../log.ts'
import type { SearchUpkeep } from '../query.ts'
import { compactNow as compact } from './compact.ts'
import { rebuildSnapshot } from './rebuild.ts'
import { loadPointer, type StoredSnapshot } from './snapshot.ts'

// Reports for the operator are written like lines of a log: in English, without a capital.
const ANOTHER_WAS_FASTER = 'another process has made a snapshot meanwhile, and that one counts'

/** Makes the next snapshot, due or not. */
export const compactNow: SearchUpkeep['compactNow'] = async () => {
  const pointer = await loadPointer()
  if (!pointer) return 'no snapshot yet: use rebuild'
  const snapshot = await compact(pointer)
  return snapshot ? describeSnapshot('now', snapshot) : ANOTHER_WAS_FASTER
}

/** Builds a snapshot from the table. Fails with `unavailable` while another process builds one. */
export const rebuild: SearchUpkeep['rebuild'] = async (progress) => {
  const started = performance.now()
  const { snapshot, documents, position } = await rebuildSnapshot(progress)
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  if (!snapshot) return { documents, report: ANOTHER_WAS_FASTER }
  return {
    documents,
    report: `rebuilt in ${seconds} s: ${snapshot.key}, ${documents} documents, ${snapshot.bytes} bytes, at entry ${position} of the log`,
  }
}

/** Describes the snapshots, and the number of changes after the current snapshot. */
export const describe: SearchUpkeep['describe'] = async () => {
  const [pointer, end] = await Promise.all([loadPointer(), loadLogEnd()])
  const log = `the log ends at entry ${end.number}`
  if (!pointer) return `no snapshot yet: the first search or the sweeper makes one; ${log}`
  const { current, previous } = pointer
  const since = `${end.changes - current.changes} changes since; ${log}`
  const lines = [describeSnapshot('current', current), ...(previous ? [describeSnapshot('previous', previous)] : [])]
  return [...lines, since].join('\n')
}

const describeSnapshot = (which: string, { key, documents, bytes, position, made_at }: StoredSnapshot) =>
  `${which}: ${key}, ${documents} documents, ${bytes} bytes, at entry ${position}, made ${made_at}`
