import type { SearchUpkeep } from '../query.ts'
import { indexesOfAlias } from './client.ts'

/** Whether the server answers, and has an index to ask. */
export const check: SearchUpkeep['check'] = async () => {
  try {
    const healthy = (await indexesOfAlias()).length > 0
    return { healthy, message: healthy ? 'The search server answers.' : 'The search server has no index yet.' }
  } catch {
    return { healthy: false, message: 'The search server does not answer.' }
  }
}
