import { rmSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildPackages, keptPackages } from './packages/build.ts'
import { takeLock } from './packages/fresh.ts'
import { nearestQuotas } from './quotas.ts'
import { labelOf, liveArn } from './roles.ts'

type Resource = { Type: string; Properties: Record<string, unknown>; DependsOn?: string | string[] }
type Template = { Resources: Record<string, Resource> }
type Framework = {
  serviceDir: string
  processedInput: { commands: readonly string[] }
  /** Writes a file: a value as JSON. Circles are replaced by references if the caller says that there are some. */
  utils: { writeFileSync: (file: string, content: unknown, hasCircles?: boolean) => void }
  service: {
    functions: Record<string, { disableLogs?: boolean; package?: object }>
    provider: { compiledCloudFormationTemplate: Template }
  }
}

/** The framework's printer, as plugins get it. */
type Printer = { log: { notice: (line: string) => void } }

/**
 * A plugin of the Serverless Framework. It bundles the functions into their packages. It gives all functions one log group, and the
 * gateway one role; the framework would make one for each function. Then it prints the size of the template.
 */
export default class Packages {
  readonly hooks: Readonly<Record<string, () => void | Promise<void>>>

  constructor({ serviceDir, service, processedInput, utils }: Framework, _options: object, { log }: Printer) {
    writePlainly(utils)
    this.hooks = {
      initialize: () => waitForOthers(serviceDir, processedInput.commands),
      'before:package:setupProviderConfiguration': () => {
        for (const definition of Object.values(service.functions)) definition.disableLogs = true
      },
      'before:package:createDeploymentArtifacts': () => packFunctions(serviceDir, service.functions),
      'after:aws:package:finalize:mergeCustomProviderResources': () =>
        share(service.provider.compiledCloudFormationTemplate),
      'after:package:finalize': () => log.notice(sizeOfTemplate(service.provider.compiledCloudFormationTemplate)),
    }
  }
}

/**
 * The state that the framework writes with a package has no circles. It looks for some all the same, and compares each object with every
 * other: two of the four seconds that packaging takes.
 */
function writePlainly(utils: Framework['utils']): void {
  const write = utils.writeFileSync.bind(utils)
  utils.writeFileSync = (file, content) => write(file, content)
}

/**
 * The framework writes what it packages into one folder of the project, whatever the stage. So a process that packages or deploys waits
 * until no other does, and holds the lock until it ends.
 */
async function waitForOthers(root: string, [command = '']: readonly string[]): Promise<void> {
  if (!['package', 'deploy', 'remove'].includes(command)) return
  const lock = join(root, '.build/packaging.lock')
  await mkdir(dirname(lock), { recursive: true })
  while (!(await takeLock(lock))) await sleep(200)
  process.once('exit', () => rmSync(lock, { recursive: true, force: true }))
}

/** Bundles each function, and has the framework upload its bundle. No stage is in a bundle, so one build serves all stages. */
async function packFunctions(root: string, functions: Framework['service']['functions']): Promise<void> {
  const built = await (process.env.BUNDLES === 'kept' ? keptPackages : buildPackages)(root, Object.keys(functions))
  for (const [name, artifact] of built) {
    const definition = functions[name]
    if (definition) definition.package = { individually: true, artifact }
  }
}

/** Sentences with the number of resources and routes, what AWS allows, and of which quotas little is left. */
export function sizeOfTemplate(template: Template): string {
  const all = Object.values(template.Resources)
  const routes = all.filter(({ Type }) => Type === 'AWS::ApiGatewayV2::Route')
  return [
    `The stack has ${all.length} of 500 resources, and its gateway ${routes.length} of 300 routes.`,
    `Quotas that are more than half used: ${nearestQuotas(template).join('; ') || 'none'}.`,
  ].join('\n')
}

/** Logical ids of the two shared resources, which gateway.ts makes. */
const LOGS = 'FunctionLogs'
const INVOKER = 'GatewayRole'

/**
 * Changes the template in place. The gateway invokes functions by its own role, so their permissions are deleted. It invokes them by the
 * alias, so that a release can be tried and taken back. Functions are made after the log group.
 */
export function share({ Resources }: Template): void {
  for (const [id, resource] of Object.entries(Resources)) {
    if (isGatewayPermission(resource)) delete Resources[id]
    if (resource.Type === 'AWS::ApiGatewayV2::Integration') {
      resource.Properties.CredentialsArn = { 'Fn::GetAtt': [INVOKER, 'Arn'] }
      resource.Properties.IntegrationUri = liveArn(labelOf(resource.Properties.IntegrationUri))
    }
    if (resource.Type === 'AWS::Lambda::Function') resource.DependsOn = [...[resource.DependsOn ?? []].flat(), LOGS]
  }
}

const isGatewayPermission = ({ Type, Properties }: Resource) =>
  Type === 'AWS::Lambda::Permission' && JSON.stringify(Properties.Principal).includes('apigateway')
