type Resource = { Type: string; Properties: Record<string, unknown>; DependsOn?: string | string[] }
type Template = { Resources: Record<string, Resource> }
type Framework = {
  service: {
    functions: Record<string, { disableLogs?: boolean }>
    provider: { compiledCloudFormationTemplate: Template }
  }
}

/** What the framework gives plugins to print with. */
type Told = { log: { notice: (line: string) => void } }

/**
 * A plugin of the Serverless Framework. It gives all functions one log group and one role of the gateway, where the framework would
 * make one for each. Then it prints the size of the template.
 */
export default class SharedResources {
  readonly hooks: Readonly<Record<string, () => void>>

  constructor({ service }: Framework, _options: object, { log }: Told) {
    this.hooks = {
      'before:package:setupProviderConfiguration': () => {
        for (const definition of Object.values(service.functions)) definition.disableLogs = true
      },
      'after:aws:package:finalize:mergeCustomProviderResources': () =>
        share(service.provider.compiledCloudFormationTemplate),
      'after:package:finalize': () => log.notice(sizeOf(service.provider.compiledCloudFormationTemplate)),
    }
  }
}

/** A sentence with the number of resources and routes, and what AWS allows. */
export function sizeOf({ Resources }: Template): string {
  const all = Object.values(Resources)
  const routes = all.filter(({ Type }) => Type === 'AWS::ApiGatewayV2::Route')
  return `The stack has ${all.length} of 500 resources, and its gateway ${routes.length} of 300 routes.`
}

/** Logical ids of the two shared resources, which gateway.ts makes. */
const LOGS = 'FunctionLogs'
const INVOKER = 'GatewayRole'

/**
 * Changes the template in place. The gateway invokes by its role, so the permission on each function goes. Functions are made after the
 * log group.
 */
export function share({ Resources }: Template): void {
  for (const [id, resource] of Object.entries(Resources)) {
    if (isGatewayPermission(resource)) delete Resources[id]
    if (resource.Type === 'AWS::ApiGatewayV2::Integration')
      resource.Properties.CredentialsArn = { 'Fn::GetAtt': [INVOKER, 'Arn'] }
    if (resource.Type === 'AWS::Lambda::Function') resource.DependsOn = [...[resource.DependsOn ?? []].flat(), LOGS]
  }
}

const isGatewayPermission = ({ Type, Properties }: Resource) =>
  Type === 'AWS::Lambda::Permission' && JSON.stringify(Properties.Principal).includes('apigateway')
