import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))
/** Where the local service keeps what it stores. */
export const directory = process.env.LOCAL_DATA ?? join(root, '.local')
/** Says which process uses the directory. */
export const pidFile = join(directory, 'pid')
