import { unavailable } from '../errors.ts'
import type { Health, Model } from './ask.ts'

/**
 * The search model of this process, caught up with the change log. The first call opens it; later ones cost a small query
 * when the last look is older than a moment, else nothing. Fails with `unavailable` while there is no model to open.
 */
export async function searchModel(): Promise<Model> {
  throw unavailable()
}

/** How the model of this process stands; it does not open it. */
export function searchHealth(): Health {
  return { healthy: true, message: 'Not opened yet.', snapshot: 'none', position: 0, documents: 0 }
}
