import './settings.ts'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildDocument } from '../deploy/packages/built-document.ts'
import { root } from '../deploy/root.ts'
import { breaks } from './breaking.ts'
import { canonical } from './contract/canonical.ts'
import { CONTRACT, contractOf, documentOf } from './contract/contract.ts'
import { laidOut } from './contract/layout.ts'
import { examples, gatherExamples, keepExamples } from './examples.ts'
import { kindNames } from './kind-names.ts'

/**
 * `npm run openapi` writes the contract. It refuses changes that break clients of v1, unless `--breaking` is set because no client has the
 * old form yet. With `--examples FILE` it adds examples that a test run has recorded.
 */
const file = join(root, CONTRACT)
const recorded = process.argv[process.argv.indexOf('--examples') + 1]
if (process.argv.includes('--examples') && recorded)
  keepExamples(gatherExamples(readFileSync(recorded, 'utf8'), examples, process.argv.includes('--again')))
// As it is built for all who read it: tests that run next find it there.
const next = canonical(JSON.parse(readFileSync(await buildDocument(root), 'utf8')))
const broken = existsSync(file) ? breaks(documentOf(JSON.parse(readFileSync(file, 'utf8'))), next) : []
for (const one of broken) console.error(one)
if (broken.length > 0 && !process.argv.includes('--breaking')) {
  console.error('Not written: this breaks clients. Mend it, or say --breaking if no client can know the old form.')
  process.exit(1)
}
const contract = contractOf(next, kindNames)
writeFileSync(file, `${laidOut(contract)}\n`)
console.log(`${CONTRACT}: ${Object.keys(contract.operations).length} operations, those of all kinds counted once`)
