import { type Resources, resolveReference } from './access/template.ts'

type Resource = { Type: string; Properties?: object; DependsOn?: string | readonly string[] }
export type QuotaTemplate = {
  Resources: Readonly<Record<string, Resource>>
  Outputs?: object
  Conditions?: Readonly<Record<string, unknown>>
}
type Facts = Readonly<Record<string, unknown>>
/** How much a template uses of a quota, and where: a logical id, or `stack`. */
type Use = { at: string; n: number }
type Quota = { what: string; most: number; source: string; used: (template: QuotaTemplate) => readonly Use[] }

/** Pages of AWS's documentation. Each number below stands on the page that its row names. */
const pages = {
  apigateway: 'docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html',
  cloudformation: 'docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html',
  cloudfront: 'docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/cloudfront-limits.html',
  cloudwatch: 'docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch_limits.html',
  dynamodb: 'docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html',
  events: 'docs.aws.amazon.com/eventbridge/latest/userguide/eb-quota.html',
  filters: 'docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html',
  iam: 'docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html',
  lambda: 'docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html',
  logs: 'docs.aws.amazon.com/AmazonCloudWatch/latest/logs/cloudwatch_limits_cwl.html',
  s3: 'docs.aws.amazon.com/general/latest/gr/s3.html',
  streams: 'docs.aws.amazon.com/amazondynamodb/latest/developerguide/Streams.html',
  tags: 'docs.aws.amazon.com/tag-editor/latest/userguide/best-practices-and-strats.html',
} as const

const listOf = (it: unknown): readonly unknown[] => (it === undefined ? [] : [it].flat())
const lengthOf = (it: unknown): number => JSON.stringify(it ?? '').length

/** The number of resources of a type, in the whole stack. */
const count =
  (type: string) =>
  ({ Resources }: QuotaTemplate): Use[] => [
    { at: 'stack', n: Object.values(Resources).filter(({ Type }) => Type === type).length },
  ]

/** A number of each resource of a type. */
const each =
  (type: string, number: (it: Facts) => number) =>
  (template: QuotaTemplate): Use[] =>
    Object.entries(template.Resources).flatMap(([at, { Type, Properties = {} }]) =>
      Type === type ? [{ at, n: number(propertiesWithNames(template, Properties)) }] : [],
    )

/**
 * Properties with ARNs and names in place of references, so that lengths are those that AWS counts. What is not known before a
 * deployment stays as it is.
 */
function propertiesWithNames({ Resources }: QuotaTemplate, properties: object): Facts {
  const conditions = new Proxy({}, { get: () => true })
  try {
    return Object(resolveReference(properties, Resources as Resources, conditions))
  } catch {
    return properties as Facts
  }
}

/** How many resources of a type have the same value under a name. */
const countSharers =
  (type: string, name: string, more: (it: Facts) => boolean = () => true) =>
  ({ Resources }: QuotaTemplate): Use[] => {
    const found = Object.values(Resources).flatMap(({ Type, Properties = {} }) => {
      const it: Facts = Object(Properties)
      return Type === type && more(it) ? [JSON.stringify(it[name])] : []
    })
    return Object.entries(Object.groupBy(found, (it) => it)).map(([at, all = []]) => ({ at, n: all.length }))
  }

const policiesOf = (it: Facts) => listOf(it.Policies).map((policy) => Object(policy).PolicyDocument)
const filtersOf = (it: Facts) => listOf(Object(it.FilterCriteria).Filters).map((filter) => Object(filter).Pattern)
const widgetsOf = (it: Facts): readonly object[] => {
  const text = Object(it.DashboardBody)['Fn::Sub'] ?? it.DashboardBody
  return typeof text === 'string' ? JSON.parse(text).widgets : []
}
const distribution = (it: Facts) => Object(it.DistributionConfig)
const cacheKey = (it: Facts) => Object(Object(it.CachePolicyConfig).ParametersInCacheKeyAndForwardedToOrigin)
const most = (numbers: readonly number[]) => Math.max(0, ...numbers)

/**
 * Quotas of AWS that a template meets, with the number that a new account has. To add one, add a row. `npm run package` prints those
 * that are nearest; `npm run deploy` refuses a template that exceeds one.
 */
export const quotas: readonly Quota[] = [
  {
    what: 'resources of a stack',
    most: 500,
    source: pages.cloudformation,
    used: ({ Resources }) => [{ at: 'stack', n: Object.keys(Resources).length }],
  },
  {
    what: 'bytes of a template',
    most: 1_048_576,
    source: pages.cloudformation,
    used: (template) => [{ at: 'stack', n: Buffer.byteLength(JSON.stringify(template)) }],
  },
  {
    what: 'outputs of a stack',
    most: 200,
    source: pages.cloudformation,
    used: ({ Outputs = {} }) => [{ at: 'stack', n: Object.keys(Outputs).length }],
  },
  { what: 'routes of a gateway', most: 300, source: pages.apigateway, used: count('AWS::ApiGatewayV2::Route') },
  {
    what: 'integrations of a gateway',
    most: 300,
    source: pages.apigateway,
    used: count('AWS::ApiGatewayV2::Integration'),
  },
  {
    what: 'requests a second of all gateways of an account',
    most: 10_000,
    source: pages.apigateway,
    used: each('AWS::ApiGatewayV2::Stage', (it) => Number(Object(it.DefaultRouteSettings).ThrottlingRateLimit ?? 0)),
  },
  {
    what: 'requests at once of all gateways of an account',
    most: 5000,
    source: pages.apigateway,
    used: each('AWS::ApiGatewayV2::Stage', (it) => Number(Object(it.DefaultRouteSettings).ThrottlingBurstLimit ?? 0)),
  },
  {
    what: 'filters of an event source',
    most: 5,
    source: pages.filters,
    used: each('AWS::Lambda::EventSourceMapping', (it) => filtersOf(it).length),
  },
  {
    what: 'letters of a filter of an event source',
    most: 4096,
    source: pages.filters,
    used: each('AWS::Lambda::EventSourceMapping', (it) => most(filtersOf(it).map((text) => String(text).length))),
  },
  {
    what: 'functions that read one stream',
    most: 2,
    source: pages.streams,
    used: countSharers('AWS::Lambda::EventSourceMapping', 'EventSourceArn', (it) =>
      String(JSON.stringify(it.EventSourceArn)).includes('StreamArn'),
    ),
  },
  {
    what: 'bytes of the variables of a function (4 KB)',
    most: 4096,
    source: pages.lambda,
    used: each('AWS::Lambda::Function', (it) =>
      Buffer.byteLength(JSON.stringify(Object(it.Environment).Variables ?? {})),
    ),
  },
  {
    what: 'layers of a function',
    most: 5,
    source: pages.lambda,
    used: each('AWS::Lambda::Function', (it) => listOf(it.Layers).length),
  },
  {
    what: 'letters of the policies in a role',
    most: 10_240,
    source: pages.iam,
    used: each('AWS::IAM::Role', (it) => policiesOf(it).reduce<number>((sum, policy) => sum + lengthOf(policy), 0)),
  },
  {
    what: 'letters of who may take a role',
    most: 2048,
    source: pages.iam,
    used: each('AWS::IAM::Role', (it) => lengthOf(it.AssumeRolePolicyDocument)),
  },
  {
    what: 'letters of a managed policy',
    most: 6144,
    source: pages.iam,
    used: each('AWS::IAM::ManagedPolicy', (it) => lengthOf(it.PolicyDocument)),
  },
  {
    what: 'managed policies of a role',
    most: 10,
    source: pages.iam,
    used: each('AWS::IAM::Role', (it) => listOf(it.ManagedPolicyArns).length),
  },
  { what: 'roles of an account', most: 1000, source: pages.iam, used: count('AWS::IAM::Role') },
  {
    what: 'secondary indexes of a table',
    most: 20,
    source: pages.dynamodb,
    used: each('AWS::DynamoDB::Table', (it) => listOf(it.GlobalSecondaryIndexes).length),
  },
  { what: 'rules of an event bus', most: 300, source: pages.events, used: count('AWS::Events::Rule') },
  {
    what: 'targets of a rule',
    most: 5,
    source: pages.events,
    used: each('AWS::Events::Rule', (it) => listOf(it.Targets).length),
  },
  { what: 'alarms of a region', most: 5000, source: pages.cloudwatch, used: count('AWS::CloudWatch::Alarm') },
  {
    what: 'actions of an alarm',
    most: 5,
    source: pages.cloudwatch,
    used: each('AWS::CloudWatch::Alarm', (it) => listOf(it.AlarmActions).length),
  },
  {
    what: 'metrics of an alarm',
    most: 10,
    source: pages.cloudwatch,
    used: each('AWS::CloudWatch::Alarm', (it) => listOf(it.Metrics).filter((one) => Object(one).MetricStat).length),
  },
  {
    what: 'letters of the description of an alarm',
    most: 1024,
    source: pages.cloudwatch,
    used: each('AWS::CloudWatch::Alarm', (it) => String(it.AlarmDescription ?? '').length),
  },
  {
    what: 'widgets of a dashboard',
    most: 500,
    source: pages.cloudwatch,
    used: each('AWS::CloudWatch::Dashboard', (it) => widgetsOf(it).length),
  },
  {
    what: 'metrics of a widget',
    most: 500,
    source: pages.cloudwatch,
    used: each('AWS::CloudWatch::Dashboard', (it) =>
      most(widgetsOf(it).map((widget) => listOf(Object(Object(widget).properties).metrics).length)),
    ),
  },
  {
    what: 'metric filters of a log group',
    most: 100,
    source: pages.logs,
    used: countSharers('AWS::Logs::MetricFilter', 'LogGroupName'),
  },
  {
    what: 'subscriptions of a log group',
    most: 2,
    source: pages.logs,
    used: countSharers('AWS::Logs::SubscriptionFilter', 'LogGroupName'),
  },
  {
    what: 'saved queries of an account',
    most: 1000,
    source: pages.logs,
    used: count('AWS::Logs::QueryDefinition'),
  },
  {
    what: 'letters of the policy of a bucket',
    most: 20_480,
    source: pages.s3,
    used: each('AWS::S3::BucketPolicy', (it) => lengthOf(it.PolicyDocument)),
  },
  {
    what: 'lifecycle rules of a bucket',
    most: 1000,
    source: pages.s3,
    used: each('AWS::S3::Bucket', (it) => listOf(Object(it.LifecycleConfiguration).Rules).length),
  },
  {
    what: 'origins of a distribution',
    most: 25,
    source: pages.cloudfront,
    used: each('AWS::CloudFront::Distribution', (it) => listOf(distribution(it).Origins).length),
  },
  {
    what: 'headers of a cache policy',
    most: 10,
    source: pages.cloudfront,
    used: each('AWS::CloudFront::CachePolicy', (it) => listOf(Object(cacheKey(it).HeadersConfig).Headers).length),
  },
  {
    what: 'headers that an origin is given',
    most: 10,
    source: pages.cloudfront,
    used: each('AWS::CloudFront::Distribution', (it) =>
      most(listOf(distribution(it).Origins).map((origin) => listOf(Object(origin).OriginCustomHeaders).length)),
    ),
  },
  {
    what: 'tags of a resource',
    most: 50,
    source: pages.tags,
    used: ({ Resources }) =>
      Object.entries(Resources).map(([at, { Properties }]) => ({
        at,
        n: Object.keys(Object(Object(Properties).Tags)).length,
      })),
  },
]

/** A line for each quota that a template exceeds. Each begins with the resource, or with `stack`. */
export function quotaFaults(template: QuotaTemplate): string[] {
  return quotas.flatMap(({ what, most: limit, used }) =>
    used(template)
      .filter(({ n }) => n > limit)
      .map(({ at, n }) => `${at}: ${what}: ${n}, and ${limit.toLocaleString('en')} at most`),
  )
}

/** The quotas of which a template uses more than a share, fullest first. Example: `routes of a gateway: 209 of 300`. */
export function nearestQuotas(template: QuotaTemplate, share = 0.5): string[] {
  return quotas
    .map(({ what, most: limit, used }) => ({ what, limit, n: most(used(template).map((it) => it.n)) }))
    .filter(({ n, limit }) => n > share * limit)
    .sort((a, b) => b.n / b.limit - a.n / a.limit)
    .map(({ what, n, limit }) => `${what}: ${n} of ${limit.toLocaleString('en')}`)
}
