import { readFileSync } from 'node:fs'
import * as v from 'valibot'
import { parse } from 'yaml'

/**
 * Reads serverless.yml for the local stage, with the ports of the environment. Fails if a part is missing, or has a value that only a
 * deployment knows.
 */
export function loadStack(environment: NodeJS.ProcessEnv = process.env): LocalStack {
  const file = load()
  const parameters: Record<string, unknown> = { ...file.params.default, ...file.params.local }
  const given: NodeJS.ProcessEnv = {
    DYNAMODB_ENDPOINT: `http://127.0.0.1:${environment.DYNAMODB_PORT ?? 8001}`,
    ...environment,
  }
  const fill = (value: unknown): unknown => {
    if (typeof value === 'string')
      return value.replace(variable, (whole, source, name, otherwise) => known(source, name, otherwise) ?? whole)
    if (Array.isArray(value)) return value.map(fill)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fill(inner)]))
  }
  const known = (source: string, name: string, otherwise = ''): string | undefined => {
    if (source === 'self' && name === 'service') return file.service
    if (source === 'sls' && name === 'stage') return 'local'
    if (source === 'param') return String(v.parse(scalar, fill(parameters[name])))
    if (source === 'env') return given[name] ?? otherwise
    return undefined
  }
  const resources = Object.assign(
    {},
    ...file.resources.flatMap((part) => (typeof part === 'string' ? [] : part.Resources)),
  )
  return v.parse(LocalStack, {
    environment: fill(file.provider.environment),
    offline: fill(file.custom['serverless-offline']),
    table: fill(resources.Table.Properties),
  })
}

/** The functions of serverless.yml, with variables unresolved. */
export function loadFunctions(): v.InferOutput<typeof File>['functions'] {
  return load().functions
}

const load = () => v.parse(File, parse(readFileSync(new URL('../serverless.yml', import.meta.url), 'utf8')))

/** A variable of serverless.yml: `${source:name}` or `${source:name, 'otherwise'}`. */
const variable = /\$\{(\w+):([\w.-]+)(?:,\s*'([^']*)')?\}/g

const scalar = v.union([v.string(), v.boolean()], 'a parameter of the local stage is not a plain value')
const anything = v.record(v.string(), v.unknown())
const File = v.object({
  service: v.string(),
  params: v.object({ default: anything, local: anything }),
  provider: v.object({ environment: anything }),
  custom: v.object({ 'serverless-offline': anything }),
  functions: v.record(v.string(), v.object({ handler: v.string(), role: v.string(), events: v.optional(v.unknown()) })),
  resources: v.array(v.union([v.string(), v.object({ Resources: anything })])),
})

const keys = v.array(v.object({ AttributeName: v.string(), KeyType: v.picklist(['HASH', 'RANGE']) }))
const LocalStack = v.object({
  environment: v.record(v.string(), v.string()),
  offline: v.object({ httpPort: v.string(), lambdaPort: v.string() }),
  table: v.object({
    AttributeDefinitions: v.array(v.object({ AttributeName: v.string(), AttributeType: v.picklist(['S', 'N', 'B']) })),
    KeySchema: keys,
    BillingMode: v.picklist(['PAY_PER_REQUEST']),
    GlobalSecondaryIndexes: v.array(
      v.object({
        IndexName: v.string(),
        KeySchema: keys,
        Projection: v.object({ ProjectionType: v.picklist(['ALL']) }),
      }),
    ),
    TimeToLiveSpecification: v.object({ AttributeName: v.string(), Enabled: v.boolean() }),
    StreamSpecification: v.object({ StreamViewType: v.picklist(['NEW_AND_OLD_IMAGES']) }),
  }),
})

/** The parts of serverless.yml that the local service needs. */
export type LocalStack = v.InferOutput<typeof LocalStack>
