import { groupNames } from '../lib/platform/http/groups.ts'
import { identifiesCallers, identityRights, usesOf } from './policies.ts'

/**
 * What a function may ask beside the table and the bucket. `ocr` and `groups` are calls of other functions. The others AWS uses itself,
 * under the function's role: it reads the stream, and sends failed events to a queue. Rights to table and bucket are in `policies.ts`.
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
/** The alias of a function that answers requests, by its logical id. The command that deploys makes the alias (deploy/releases.ts). */
export const liveArn = (id: string): { 'Fn::Sub': string } => ({ 'Fn::Sub': `\${${id}.Arn}:live` })
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
  // The dispatcher calls any group that answers requests; each is granted by its name.
  groups: [
    allow(
      ['lambda:InvokeFunction'],
      groupNames.map((name) => liveArn(functionId(name))),
    ),
  ],
  scheduleFailures: [allow(['sqs:SendMessage'], [{ 'Fn::GetAtt': ['ScheduleFailures', 'Arn'] }])],
} satisfies Record<string, readonly Statement[]>

type Environment = Readonly<Record<string, unknown>>

/** A function may read the parameters that its environment names as `ssm:/...`, and no others. It reads them when it starts. */
function secretsIn(environment: Environment): Statement[] {
  const paths = Object.values(environment).flatMap((value) => /^ssm:(\/.+)$/.exec(String(value))?.[1] ?? [])
  return paths.length === 0 ? [] : [allow(['ssm:GetParameters'], [...new Set(paths)].map(parameter))]
}

/** The right to send letters as the identity that SES has verified. Empty where the stage sends no letters. */
function mailAs({ LETTERS_IDENTITY }: Environment): Statement[] {
  const identity = String(LETTERS_IDENTITY ?? '')
  if (identity === '') return []
  const arn = `arn:\${AWS::Partition}:ses:\${AWS::Region}:\${AWS::AccountId}:identity/${identity}`
  return [allow(['ses:SendEmail'], [{ 'Fn::Sub': arn }])]
}

const parameter = (path: string) => ({
  'Fn::Sub': `arn:\${AWS::Partition}:ssm:\${AWS::Region}:\${AWS::AccountId}:parameter${path}`,
})

/** The logical id that the Serverless Framework gives to a function. Example: asset-files is AssetDashfilesLambdaFunction. */
export function functionId(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll('-', 'Dash')}LambdaFunction`
}

/** The logical id of a function's role. Example: asset-files has AssetFilesRole. */
export const roleId = (name: string): string =>
  `${name.replace(/(^|-)(\w)/g, (_, _dash: string, letter: string) => letter.toUpperCase())}Role`

/**
 * One role for each function, as resources of the template. `service` is what names of functions begin with, such as `heritage-prod`.
 * `environmentOf` gives the variables of a function.
 */
export function roles(
  service: string,
  environmentOf: (name: string) => Environment,
  names: readonly string[],
  traces = false,
): { Resources: Record<string, Resource> } {
  return {
    Resources: Object.fromEntries(
      names.map((name) => {
        const statements = [
          logsOf(service),
          ...secretsIn(environmentOf(name)),
          ...(name === 'letters' ? mailAs(environmentOf(name)) : []),
          ...own(name),
          ...ofPlatform(name),
        ]
        return [roleId(name), role(`${service}-${name}`, statements, traces)]
      }),
    ),
  }
}

const ofPlatform = (name: string) => (platform[name] ?? []).flatMap((each): readonly Statement[] => grants[each])

/**
 * The rights of a function to the table and the bucket, one statement for each resource. All functions that identify callers have the
 * same statement `IdentifyCallers`: any of them may get a caller's first request, and writes the new user.
 */
function own(name: string): Statement[] {
  const identifies = identifiesCallers(name)
  const callers = identifies ? [{ Sid: 'IdentifyCallers', ...grantUses(identityRights) }] : []
  const rest = usesOf(name).filter((use) => !(identifies && identityRights.includes(use)))
  return [...callers, ...Object.values(Object.groupBy(rest, placeIn)).map((uses = []) => grantUses(uses))]
}

/** The statement that grants these uses; all are of one resource. */
const grantUses = (uses: readonly string[]): Statement => allow(uses.map(actionIn), resourcesAt(placeIn(uses[0] ?? '')))

const actionIn = (use: string) => use.split(' ')[0] ?? ''
const placeIn = (use: string) => use.split(' ')[1] ?? ''

/** `Table`, `Table/index` (all indexes), `Bucket` or `Bucket/assets/*`, as references of the template. */
function resourcesAt(place: string): unknown[] {
  if (place === 'Table') return [table]
  if (place === 'Table/index') return indexes.map((name) => joinParts([table, `/index/${name}`], ''))
  return [place === 'Bucket' ? bucket : joinParts([bucket, place.slice('Bucket'.length)], '')]
}

function role(functionName: string, statements: readonly Statement[], traces: boolean): Resource {
  return {
    Type: 'AWS::IAM::Role',
    Properties: {
      AssumeRolePolicyDocument: {
        Version: '2012-10-17',
        Statement: [{ Effect: 'Allow', Principal: { Service: ['lambda.amazonaws.com'] }, Action: ['sts:AssumeRole'] }],
      },
      // X-Ray's actions can only be granted on `*`. AWS's own policy grants them, so that ours have no star.
      ...(traces && {
        ManagedPolicyArns: [{ 'Fn::Sub': `arn:\${AWS::Partition}:iam::aws:policy/AWSXRayDaemonWriteAccess` }],
      }),
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

// The stack makes the one log group of all functions, so functions only write. `*` stands for the log streams in it.
const logsOf = (service: string) =>
  allow(
    ['logs:CreateLogStream', 'logs:PutLogEvents'],
    [
      {
        'Fn::Sub': `arn:\${AWS::Partition}:logs:\${AWS::Region}:\${AWS::AccountId}:log-group:/aws/lambda/${service}:log-stream:*`,
      },
    ],
  )

/** The reverse of `resourcesAt`: a reference of the template as `Table`, `Table/index/gsi1`, `Bucket` or `Bucket/assets/*`. */
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

function joinParts(parts: readonly unknown[], by: string): unknown {
  return { 'Fn::Join': [by, parts] }
}
