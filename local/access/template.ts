import type { Roles } from './judge.ts'
import type { Statement } from './policy.ts'
import { ACCOUNT, functionArn, objectArn, REGION, tableArn } from './requests.ts'

type Resource = { Type: string; Properties?: object }
export type Resources = Readonly<Record<string, Resource>>
type Members = Readonly<Record<string, unknown>>

/** What CloudFormation would put in place of a reference, in the account of the emulators. Fails on a function that is not known here. */
export function resolved(
  value: unknown,
  resources: Resources,
  conditions: Readonly<Record<string, boolean>> = {},
): unknown {
  const inner = (it: unknown) => resolved(it, resources, conditions)
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
  if (!make) throw new Error(`the template uses ${name}, which local/access/template.ts does not know`)
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

/** What a reference to a resource by its logical id gives: its name or its address, by type. */
function reference(id: string, resources: Resources): unknown {
  if (id in pseudo) return pseudo[id]
  const type = resources[id]?.Type ?? ''
  return arnsAsReference.has(type) ? attributeOf(id, 'Arn', resources) : nameOf(id, resources)
}

const arnsAsReference = new Set(['AWS::SNS::Topic'])

/** The members that name a resource; one that is named by CloudFormation has its logical id. */
function nameOf(id: string, resources: Resources): string {
  const { Type = '', Properties = {} } = resources[id] ?? {}
  const given = Object.entries(Properties).find(([member]) => member === `${Type.split('::').at(-1)}Name`)?.[1]
  return given === undefined ? id : String(resolved(given, resources))
}

function attributeOf(id: string, attribute: string, resources: Resources): string {
  const { Type = '' } = resources[id] ?? {}
  const name = nameOf(id, resources)
  if (attribute === 'StreamArn') return `${tableArn(name)}/stream/${STREAM}`
  if (attribute !== 'Arn') return name
  return arns[Type]?.(name) ?? `arn:aws:${Type.split('::')[1]?.toLowerCase()}:${REGION}:${ACCOUNT}:${name}`
}

/** The label that stands for whichever stream the table has. */
const STREAM = 'label'

const arns: Readonly<Record<string, (name: string) => string>> = {
  'AWS::DynamoDB::Table': tableArn,
  'AWS::S3::Bucket': objectArn,
  'AWS::Lambda::Function': functionArn,
  'AWS::IAM::Role': (name) => `arn:aws:iam::${ACCOUNT}:role/${name}`,
}

/** What the own policies of a role say, references resolved. */
function statementsOf(role: Resource | undefined, resources: Resources): Statement[] {
  const { Policies = [] }: { Policies?: readonly unknown[] } = Object(resolved(role?.Properties, resources))
  return Policies.flatMap((policy) => statementsIn(Object(policy).PolicyDocument))
}

/** The statements of a policy document, single values as lists. */
function statementsIn(document: unknown): Statement[] {
  const { Statement: all }: { Statement?: unknown } = Object(document)
  return listOf(all ?? []).map((it) => {
    const { Effect, Action, Resource, Condition } = Object(it)
    return { Effect, Action: listOf(Action).map(String), Resource: listOf(Resource).map(String), Condition }
  })
}

/** The roles of functions, by the name of the function: what a role's resource is called comes from `roleOf`. */
export const rolesIn = (names: readonly string[], roleOf: (name: string) => string, resources: Resources): Roles =>
  new Map(names.map((name) => [name, statementsOf(resources[roleOf(name)], resources)]))
