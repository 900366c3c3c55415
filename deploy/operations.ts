import { alarmsOf } from './operations/alarms.ts'
import { widgets } from './operations/dashboard.ts'
import { queriesOf } from './operations/queries.ts'

type Resources = Record<string, { Type: string; Properties: object; DependsOn?: readonly string[] }>

/** The share of calls that X-Ray traces. X-Ray bills each trace. */
export const SAMPLED = 0.01

/** What an operator looks at: alarms, the topic that mails them, one dashboard, saved log queries. Example of `service`: `heritage-prod`. */
export function operations(service: string, email: string): { Resources: Resources } {
  const namespace = service.replace('-', '/')
  return {
    Resources: {
      Alarms: { Type: 'AWS::SNS::Topic', Properties: { TopicName: `${service}-alarms` } },
      ...(email && {
        AlarmEmail: {
          Type: 'AWS::SNS::Subscription',
          Properties: { TopicArn: { Ref: 'Alarms' }, Protocol: 'email', Endpoint: email },
        },
      }),
      ...alarmsOf({ service, namespace }),
      Dashboard: {
        Type: 'AWS::CloudWatch::Dashboard',
        Properties: {
          DashboardName: service,
          DashboardBody: { 'Fn::Sub': JSON.stringify({ widgets: widgets({ service, namespace }) }) },
        },
      },
      ...queriesOf(service),
      Sampling: {
        Type: 'AWS::XRay::SamplingRule',
        Properties: { SamplingRule: samplingRule(service) },
      },
    },
  }
}

/** Goes before the account's default rule, which traces one call a second and one in twenty of the others. */
const samplingRule = (service: string) => ({
  RuleName: `${service}-calls`.slice(0, 32),
  Priority: 1000,
  FixedRate: SAMPLED,
  ReservoirSize: 0,
  ServiceName: `${service}-*`,
  ServiceType: '*',
  Host: '*',
  HTTPMethod: '*',
  URLPath: '*',
  ResourceARN: '*',
  Version: 1,
})
