type Resource = { Type: string; Properties: Record<string, unknown>; DependsOn?: string | string[] }
type Template = { Resources: Record<string, Resource> }
type Framework = {
  service: {
    functions: Record<string, { disableLogs?: boolean }>
    provider: { compiledCloudFormationTemplate: Template }
  }
}

/** How the framework tells whoever packages something. */
type Told = { log: { notice: (line: string) => void } }

/** A framework plugin: takes from the template what each function would get of its own and all can share, and says how large it is. */
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

/** How much of what AWS allows a stack and a gateway the template takes, in a sentence. */
export function sizeOf({ Resources }: Template): string {
  const all = Object.values(Resources)
  const routes = all.filter(({ Type }) => Type === 'AWS::ApiGatewayV2::Route')
  return `The stack has ${all.length} of 500 resources, and its gateway ${routes.length} of 300 routes.`
}

/** The resources in serverless.yml that all functions share: their logs, and the role by which the gateway invokes them. */
const LOGS = 'FunctionLogs'
const INVOKER = 'GatewayRole'

/** The gateway invokes by its role instead of by a permission on each function, and functions wait for their log group. */
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
