import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { judge, outputOf, type Suite, say, versionIn } from './suite.ts'

/** Suites that read: the API document, the templates, the list of packages. */

const DOCUMENT = '.build/openapi.json'

export const redocly: Suite = {
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

export const spectral: Suite = {
  name: 'Spectral: the API document',
  install: 'npm install --global @stoplight/spectral-cli',
  run: async ({ folder }) => {
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

export const cfnLint: Suite = {
  name: 'cfn-lint: the templates of all stages',
  install: 'pip install cfn-lint',
  run: async ({ folder }) => {
    const version = await say('cfn-lint', ['--version'])
    if (version === undefined) return undefined
    const stages = ['dev', 'staging', 'prod']
    const templates = stages.map((stage) => join(folder, stage, 'cloudformation-template-update-stack.json'))
    for (const stage of stages)
      await outputOf('serverless', ['package', '--stage', stage, '--package', join(folder, stage)], {
        maxBuffer: 50_000_000,
        // The functions are in no template: where they are made already, they stay.
        env: { ...process.env, BUNDLES: 'kept' },
      })
    const told = await say('cfn-lint', ['--format', 'json', ...templates])
    const found: { Filename: string; Level: string; Rule: { Id: string }; Message: string }[] = JSON.parse(told || '[]')
    const stageOf = (file: string) => stages.find((stage) => file.startsWith(join(folder, stage))) ?? file
    const failures = found.map(
      ({ Filename, Level, Rule, Message }) => `${stageOf(Filename)} ${Level} ${Rule.Id} ${Message}`,
    )
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

async function countOperations(): Promise<number> {
  const { paths }: { paths: Record<string, object> } = JSON.parse(await readFile(DOCUMENT, 'utf8'))
  const methods = ['get', 'put', 'post', 'patch', 'delete']
  return Object.values(paths).flatMap((it) => Object.keys(it).filter((name) => methods.includes(name))).length
}

export const audit: Suite = {
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
