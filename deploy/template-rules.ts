import { type QuotaTemplate, quotaFaults } from './quotas.ts'

type Resource = QuotaTemplate['Resources'][string]
type Template = QuotaTemplate
type Facts = Readonly<Record<string, unknown>>
type Rule = (it: Facts, template: Template) => readonly (string | false)[]

/**
 * What CloudFormation, or an AWS service, would refuse of a template, quotas included (`quotas.ts`). Each fault begins with its
 * resource. The framework's packaging checks none of this. Whether references lead to a resource is tested in `tests/contract/deployment.test.ts`.
 */
export function templateFaults(template: Template): string[] {
  const faults = Object.entries(template.Resources).flatMap(([id, { Type, Properties = {} }]) => {
    const own = [...(rules[Type] ?? []), ...everywhere].flatMap((rule) => rule(Object(Properties), template))
    return [...own, !/^[A-Za-z0-9]{1,255}$/.test(id) && 'its logical id is not letters and digits'].flatMap((fault) =>
      fault === false ? [] : [`${id}: ${fault}`],
    )
  })
  return [...faults, ...quotaFaults(template), ...circles(template)]
}

const text = (it: unknown): string => (typeof it === 'string' ? it : '')
const listOf = (it: unknown): readonly unknown[] => (it === undefined ? [] : [it].flat())
const between = (it: unknown, least: number, most: number, what: string) =>
  it !== undefined && !(Number(it) >= least && Number(it) <= most) && `${what} is not from ${least} to ${most}`
/** Checks a name that is plain text. A name joined from parts is known only on AWS, so it passes. */
const checkName = (it: unknown, pattern: RegExp, what: string) =>
  typeof it === 'string' && !pattern.test(it) && `${what} is not one: ${it}`

const statementsIn = (document: unknown): readonly Facts[] => listOf(Object(document).Statement).map((it) => Object(it))

/** Faults of the statements of a policy. */
const policy = (document: unknown): (string | false)[] => [
  ...statementsIn(document).flatMap(({ Sid, Effect, Action }) => [
    Sid !== undefined && !/^[A-Za-z0-9]+$/.test(text(Sid)) && `a statement's Sid is not letters and digits: ${Sid}`,
    Effect !== 'Allow' && Effect !== 'Deny' && 'a statement neither allows nor denies',
    ...listOf(Action).map((it) => !/^([a-z0-9-]+:[A-Za-z0-9*]+|\*)$/.test(text(it)) && `there is no action ${it}`),
  ]),
]

const rules: Readonly<Record<string, readonly Rule[]>> = {
  'AWS::Lambda::Function': [
    (it) => [
      checkName(it.FunctionName, /^[\w-]{1,64}$/, 'the name of a function'),
      between(it.MemorySize, 128, 10_240, 'memory'),
      between(it.Timeout, 1, 900, 'the time limit'),
      between(Object(it.EphemeralStorage).Size, 512, 10_240, 'the disk'),
      ...Object.keys(Object(Object(it.Environment).Variables)).map(
        (name) => (/^AWS_(?!ENDPOINT)/.test(name) || !/^[A-Za-z]\w+$/.test(name)) && `${name} is no variable to be set`,
      ),
    ],
  ],
  'AWS::IAM::Role': [
    (it) => [
      checkName(it.RoleName, /^[\w+=,.@-]{1,64}$/, 'the name of a role'),
      ...listOf(it.Policies).flatMap((each) => policy(Object(each).PolicyDocument)),
      ...listOf(it.Policies).flatMap((each) =>
        statementsIn(Object(each).PolicyDocument).map(({ Resource }) => !Resource && 'a statement names no resource'),
      ),
    ],
  ],
  'AWS::SQS::QueuePolicy': [(it) => policy(it.PolicyDocument)],
  'AWS::S3::BucketPolicy': [(it) => policy(it.PolicyDocument)],
  'AWS::S3::Bucket': [(it) => [checkName(it.BucketName, /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'the name of a bucket')]],
  'AWS::DynamoDB::Table': [
    (it) => [checkName(it.TableName, /^[\w.-]{3,255}$/, 'the name of a table')],
    (it) => attributes(it),
    (it) =>
      Object.values(Object(it.OnDemandThroughput)).map((units) =>
        between(units, 1, Number.MAX_SAFE_INTEGER, 'a cap of the table'),
      ),
  ],
  'AWS::SQS::Queue': [
    (it) => [
      checkName(it.QueueName, /^[\w-]{1,80}(\.fifo)?$/, 'the name of a queue'),
      between(it.MessageRetentionPeriod, 60, 1_209_600, 'how long messages are kept'),
      between(it.VisibilityTimeout, 0, 43_200, 'how long a message is hidden'),
    ],
  ],
  'AWS::Lambda::EventSourceMapping': [
    (it, template) => {
      const queue = template.Resources[sourceOf(it.EventSourceArn)]
      const target = template.Resources[sourceOf(it.FunctionName)]
      const hidden = Number(Object(queue?.Properties).VisibilityTimeout ?? 30)
      const patience = Number(Object(target?.Properties).Timeout ?? 3)
      return [
        queue?.Type === 'AWS::SQS::Queue' && hidden < patience && 'a message comes again while it is worked on',
        queue?.Type === 'AWS::SQS::Queue' &&
          !it.MaximumBatchingWindowInSeconds &&
          between(it.BatchSize, 1, 10, 'a batch'),
        between(Object(it.ScalingConfig).MaximumConcurrency, 2, 1000, 'how many run at once'),
        ...listOf(Object(it.FilterCriteria).Filters).map(
          (each) => !isJson(text(Object(each).Pattern)) && 'a filter is no JSON',
        ),
      ]
    },
  ],
  'AWS::Events::Rule': [
    (it) => [
      checkName(
        it.ScheduleExpression,
        /^(rate\((1 (minute|hour|day)|([2-9]|[1-9]\d+) (minutes|hours|days))\)|cron\(.+\))$/,
        'a schedule',
      ),
      ...listOf(it.Targets).map(
        (each) => Object(each).Input !== undefined && !isJson(Object(each).Input) && 'an input is no JSON',
      ),
    ],
  ],
  'AWS::ApiGatewayV2::Route': [
    (it) => [
      checkName(
        it.RouteKey,
        /^(\$default|(ANY|GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) \/([^/\s]+(\/[^/\s]+)*)?)$/,
        'a route',
      ),
    ],
    (it) => [/\{\w+\+\}./.test(text(it.RouteKey)) && 'something comes after the rest of a path'],
  ],
  'AWS::ApiGatewayV2::Integration': [(it) => [between(it.TimeoutInMillis, 50, 30_000, 'the time limit')]],
  'AWS::CloudWatch::Alarm': [(it) => [checkName(it.AlarmName, /^.{1,255}$/, 'the name of an alarm')]],
  'AWS::Logs::LogGroup': [
    (it) => [
      checkName(it.LogGroupName, /^[\w./#-]{1,512}$/, 'the name of a log group'),
      it.RetentionInDays !== undefined && !keepable.includes(Number(it.RetentionInDays)) && 'logs are not kept so long',
    ],
  ],
}
const keepable = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
]
/** Finds a value that was left out: a template string then has the text `undefined`. */
const everywhere: readonly Rule[] = [
  (it) => [/"[^"]*\b(undefined|\[object Object\])[^"]*"/.test(JSON.stringify(it)) && 'a value was left out'],
]

const sourceOf = (it: unknown): string => String(listOf(Object(it)['Fn::GetAtt'])[0] ?? Object(it).Ref ?? '')

function isJson(it: unknown): boolean {
  try {
    JSON.parse(text(it))
    return true
  } catch {
    return false
  }
}

/** DynamoDB wants exactly those attributes declared that a key uses. */
function attributes(it: Facts): (string | false)[] {
  const keysOf = (holder: unknown) => listOf(Object(holder).KeySchema).map((each) => text(Object(each).AttributeName))
  const used = new Set([...keysOf(it), ...listOf(it.GlobalSecondaryIndexes).flatMap(keysOf)])
  const declared = listOf(it.AttributeDefinitions).map((each) => text(Object(each).AttributeName))
  return [
    ...[...used].map((name) => !declared.includes(name) && `${name} is in a key and not declared`),
    ...declared.map((name) => !used.has(name) && `${name} is declared and in no key`),
  ]
}

/** Circles of resources that wait for each other, which CloudFormation refuses. */
function circles({ Resources }: Template): string[] {
  const state = new Map<string, 'open' | 'done'>()
  const found: string[] = []
  const visit = (id: string, path: readonly string[]): void => {
    if (state.get(id) === 'done' || !Resources[id]) return
    if (state.get(id) === 'open') {
      found.push(`${[...path.slice(path.indexOf(id)), id].join(' waits for ')}`)
      return
    }
    state.set(id, 'open')
    for (const next of waitsFor(Resources[id])) visit(next, [...path, id])
    state.set(id, 'done')
  }
  for (const id of Object.keys(Resources)) visit(id, [])
  return found
}

function waitsFor({ DependsOn, Properties = {} }: Resource): Set<string> {
  const names = new Set(listOf(DependsOn).map(String))
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const { Ref, 'Fn::GetAtt': got, 'Fn::Sub': sub } = Object(value)
    if (typeof Ref === 'string') names.add(Ref)
    if (got !== undefined) names.add(String(listOf(got)[0]).split('.')[0] ?? '')
    for (const [, name = ''] of text(listOf(sub)[0]).matchAll(/\$\{([^}!]+)\}/g)) names.add(name.split('.')[0] ?? '')
    for (const each of Object.values(value)) look(each)
  }
  look(Properties)
  return names
}
