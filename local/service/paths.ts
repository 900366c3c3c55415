import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))
/** The folder of the local service's data: `LOCAL_DATA`, or `.local` beside package.json. */
export const directory = process.env.LOCAL_DATA ?? join(root, '.local')
