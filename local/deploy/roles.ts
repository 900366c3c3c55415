import seen from './access.json' with { type: 'json' }

/**
 * What each function may do at most. Nothing else is granted, and nothing by wildcard. Of the table and the bucket it is
 * granted what its tests have been seen to use: local/deploy/access.json, which `npm run access` compares and writes.
 */
// Who searches may have to build the search model anew, where no snapshot of it can be read: hence `scan`.
const access: Readonly<Record<string, readonly Grant[]>> = {
  tokens: ['table'],
  users: ['table'],
  'profile-images': ['table', 'files'],
  registry: ['table'],
  records: ['table', 'files', 'scan'],
  sources: ['table', 'files', 'scan'],
  assertions: ['table'],
  clusters: ['table', 'files', 'scan'],
  entities: ['table', 'files', 'scan'],
  search: ['table', 'files', 'scan'],
  assistant: ['table', 'files', 'scan'],
  queue: ['table', 'files', 'scan'],
  reviews: ['table'],
  revisions: ['table'],
  roles: ['table', 'files', 'scan'],
  activities: ['table'],
  comments: ['table'],
  submissions: ['table'],
  flags: ['table'],
  notifications: ['table'],
  // A caller who is signed in is looked up, whatever is asked for.
  documents: ['table'],
  projects: ['table', 'files'],
  assets: ['table', 'files', 'bucket'],
  'asset-files': ['table', 'files', 'bucket', 'assetFileJobs'],
  ocr: ['table', 'files', 'bucket', 'ocrJobs'],
  webhooks: ['table', 'scheduleFailures'],
  leaderboard: ['table', 'files', 'scan'],
  health: ['table', 'files', 'bucket'],
  projector: ['table', 'stream', 'failures'],
  merger: ['table', 'files', 'scheduleFailures'],
  sweeper: ['table', 'scan', 'files', 'scheduleFailures'],
  exports: ['table', 'files'],
  exporter: ['table', 'files', 'scheduleFailures'],
}

type Grant = keyof typeof grants
type Statement = { Effect: 'Allow'; Action: readonly string[]; Resource: readonly unknown[] }
type Resource = { Type: string; Properties: object }

const table = { 'Fn::GetAtt': ['Table', 'Arn'] }
const bucket = { 'Fn::GetAtt': ['Bucket', 'Arn'] }
const indexes = ['gsi1', 'gsi2', 'gsi3', 'gsi4']

// Even a function that only reads may meet a caller's first sign-in, which writes the user: hence one grant for both.
// A function that is not in access.json yet has all that is written here. A transaction needs the rights of the writes in it; there is no action of its own to grant.
const grants = {
  table: [
    allow(
      ['GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem', 'ConditionCheckItem'].map(
        of('dynamodb'),
      ),
      [table],
    ),
    allow(['dynamodb:Query'], [table, ...indexes.map((name) => joined([table, `/index/${name}`], ''))]),
  ],
  scan: [allow(['dynamodb:Scan'], [table])],
  stream: [
    allow(['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'].map(of('dynamodb')), [
      { 'Fn::GetAtt': ['Table', 'StreamArn'] },
    ]),
  ],
  files: [
    allow(['GetObject', 'PutObject', 'DeleteObject'].map(of('s3')), [joined([bucket, '/*'], '')]),
    // Without it nothing there is 403, not 404.
    allow(['s3:ListBucket'], [bucket]),
  ],
  // HeadBucket asks for this one.
  bucket: [allow(['s3:ListBucket'], [bucket])],
  assetFileJobs: [jobsOf('AssetFileJobs')],
  ocrJobs: [jobsOf('OcrJobs')],
  failures: [allow(['sqs:SendMessage'], [{ 'Fn::GetAtt': ['ProjectorFailures', 'Arn'] }])],
  scheduleFailures: [allow(['sqs:SendMessage'], [{ 'Fn::GetAtt': ['ScheduleFailures', 'Arn'] }])],
} satisfies Record<string, readonly Statement[]>

type Environment = Readonly<Record<string, unknown>>

/** What a function reads when it starts: the parameters that its environment names as `ssm:/...`, and no others. */
function secretsIn(environment: Environment): Statement[] {
  const paths = Object.values(environment).flatMap((value) => /^ssm:(\/.+)$/.exec(String(value))?.[1] ?? [])
  return paths.length === 0 ? [] : [allow(['ssm:GetParameters'], [...new Set(paths)].map(parameter))]
}

const parameter = (path: string) => ({
  'Fn::Sub': `arn:\${AWS::Partition}:ssm:\${AWS::Region}:\${AWS::AccountId}:parameter${path}`,
})

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
): { Resources: Record<string, Resource> } {
  return {
    Resources: Object.fromEntries(
      Object.entries(access).map(([name, granted]) => {
        const own = granted.flatMap((each): readonly Statement[] => grants[each])
        const statements = [...secretsIn(environmentOf(name)), ...narrowed(used[name], own)]
        return [roleId(name), role(`${service}-${name}`, statements)]
      }),
    ),
  }
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
            Statement: [ownLogs(functionName), ...statements],
          },
        },
      ],
    },
  }
}

// The group itself is made with the stack, so the function only writes. The last part stands for the log streams in it.
const ownLogs = (functionName: string) =>
  allow(
    ['logs:CreateLogStream', 'logs:PutLogEvents'],
    [
      {
        'Fn::Sub': `arn:\${AWS::Partition}:logs:\${AWS::Region}:\${AWS::AccountId}:log-group:/aws/lambda/${functionName}:log-stream:*`,
      },
    ],
  )

const used: Readonly<Record<string, readonly string[] | undefined>> = seen

/** Of the statements about the table and the bucket what is used, per resource; of others everything: the platform uses them. */
function narrowed(uses: readonly string[] | undefined, statements: readonly Statement[]): readonly Statement[] {
  if (!uses) return statements
  const byActions = new Map<string, Statement>()
  for (const { Action, Resource } of statements) {
    for (const resource of Resource) {
      const kept = Object.groupBy(Action, (action) => (isOurs(action, resource) ? 'ours' : 'others'))
      const exact = [...new Set(uses)].filter((use) =>
        kept.ours?.some((action) => covers(`${action} ${labelOf(resource)}`, use)),
      )
      add(kept.others ?? [], resource)
      for (const [label, own] of Object.entries(Object.groupBy(exact, placeIn)))
        add((own ?? []).map(actionIn), within(resource, label))
    }
  }
  return [...byActions.values()]

  function add(actions: readonly string[], resource: unknown): void {
    if (actions.length === 0) return
    const name = [...actions].sort().join()
    const before = byActions.get(name)?.Resource ?? []
    if (before.some((each) => labelOf(each) === labelOf(resource))) return
    byActions.set(name, allow([...actions], [...before, resource]))
  }
}

const actionIn = (use: string) => use.split(' ')[0] ?? ''
const placeIn = (use: string) => use.split(' ')[1] ?? ''
const isOurs = (action: string, resource: unknown) =>
  /^(dynamodb|s3):/.test(action) && /^(Table|Bucket)(\/|$)/.test(labelOf(resource))

/** `s3:GetObject Bucket/*` covers the same in a folder. */
const covers = (granted: string, use: string) =>
  granted === use || (granted.endsWith('/*') && use.startsWith(granted.slice(0, -1)))

/** The resource, or the folder in it that the label names. */
const within = (resource: unknown, label: string) =>
  labelOf(resource) === label ? resource : joined([bucket, label.slice('Bucket'.length)], '')

/** A resource as access.json names it: Table, Table/index/gsi1, Bucket, Bucket/*. */
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

function jobsOf(queue: string): Statement {
  return allow(['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'].map(of('sqs')), [
    { 'Fn::GetAtt': [queue, 'Arn'] },
  ])
}

function of(service: string): (action: string) => string {
  return (action) => `${service}:${action}`
}

function joined(parts: readonly unknown[], by: string): unknown {
  return { 'Fn::Join': [by, parts] }
}
