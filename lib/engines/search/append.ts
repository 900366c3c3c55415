import { config } from '../../base/config.ts'
import type { DocumentChange } from './document.ts'
import { appendToLog } from './log.ts'

/**
 * Appends changes to the log. A server, if one answers searches, is told at once. If it does not answer, nothing is lost: the next call, or
 * the sweeper, writes to it what it lacks.
 */
export async function appendChanges(changes: readonly DocumentChange[]): Promise<void> {
  await appendToLog(changes)
  if (config.SEARCH_URL === '') return
  await (await import('./opensearch/feed.ts')).feedServerLater()
}
