import { expect, test } from 'vitest'
import { lossesOf } from '../../deploy/losses.ts'

const fn = (Variables: object) => ({ Type: 'AWS::Lambda::Function', Properties: { Environment: { Variables } } })
const table = (Properties: object = {}, more: object = { DeletionPolicy: 'Retain' }) => ({
  Table: { Type: 'AWS::DynamoDB::Table', Properties: { TableName: 't', ...Properties }, ...more },
})
const losses = (old: object, next: object) => lossesOf({ Resources: { ...old } }, { Resources: { ...next } })

test('a first deployment, and one that adds or changes nothing of worth, loses nothing', () => {
  expect(losses({}, table())).toEqual([])
  expect(
    losses({ ...table(), A: fn({ X: '1' }) }, { ...table({ BillingMode: 'x' }), A: fn({ X: '2', Y: '3' }) }),
  ).toEqual([])
  expect(losses({ Alarm: { Type: 'AWS::CloudWatch::Alarm' } }, {})).toEqual([])
})

test.each([
  ['a table that goes', table({}, {}), {}, 'Table (the table, with all records) would be removed.'],
  ['a table that stays alone', table(), {}, 'Table (the table, with all records) would leave the stack, and stay.'],
  [
    'a table that is replaced',
    table(),
    table({ TableName: 'other' }),
    'Table (the table, with all records) would be replaced by an empty one, since TableName changes.',
  ],
  ['a policy', table(), table({}, {}), 'Table would no longer outlive its stack.'],
  [
    'a protection',
    table({ DeletionProtectionEnabled: true }),
    table({ DeletionProtectionEnabled: false }),
    'Table is no longer protected from deletion.',
  ],
  [
    'a name',
    { Domain: { Type: 'AWS::ApiGatewayV2::DomainName', Properties: { DomainName: 'a' } } },
    {},
    'Domain (a name that clients call) would be removed.',
  ],
  [
    'a person',
    { AlarmEmail: { Type: 'AWS::SNS::Subscription', Properties: { Endpoint: 'a@example.org' } } },
    { AlarmEmail: { Type: 'AWS::SNS::Subscription', Properties: { Endpoint: 'b@example.org' } } },
    'AlarmEmail (who is told of alarms) would be replaced by an empty one, since Endpoint changes.',
  ],
  [
    'a setting',
    { A: fn({ IDP_CLIENT_ID: 'heritage' }), B: fn({}) },
    { A: fn({ IDP_CLIENT_ID: '' }), B: fn({}) },
    'The setting IDP_CLIENT_ID would become empty. It is heritage.',
  ],
])('%s is said in a line', (_, old, next, line) => {
  expect(losses(old, next)).toEqual([line])
})

test('a setting that moves from one function to another is not lost', () => {
  expect(losses({ A: fn({ X: '1' }), B: fn({}) }, { A: fn({}), B: fn({ X: '1' }) })).toEqual([])
})
