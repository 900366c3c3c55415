import { config } from '../../base/config.ts'
import type { DocumentChange } from './document.ts'
import { appendToLog } from './log.ts'

/**
 * Appends changes to the log. If a server answers searches, it gets the changes at once. If it cannot take them, nothing is lost: the next
 * call, or the sweeper, writes what the server lacks.
 */
export async function appendChanges(changes: readonly DocumentChange[]): Promise<void> {
  await appendToLog(changes)
  if (config.SEARCH_URL === '') return
  await (await import('./opensearch/feed.ts')).feedServerLater()
}
