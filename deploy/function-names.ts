import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { root } from './root.ts'

/** The names of all functions of a project: the files directly in functions/. A folder there contains the parts of one function. */
export const functionNames = (project = root): string[] =>
  readdirSync(join(project, 'functions'), { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => basename(entry.name, '.ts'))
