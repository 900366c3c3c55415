import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { tryRelease } from './canary.ts'
import { runFramework } from './framework.ts'
import { lossesOf } from './losses.ts'
import { readinessOf, type Template } from './readiness.ts'
import { lambdaIn, prepareAliases, releasedFunctions } from './releases.ts'
import { functionId } from './roles.ts'
import { root } from './root.ts'
import { isStage } from './stages.ts'
import { templateFaults } from './template-rules.ts'

/**
 * `npm run deploy -- --stage prod [--region us-east-1] [--yes] [--canary SECONDS]`:
 *
 * 1. Packages the stack, with what its file in `deploy/stages` says.
 * 2. Checks whether AWS can take the template (quotas, names), and the account the stack. What is missing is printed, a line each, and
 *    nothing is deployed.
 * 3. Compares it with what is deployed. If it takes away data, names, people or settings, that is printed, and only `--yes` goes on.
 * 4. Deploys. A first deployment makes the table without protection from deletion, so that CloudFormation can undo a failed one.
 * 5. After a first deployment, protects the table in a second one.
 * 6. Publishes a version of each function that answers requests. Each has the release in its variables, so all start anew. A tenth of
 *    the requests tries the new ones for five minutes, or as long as `--canary` says. If an alarm begins to ring, all requests go back to the previous versions, and the exit code is 1.
 *
 * Other options go to the Serverless Framework.
 */
const { values } = parseArgs({
  options: {
    stage: { type: 'string' },
    region: { type: 'string' },
    yes: { type: 'boolean' },
    canary: { type: 'string', default: '300' },
  },
  strict: false,
})
const { stage, region = 'us-east-1' } = values
if (typeof stage !== 'string' || !isStage(stage))
  fail(['Which stage? npm run deploy -- --stage dev|staging|prod, or pr12 for pull request 12'])
if (typeof region !== 'string') fail(['Which region? --region us-east-1'])

const service = `heritage-${stage}`
const packaged = join(root, '.build/deploy', stage)
const options = ['--stage', stage, '--region', region, ...othersIn(process.argv.slice(2))]
const seconds = Number(values.canary)
if (!(seconds >= 0)) fail(['How many seconds? --canary 300, or 0 for none'])
const release = nameRelease()
const run = (command: string, env: NodeJS.ProcessEnv = {}) =>
  runFramework([command, ...options, '--package', packaged], { RELEASE: release, ...env })

run('package')
const { stack, lacking, losses, protects } = await look(service, region)
if (lacking.length > 0) fail(lacking)
if (losses.length > 0 && !values.yes) fail([...losses, 'To deploy it all the same, say --yes.'])

// Before the gateway calls functions by the alias, they have to have it.
const names = releasedFunctions(service).filter((name) => stack.has(functionId(name.slice(service.length + 1))))
await prepareAliases(lambdaIn(region), names)
if (!stack.has('Table') && protects) {
  run('package', { BUNDLES: 'kept', PROTECTED: 'false' })
  run('deploy')
  console.log(`The stack ${service} is made. Now its table is protected.`)
  run('package', { BUNDLES: 'kept' })
}
run('deploy')
const rang = await tryRelease({
  service,
  region,
  release,
  seconds,
  pauseMs: Math.min(15_000, seconds * 200),
})
if (rang.length > 0)
  fail(
    [
      ...rang.map((name) => `The alarm ${name} rang.`),
      'Workers, roles and routes are new: to take them back too, deploy what was deployed before.',
    ],
    'The stack is deployed, but all requests go to the versions of before.',
  )

/** When the release is made, and from which commit. Releases are in the order of their names. */
function nameRelease(): string {
  const { stdout } = spawnSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' })
  return `${new Date().toISOString().slice(0, 19)}Z ${String(stdout).trim()}`.trim()
}

/** The options that go to the framework: all but those of this command. */
function othersIn(given: readonly string[]): string[] {
  const own = ['--stage', '--region', '--canary']
  return given.filter((option, i) => {
    const [name = ''] = option.split('=')
    return name !== '--yes' && !own.includes(name) && !own.includes(given[i - 1] ?? '')
  })
}

/** What the account lacks for the packaged stack, and what the stack would lose. Ends the command if a call to AWS fails. */
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

function fail(lines: readonly string[], first = 'Not deployed.'): never {
  console.error([first, ...lines].join('\n'))
  process.exit(1)
}
