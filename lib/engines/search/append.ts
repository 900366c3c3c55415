import { config } from '../../base/config.ts'
import type { DocumentChange } from './document.ts'
import { appendToLog } from './log.ts'

/**
 * Appends changes to the log. If a server answers searches, it gets them at once. If the server cannot take them, nothing is lost: the next
 * call, or the sweeper, writes what it lacks.
 */
export async function appendChanges(changes: readonly DocumentChange[]): Promise<void> {
  await appendToLog(changes)
  if (config.SEARCH_URL === '') return
  await (await import('./opensearch/feed.ts')).feedServerLater()
}
