import { fileURLToPath } from 'node:url'

/** The folder of the project, with package.json. */
export const root = fileURLToPath(new URL('..', import.meta.url))
