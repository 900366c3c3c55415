import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runFramework } from './framework.ts'
import { lossesOf } from './losses.ts'
import { readinessOf, type Template } from './readiness.ts'
import { root } from './root.ts'
import { isStage } from './stages.ts'
import { templateFaults } from './template-rules.ts'

/**
 * `npm run deploy -- --stage prod [--region us-east-1] [--yes]`:
 *
 * 1. Packages the stack, with what its file in `deploy/stages` says.
 * 2. Checks whether AWS can take the template (quotas, names), and the account the stack. What is missing is printed, a line each, and
 *    nothing is deployed.
 * 3. Compares it with what is deployed. If it takes away data, names, people or settings, that is printed, and only `--yes` goes on.
 * 4. Deploys. A first deployment makes the table without protection from deletion, so that CloudFormation can undo a failed one.
 * 5. After a first deployment, protects the table in a second one.
 *
 * Other options go to the Serverless Framework.
 */
const { values } = parseArgs({
  options: { stage: { type: 'string' }, region: { type: 'string' }, yes: { type: 'boolean' } },
  strict: false,
})
const { stage, region = 'us-east-1' } = values
if (typeof stage !== 'string' || !isStage(stage))
  fail(['Which stage? npm run deploy -- --stage dev|staging|prod, or pr12 for pull request 12'])
if (typeof region !== 'string') fail(['Which region? --region us-east-1'])

const service = `heritage-${stage}`
const packaged = join(root, '.build/deploy', stage)
const options = process.argv.slice(2).filter((option) => option !== '--yes')
const run = (command: string, env: NodeJS.ProcessEnv = {}) =>
  runFramework([command, ...options, '--package', packaged], env)

run('package')
const { stack, lacking, losses, protects } = await look(service, region)
if (lacking.length > 0) fail(lacking)
if (losses.length > 0 && !values.yes) fail([...losses, 'To deploy it all the same, say --yes.'])

if (!stack.has('Table') && protects) {
  run('package', { BUNDLES: 'kept', PROTECTED: 'false' })
  run('deploy')
  console.log(`The stack ${service} is made. Now its table is protected.`)
  run('package', { BUNDLES: 'kept' })
}
run('deploy')

/** What the account lacks for the packaged stack, and what the stack would lose. Ends the command if AWS refuses the question. */
async function look(name: string, where: string) {
  const file = join(packaged, 'cloudformation-template-update-stack.json')
  const template: Template = JSON.parse(await readFile(file, 'utf8'))
  try {
    const { stack, deployed, lacking } = await readinessOf(name, where, template)
    const protects = template.Resources.Table?.Properties.DeletionProtectionEnabled === true
    return { stack, protects, lacking: [...templateFaults(template), ...lacking], losses: lossesOf(deployed, template) }
  } catch (error) {
    return fail([error instanceof Error ? `${error.name}: ${error.message}` : String(error)])
  }
}

function fail(lines: readonly string[]): never {
  console.error(['Not deployed.', ...lines].join('\n'))
  process.exit(1)
}
