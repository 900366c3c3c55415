import { expect, test } from 'vitest'
import { RehearsedStack } from '../../deploy/rehearse/template.ts'
import { billOf, sumOf, totalOf } from './bill.ts'
import { callOf, timesInMonth } from './costs.ts'

// By hand, from the price pages: 12.5 cents and 62.5 cents a million units, 20 cents a million calls and so on.
test.each([
  ['100,000 reads of 4 units', { reads: 400_000, requests: 100_000 }, { table: 0.05, gateway: 0.1 }],
  ['1,000 writes of 200 units', { writes: 200_000 }, { table: 0.125 }],
  ['a month of a call a minute', { invocations: 43_200, gb_seconds: 43_200 * 0.1 }, { lambda: 0.00864 + 0.0576 }],
  ['a million GB seconds of x86', { gb_seconds_x86: 1e6 }, { lambda: 16.6667 }],
  ['a gigabyte of each', { table_gb_months: 1, file_gb_months: 1 }, { table: 0.45, files: 0.023 }],
  ['a gigabyte of logs, and one sent out', { logged_bytes: 1e9, sent_bytes: 1e9 }, { 'logs, metrics': 0.5, out: 0.09 }],
  ['24 alarms, a dashboard, 3 metrics', { alarm_metrics: 24, dashboards: 1, metrics: 3 }, { 'logs, metrics': 6.3 }],
  ['a month of 16 reads of a stream a second', { stream_reads: 41_472_000 }, { 'stream, queues': 8.2944 }],
  ['a month of 10 polls each 20 s', { queue_requests: 1_296_000 }, { 'stream, queues': 0.5184 }],
  ['100,000 requests of a REST API', { rest_requests: 100_000 }, { gateway: 0.35 }],
  ['1,000 puts, 10,000 gets', { puts: 1000, gets: 10_000 }, { files: 0.005 + 0.004 }],
  ['100,000 traces', { traces: 100_000 }, { traces: 0.5 }],
  ['a month of a key asked for every 5 minutes', { key_requests: 8640 }, { table: 0.02592 }],
])('%s', (_, use, expected) => {
  const bill = billOf(use)
  for (const [heading, dollars] of Object.entries(bill))
    expect([heading, dollars]).toEqual([heading, expect.closeTo(Object(expected)[heading] ?? 0, 4)])
  expect(totalOf(bill)).toBeCloseTo(
    Object.values(expected).reduce((sum, each) => sum + each, 0),
    4,
  )
})

test.each([
  ['rate(1 minute)', 43_200],
  ['rate(15 minutes)', 2880],
  ['rate(1 day)', 30],
  ['cron(0/2 * * * ? *)', 21_600],
  ['cron(3,17,33,47 * * * ? *)', 2880],
  ['cron(20 20 * * ? *)', 30],
])('%s fires so often in a month', (expression, times) => {
  expect(timesInMonth(expression)).toBe(times)
})

test('uses add up, each as often as it comes', () => {
  expect(sumOf([2, { reads: 3, traces: 1 }], [10, { reads: 1, puts: 2 }], [-1, { puts: 5 }])).toEqual({
    reads: 16,
    traces: 2,
    puts: 15,
  })
})

test('memory, processor and traces of a call are those of the template', () => {
  const lambda = (FunctionName: string, more: object) => ({
    Type: 'AWS::Lambda::Function',
    Properties: { FunctionName: `heritage-prod-${FunctionName}`, ...more },
  })
  const stack = new RehearsedStack({
    Resources: {
      One: lambda('one', { MemorySize: 2048, Architectures: ['arm64'], TracingConfig: { Mode: 'PassThrough' } }),
      Other: lambda('other', { MemorySize: 512, TracingConfig: { Mode: 'Active' } }),
    },
  })
  expect(callOf(stack, 'one', 0.5)).toEqual({ invocations: 1, gb_seconds: 1, logged_bytes: 700 })
  expect(callOf(stack, 'other', 2, 1)).toEqual({ invocations: 1, gb_seconds_x86: 1, traces: 1, logged_bytes: 1000 })
  expect(() => callOf(stack, 'nowhere', 1)).toThrow('The template has no function nowhere.')
})
