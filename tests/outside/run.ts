import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildDocuments } from '../../deploy/packages/shipped-documents.ts'
import { iiifValidator, mcpInspector, oaiSchemas, reconciliationClient, schemathesis } from './asked.ts'
import { audit, cfnLint, redocly, spectral } from './documents.ts'
import { dynamoDbLocal, moto } from './emulators.ts'
import { ogcSuite, owsLib } from './features.ts'
import { type Service, startService } from './service.ts'
import { comunica } from './statements.ts'
import type { Suite } from './suite.ts'
import { libreOffice } from './tables.ts'

/**
 * Runs suites that nobody here wrote over the service, its document and its templates. Each is skipped with a sentence where it is not
 * installed. Prints a table and writes it into tests/bench/RESULTS.md. Ends with 1 if a failure is not known as a fault of the suite.
 */

const suites: readonly Suite[] = [
  ...[redocly, spectral, cfnLint, audit],
  ...[iiifValidator, oaiSchemas, reconciliationClient, ogcSuite, owsLib, mcpInspector, libreOffice, schemathesis],
  ...[comunica, moto, dynamoDbLocal],
]

const { values } = parseArgs({ options: { only: { type: 'string' }, print: { type: 'boolean' } } })
const isWanted = ({ name }: Suite) =>
  values.only === undefined || values.only.split('|').some((it) => name.startsWith(it))
if (!suites.some(isWanted)) {
  console.error(
    `No suite has a name that begins with ${values.only}. There are: ${suites.map(({ name }) => name).join(', ')}.`,
  )
  process.exit(2)
}
const folder = await mkdtemp(join(tmpdir(), 'outside-'))
// One service for all suites that ask one; schemathesis, which changes everything, asks it last.
let running: Promise<Service> | undefined
const service = () => (running ??= startService(folder))
// The document as it is served now.
await buildDocuments(process.cwd())
const rows = new Map<string, string>()
let unknown = 0
for (const { name, install, run } of suites.filter(isWanted)) {
  const outcome = await run({ folder, service })
  if (!outcome) {
    console.log(`${name}: skipped, since it is not installed (${install}).`)
    continue
  }
  const { version, cases, failures, known } = outcome
  unknown += failures.length
  const judged = [...known].map(([reason, count]) => `${count}: ${reason}`).join('; ')
  console.log(
    `${name} ${version}: ${cases}, ${failures.length} failures${judged && `; faults of the suite: ${judged}`}`,
  )
  for (const failure of failures.slice(0, 20)) console.log(`  ${failure}`)
  rows.set(name, `| ${name} | ${version} | ${cases} | ${failures.length} | ${judged} |`)
}
await (await running)?.stop()
await rm(folder, { recursive: true, force: true })
if (!values.print) await writeResults(rows)
process.exitCode = unknown > 0 ? 1 : 0

/** Renews the rows of the suites that ran in the section between its two marks. The other rows stay. */
async function writeResults(renewed: ReadonlyMap<string, string>): Promise<void> {
  const page = 'tests/bench/RESULTS.md'
  const text = await readFile(page, 'utf8')
  const [begin, end] = [text.indexOf('<!-- outside -->'), text.indexOf('<!-- end of outside -->')]
  const written = text.slice(begin, end).split('\n')
  const table = suites.flatMap(({ name }) => {
    const row = renewed.get(name) ?? written.find((line) => line.startsWith(`| ${name} |`))
    return row === undefined ? [] : [row]
  })
  const head = [
    '<!-- outside -->',
    '| suite | version | cases | failures | faults of the suite |',
    '|---|---|---|---:|---|',
  ]
  await writeFile(page, `${text.slice(0, begin)}${[...head, ...table].join('\n')}\n${text.slice(end)}`)
}
