import './settings.ts'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DOCUMENT } from '../deploy/shipped-documents.ts'
import { root } from '../service/paths.ts'
import { document } from './api-document.ts'
import { breaks } from './breaking.ts'
import { EXAMPLES, examples, gathered } from './examples.ts'

/**
 * `npm run openapi`: writes the document. Refuses what breaks clients within v1, unless `--breaking` says that no client
 * knows the old form yet. With `--examples FILE` it takes up examples that a test run has recorded.
 */
const file = join(root, DOCUMENT)
const recorded = process.argv[process.argv.indexOf('--examples') + 1]
if (process.argv.includes('--examples') && recorded) {
  const next = gathered(readFileSync(recorded, 'utf8'), examples)
  writeFileSync(EXAMPLES, `${JSON.stringify(next, null, 1)}\n`)
  Object.assign(examples, next)
}
const next = document()
const broken = existsSync(file) ? breaks(JSON.parse(readFileSync(file, 'utf8')), next) : []
for (const one of broken) console.error(one)
if (broken.length > 0 && !process.argv.includes('--breaking')) {
  console.error('Not written: this breaks clients. Mend it, or say --breaking if no client can know the old form.')
  process.exit(1)
}
writeFileSync(file, `${JSON.stringify(next, null, 1)}\n`)
console.log(`${DOCUMENT}: ${Object.values(next.paths).flatMap((methods) => Object.keys(methods)).length} operations`)
