import { readdirSync } from 'node:fs'
import { basename } from 'node:path'

/** The names of all functions: the files directly in functions/. A folder there contains the parts of one function. */
export const functionNames = (): string[] =>
  readdirSync(new URL('../../functions/', import.meta.url), { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => basename(entry.name, '.ts'))
