import { join } from 'node:path'
import { root } from '../../deploy/root.ts'

/** The folder of the local service's data: `LOCAL_DATA`, or `.local` beside package.json. */
export const directory = process.env.LOCAL_DATA ?? join(root, '.local')
