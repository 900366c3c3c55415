import { groupNames } from '../../lib/http/groups.ts'
import { events } from './routes.ts'

/**
 * What each function may do. Of the table and the bucket: what its code can come to ask (reach.ts). Beside it what the
 * platform does in a function's name, which no code of ours says: it reads the stream and the queues, and sends on what failed.
 */
const platform: Readonly<Record<string, readonly Grant[]>> = {
  'asset-files': ['stream', 'assetFailures', 'ocr'],
  ocr: ['assetFailures'],
  dispatcher: ['groups'],
  webhooks: ['scheduleFailures'],
  projector: ['stream', 'failures'],
  merger: ['scheduleFailures'],
  importer: ['scheduleFailures'],
  sweeper: ['scheduleFailures'],
  exporter: ['scheduleFailures'],
  letters: ['scheduleFailures'],
}

type Grant = keyof typeof grants
type Statement = { Sid?: string; Effect: 'Allow'; Action: readonly string[]; Resource: readonly unknown[] }
type Resource = { Type: string; Properties: object }

const functionArn = (name: string) => ({ 'Fn::GetAtt': [functionId(name), 'Arn'] })
const table = { 'Fn::GetAtt': ['Table', 'Arn'] }
const bucket = { 'Fn::GetAtt': ['Bucket', 'Arn'] }
const indexes = ['gsi1', 'gsi2', 'gsi3', 'gsi4']

const grants = {
  stream: [
    allow(['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'].map(of('dynamodb')), [
      { 'Fn::GetAtt': ['Table', 'StreamArn'] },
    ]),
  ],
  assetFailures: [allow(['sqs:SendMessage'], [{ 'Fn::GetAtt': ['AssetFailures', 'Arn'] }])],
  ocr: [allow(['lambda:InvokeFunction'], [functionArn('ocr')])],
  failures: [allow(['sqs:SendMessage'], [{ 'Fn::GetAtt': ['ProjectorFailures', 'Arn'] }])],
  // Each by its name: what the gateway reaches by a route, the dispatcher reaches by this.
  groups: [allow(['lambda:InvokeFunction'], groupNames.map(functionArn))],
  scheduleFailures: [allow(['sqs:SendMessage'], [{ 'Fn::GetAtt': ['ScheduleFailures', 'Arn'] }])],
} satisfies Record<string, readonly Statement[]>

type Environment = Readonly<Record<string, unknown>>

/** What functions can come to ask, and what it takes to find out who is calling, as `action resource` (reach.ts). */
export type Reach = { functions: ReadonlyMap<string, readonly string[]>; identifying: readonly string[] }

/** What a function reads when it starts: the parameters that its environment names as `ssm:/...`, and no others. */
function secretsIn(environment: Environment): Statement[] {
  const paths = Object.values(environment).flatMap((value) => /^ssm:(\/.+)$/.exec(String(value))?.[1] ?? [])
  return paths.length === 0 ? [] : [allow(['ssm:GetParameters'], [...new Set(paths)].map(parameter))]
}

/** The right to send letters as the identity that the mail service knows; none where the stage sends no letters. */
function mailAs({ LETTERS_IDENTITY }: Environment): Statement[] {
  const identity = String(LETTERS_IDENTITY ?? '')
  if (identity === '') return []
  const arn = `arn:\${AWS::Partition}:ses:\${AWS::Region}:\${AWS::AccountId}:identity/${identity}`
  return [allow(['ses:SendEmail'], [{ 'Fn::Sub': arn }])]
}

const parameter = (path: string) => ({
  'Fn::Sub': `arn:\${AWS::Partition}:ssm:\${AWS::Region}:\${AWS::AccountId}:parameter${path}`,
})

/** As the framework names the resource of a function. */
export function functionId(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll('-', 'Dash')}LambdaFunction`
}

/** The logical id of a function's role. */
export const roleId = (name: string): string =>
  `${name.replace(/(^|-)(\w)/g, (_, _dash: string, letter: string) => letter.toUpperCase())}Role`

/**
 * One role for each function of the service, as resources. `service` is the name that functions begin with: service-stage;
 * `environmentOf` gives the variables of a function.
 */
export function roles(
  service: string,
  environmentOf: (name: string) => Environment,
  { functions, identifying }: Reach,
): { Resources: Record<string, Resource> } {
  return {
    Resources: Object.fromEntries(
      [...functions].map(([name, reached]) => {
        const statements = [
          logsOf(service),
          ...secretsIn(environmentOf(name)),
          ...(name === 'letters' ? mailAs(environmentOf(name)) : []),
          ...own(name, reached, identifying),
          ...ofPlatform(name),
        ]
        return [roleId(name), role(`${service}-${name}`, statements)]
      }),
    ),
  }
}

const ofPlatform = (name: string) => (platform[name] ?? []).flatMap((each): readonly Statement[] => grants[each])

/**
 * What its code asks of the table and the bucket, by what it is asked of. Whoever comes may come for the first time, and
 * with any token: what finding out takes is one grant of all functions behind the gateway.
 */
function own(name: string, reached: readonly string[], identifying: readonly string[]): Statement[] {
  const callers = name in events ? [{ Sid: 'IdentifyCallers', ...granted(identifying) }] : []
  const rest = reached.filter((use) => !(name in events && identifying.includes(use)))
  return [...callers, ...Object.values(Object.groupBy(rest, placeIn)).map((uses = []) => granted(uses))]
}

/** Uses of one resource as a statement. */
const granted = (uses: readonly string[]): Statement => allow(uses.map(actionIn), resourcesAt(placeIn(uses[0] ?? '')))

const actionIn = (use: string) => use.split(' ')[0] ?? ''
const placeIn = (use: string) => use.split(' ')[1] ?? ''

/** `Table`, `Table/index` (all of them), `Bucket`, `Bucket/assets/*` as the template says it. */
function resourcesAt(place: string): unknown[] {
  if (place === 'Table') return [table]
  if (place === 'Table/index') return indexes.map((name) => joined([table, `/index/${name}`], ''))
  return [place === 'Bucket' ? bucket : joined([bucket, place.slice('Bucket'.length)], '')]
}

function role(functionName: string, statements: readonly Statement[]): Resource {
  return {
    Type: 'AWS::IAM::Role',
    Properties: {
      AssumeRolePolicyDocument: {
        Version: '2012-10-17',
        Statement: [{ Effect: 'Allow', Principal: { Service: ['lambda.amazonaws.com'] }, Action: ['sts:AssumeRole'] }],
      },
      // The actions of X-Ray know no resource, so AWS's own policy grants them and ours stay without a star.
      ManagedPolicyArns: [{ 'Fn::Sub': `arn:\${AWS::Partition}:iam::aws:policy/AWSXRayDaemonWriteAccess` }],
      Policies: [
        {
          PolicyName: functionName,
          PolicyDocument: {
            Version: '2012-10-17',
            Statement: statements,
          },
        },
      ],
    },
  }
}

// The one group of all functions is made with the stack, so they only write. The last part stands for the log streams in it.
const logsOf = (service: string) =>
  allow(
    ['logs:CreateLogStream', 'logs:PutLogEvents'],
    [
      {
        'Fn::Sub': `arn:\${AWS::Partition}:logs:\${AWS::Region}:\${AWS::AccountId}:log-group:/aws/lambda/${service}:log-stream:*`,
      },
    ],
  )

/** A resource of the template in one word: Table, Table/index/gsi1, Bucket, Bucket/assets/*. */
export function labelOf(resource: unknown): string {
  if (typeof resource === 'string') return resource
  const { 'Fn::GetAtt': got, 'Fn::Join': parts }: { 'Fn::GetAtt'?: string[]; 'Fn::Join'?: [string, unknown[]] } =
    Object(resource)
  if (got) return got[1] === 'Arn' ? String(got[0]) : got.join('.')
  return parts ? parts[1].map(labelOf).join(parts[0]) : JSON.stringify(resource)
}

function allow(Action: readonly string[], Resource: readonly unknown[]): Statement {
  return { Effect: 'Allow', Action, Resource }
}

function of(service: string): (action: string) => string {
  return (action) => `${service}:${action}`
}

function joined(parts: readonly unknown[], by: string): unknown {
  return { 'Fn::Join': [by, parts] }
}
