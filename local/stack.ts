import { readFileSync } from 'node:fs'
import * as v from 'valibot'
import { parse } from 'yaml'

const names = v.array(v.object({ AttributeName: v.string(), KeyType: v.picklist(['HASH', 'RANGE']) }))
const Stack = v.object({
  environment: v.record(v.string(), v.string()),
  offline: v.object({ httpPort: v.string(), lambdaPort: v.string() }),
  table: v.object({
    AttributeDefinitions: v.array(v.object({ AttributeName: v.string(), AttributeType: v.picklist(['S', 'N', 'B']) })),
    KeySchema: names,
    BillingMode: v.picklist(['PAY_PER_REQUEST']),
    GlobalSecondaryIndexes: v.array(
      v.object({
        IndexName: v.string(),
        KeySchema: names,
        Projection: v.object({ ProjectionType: v.picklist(['ALL']) }),
      }),
    ),
    TimeToLiveSpecification: v.object({ AttributeName: v.string(), Enabled: v.boolean() }),
    StreamSpecification: v.object({ StreamViewType: v.picklist(['NEW_AND_OLD_IMAGES']) }),
  }),
})

/** The parts of serverless.yml that the local stage stands on. */
export type Stack = v.InferOutput<typeof Stack>

/** Reads serverless.yml for the local stage; fails where it has no table, or a value that only a deployment can know. */
export function loadStack(environment: NodeJS.ProcessEnv = process.env): Stack {
  const file = parse(readFileSync(new URL('../serverless.yml', import.meta.url), 'utf8'))
  const parameters: Record<string, unknown> = { ...file.params.default, ...file.params.local }
  const resources: unknown[] = file.resources
  const table = resources.flatMap((part) => v.safeParse(WithTable, part)).find((it) => it.success)
  const fill = (value: unknown): unknown => {
    if (typeof value === 'string')
      return value.replace(variable, (whole, name, key, word) => known(name, key, word, whole))
    if (Array.isArray(value)) return value.map(fill)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fill(inner)]))
  }
  const known = (source: string, name: string, fallback: string | undefined, whole: string): string => {
    if (source === 'self' && name === 'service') return String(file.service)
    if (source === 'sls' && name === 'stage') return 'local'
    if (source === 'param') return String(fill(parameters[name]))
    if (source === 'env') return environment[name] ?? fallback ?? ''
    return whole
  }
  return v.parse(Stack, {
    environment: fill(file.provider.environment),
    offline: fill(file.custom['serverless-offline']),
    table: fill(table?.output.Resources.Table.Properties),
  })
}

const WithTable = v.object({ Resources: v.object({ Table: v.object({ Properties: v.unknown() }) }) })

/** `${source:name}` and `${source:name, 'otherwise'}`. */
const variable = /\$\{(\w+):([\w.-]+)(?:,\s*'([^']*)')?\}/g
