import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readinessOf, type Template } from './readiness.ts'
import { templateFaults } from './template-rules.ts'

/**
 * `npm run deploy -- --stage prod [--region us-east-1]`:
 *
 * 1. Packages the stack.
 * 2. Checks whether AWS can take the template (quotas, names), and the account the stack. What is missing is printed, a line each, and
 *    nothing is deployed.
 * 3. Deploys. A first deployment makes the table without protection from deletion, so that CloudFormation can undo a failed one.
 * 4. After a first deployment, protects the table in a second one.
 *
 * Other options go to the Serverless Framework.
 */
const root = join(import.meta.dirname, '..')
const { values } = parseArgs({
  options: { stage: { type: 'string' }, region: { type: 'string' } },
  strict: false,
})
const { stage, region = 'us-east-1' } = values
if (typeof stage !== 'string' || !['dev', 'staging', 'prod'].includes(stage))
  fail(['Which stage? npm run deploy -- --stage dev|staging|prod'])
if (typeof region !== 'string') fail(['Which region? --region us-east-1'])

const service = `heritage-${stage}`
const packaged = join(root, '.build/deploy', stage)
run(['package', '--package', packaged])
const { stack, lacking } = await look(service, region)
if (lacking.length > 0) fail(lacking)

const isFirst = !stack.has('Table')
if (isFirst) {
  run(['package', '--package', packaged], { BUNDLES: 'kept', PROTECTED: 'false' })
  run(['deploy', '--package', packaged])
  console.log(`The stack ${service} is made. Now its table is protected.`)
  run(['package', '--package', packaged], { BUNDLES: 'kept' })
}
run(['deploy', '--package', packaged])

/** What the account lacks for the packaged stack. Ends the command with one line if AWS refuses the question. */
async function look(name: string, where: string) {
  const file = join(packaged, 'cloudformation-template-update-stack.json')
  const template: Template = JSON.parse(await readFile(file, 'utf8'))
  try {
    const { stack, lacking } = await readinessOf(name, where, template)
    return { stack, lacking: [...templateFaults(template), ...lacking] }
  } catch (error) {
    return fail([error instanceof Error ? `${error.name}: ${error.message}` : String(error)])
  }
}

/** Runs a command of the Serverless Framework with the options of this command. Ends the process if it fails. */
function run([command = '', ...more]: readonly string[], env: NodeJS.ProcessEnv = {}): void {
  const { status } = spawnSync(
    process.execPath,
    [join(root, 'node_modules/serverless/bin/serverless.js'), command, ...process.argv.slice(2), ...more],
    { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } },
  )
  if (status !== 0) process.exit(status ?? 1)
}

function fail(lines: readonly string[]): never {
  console.error(['Not deployed.', ...lines].join('\n'))
  process.exit(1)
}
