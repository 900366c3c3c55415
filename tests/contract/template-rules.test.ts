import { expect, test } from 'vitest'
import { templateFaults } from '../../deploy/template-rules.ts'

const only = (Type: string, Properties: object, more: object = {}) =>
  templateFaults({ Resources: { It: { Type, Properties }, ...more } })
const allow = (statement: object) => ({
  Policies: [
    {
      PolicyDocument: {
        Version: '2012-10-17',
        Statement: [{ Effect: 'Allow', Action: ['s3:GetObject'], Resource: ['x'], ...statement }],
      },
    },
  ],
})

test.each([
  ['AWS::Lambda::Function', { FunctionName: 'heritage-prod-records', MemorySize: 1024, Timeout: 15 }],
  ['AWS::IAM::Role', allow({})],
  ['AWS::Events::Rule', { ScheduleExpression: 'rate(15 minutes)', Targets: [{ Input: '{}' }] }],
  ['AWS::ApiGatewayV2::Route', { RouteKey: 'ANY /data/{slug}/{proxy+}' }],
  ['AWS::ApiGatewayV2::Route', { RouteKey: '$default' }],
])('%s that is as it should be has no fault', (type, properties) => {
  expect(only(type, properties)).toEqual([])
})

test.each([
  ['AWS::Lambda::Function', { FunctionName: 'x'.repeat(65) }, 'the name of a function'],
  ['AWS::Lambda::Function', { Timeout: 901 }, 'the time limit'],
  ['AWS::Lambda::Function', { MemorySize: 64 }, 'memory'],
  ['AWS::Lambda::Function', { EphemeralStorage: { Size: 100 } }, 'the disk'],
  [
    'AWS::Lambda::Function',
    { Environment: { Variables: { A1: 'x'.repeat(4096) } } },
    'the variables of a function (4 KB): 4105, and 4,096 at most',
  ],
  ['AWS::Lambda::Function', { Environment: { Variables: { AWS_REGION: 'x' } } }, 'AWS_REGION is no variable'],
  ['AWS::Lambda::Function', { Environment: { Variables: { NAME: 'heritage-undefined' } } }, 'left out'],
  ['AWS::IAM::Role', allow({ Sid: 'with-dash' }), 'Sid'],
  ['AWS::IAM::Role', allow({ Action: ['GetObject'] }), 'there is no action GetObject'],
  ['AWS::IAM::Role', allow({ Resource: undefined }), 'names no resource'],
  ['AWS::IAM::Role', allow({ Resource: ['x'.repeat(10_240)] }), 'and 10,240 at most'],
  ['AWS::S3::Bucket', { BucketName: 'Files_1' }, 'the name of a bucket'],
  ['AWS::Events::Rule', { ScheduleExpression: 'rate(1 minutes)' }, 'a schedule'],
  ['AWS::Events::Rule', { ScheduleExpression: 'rate(1 day)', Targets: [{ Input: '{' }] }, 'no JSON'],
  ['AWS::ApiGatewayV2::Route', { RouteKey: 'ANY /data/' }, 'a route'],
  ['AWS::ApiGatewayV2::Route', { RouteKey: 'ANY /{proxy+}/more' }, 'after the rest'],
  ['AWS::ApiGatewayV2::Integration', { TimeoutInMillis: 31_000 }, 'the time limit'],
  ['AWS::Logs::LogGroup', { RetentionInDays: 31 }, 'not kept so long'],
  ['AWS::DynamoDB::Table', { OnDemandThroughput: { MaxReadRequestUnits: -1 } }, 'a cap of the table'],
  ['AWS::DynamoDB::Table', { KeySchema: [{ AttributeName: 'pk' }], AttributeDefinitions: [] }, 'not declared'],
  ['AWS::DynamoDB::Table', { KeySchema: [], AttributeDefinitions: [{ AttributeName: 'pk' }] }, 'in no key'],
])('%s %o is refused: %s', (type, properties, why) => {
  expect(only(type, properties)).toEqual([expect.stringContaining(why)])
})

test('a message that comes again while it is worked on, and resources that wait for each other, are refused', () => {
  const more = {
    Jobs: { Type: 'AWS::SQS::Queue', Properties: { VisibilityTimeout: 60 } },
    Fn: { Type: 'AWS::Lambda::Function', Properties: { Timeout: 61 } },
  }
  const mapping = { EventSourceArn: { 'Fn::GetAtt': ['Jobs', 'Arn'] }, FunctionName: { 'Fn::GetAtt': ['Fn', 'Arn'] } }
  expect(only('AWS::Lambda::EventSourceMapping', mapping, more)).toEqual([
    'It: a message comes again while it is worked on',
  ])
  const circle = { A: { Type: 'X', Properties: { a: { Ref: 'B' } } }, B: { Type: 'X', DependsOn: 'A' } }
  expect(templateFaults({ Resources: circle })).toEqual(['A waits for B waits for A'])
})
