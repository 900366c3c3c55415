import './settings.ts'
import { writeFileSync } from 'node:fs'
import { document } from './api-document.ts'

/**
 * `node api/build-document.ts FILE`: writes the whole document. A process of its own, since the routes read a
 * configuration that is not that of whoever needs the document.
 */
const [file] = process.argv.slice(2)
if (!file) throw new Error('Say which file to write: node api/build-document.ts FILE')
writeFileSync(file, JSON.stringify(document()))
