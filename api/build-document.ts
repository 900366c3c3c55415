import './settings.ts'
import { writeFileSync } from 'node:fs'
import { document } from './api-document.ts'

/**
 * `node api/build-document.ts FILE` writes the whole document. It is a process of its own, since the routes need another configuration
 * than the process that asks for the document.
 */
const [file] = process.argv.slice(2)
if (!file) throw new Error('Say which file to write: node api/build-document.ts FILE')
writeFileSync(file, JSON.stringify(document()))
