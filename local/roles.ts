/** What each function may do. Nothing else is granted, and nothing by wildcard. */
const access: Readonly<Record<string, readonly Grant[]>> = {
  tokens: ['table'],
  users: ['table'],
  'profile-images': ['table', 'files'],
  registry: ['table'],
  records: ['table'],
  sources: ['table', 'files'],
  assertions: ['table'],
  clusters: ['table'],
  entities: ['table'],
  queue: ['table'],
  reviews: ['table'],
  revisions: ['table'],
  roles: ['table'],
  activities: ['table'],
  flags: ['table'],
  notifications: ['table'],
  leaderboard: ['table'],
  health: ['table', 'bucket'],
  projector: ['table', 'stream', 'failures'],
  sweeper: ['table'],
}

type Grant = keyof typeof grants
type Statement = { Effect: 'Allow'; Action: readonly string[]; Resource: readonly unknown[] }
type Resource = { Type: string; Properties: object }

const table = { 'Fn::GetAtt': ['Table', 'Arn'] }
const bucket = { 'Fn::GetAtt': ['Bucket', 'Arn'] }
const indexes = ['kind', 'every', 'owner', 'owner_kind']

// Even a function that only reads may meet a caller's first sign-in, which writes the user: hence one grant for both.
// A transaction needs the rights of the writes in it; there is no action of its own to grant.
const grants = {
  table: [
    allow(
      ['GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'].map(of('dynamodb')),
      [table],
    ),
    allow(['dynamodb:Query'], [table, ...indexes.map((name) => joined([table, `/index/${name}`], ''))]),
  ],
  stream: [
    allow(['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'].map(of('dynamodb')), [
      { 'Fn::GetAtt': ['Table', 'StreamArn'] },
    ]),
  ],
  files: [allow(['GetObject', 'PutObject', 'DeleteObject'].map(of('s3')), [joined([bucket, '/*'], '')])],
  // HeadBucket asks for this one.
  bucket: [allow(['s3:ListBucket'], [bucket])],
  failures: [allow(['sqs:SendMessage'], [{ 'Fn::GetAtt': ['ProjectorFailures', 'Arn'] }])],
} satisfies Record<string, readonly Statement[]>

/** The logical id of a function's role. */
export const roleId = (name: string): string =>
  `${name.replace(/(^|-)(\w)/g, (_, _dash: string, letter: string) => letter.toUpperCase())}Role`

/** One role for each function of the service, as resources. `service` is the name that functions begin with: service-stage. */
export function roles(service: string): { Resources: Record<string, Resource> } {
  return {
    Resources: Object.fromEntries(
      Object.entries(access).map(([name, granted]) => [roleId(name), role(`${service}-${name}`, granted)]),
    ),
  }
}

function role(functionName: string, granted: readonly Grant[]): Resource {
  return {
    Type: 'AWS::IAM::Role',
    Properties: {
      AssumeRolePolicyDocument: {
        Version: '2012-10-17',
        Statement: [{ Effect: 'Allow', Principal: { Service: ['lambda.amazonaws.com'] }, Action: ['sts:AssumeRole'] }],
      },
      Policies: [
        {
          PolicyName: functionName,
          PolicyDocument: {
            Version: '2012-10-17',
            Statement: [ownLogs(functionName), ...granted.flatMap((name): readonly Statement[] => grants[name])],
          },
        },
      ],
    },
  }
}

// The group itself is made with the stack, so the function only writes. The last part stands for the log streams in it.
// No X-Ray: its actions know no resource, they can only be allowed on everything.
const ownLogs = (functionName: string) =>
  allow(
    ['logs:CreateLogStream', 'logs:PutLogEvents'],
    [
      {
        'Fn::Sub': `arn:\${AWS::Partition}:logs:\${AWS::Region}:\${AWS::AccountId}:log-group:/aws/lambda/${functionName}:log-stream:*`,
      },
    ],
  )

function allow(Action: readonly string[], Resource: readonly unknown[]): Statement {
  return { Effect: 'Allow', Action, Resource }
}

function of(service: string): (action: string) => string {
  return (action) => `${service}:${action}`
}

function joined(parts: readonly unknown[], by: string): unknown {
  return { 'Fn::Join': [by, parts] }
}
