import { EMPTY_START, holderOf, inUse } from '../../service/folder-lock.ts'
import { directory } from '../../service/paths.ts'

/**
 * A restore writes into the running local service, which must have been started empty. Throws one sentence that says what runs instead,
 * and what to do.
 */
export function ensureEmptyStart(): void {
  const holder = holderOf(directory)
  const advice = `Start an empty one with \`${EMPTY_START}\`, then restore again.`
  if (!holder) throw new Error(`No local service runs on ${directory}. ${advice}`)
  if (holder.command !== EMPTY_START)
    throw new Error(`${inUse(directory, holder)} \`npm run reset\` empties it. ${advice}`)
}
