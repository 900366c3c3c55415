import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { buildDocuments } from '../../deploy/shipped-documents.ts'
import { freePort } from '../../deploy/stand-ins/free-port.ts'

/**
 * Runs suites that nobody here wrote over the service, its document and its templates. Each is skipped with a sentence where it is not
 * installed. Prints a table and writes it into tests/bench/RESULTS.md. Ends with 1 if a failure is not known as a fault of the suite.
 */

/** What a suite found. `cases`: how many things it looked at. `known`: failures that were judged to be faults of the suite, by reason. */
type Outcome = { version: string; cases: string; failures: readonly string[]; known: ReadonlyMap<string, number> }
type Suite = {
  name: string
  /** How to install it. */
  install: string
  /** Undefined if it is not installed. */
  run: (folder: string) => Promise<Outcome | undefined>
}

const outputOf = promisify(execFile)

/** The output of a command, whatever it ends with. Undefined if there is no such command. */
async function say(command: string, args: readonly string[], cwd = process.cwd()): Promise<string | undefined> {
  try {
    return (await outputOf(command, [...args], { cwd, maxBuffer: 200_000_000 })).stdout
  } catch (error) {
    const { code, stdout } = error as { code?: unknown; stdout?: string }
    if (code === 'ENOENT') return undefined
    return stdout ?? ''
  }
}

const versionIn = (text: string) => /\d+\.\d+\.\d+/.exec(text)?.[0] ?? 'unknown'

/** Divides failures into known ones, counted by reason, and others. */
function judge(failures: readonly string[], reasons: readonly (readonly [pattern: RegExp, reason: string])[]) {
  const known = new Map<string, number>()
  const others: string[] = []
  for (const failure of failures) {
    const reason = reasons.find(([pattern]) => pattern.test(failure))?.[1]
    if (reason === undefined) others.push(failure)
    else known.set(reason, (known.get(reason) ?? 0) + 1)
  }
  return { failures: others, known }
}

const DOCUMENT = '.build/openapi.json'

const cfnLint: Suite = {
  name: 'cfn-lint: the templates of all stages',
  install: 'pip install cfn-lint',
  run: async (folder) => {
    const version = await say('cfn-lint', ['--version'])
    if (version === undefined) return undefined
    const stages = ['dev', 'staging', 'prod']
    const failures: string[] = []
    const all: string[] = []
    for (const stage of stages) {
      const at = join(folder, stage)
      await outputOf('serverless', ['package', '--stage', stage, '--package', at], { maxBuffer: 50_000_000 })
      const told = await say('cfn-lint', ['--format', 'json', join(at, 'cloudformation-template-update-stack.json')])
      const found: { Level: string; Rule: { Id: string }; Message: string }[] = JSON.parse(told || '[]')
      all.push(...found.map(({ Rule }) => Rule.Id))
      failures.push(...found.map(({ Level, Rule, Message }) => `${stage} ${Level} ${Rule.Id} ${Message}`))
    }
    return {
      version: versionIn(version),
      cases: `${stages.length} templates`,
      ...judge(failures, [
        [/Warning W3005/, 'the packager names a dependency that a reference implies'],
        [/Warning W8003/, 'a condition of the packager that is always the same'],
      ]),
    }
  },
}

const spectral: Suite = {
  name: 'Spectral: the API document',
  install: 'npm install --global @stoplight/spectral-cli',
  run: async (folder) => {
    const version = await say('spectral', ['--version'])
    if (version === undefined) return undefined
    const rules = join(folder, 'spectral.json')
    await writeFile(rules, JSON.stringify({ extends: ['spectral:oas'] }))
    const told = await say('spectral', ['lint', DOCUMENT, '--ruleset', rules, '--format', 'json', '--quiet'])
    const found: { code: string; severity: number; message: string; path: string[] }[] = JSON.parse(told || '[]')
    const failures = found.map(({ code, path }) => `${code} ${path.join('/')}`)
    return {
      version: versionIn(version),
      cases: `${await countOperations()} operations`,
      ...judge(failures, [
        [/^path-keys-no-trailing-slash/, 'the specification asks for a slash at the end of each path'],
        [/^operation-success-response/, 'these old addresses answer 410 only'],
        [/^info-contact/, 'whoever operates the service is told by its stage'],
        [/^oas3-valid-schema-example .*\/example\//, 'takes a member called `example` inside of an example for one'],
        [/^array-items .*\/coordinates$/, 'JSON Schema 2020-12 describes pairs by `prefixItems` alone'],
      ]),
    }
  },
}

const redocly: Suite = {
  name: 'Redocly: the API document',
  install: 'npm ci',
  run: async () => {
    const version = await say('redocly', ['--version'])
    if (version === undefined) return undefined
    const told = await say('redocly', ['lint', DOCUMENT, '--config', 'api/redocly.yaml', '--format', 'json'])
    const { problems = [] }: { problems?: { severity: string; ruleId: string; message: string }[] } = JSON.parse(
      told || '{}',
    )
    const failures = problems.filter(({ severity }) => severity === 'error').map((it) => `${it.ruleId} ${it.message}`)
    return { version: versionIn(version), cases: `${await countOperations()} operations`, failures, known: new Map() }
  },
}

async function countOperations(): Promise<number> {
  const { paths }: { paths: Record<string, object> } = JSON.parse(await readFile(DOCUMENT, 'utf8'))
  const methods = ['get', 'put', 'post', 'patch', 'delete']
  return Object.values(paths).flatMap((it) => Object.keys(it).filter((name) => methods.includes(name))).length
}

/** Seconds for which schemathesis asks. */
const ASKING_SECONDS = 120

const schemathesis: Suite = {
  name: 'schemathesis: every operation of a running service',
  install: 'pip install schemathesis',
  run: async (folder) => {
    const version = await say('schemathesis', ['--version'])
    if (version === undefined) return undefined
    const service = await startService(folder)
    try {
      const given = [
        ...['run', `${service.address}/schema/`, '--header', 'x-dev-user: dev@heritage.test'],
        ...['--phases', 'examples,coverage', '--max-time', String(ASKING_SECONDS), '--continue-on-failure'],
        ...[
          '--checks',
          'not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance',
        ],
        ...['--report', 'junit', '--report-dir', folder, '--workers', '2', '--suppress-health-check', 'all'],
      ]
      // It keeps a folder of its own where it runs.
      const told = await say('schemathesis', given, folder)
      const [report = ''] = globSync(join(folder, '*.xml'))
      const xml = report === '' ? '' : await readFile(report, 'utf8')
      const operations = xml.match(/<testcase /g)?.length ?? 0
      if (operations === 0) throw new Error(`schemathesis asked nothing:\n${told}`)
      const failures = [...xml.matchAll(/<(?:failure|error)[^>]*message="([^"]*)"/g)].map(([, text = '']) => text)
      return { version: versionIn(version), cases: `${operations} operations`, ...judge(failures, []) }
    } finally {
      await service.stop()
    }
  },
}

/** Starts the service with data of its own, and waits until it is ready. Fails with its last words if it ends instead. */
async function startService(folder: string) {
  const ports: Record<string, string> = {}
  for (const name of ['PORT', 'LAMBDA_PORT', 'S3_PORT', 'IDP_PORT', 'DYNAMODB_PORT'])
    ports[name] = String(await freePort())
  const environment = { ...process.env, ...ports, LOCAL_DATA: join(folder, 'data') }
  const child = spawn(process.execPath, ['local/service/start.ts'], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let words = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => {
      words = `${words}${text}`.slice(-2000)
    })
  const ended = once(child, 'exit')
  const address = `http://127.0.0.1:${ports.PORT}`
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
  }
  const early = ended.then(() => Promise.reject(new Error(`The service has ended.\n${words}`)))
  await Promise.race([answerAt(`${address}/health/ready/`), early]).catch(async (error: unknown) => {
    await stop()
    throw error
  })
  early.catch(() => undefined)
  return { address, stop }
}

/** Waits until an address answers, for two minutes at most. */
async function answerAt(address: string): Promise<void> {
  for (let attempt = 0; attempt < 240; attempt += 1) {
    const isReady = await fetch(address).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) return
    await new Promise((done) => setTimeout(done, 500))
  }
  throw new Error(`${address} does not answer.`)
}

/** Tests of our own of what the table does in one call and in one transaction. */
const TABLE_TESTS = ['write', 'counters', 'lease', 'together', 'pages', 'read'].map(
  (it) => `tests/engines/table/${it}.test.ts`,
)

const moto: Suite = {
  name: 'moto: our own tests of the table over another emulator',
  install: "pip install 'moto[server,dynamodb]'",
  run: async (folder) => {
    if ((await say('moto_server', ['--help'])) === undefined) return undefined
    const version = (await say('pip', ['show', 'moto'])) ?? ''
    const port = await freePort()
    const emulator = spawn('moto_server', ['-H', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' })
    try {
      await answerAt(`http://127.0.0.1:${port}/moto-api/`)
      const report = join(folder, 'moto.json')
      const reports = ['--reporter=json', `--outputFile.json=${report}`]
      // One file at a time: the emulator fails where two requests come at once.
      await outputOf('vitest', ['run', ...TABLE_TESTS, '--maxWorkers=1', ...reports], {
        env: { ...process.env, DYNAMODB_ENDPOINT: `http://127.0.0.1:${port}` },
        maxBuffer: 200_000_000,
      }).catch(() => undefined)
      const { numTotalTests, testResults }: VitestReport = JSON.parse(await readFile(report, 'utf8'))
      const failures = testResults.flatMap(({ name, status, message, assertionResults }) => {
        const failed = assertionResults.filter((it) => it.status === 'failed')
        const whole = status === 'failed' && failed.length === 0 ? [`${name}: ${message}`] : []
        return [...whole, ...failed.map((it) => `${it.fullName}: ${it.failureMessages[0]}`)]
      })
      return { version: versionIn(version), cases: `${numTotalTests} tests`, ...judge(failures, DIFFERENCES) }
    } finally {
      emulator.kill()
    }
  },
}
type VitestReport = {
  numTotalTests: number
  testResults: {
    name: string
    status: string
    message: string
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[]
  }[]
}

/** What this emulator does otherwise than DynamoDB itself. */
const DIFFERENCES = [
  [/is not valid JSON|InternalFailure/, 'it fails where two requests come at once'],
  [/at once|has one holder|that run together/, 'its writes and transactions are not isolated from each other'],
  [/under the same token/, 'it does not know the tokens of transactions'],
  [/a number counts once/, 'it does not return the item of a failed condition'],
] as const

const audit: Suite = {
  name: 'audit by the registry: known weaknesses of what is shipped',
  install: 'a registry that answers audits',
  run: async () => {
    const told = JSON.parse((await say('npm', ['audit', '--omit=dev', '--json'])) || '{}')
    if (told.metadata?.vulnerabilities === undefined) return undefined
    const failures = Object.entries<{ severity: string }>(told.vulnerabilities ?? {}).map(
      ([name, { severity }]) => `${severity} ${name}`,
    )
    return {
      version: versionIn((await say('npm', ['--version'])) ?? ''),
      cases: `${told.metadata.dependencies?.prod ?? 0} packages`,
      failures,
      known: new Map(),
    }
  },
}

const suites: readonly Suite[] = [redocly, spectral, cfnLint, schemathesis, moto, audit]

const { values } = parseArgs({ options: { only: { type: 'string' }, print: { type: 'boolean' } } })
const folder = await mkdtemp(join(tmpdir(), 'outside-'))
// The document as it is served now.
await buildDocuments(process.cwd())
const rows = new Map<string, string>()
let unknown = 0
for (const { name, install, run } of suites) {
  if (values.only !== undefined && !name.startsWith(values.only)) continue
  const outcome = await run(folder)
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
