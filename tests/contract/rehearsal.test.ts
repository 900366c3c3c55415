import { afterEach, describe, expect, test } from 'vitest'
import { newAccessRecord, type Roles } from '../../deploy/access/judge.ts'
import { readings, router, startGateway } from '../../deploy/rehearse/aws/gateway.ts'
import { startParameters } from '../../deploy/rehearse/aws/parameters.ts'
import { fits } from '../../deploy/rehearse/aws/patterns.ts'
import { Releases } from '../../deploy/rehearse/aws/releases.ts'
import { compareRights } from '../../deploy/rehearse/report.ts'
import { RehearsedStack } from '../../deploy/rehearse/template.ts'

const ending: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ending.splice(0)) await end()
})

describe('the stand-in of the gateway', () => {
  const routes = [
    { key: 'ANY /data/{proxy+}', target: 'rest' },
    { key: 'ANY /data/{slug}/image', target: 'param' },
    { key: 'ANY /data/user/image', target: 'whole' },
    { key: 'POST /data/user/image', target: 'post' },
    { key: '$default', target: 'default' },
  ].map((route) => ({ ...route, role: 'gateway' }))

  test.each([
    ['GET', '/data/user/image', 'whole'],
    ['POST', '/data/user/image', 'post'],
    ['GET', '/data/other/image', 'param'],
    ['GET', '/data/other/image/more', 'rest'],
    ['GET', '/elsewhere', 'default'],
  ])('leads %s %s to %s', (method, path, target) => {
    for (const reading of readings) expect(router(routes, reading)(path, method)?.target).toBe(target)
  })

  test('takes an empty rest or leaves it, as it is told', () => {
    const led = (restMayBeEmpty: boolean) => router(routes, { restMayBeEmpty })('/data/', 'GET')?.target
    expect([led(true), led(false)]).toEqual(['rest', 'default'])
  })

  const serve = async (answer: (event: Record<string, unknown>) => unknown) => {
    const gateway = await startGateway(routes, async (_, event) => answer(event as Record<string, unknown>), {
      restMayBeEmpty: false,
    })
    ending.push(gateway.stop)
    return gateway.origin
  }

  test('hands over decoded paths, lower-case headers, cookies apart, and bytes in base64', async () => {
    let event: Record<string, unknown> = {}
    const origin = await serve((given) => {
      event = given
      return {
        statusCode: 201,
        headers: { 'x-own': 'yes' },
        cookies: ['a=1', 'b=2'],
        body: 'b25l',
        isBase64Encoded: true,
      }
    })
    const answer = await fetch(`${origin}/data/user%20x/image?q=a%20b`, {
      method: 'POST',
      headers: { 'X-Mixed': 'Yes', cookie: 'one=1; two=2', 'content-type': 'application/octet-stream' },
      body: Buffer.from([0, 255]),
    })
    expect([answer.status, answer.headers.get('x-own'), answer.headers.getSetCookie(), await answer.text()]).toEqual([
      201,
      'yes',
      ['a=1', 'b=2'],
      'one',
    ])
    expect(event).toMatchObject({
      ...{ version: '2.0', rawPath: '/data/user x/image', rawQueryString: 'q=a%20b', cookies: ['one=1', 'two=2'] },
      ...{ headers: { 'x-mixed': 'Yes', 'x-forwarded-proto': 'https' }, body: 'AP8=', isBase64Encoded: true },
      requestContext: { http: { method: 'POST', path: '/data/user x/image' } },
    })
  })

  test('refuses in its own words what is too large, and what fails', async () => {
    const said = async (origin: string, init?: RequestInit) => {
      const answer = await fetch(`${origin}/elsewhere`, init)
      return [answer.status, await answer.json()]
    }
    const echo = await serve(() => ({ statusCode: 200, body: '' }))
    const tooLarge = [413, { message: 'Request Entity Too Large' }]
    expect(await said(echo, { method: 'POST', body: Buffer.alloc((10 << 20) + 1) })).toEqual(tooLarge)
    // In base64 it does not fit into an event.
    expect(await said(echo, { method: 'POST', body: Buffer.alloc(5 << 20) })).toEqual(tooLarge)
    const fault = [500, { message: 'Internal Server Error' }]
    expect(await said(await serve(() => ({ statusCode: 200, body: 'x'.repeat(6 << 20) })))).toEqual(fault)
    const fails = await serve(() => {
      throw new Error('no')
    })
    expect(await said(fails)).toEqual(fault)
  })
})

describe('the stand-in of the parameter store', () => {
  const roles: Roles = new Map([
    [
      'one',
      [
        {
          Effect: 'Allow',
          Action: ['ssm:GetParameters'],
          Resource: ['arn:aws:ssm:us-east-1:000000000000:parameter/a'],
        },
      ],
    ],
  ])
  const ask = async (endpoint: string, Names: string[]) => {
    const answer = await fetch(endpoint, {
      method: 'POST',
      headers: { 'x-amz-target': 'AmazonSSM.GetParameters', authorization: 'AWS4-HMAC-SHA256 Credential=one/x' },
      body: JSON.stringify({ Names }),
    })
    return [answer.status, await answer.json()]
  }

  test('throttles, gives what the role allows, and nothing else', async () => {
    const store = await startParameters(roles, newAccessRecord(), (name) => (name === '/a' ? 'value' : undefined))
    ending.push(store.stop)
    expect(await ask(store.endpoint, ['/a'])).toMatchObject([400, { __type: 'ThrottlingException' }])
    expect(await ask(store.endpoint, ['/a'])).toMatchObject([200, { Parameters: [{ Name: '/a', Value: 'value' }] }])
    expect(await ask(store.endpoint, ['/a', '/b'])).toMatchObject([400, { __type: 'AccessDeniedException' }])
  })
})

test('event patterns hold as EventBridge holds them', () => {
  const record = { dynamodb: { Keys: { pk: { S: 'PROJECT#1' }, sk: { S: 'ASSET#1' } } }, eventName: 'INSERT' }
  expect(fits({ dynamodb: { Keys: { pk: { S: [{ prefix: 'PROJECT#' }] } } } }, record)).toBe(true)
  expect(fits({ dynamodb: { Keys: { pk: { S: [{ 'anything-but': ['PROJECT#1'] }] } } } }, record)).toBe(false)
  expect(fits({ eventName: ['INSERT', 'REMOVE'] }, record)).toBe(true)
  expect(fits({ dynamodb: { NewImage: { ocr_status: { S: ['pending'] } } } }, record)).toBe(false)
  expect(() => fits({ eventName: [{ wildcard: 'I*' }] }, record)).toThrow('wildcard')
})

test('a right that is unused is named; of the indexes of a table one stands for all', () => {
  const table = 'arn:aws:dynamodb:us-east-1:000000000000:table/t'
  const granted = (Action: string[], Resource = [table]) => [{ Effect: 'Allow' as const, Action, Resource }]
  const roles: Roles = new Map([
    ['one', granted(['dynamodb:PutItem', 'dynamodb:Scan', 'dynamodb:UpdateItem'])],
    ['two', granted(['dynamodb:Query'], [`${table}/index/a`, `${table}/index/b`])],
    ['three', granted(['dynamodb:UpdateItem'])],
  ])
  const record = newAccessRecord()
  record.used.add(`one dynamodb:PutItem ${table}`)
  record.used.add(`two dynamodb:Query ${table}/index/b`)
  const { used, unused } = compareRights(roles, record)
  expect(used).toBe(2)
  expect(unused).toEqual([
    `one dynamodb:Scan ${table}`,
    `one dynamodb:UpdateItem ${table}`,
    `three dynamodb:UpdateItem ${table}`,
  ])
})

test('a template is read with its references resolved', () => {
  const stack = new RehearsedStack({
    Resources: {
      Fn: {
        Type: 'AWS::Lambda::Function',
        Properties: {
          ...{ FunctionName: 'heritage-x-one', Handler: 'functions/one.handler', MemorySize: 128, Timeout: 3 },
          ...{ Role: { 'Fn::GetAtt': ['OneRole', 'Arn'] }, Environment: { Variables: { T: { Ref: 'Table' } } } },
        },
      },
      Table: { Type: 'AWS::DynamoDB::Table', Properties: { TableName: 'heritage-x' } },
      Mapping: {
        Type: 'AWS::Lambda::EventSourceMapping',
        Properties: {
          ...{ EventSourceArn: { 'Fn::GetAtt': ['Jobs', 'Arn'] }, FunctionName: { 'Fn::GetAtt': ['Fn', 'Arn'] } },
          BatchSize: 5,
        },
      },
      Jobs: { Type: 'AWS::SQS::Queue', Properties: {} },
    },
  })
  expect(stack.functions()).toEqual([
    {
      ...{ name: 'one', fullName: 'heritage-x-one', role: 'OneRole', memory: 128, timeout: 3 },
      ...{ handler: 'functions/one.handler', variables: { T: 'heritage-x' } },
    },
  ])
  expect(stack.mappings()).toMatchObject([
    { source: 'arn:aws:sqs:us-east-1:000000000000:Jobs', target: expect.stringContaining('function:heritage-x-one') },
  ])
})

test('one request in ten reaches a release that is tried, and the alarms of the template on 5xx ring', async () => {
  const alarm = { MetricName: '5xx', AlarmName: 'heritage-x-Canary', Threshold: 2 }
  const releases = new Releases(
    new RehearsedStack({ Resources: { CanaryAlarm: { Type: 'AWS::CloudWatch::Alarm', Properties: alarm } } }),
  )
  const { port, stop } = await releases.listen()
  ending.push(stop)
  const send = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    return [answer.status, await answer.json()]
  }
  const at = '/2015-03-31/functions/heritage-x-one'
  expect((await send('GET', `${at}/aliases/live`))[0]).toBe(404)
  for (const Description of ['first', 'second']) await send('POST', `${at}/versions`, { Description })
  await send('POST', `${at}/aliases`, { Name: 'live', FunctionVersion: '1' })
  const RoutingConfig = { AdditionalVersionWeights: { 2: 0.1 } }
  await send('PUT', `${at}/aliases/live`, { FunctionVersion: '1', RoutingConfig })
  releases.variables.set('second', { SECRET_KEY: 'short' })
  const call = () =>
    releases.call('heritage-x-one', async (release) => {
      if (release) throw new Error('it does not start')
      return { statusCode: 200 }
    })
  const rings = async (): Promise<number> => {
    const target = { 'x-amz-target': 'GraniteServiceVersion20100801.DescribeAlarms' }
    const [, told] = await send('POST', '/', { AlarmNames: [alarm.AlarmName] }, target)
    return Object(told).MetricAlarms.length
  }
  for (let n = 0; n < 20; n += 1) await call().catch(() => undefined)
  expect([Object.fromEntries(releases.calls), await rings()]).toEqual([{ first: 18, second: 2 }, 0])
  for (let n = 0; n < 10; n += 1) await call().catch(() => undefined)
  expect(await rings()).toBe(1)
  releases.pass()
  expect(await rings()).toBe(0)
})
