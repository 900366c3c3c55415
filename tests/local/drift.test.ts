import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Cloud, openCloud } from '../harness/cloud.ts'

const run = promisify(execFile)
let cloud: Cloud
beforeAll(async () => {
  cloud = await openCloud()
  const resources = new Map([
    ['Table', { Type: 'AWS::DynamoDB::Table', Properties: { BillingMode: 'PAY_PER_REQUEST' } }],
    ['SlowAlarm', { Type: 'AWS::CloudWatch::Alarm', Properties: {} }],
  ])
  cloud.stacks.set('heritage-prod', {
    ...{ name: 'heritage-prod', status: 'UPDATE_COMPLETE', template: { Resources: Object.fromEntries(resources) } },
    ...{ resources, changeSets: new Map(), events: [] },
  })
})
afterAll(() => cloud.stop())

/** `npm run drift` in the account of the stand-in. */
async function drift(stage: string): Promise<[code: number, said: string]> {
  const account = { AWS_ENDPOINT_URL: cloud.endpoint, AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'x' }
  const env = { ...process.env, ...account, AWS_REGION: 'us-east-1' }
  return run(process.execPath, ['deploy/drift.ts', '--stage', stage], { env }).then(
    ({ stdout }) => [0, stdout],
    ({ code, stdout, stderr }) => [code, stdout + stderr],
  )
}

test('a stack that nobody has touched is as its template says', async () => {
  expect(await drift('prod')).toEqual([0, 'heritage-prod is as its template says.\n'])
})

test('what was changed or deleted by hand is a line each, over all pages', async () => {
  cloud.byHand.set('Table', { path: '/BillingMode', actual: 'PROVISIONED' })
  cloud.byHand.set('SlowAlarm', undefined)
  const lines = 'Table is MODIFIED; /BillingMode: PAY_PER_REQUEST is PROVISIONED\nSlowAlarm is DELETED\n'
  expect(await drift('prod')).toEqual([1, lines])
  cloud.byHand.clear()
})

test('where not all could be compared, it is not said that all is well', async () => {
  cloud.incomparable = 'Access denied on one resource'
  expect(await drift('prod')).toEqual([1, 'Not all could be compared: Access denied on one resource\n'])
  expect(await drift('nowhere')).toEqual([1, 'Which stage? npm run drift -- --stage prod\n'])
})
