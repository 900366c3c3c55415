import type { Roles } from './judge.ts'
import type { PolicyStatement } from './policy.ts'
import { ACCOUNT, functionArn, objectArn, REGION, tableArn } from './requests.ts'

type Resource = { Type: string; Properties?: object }
export type Resources = Readonly<Record<string, Resource>>
type Members = Readonly<Record<string, unknown>>

/** Replaces references by what CloudFormation would put there, in the account of the emulators. Throws for an unknown `Fn::` function. */
export function resolveReference(
  value: unknown,
  resources: Resources,
  conditions: Readonly<Record<string, boolean>> = {},
): unknown {
  const inner = (it: unknown) => resolveReference(it, resources, conditions)
  if (Array.isArray(value)) return value.map(inner).filter((it) => it !== undefined)
  if (typeof value !== 'object' || value === null) return value
  const [[name, given] = ['', undefined], ...others] = Object.entries(value)
  if (others.length === 0 && name === 'Ref') return reference(String(given), resources)
  if (others.length > 0 || !name.startsWith('Fn::'))
    return Object.fromEntries(Object.entries(value).map(([member, it]) => [member, inner(it)]))
  if (name === 'Fn::If') {
    const [condition, whenTrue, otherwise] = listOf(given)
    return inner(conditions[String(condition)] ? whenTrue : otherwise)
  }
  const make = functions[name]
  if (!make) throw new Error(`the template uses ${name}, which deploy/access/template.ts does not know`)
  return make(inner(given), resources)
}

const listOf = (it: unknown): readonly unknown[] => (Array.isArray(it) ? it : [it])

const functions: Readonly<Record<string, (given: unknown, resources: Resources) => unknown>> = {
  'Fn::GetAtt': (given, resources) => {
    const [id, attribute] = typeof given === 'string' ? given.split('.') : listOf(given).map(String)
    return attributeOf(id ?? '', attribute ?? '', resources)
  },
  'Fn::Join': (given) => {
    const [by, parts] = listOf(given)
    return listOf(parts).map(String).join(String(by))
  },
  'Fn::Split': (given) => {
    const [by, text] = listOf(given)
    return String(text).split(String(by))
  },
  'Fn::Sub': (given, resources) => {
    const [text, values = {}] = listOf(given)
    const own: Members = Object(values)
    return String(text).replace(/\$\{([^}!]+)\}/g, (_, name: string) => {
      const [id = '', attribute] = name.split('.')
      return String(own[name] ?? (attribute ? attributeOf(id, attribute, resources) : reference(id, resources)))
    })
  },
}

const pseudo: Members = {
  'AWS::AccountId': ACCOUNT,
  'AWS::Region': REGION,
  'AWS::Partition': 'aws',
  'AWS::URLSuffix': 'amazonaws.com',
  'AWS::NoValue': undefined,
}

/** What `Ref` gives for a logical id: the resource's name, or its ARN for the types below. */
function reference(id: string, resources: Resources): unknown {
  if (id in pseudo) return pseudo[id]
  const type = resources[id]?.Type ?? ''
  return arnsAsReference.has(type) ? attributeOf(id, 'Arn', resources) : nameOf(id, resources)
}

const arnsAsReference = new Set(['AWS::SNS::Topic'])

/** A resource's name. Where CloudFormation would make up a name, it is the logical id. */
function nameOf(id: string, resources: Resources): string {
  const { Type = '', Properties = {} } = resources[id] ?? {}
  const given = Object.entries(Properties).find(([member]) => member === `${Type.split('::').at(-1)}Name`)?.[1]
  return given === undefined ? id : String(resolveReference(given, resources))
}

function attributeOf(id: string, attribute: string, resources: Resources): string {
  const { Type = '' } = resources[id] ?? {}
  const name = nameOf(id, resources)
  if (attribute === 'StreamArn') return `${tableArn(name)}/stream/${STREAM}`
  if (attribute !== 'Arn') return name
  return arns[Type]?.(name) ?? `arn:aws:${Type.split('::')[1]?.toLowerCase()}:${REGION}:${ACCOUNT}:${name}`
}

/** Stands for the label of the table's stream, which only AWS knows. */
const STREAM = 'label'

const arns: Readonly<Record<string, (name: string) => string>> = {
  'AWS::DynamoDB::Table': tableArn,
  'AWS::S3::Bucket': objectArn,
  'AWS::Lambda::Function': functionArn,
  'AWS::IAM::Role': (name) => `arn:aws:iam::${ACCOUNT}:role/${name}`,
}

/** The statements of a role's inline policies, with references resolved. */
function statementsOf(role: Resource | undefined, resources: Resources): PolicyStatement[] {
  const { Policies = [] }: { Policies?: readonly unknown[] } = Object(resolveReference(role?.Properties, resources))
  return Policies.flatMap((policy) => statementsIn(Object(policy).PolicyDocument))
}

/** The statements of a policy document. Single values become lists. */
function statementsIn(document: unknown): PolicyStatement[] {
  const { Statement: all }: { Statement?: unknown } = Object(document)
  return listOf(all ?? []).map((it) => {
    const { Effect, Action, Resource, Condition } = Object(it)
    return { Effect, Action: listOf(Action).map(String), Resource: listOf(Resource).map(String), Condition }
  })
}

/** The roles by function name. `roleOf` gives the logical id of a function's role. */
export const rolesIn = (names: readonly string[], roleOf: (name: string) => string, resources: Resources): Roles =>
  new Map(names.map((name) => [name, statementsOf(resources[roleOf(name)], resources)]))
