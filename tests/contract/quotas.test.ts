import { expect, test } from 'vitest'
import { nearestQuotas, quotaFaults, quotas } from '../../deploy/quotas.ts'

const many = (n: number, Type: string, Properties: object = {}) =>
  Object.fromEntries(Array.from({ length: n }, (_, i) => [`${Type.split('::').at(-1)}${i}`, { Type, Properties }]))
const one = (Type: string, Properties: object) => many(1, Type, Properties)
const texts = (n: number) => Array.from({ length: n }, (_, i) => `text${i}`)
const mapping = (n: number) => ({ FilterCriteria: { Filters: texts(n).map((Pattern) => ({ Pattern })) } })
const stream = { EventSourceArn: { 'Fn::GetAtt': ['Table', 'StreamArn'] } }
const alarm = (n: number) => ({ Metrics: texts(n).map(() => ({ MetricStat: {} })) })
const dashboard = (n: number) => ({ DashboardBody: { 'Fn::Sub': JSON.stringify({ widgets: texts(n) }) } })
const origin = (n: number) => ({ OriginCustomHeaders: texts(n) })

/** For each quota: resources that use as much of it as a number says. */
const using: Readonly<Record<string, (n: number) => Record<string, { Type: string; Properties: object }>>> = {
  'resources of a stack': (n) => many(n, 'AWS::SNS::Topic'),
  'routes of a gateway': (n) => many(n, 'AWS::ApiGatewayV2::Route'),
  'integrations of a gateway': (n) => many(n, 'AWS::ApiGatewayV2::Integration'),
  'filters of an event source': (n) => one('AWS::Lambda::EventSourceMapping', mapping(n)),
  'functions that read one stream': (n) => many(n, 'AWS::Lambda::EventSourceMapping', stream),
  'layers of a function': (n) => one('AWS::Lambda::Function', { Layers: texts(n) }),
  'managed policies of a role': (n) => one('AWS::IAM::Role', { ManagedPolicyArns: texts(n) }),
  'secondary indexes of a table': (n) => one('AWS::DynamoDB::Table', { GlobalSecondaryIndexes: texts(n) }),
  'rules of an event bus': (n) => many(n, 'AWS::Events::Rule'),
  'targets of a rule': (n) => one('AWS::Events::Rule', { Targets: texts(n) }),
  'actions of an alarm': (n) => one('AWS::CloudWatch::Alarm', { AlarmActions: texts(n) }),
  'metrics of an alarm': (n) => one('AWS::CloudWatch::Alarm', alarm(n)),
  'letters of the description of an alarm': (n) => one('AWS::CloudWatch::Alarm', { AlarmDescription: 'x'.repeat(n) }),
  'widgets of a dashboard': (n) => one('AWS::CloudWatch::Dashboard', dashboard(n)),
  'metric filters of a log group': (n) => many(n, 'AWS::Logs::MetricFilter', { LogGroupName: 'one' }),
  'subscriptions of a log group': (n) => many(n, 'AWS::Logs::SubscriptionFilter', { LogGroupName: 'one' }),
  'origins of a distribution': (n) =>
    one('AWS::CloudFront::Distribution', { DistributionConfig: { Origins: texts(n) } }),
  'headers that an origin is given': (n) =>
    one('AWS::CloudFront::Distribution', { DistributionConfig: { Origins: [origin(n)] } }),
}

test.each(Object.entries(using))('%s: the limit passes, and one more is refused', (what, resources) => {
  const most = quotas.find((it) => it.what === what)?.most ?? 0
  expect(most).toBeGreaterThan(0)
  const faults = (n: number) => quotaFaults({ Resources: resources(n) }).filter((it) => it.includes(what))
  expect(faults(most)).toEqual([])
  expect(faults(most + 1)).toEqual([expect.stringContaining(`${what}: ${most + 1}, and`)])
})

test('lengths are counted with the ARNs that AWS will put in place of references', () => {
  const Resource = [{ 'Fn::GetAtt': ['Fn', 'Arn'] }]
  const role = (times: number) => ({
    Policies: [{ PolicyDocument: { Statement: Array.from({ length: times }, () => ({ Resource })) } }],
  })
  const of = (times: number) =>
    quotaFaults({
      Resources: {
        ...one('AWS::IAM::Role', role(times)),
        Fn: { Type: 'AWS::Lambda::Function', Properties: { FunctionName: 'x'.repeat(60) } },
      },
    })
  // Some 125 letters each with an ARN, where the reference has some 45.
  expect(of(75)).toEqual([])
  expect(of(90)).toEqual([expect.stringContaining('letters of the policies in a role')])
})

test('each has its page, and the fullest are named first', () => {
  for (const { source } of quotas) expect(source).toMatch(/^docs\.aws\.amazon\.com\/.+\.html$/)
  const Resources = { ...many(299, 'AWS::ApiGatewayV2::Route'), ...one('AWS::Lambda::EventSourceMapping', mapping(3)) }
  expect(nearestQuotas({ Resources })).toEqual([
    'routes of a gateway: 299 of 300',
    'resources of a stack: 300 of 500',
    'filters of an event source: 3 of 5',
  ])
})
