import { alarmsOf } from './operations/alarms.ts'
import { widgets } from './operations/dashboard.ts'
import { queriesOf } from './operations/queries.ts'

type Resources = Record<string, { Type: string; Properties: object; DependsOn?: readonly string[] }>

/** What the file of a stage says of watching it. */
type Watch = {
  alarmEmail: string
  noticeEmail: string
  /** How many functions the account may run at once. */
  functionsAtOnce: number
  /** Dollars a month. 0: no budget. */
  budget: number
  /** What the name of the table ends with. */
  tableSuffix: string
}

/**
 * What an operator looks at: alarms, the topics that mail them, a budget, one dashboard, saved log queries. Example of `service`:
 * `heritage-prod`.
 */
export function operations(
  service: string,
  { alarmEmail, noticeEmail, functionsAtOnce, budget, tableSuffix }: Watch,
): { Resources: Resources } {
  const stack = { service, namespace: service.replace('-', '/'), table: `${service}${tableSuffix}` }
  return {
    Resources: {
      Alarms: topic(`${service}-alarms`),
      Notices: topic(`${service}-notices`),
      ...(alarmEmail && { AlarmEmail: mailTo('Alarms', alarmEmail) }),
      ...((noticeEmail || alarmEmail) && { NoticeEmail: mailTo('Notices', noticeEmail || alarmEmail) }),
      ...alarmsOf(stack, functionsAtOnce),
      ...(budget > 0 && { Budget: monthlyBudget(service, budget, noticeEmail || alarmEmail) }),
      GatewayThrottled: gatewayThrottled(stack.namespace),
      Dashboard: {
        Type: 'AWS::CloudWatch::Dashboard',
        Properties: {
          DashboardName: service,
          DashboardBody: { 'Fn::Sub': JSON.stringify({ widgets: widgets(stack) }) },
        },
      },
      ...queriesOf(service),
    },
  }
}

const topic = (TopicName: string) => ({ Type: 'AWS::SNS::Topic', Properties: { TopicName } })
const mailTo = (name: string, Endpoint: string) => ({
  Type: 'AWS::SNS::Subscription',
  Properties: { TopicArn: { Ref: name }, Protocol: 'email', Endpoint },
})

/** Mails when four fifths of the month's budget are spent, and when AWS forecasts that the budget will be exceeded. */
const monthlyBudget = (service: string, dollars: number, email: string) => ({
  Type: 'AWS::Budgets::Budget',
  Properties: {
    Budget: {
      BudgetName: service,
      BudgetType: 'COST',
      TimeUnit: 'MONTHLY',
      BudgetLimit: { Amount: dollars, Unit: 'USD' },
      // The tags that the stack puts on all that it makes. Activate `service` as a cost allocation tag once.
      CostFilters: { TagKeyValue: [`user:service$${service}`] },
    },
    NotificationsWithSubscribers: [
      { NotificationType: 'ACTUAL', Threshold: 80 },
      { NotificationType: 'FORECASTED', Threshold: 100 },
    ].map((notification) => ({
      Notification: { ...notification, ComparisonOperator: 'GREATER_THAN', ThresholdType: 'PERCENTAGE' },
      Subscribers: [{ SubscriptionType: 'EMAIL', Address: email }],
    })),
  },
})

/** Counts requests that the gateway itself refused: 429, and no function was called. */
const gatewayThrottled = (namespace: string) => ({
  Type: 'AWS::Logs::MetricFilter',
  Properties: {
    LogGroupName: { Ref: 'HttpApiLogGroup' },
    FilterPattern: '{ ($.status = "429") && ($.function_ms = "-") }',
    MetricTransformations: [
      { MetricNamespace: namespace, MetricName: 'gateway_throttled', MetricValue: '1', DefaultValue: 0 },
    ],
  },
})
