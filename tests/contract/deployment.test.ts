import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { functionNames } from '../../deploy/function-names.ts'
import { identifiesCallers, identityRights, usesOf } from '../../deploy/policies.ts'
import { RehearsedStack } from '../../deploy/rehearse/template.ts'
import { releasedFunctions } from '../../deploy/releases.ts'
import { functionId, labelOf } from '../../deploy/roles.ts'
import { writeStage } from '../../deploy/stages.ts'
import { templateFaults } from '../../deploy/template-rules.ts'
import { measures } from '../../lib/base/telemetry/emf.ts'
import { groupNames, groupRoots } from '../../lib/platform/http/groups.ts'

type Properties = Readonly<Record<string, unknown>>
type Resource = { Type: string; Properties: Properties; DependsOn?: string | string[] } & Record<string, unknown>
type Template = { Resources: Record<string, Resource>; Outputs: Record<string, unknown>; Conditions?: object }

const stages = ['prod', 'staging', 'dev'] as const
const packaged = new Map<string, Template>()
const run = promisify(execFile)

/** What `npm run package` has said of each. */
const said = new Map<string, string>()

/**
 * The stack as `npm run package` makes it, without credentials: of a stage as its file has it, or with other settings. Bundles are made
 * where their sources have changed.
 */
async function pack(stage: string, name: string = stage, settings: object = {}): Promise<Template> {
  const directory = join('.build/stacks', name)
  const { AWS_PROFILE: _, ...own } = process.env
  const files = join('.build/stage-files', name)
  writeStage(stage, files, settings)
  const { stdout, stderr } = await run(
    'node_modules/.bin/serverless',
    ['package', '--stage', stage, '--package', directory],
    { env: { ...own, BUNDLES: 'kept', STAGE_FILES: files } },
  )
  said.set(name, stdout + stderr)
  return JSON.parse(await readFile(join(directory, 'cloudformation-template-update-stack.json'), 'utf8'))
}

const DOMAIN = {
  domain: 'api.example.org',
  certificate: 'arn:aws:acm:us-east-1:000000000000:certificate/x',
  alarmEmail: 'operator@example.org',
  assistantApiKey: 'ssm:/heritage-prod/assistant-api-key',
  lettersSender: 'Heritage <letters@example.org>',
  lettersIdentity: 'example.org',
  edge: true,
  largeParts: true,
  budget: 300,
  traces: true,
  tableReads: 4000,
  tableNumber: 2,
  copies: {
    vault: 'arn:aws:backup:eu-west-1:222222222222:backup-vault:heritage',
    bucket: 'arn:aws:s3:::heritage-copy',
    account: '222222222222',
  },
}
beforeAll(async () => {
  for (const stage of stages) packaged.set(stage, await pack(stage))
  packaged.set('domain', await pack('prod', 'domain', DOMAIN))
  packaged.set('pr12', await pack('pr12'))
}, 600_000)

const stack = (stage: string) => packaged.get(stage)?.Resources ?? {}
const ofType = (stage: string, type: string) => Object.entries(stack(stage)).filter(([, it]) => it.Type === type)
const functionsIn = (stage: string) =>
  ofType(stage, 'AWS::Lambda::Function').map(([id, it]) => ({ id, ...it.Properties }))

/** The name of a function in `functions/`, by its name in a stage. Example: `asset-files` of `heritage-prod-asset-files`. */
const withoutStage = (name: unknown): string => String(name).split('-').slice(2).join('-')
const functionOf = (stage: string, id: string): string =>
  withoutStage(at(stack(stage)[id], 'Properties', 'FunctionName'))

/** A value deep in a resource. */
function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((inner, name) => Object(inner)[name], value)
}

/** Every value in it, itself included. */
function* within(value: unknown): Generator<unknown> {
  yield value
  if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) yield* within(each)
}

/** What a text for CloudFormation to fill in asks for: `${Id}`, `${Id.Name}`. */
const namesIn = (text: string): string[][] =>
  [...text.matchAll(/\$\{([^}!]+)\}/g)].map(([, name = '']) => (name.startsWith('AWS::') ? [name] : name.split('.')))

describe.each([...stages, 'domain'])('the stack of %s', (stage) => {
  test('refers to nothing that is not there', () => {
    const known = new Set(Object.keys(stack(stage)))
    const pseudo = /^AWS::(AccountId|Region|Partition|URLSuffix|StackName|NoValue)$/
    const referred = [...within(packaged.get(stage))].flatMap((it) => {
      const { Ref, 'Fn::GetAtt': got, 'Fn::Sub': text, DependsOn } = Object(it)
      const named = typeof text === 'string' ? namesIn(text).map(([id]) => id) : []
      return [Ref, [got].flat()[0], ...named, ...[DependsOn ?? []].flat()].filter((name) => name !== undefined)
    })
    expect(referred.length).toBeGreaterThan(100)
    expect(referred.filter((name) => !known.has(String(name)) && !pseudo.test(String(name)))).toEqual([])
  })

  test('asks resources only for what they have', () => {
    const has: Readonly<Record<string, readonly string[]>> = {
      'AWS::DynamoDB::Table': ['Arn', 'StreamArn'],
      'AWS::S3::Bucket': ['Arn'],
      'AWS::SQS::Queue': ['Arn', 'QueueName'],
      'AWS::IAM::Role': ['Arn'],
      'AWS::Lambda::Function': ['Arn'],
      'AWS::Logs::LogGroup': ['Arn'],
      'AWS::Events::Rule': ['Arn'],
      'AWS::ApiGatewayV2::DomainName': ['RegionalDomainName'],
      'AWS::CloudFront::Distribution': ['DomainName'],
      'AWS::WAFv2::WebACL': ['Arn'],
    }
    const asked = [...within(packaged.get(stage))].flatMap((it) => {
      const { 'Fn::GetAtt': got, 'Fn::Sub': text } = Object(it)
      const named = typeof text === 'string' ? namesIn(text).filter(([, name]) => name) : []
      return [...(Array.isArray(got) ? [got] : []), ...named]
    })
    expect(asked.filter(([id, name]) => !has[stack(stage)[id]?.Type ?? '']?.includes(name))).toEqual([])
  })

  test('has nothing that CloudFormation or a service would refuse', () => {
    expect(templateFaults({ Resources: stack(stage) })).toEqual([])
  })

  test('fits into a stack and a gateway', () => {
    // A group more is a function, a role, an integration and three routes for each root: there is room for seven with two each.
    const most = stage === 'domain' ? 437 : 420
    const instead =
      'a chore of functions/sweeper.ts takes no resource. A worker must earn its own: then raise `most` here'
    expect(Object.keys(stack(stage)).length, instead).toBeLessThanOrEqual(most)
    const room = 'no room is left for seven groups: make a worker a chore of functions/sweeper.ts'
    expect(Object.keys(stack(stage)).length + 7 * (3 + 2 * 3), room).toBeLessThanOrEqual(500)
    const routes = ofType(stage, 'AWS::ApiGatewayV2::Route').length
    expect(routes).toBeLessThanOrEqual(220)
    expect(routes + 7 * 2 * 3).toBeLessThan(300)
    // Whoever packages it is told.
    const size = `The stack has ${Object.keys(stack(stage)).length} of 500 resources, and its gateway ${routes} of 300 routes.`
    expect(said.get(stage)).toContain(size)
    expect(JSON.stringify(packaged.get(stage)).length).toBeLessThan(1_000_000)
  })

  test('allows no action and no resource by a star', () => {
    const allowed = [...within(packaged.get(stage))]
      .map((it) => Object(it))
      .filter(({ Effect, Action, NotAction }) => Effect === 'Allow' && (Action || NotAction))
    expect(allowed.length).toBeGreaterThan(functionsIn(stage).length)
    for (const { Action, NotAction, Resource, Principal } of allowed) {
      expect([NotAction, ...[Action].flat()].filter((it) => it?.includes('*'))).toEqual([])
      expect(JSON.stringify(Principal ?? '')).not.toContain('*')
      // The log streams of one group, and the objects of one folder.
      const wide = [Resource ?? []]
        .flat()
        .map((it) => it['Fn::Sub'] ?? labelOf(it))
        .filter((it) => it.includes('*'))
      expect(
        wide.filter(
          (it) =>
            // And where files are copied, the objects of both buckets.
            !/:log-group:\/aws\/lambda\/[\w-]+:log-stream:\*$|^Bucket\/[\w-]+\/\*$|:s3:::[\w-]+(\$\{AWS::AccountId\})?\/\*$/.test(
              it,
            ),
        ),
      ).toEqual([])
    }
  })

  test('gives roles no policy of AWS’s: but for X-Ray, which has no resources to name, and for AWS Backup', () => {
    const tracing = { 'Fn::Sub': `arn:\${AWS::Partition}:iam::aws:policy/AWSXRayDaemonWriteAccess` }
    for (const [id, { Properties }] of ofType(stage, 'AWS::IAM::Role')) {
      if (id === 'BackupRole') continue
      const isTracing =
        stage === 'domain' && /Role$/.test(id) && !['GatewayRole', 'CopyRole', 'LargePartsRole'].includes(id)
      expect([id, Properties.ManagedPolicyArns ?? []]).toEqual([id, isTracing ? [tracing] : []])
    }
  })

  test('encrypts whatever it stores, and keeps it from the public', () => {
    for (const [, { Properties }] of ofType(stage, 'AWS::DynamoDB::Table')) {
      expect(at(Properties, 'SSESpecification', 'SSEEnabled')).toBe(true)
      expect(at(Properties, 'PointInTimeRecoverySpecification', 'PointInTimeRecoveryEnabled')).toBe(true)
    }
    for (const [id, { Properties }] of ofType(stage, 'AWS::S3::Bucket')) {
      const rules = 'ServerSideEncryptionConfiguration'
      expect([
        id,
        at(Properties, 'BucketEncryption', rules, 0, 'ServerSideEncryptionByDefault', 'SSEAlgorithm'),
      ]).toEqual([id, 'AES256'])
      expect([id, Object.values(Object(Properties.PublicAccessBlockConfiguration))]).toEqual([
        id,
        [true, true, true, true],
      ])
    }
    for (const [id, { Properties }] of ofType(stage, 'AWS::SQS::Queue'))
      expect([id, Properties.SqsManagedSseEnabled]).toEqual([id, true])
  })

  test('keeps logs for a while and not for ever', () => {
    const groups = ofType(stage, 'AWS::Logs::LogGroup').map(([, { Properties }]) => Properties)
    expect(groups.map((it) => it.RetentionInDays)).toEqual(
      groups.map(() => (stage === 'dev' || stage === 'staging' ? 30 : 90)),
    )
    const names = new Set(functionsIn(stage).map((it) => at(it, 'LoggingConfig', 'LogGroup')))
    expect(groups.map((it) => it.LogGroupName).filter((name) => names.has(name))).toEqual([...names])
    expect(names.size).toBe(1)
  })

  test('traces functions where its file says so, and reserves nothing that a new account does not have', () => {
    const functions = ofType(stage, 'AWS::Lambda::Function')
    for (const [id, { Properties }] of functions)
      expect([id, Properties.TracingConfig]).toEqual([id, { Mode: stage === 'domain' ? 'Active' : 'PassThrough' }])
    expect(functions.filter(([, it]) => 'ReservedConcurrentExecutions' in it.Properties).map(([id]) => id)).toEqual([])
  })

  test('loses nothing that a function did not take in: each that nobody waits for has a dead-letter queue', () => {
    const served = new Set(
      ofType(stage, 'AWS::ApiGatewayV2::Integration').flatMap(([, it]) =>
        namesIn(String(at(it.Properties, 'IntegrationUri', 'Fn::Sub'))).map(([id]) => id),
      ),
    )
    const apart = ofType(stage, 'AWS::Lambda::Function').filter(([id]) => !served.has(id))
    expect(apart.length).toBeGreaterThan(1)
    for (const [id, { Properties }] of apart)
      expect([id, letters(stage, id, Properties)]).toEqual([id, expect.any(String)])
  })

  test('tells someone when a letter is in any of the queues for them', () => {
    const watched = ofType(stage, 'AWS::CloudWatch::Alarm')
      .filter(([, { Properties }]) => Properties.MetricName === 'ApproximateNumberOfMessagesVisible')
      .map(([, { Properties }]) => at(Properties, 'Dimensions', 0, 'Value', 'Fn::GetAtt', 0))
    const targets = [...within(packaged.get(stage))].flatMap((it) => {
      const { deadLetterTargetArn, DeadLetterConfig, OnFailure } = Object(it)
      return [deadLetterTargetArn, DeadLetterConfig?.Arn, OnFailure?.Destination].filter(Boolean).map(labelOf)
    })
    expect(watched.sort()).toEqual([...new Set(targets)].sort())
  })

  test('names every function whose failed visits lie in ScheduleFailures, in the alarm and in OPERATING', () => {
    const senders = ofType(stage, 'AWS::Lambda::EventInvokeConfig')
      .filter(
        ([, { Properties }]) =>
          labelOf(at(Properties, 'DestinationConfig', 'OnFailure', 'Destination')) === 'ScheduleFailures',
      )
      .map(([, { Properties }]) => String(at(Properties, 'FunctionName', 'Ref')))
      .map((id) => functionOf(stage, id))
      .sort()
    const { AlarmDescription } = stack(stage).SweeperGaveUpAlarm?.Properties ?? {}
    const told = /\((.*)\)/.exec(String(AlarmDescription))?.[1]?.split(', ')
    expect(told).toEqual(senders)
    const row = readFileSync('deploy/OPERATING.md', 'utf8')
      .split('\n')
      .find((line) => line.includes('`SweeperGaveUp`'))
    expect(/a visit of (.*?) failed, retries included/.exec(row ?? '')?.[1]?.match(/(?<=the )\w+/g)).toEqual(senders)
  })

  test('lets its schedules begin in different minutes: at most five at once, on which readiness counts', () => {
    const { schedules } = { schedules: new RehearsedStack({ Resources: stack(stage) }).schedules() }
    const isDue = (expression: string, minute: number): boolean => {
      if (expression === 'rate(1 minute)') return true
      const [, minutes = '', hours = ''] = /^cron\((\S+) (\S+) \* \* \? \*\)$/.exec(expression) ?? []
      if (hours !== '*' && Number(hours) !== Math.floor(minute / 60)) return false
      const [first, step] = minutes.split('/').map(Number)
      if (step) return minute % step === (first ?? 0) % step
      return minutes
        .split(',')
        .map(Number)
        .includes(minute % 60)
    }
    const atOnce = Array.from(
      { length: 1440 },
      (_, minute) => schedules.filter((it) => isDue(it.expression, minute)).length,
    )
    expect(Math.min(...atOnce)).toBeGreaterThan(2)
    expect(Math.max(...atOnce)).toBe(5)
    for (const { expression } of schedules)
      expect(Array.from({ length: 1440 }, (_, n) => isDue(expression, n))).toContain(true)
  })

  test('keeps earlier versions of files for a while, and those that are made anew for a day', () => {
    const bucket = stack(stage).Bucket?.Properties
    expect(at(bucket, 'VersioningConfiguration', 'Status')).toBe('Enabled')
    const rules = [at(bucket, 'LifecycleConfiguration', 'Rules')].flat().map(Object)
    const daysOf = (Prefix?: string) =>
      rules.find((it) => it.Prefix === Prefix && it.NoncurrentVersionExpiration)?.NoncurrentVersionExpiration
        .NoncurrentDays
    expect(daysOf()).toBe(stage === 'pr12' ? 1 : 30)
    expect(['uploads/', 'parts/', 'tables/', 'derivatives/', 'search/', 'exports/'].map(daysOf)).toEqual(
      Array(6).fill(1),
    )
    // What people have sent stays.
    expect(['assets/', 'pictures/', 'data-sources/', 'profile-images/', 'snapshots/'].map(daysOf)).toEqual(
      Array(5).fill(undefined),
    )
  })

  test('leads the gateway and the dispatcher to the alias of each function, and to nothing else', () => {
    const uris = ofType(stage, 'AWS::ApiGatewayV2::Integration').map(([, it]) =>
      at(it.Properties, 'IntegrationUri', 'Fn::Sub'),
    )
    const expected = releasedFunctions('').map((name) => `\${${functionId(name.slice(1))}.Arn}:live`)
    expect(uris.sort()).toEqual(expected.sort())
    const allowed = (id: string) =>
      [...within(stack(stage)[id])]
        .map(Object)
        .flatMap(({ Action, Resource }) =>
          String(Action) === 'lambda:InvokeFunction' ? Resource.map((it: object) => at(it, 'Fn::Sub')) : [],
        )
    expect(allowed('GatewayRole').sort()).toEqual(expected.sort())
    expect(allowed('DispatcherRole').sort()).toEqual(expected.filter((it) => !it.includes('Dispatcher')).sort())
  })

  test('has a REST API for large parts where its file says so, which may write into one folder', () => {
    const ids = Object.keys(stack(stage)).filter((id) => id.startsWith('LargeParts'))
    if (stage !== 'domain') return expect(ids).toEqual([])
    expect(ids.length).toBe(5)
    const deployment = ids.find((id) => id.startsWith('LargePartsDeployment'))
    expect(at(stack(stage).LargePartsStage?.Properties, 'DeploymentId', 'Ref')).toBe(deployment)
    const root = groupRoots.find(({ path }) => path.endsWith('ocr-chunk-uploads'))
    expect(stack(stage).LargePartsMapping?.Properties.ApiMappingKey).toBe(`api/v1${root?.path}`)
    const statements = [
      at(stack(stage).LargePartsRole?.Properties, 'Policies', 0, 'PolicyDocument', 'Statement'),
    ].flat()
    expect(statements.map((it) => [at(it, 'Effect'), at(it, 'Action', 0), labelOf(at(it, 'Resource', 0))])).toEqual([
      ['Allow', 'lambda:InvokeFunction', JSON.stringify({ 'Fn::Sub': `\${ScansLambdaFunction.Arn}:live` })],
      ['Allow', 's3:PutObject', 'Bucket/parts/*'],
      ['Deny', 's3:PutObject', 'Bucket/refused/*'],
    ])
  })

  test('throttles at the gateway', () => {
    const [, it] = ofType(stage, 'AWS::ApiGatewayV2::Stage')[0] ?? []
    const [rate, burst] = stage === 'dev' || stage === 'staging' ? [50, 100] : [500, 1000]
    expect(it?.Properties.DefaultRouteSettings).toEqual({ ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst })
  })

  test('logs at the gateway who was answered how, and not who asked for what', () => {
    const [, it] = ofType(stage, 'AWS::ApiGatewayV2::Stage')[0] ?? []
    const format = String(at(it?.Properties, 'AccessLogSettings', 'Format'))
    expect(Object.keys(JSON.parse(format))).toContain('request_id')
    expect(format).not.toMatch(/identity|sourceIp|userAgent|context\.path|authorizer|queryString/)
  })

  test('holds no secret: functions read theirs when they start, and may read no others', () => {
    // CloudFormation hands the edge its header, and no function anything.
    const resolved = JSON.stringify(packaged.get(stage)).match(/\{\{resolve:[^}]*\}\}/g) ?? []
    expect(resolved).toEqual(stage === 'domain' ? ['{{resolve:ssm:/heritage-prod/edge-secret}}'] : [])
    for (const it of functionsIn(stage)) {
      const variables: Record<string, unknown> = Object(at(it, 'Environment', 'Variables'))
      const secret = Object.entries(variables).filter(([name]) => /SECRET_KEY|_SECRET|PASSWORD|API_KEY/.test(name))
      expect(secret.length).toBeGreaterThan(1)
      expect(secret.filter(([, value]) => !/^$|^ssm:\/heritage-\w+\/[\w-]+$/.test(String(value)))).toEqual([])
      const wanted = Object.values(variables)
        .map(String)
        .filter((value) => value.startsWith('ssm:'))
      const granted = permissionsOf(stage, it.id).filter(([action]) => action === 'ssm:GetParameters')
      expect(granted.map(([, place]) => place.replace(/^.*:parameter\//, 'ssm:/')).sort()).toEqual(wanted.sort())
    }
  })

  test('shows and watches only metrics that there are', () => {
    const filtered = ofType(stage, 'AWS::Logs::MetricFilter').map(([, it]) =>
      String(at(it.Properties, 'MetricTransformations', 0, 'MetricName')),
    )
    const known = [...Object.values(measures).flatMap((each) => Object.keys(each)), ...filtered]
    const namespace = `heritage/${stage === 'domain' ? 'prod' : stage}`
    const names = functionsIn(stage).map((it) => Object(it).FunctionName)
    const [, dashboard] = ofType(stage, 'AWS::CloudWatch::Dashboard')[0] ?? []
    const lines: unknown[][] = JSON.parse(
      String(at(dashboard, 'Properties', 'DashboardBody', 'Fn::Sub')),
    ).widgets.flatMap((it: object) => at(it, 'properties', 'metrics'))
    const own = lines.filter(([place]) => place === namespace).map(([, name]) => name)
    for (const [, { Properties }] of ofType(stage, 'AWS::CloudWatch::Alarm')) {
      if (Properties.Namespace === namespace) own.push(Properties.MetricName)
      for (const { Name, Value } of [...within(Properties)].map(Object))
        if (Name === 'FunctionName') expect(names).toContain(Value)
    }
    for (const [place, , dimension, value] of lines)
      if (place === 'AWS/Lambda' && dimension) expect(names).toContain(value)
    expect(own.filter((name) => !known.includes(String(name)))).toEqual([])
    // Whatever is measured is shown.
    expect(known.filter((name) => !own.includes(name))).toEqual([])
  })

  test('asks nothing of an alarm that CloudWatch refuses', () => {
    for (const [id, { Properties }] of ofType(stage, 'AWS::CloudWatch::Alarm')) {
      const metrics = [Properties.Metrics ?? []].flat().flatMap((it) => at(it, 'MetricStat') ?? [])
      const period = Number(Properties.Period ?? at(metrics[0], 'Period'))
      const limit = period < 3600 ? 86_400 : 604_800
      expect([id, period * Number(Properties.EvaluationPeriods) <= limit, metrics.length <= 10]).toEqual([
        id,
        true,
        true,
      ])
    }
  })

  test('tells someone of every alarm', () => {
    const alarms = ofType(stage, 'AWS::CloudWatch::Alarm')
    expect(alarms.length).toBeGreaterThan(7)
    const told = alarms.map(([id, { Properties }]) => {
      expect([id, Properties.AlarmDescription]).toEqual([id, expect.any(String)])
      expect([id, Properties.OKActions]).toEqual([id, Properties.AlarmActions])
      return at(Properties, 'AlarmActions', 0, 'Ref')
    })
    // Some wake people, others wait for working hours.
    expect(new Set(told)).toEqual(new Set(['Alarms', 'Notices']))
    const topics = ofType(stage, 'AWS::SNS::Subscription').map(([, it]) => at(it.Properties, 'TopicArn', 'Ref'))
    expect(topics.sort()).toEqual(stage === 'domain' ? ['Alarms', 'Notices'] : [])
  })

  test('notices the silence of each function that a schedule calls, the errors of each worker, and calls that wait', () => {
    const names = (ids: readonly string[]) => ids.map((id) => functionOf(stage, id)).sort()
    const scheduled = ofType(stage, 'AWS::Events::Rule').map(([, it]) =>
      labelOf(at(it.Properties, 'Targets', 0, 'Arn')),
    )
    const alarms = ofType(stage, 'AWS::CloudWatch::Alarm')
    const lacking = alarms.filter(([, it]) => it.Properties.TreatMissingData === 'breaching').map(([id]) => id)
    const watchedBy = (id: string) =>
      [...within(stack(stage)[id])].map(Object).flatMap(({ Name, Value }) => (Name === 'FunctionName' ? [Value] : []))
    // The exporter tells of each run that came to its end by a metric of its own.
    const heard = [...new Set(lacking.flatMap(watchedBy))].map(withoutStage)
    expect([...new Set([...heard, 'exporter'])].sort()).toEqual(names([...new Set(scheduled)]))
    expect(lacking).toContain('ExportsSilentAlarm')

    const called = ofType(stage, 'AWS::Lambda::EventInvokeConfig').length
    const followers = ofType(stage, 'AWS::Lambda::EventSourceMapping').length
    expect(new Set(watchedBy('WorkersFailAlarm')).size).toBe(called + followers)
    expect(new Set(watchedBy('WorkersLateAlarm')).size).toBe(called)
  })

  test('saves queries over all functions', () => {
    const queries = ofType(stage, 'AWS::Logs::QueryDefinition')
    expect(queries.length).toBeGreaterThan(4)
    const groups = [...new Set(functionsIn(stage).map((it) => at(it, 'LoggingConfig', 'LogGroup')))]
    for (const [, { Properties }] of queries) expect(Properties.LogGroupNames).toEqual(groups)
  })
})

describe('roles', () => {
  test('grant of the table and the bucket exactly the row of each function in deploy/policies.ts', () => {
    const indexes = ['gsi1', 'gsi2', 'gsi3', 'gsi4'].map((index) => `dynamodb:Query Table/index/${index}`)
    for (const { id, ...it } of functionsIn('prod')) {
      const name = String(Object(it).FunctionName).slice('heritage-prod-'.length)
      const granted = permissionsOf('prod', id)
        .filter(([action, place]) => /^(dynamodb|s3):/.test(action) && /^(Table|Bucket)(\/|$)/.test(place))
        .map((pair) => pair.join(' '))
      const row = usesOf(name).flatMap((use) => (use === 'dynamodb:Query Table/index' ? indexes : use))
      expect(granted.sort(), name).toEqual(row.sort())
    }
    expect(functionsIn('prod').length).toBe(functionNames().length)
  })

  test('have what finding out who is calling takes, all that do so the same', () => {
    const needed = identityRights.map((use) => use.split(' ')[0])
    const statements = functionsIn('prod').map(({ id }) => {
      const own = stack('prod')[labelOf(stack('prod')[id]?.Properties.Role)]
      return [...within(own)].map(Object).filter(({ Sid }) => Sid === 'IdentifyCallers')
    })
    expect(statements.filter((own) => own.length > 0).length).toBe(functionNames().filter(identifiesCallers).length)
    for (const [own] of statements) if (own) expect(own).toMatchObject({ Action: needed, Resource: [{}] })
  })

  test('grant nothing else but logs, secrets, the stream, queues, and calls of each other', () => {
    const stream = ['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'].map((it) => `dynamodb:${it}`)
    const queued = {
      Projector: [...stream, 'sqs:SendMessage'],
      Sweeper: ['sqs:SendMessage'],
      Merger: ['sqs:SendMessage'],
      Exporter: ['sqs:SendMessage'],
      Webhooks: ['sqs:SendMessage'],
      Letters: ['sqs:SendMessage'],
      Importer: ['sqs:SendMessage'],
      AssetDashfiles: [...stream, 'lambda:InvokeFunction', 'sqs:SendMessage'],
      Ocr: ['sqs:SendMessage'],
      Dispatcher: groupNames.map(() => 'lambda:InvokeFunction'),
    }
    for (const { id } of functionsIn('prod')) {
      const others = permissionsOf('prod', id)
        .filter(([, place]) => !/^(Table|Bucket)(\/|$)/.test(place))
        .map(([action]) => action)
      const platform = /^(logs:(CreateLogStream|PutLogEvents)|ssm:GetParameters)$/
      const [, expected = []] = Object.entries(queued).find(([name]) => id.startsWith(name)) ?? []
      const where = 'name it in `queued` of tests/contract/deployment.test.ts, as in `platform` of deploy/roles.ts'
      expect([id, others.filter((action) => !platform.test(action)).sort()], where).toEqual([id, expected])
    }
  })
})

test('the function for letters, and no other, may send them, as one identity', () => {
  const sending = (stage: string) =>
    functionsIn(stage).flatMap(({ id }) =>
      permissionsOf(stage, id).flatMap(([action, place]) => (action.startsWith('ses:') ? [[id, action, place]] : [])),
    )
  const identity = expect.stringMatching(/:ses:.*:identity\/example\.org$/)
  expect(sending('domain')).toEqual([['LettersLambdaFunction', 'ses:SendEmail', identity]])
  // Where nobody is named whom they come from, there are none.
  expect(sending('prod')).toEqual([])
})

describe('what differs', () => {
  test('copies go where the file of the stage says, and deletions are not copied', () => {
    expect(ofType('prod', 'AWS::Backup::BackupPlan')).toEqual([])
    expect(stack('prod').Bucket?.Properties).not.toHaveProperty('ReplicationConfiguration')
    const { BackupPlan, BackupSelection, Bucket } = stack('domain')
    expect(JSON.stringify(BackupPlan)).toContain(DOMAIN.copies.vault)
    expect(at(BackupSelection?.Properties, 'BackupSelection', 'Resources')).toEqual([
      { 'Fn::GetAtt': ['Table', 'Arn'] },
      { 'Fn::GetAtt': ['Bucket', 'Arn'] },
    ])
    expect(at(Bucket?.Properties, 'ReplicationConfiguration', 'Rules', 0)).toMatchObject({
      DeleteMarkerReplication: { Status: 'Disabled' },
      Destination: { Bucket: DOMAIN.copies.bucket, Account: DOMAIN.copies.account },
    })
  })

  test('an edge stands before the gateway, proves itself, and caches no longer than answers say', () => {
    expect(ofType('prod', 'AWS::CloudFront::Distribution')).toEqual([])
    expect(stack('prod').HttpApi?.Properties.DisableExecuteApiEndpoint ?? false).toBe(false)
    const { Edge, EdgeCache, EdgeRequest, Firewall, HttpApi } = stack('domain')
    expect(HttpApi?.Properties.DisableExecuteApiEndpoint).toBe(true)
    expect(at(Edge?.Properties, 'DistributionConfig')).toMatchObject({
      Aliases: ['api.example.org'],
      WebACLId: { 'Fn::GetAtt': ['Firewall', 'Arn'] },
      DefaultCacheBehavior: { CachePolicyId: { Ref: 'EdgeCache' }, ViewerProtocolPolicy: 'redirect-to-https' },
    })
    expect(at(EdgeCache?.Properties, 'CachePolicyConfig')).toMatchObject({ MinTTL: 0, DefaultTTL: 0 })
    // Who signs in sees more, so an answer is never shared with somebody else.
    expect(JSON.stringify(EdgeCache)).toContain('"Authorization"')
    expect(JSON.stringify(EdgeRequest)).toContain('"CloudFront-Viewer-Address"')
    expect(at(Firewall?.Properties, 'Rules', 0, 'Statement', 'RateBasedStatement')).toMatchObject({ Limit: 2000 })
    for (const it of functionsIn('domain'))
      expect(at(it, 'Environment', 'Variables', 'EDGE_SECRET')).toBe('ssm:/heritage-prod/edge-secret')
  })

  test('all that can have tags has those of the stage', () => {
    for (const it of functionsIn('prod'))
      expect([at(it, 'FunctionName'), at(it, 'Tags')].flat()).toContainEqual({ Key: 'service', Value: 'heritage-prod' })
  })

  test('a table that replaces a lost one has a number, and its spending a cap', () => {
    const { Table } = stack('domain')
    expect(Table?.Properties).toMatchObject({
      TableName: 'heritage-prod-2',
      OnDemandThroughput: { MaxReadRequestUnits: 4000 },
    })
    const indexes = [Table?.Properties.GlobalSecondaryIndexes].flat().map(Object)
    expect(indexes.map((it) => [it.IndexName, it.OnDemandThroughput])).toEqual(
      ['gsi1', 'gsi2', 'gsi3', 'gsi4'].map((name) => [name, { MaxReadRequestUnits: 4000 }]),
    )
    expect(stack('prod').Table?.Properties.TableName).toBe('heritage-prod')
    expect(JSON.stringify(stack('prod').Table)).not.toContain('OnDemandThroughput')
    for (const it of functionsIn('domain'))
      expect(at(it, 'Environment', 'Variables', 'TABLE_NAME')).toBe('heritage-prod-2')
    const { TableThrottledAlarm, Budget } = stack('domain')
    expect(JSON.stringify(TableThrottledAlarm)).toContain('"heritage-prod-2"')
    expect(at(Budget?.Properties, 'Budget', 'BudgetLimit')).toEqual({ Amount: 300, Unit: 'USD' })
  })

  test('prod keeps its table and its files, whatever happens to the stack', () => {
    for (const stage of stages) {
      const kept = stage === 'prod' ? 'RetainExceptOnCreate' : 'Delete'
      const replaced = stage === 'prod' ? 'Retain' : 'Delete'
      const { Table, Bucket } = stack(stage)
      expect([stage, Table?.DeletionPolicy, Table?.UpdateReplacePolicy]).toEqual([stage, kept, replaced])
      expect([stage, Bucket?.DeletionPolicy, Bucket?.UpdateReplacePolicy]).toEqual([stage, kept, replaced])
      expect([stage, Table?.Properties.DeletionProtectionEnabled]).toEqual([stage, stage === 'prod'])
    }
  })

  test('no stage beyond one’s own machine lets X-Dev-User in or names an emulator', () => {
    for (const stage of stages)
      for (const it of functionsIn(stage))
        expect(at(it, 'Environment', 'Variables')).toMatchObject({
          STAGE: stage,
          SERVICE_DEV_AUTH: 'false',
          DYNAMODB_ENDPOINT: '',
          S3_ENDPOINT: '',
        })
  })

  test('a name of one’s own comes with its certificate, and is an allowed host', () => {
    expect(ofType('prod', 'AWS::ApiGatewayV2::DomainName')).toEqual([])
    const { Domain, DomainMapping } = stack('domain')
    expect(Domain?.Properties).toMatchObject({
      DomainName: 'api.example.org',
      DomainNameConfigurations: [{ CertificateArn: DOMAIN.certificate, SecurityPolicy: 'TLS_1_2' }],
    })
    expect(DomainMapping?.Properties).toMatchObject({ ApiId: { Ref: 'HttpApi' }, DomainName: { Ref: 'Domain' } })
    expect(packaged.get('domain')?.Outputs).toHaveProperty('DomainTarget')
    for (const it of functionsIn('domain'))
      expect(JSON.stringify(at(it, 'Environment', 'Variables', 'ALLOWED_HOSTS'))).toContain(',api.example.org,')
  })

  test('an address gets the alarms by mail, and without one nobody does', () => {
    const mail = ofType('prod', 'AWS::SNS::Subscription').filter(([, it]) => it.Properties.Protocol === 'email')
    expect(mail).toEqual([])
    expect(stack('domain').AlarmEmail?.Properties).toMatchObject({
      Protocol: 'email',
      Endpoint: 'operator@example.org',
    })
  })

  test('a name without a certificate is refused', async () => {
    await expect(pack('dev', 'lacking', { domain: 'api.example.org' })).rejects.toMatchObject({
      stdout: expect.stringContaining('certificate is missing: domain is set'),
    })
  })

  test('a stage of a pull request has its own table and bucket, shared secrets, and goes without a trace', () => {
    expect(templateFaults({ Resources: stack('pr12') })).toEqual([])
    for (const it of functionsIn('pr12'))
      expect(at(it, 'Environment', 'Variables')).toMatchObject({
        STAGE: 'pr12',
        TABLE_NAME: 'heritage-pr12',
        SECRET_KEY: 'ssm:/heritage-pr/secret-key',
        DEBUG: 'true',
        SERVICE_DEV_AUTH: 'false',
      })
    for (const [id, it] of Object.entries(stack('pr12')))
      expect([id, it.DeletionPolicy ?? 'Delete', it.Properties?.DeletionProtectionEnabled ?? false]).toEqual([
        id,
        'Delete',
        false,
      ])
  })
})

/** What the role of a function allows, as pairs of action and place. */
function permissionsOf(stage: string, id: string): [string, string][] {
  const role = stack(stage)[labelOf(stack(stage)[id]?.Properties.Role)]
  const statements = [at(role, 'Properties', 'Policies')].flat().flatMap((it) => at(it, 'PolicyDocument', 'Statement'))
  return statements
    .map(Object)
    .flatMap(({ Action, Resource }) =>
      [Action]
        .flat()
        .flatMap((action) => [Resource].flat().map((it): [string, string] => [action, it['Fn::Sub'] ?? labelOf(it)])),
    )
}

/** Where what a function could not take in ends up: of its stream or queue, or of its asynchronous calls. */
function letters(stage: string, id: string, properties: Properties): string | undefined {
  const sources = ofType(stage, 'AWS::Lambda::EventSourceMapping').filter(
    ([, it]) => labelOf(it.Properties.FunctionName) === id,
  )
  if (sources.length > 0) {
    const places = sources.map(([, { Properties }]) => {
      const queue = stack(stage)[labelOf(Properties.EventSourceArn)]
      return (
        at(Properties, 'DestinationConfig', 'OnFailure', 'Destination') ??
        at(queue?.Properties, 'RedrivePolicy', 'deadLetterTargetArn')
      )
    })
    return places.every(Boolean) ? places.map(labelOf).join() : undefined
  }
  const calls = ofType(stage, 'AWS::Lambda::EventInvokeConfig').find(
    ([, it]) =>
      labelOf(it.Properties.FunctionName ?? '').includes(id) || at(it.Properties, 'FunctionName', 'Ref') === id,
  )
  const place =
    at(calls?.[1].Properties, 'DestinationConfig', 'OnFailure', 'Destination') ??
    at(properties, 'DeadLetterConfig', 'TargetArn')
  return place ? labelOf(place) : undefined
}
