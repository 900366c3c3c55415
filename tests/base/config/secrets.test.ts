import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { resolveParameters } from '../../../lib/base/secrets.ts'
import { signerOf } from '../../../lib/base/signing.ts'

type Asked = { headers: IncomingHttpHeaders; body: unknown }
let close = async () => {}
afterEach(() => close())

/** A parameter store that answers with these statuses in turn, then with what it holds. */
async function store(parameters: Record<string, string>, statuses: number[] = [], refusal = '') {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    const text = (await request.toArray()).join('')
    const body = JSON.parse(text)
    asked.push({ headers: request.headers, body })
    response.statusCode = statuses.shift() ?? 200
    if (response.statusCode !== 200) return void response.end(refusal && JSON.stringify({ __type: refusal }))
    const known = body.Names.filter((name: string) => name in parameters)
    response.end(JSON.stringify({ Parameters: known.map((Name: string) => ({ Name, Value: parameters[Name] })) }))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  close = () => new Promise((done) => server.close(() => done()))
  const { port } = server.address() as AddressInfo
  const environment = {
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_SESSION_TOKEN: 'session',
    AWS_ENDPOINT_URL_SSM: `http://127.0.0.1:${port}`,
  }
  return { asked, environment }
}

test('without a reference nothing is asked and nothing changes', async () => {
  const environment = { SECRET_KEY: 'plain' }
  expect(await resolveParameters(environment)).toBe(environment)
})

test('all references are asked for in one signed call, decrypted', async () => {
  const { asked, environment } = await store({
    '/heritage/prod/secret-key': 'the key',
    '/heritage/prod/other': 'other',
  })
  const given = { ...environment, SECRET_KEY: 'ssm:/heritage/prod/secret-key', OTHER: 'ssm:/heritage/prod/other' }
  expect(await resolveParameters(given)).toEqual({ ...given, SECRET_KEY: 'the key', OTHER: 'other' })
  expect(asked).toHaveLength(1)
  expect(asked[0]?.body).toEqual({ Names: ['/heritage/prod/secret-key', '/heritage/prod/other'], WithDecryption: true })
  expect(asked[0]?.headers).toMatchObject({
    'x-amz-target': 'AmazonSSM.GetParameters',
    'x-amz-security-token': 'session',
    authorization: expect.stringMatching(
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-west-1\/ssm\/aws4_request, SignedHeaders=content-type;host;x-amz-date;x-amz-security-token;x-amz-target, Signature=[0-9a-f]{64}$/,
    ),
  })
})

test('a parameter that is not there is empty, for the configuration to complain of', async () => {
  const { environment } = await store({})
  expect((await resolveParameters({ ...environment, SECRET_KEY: 'ssm:/none' })).SECRET_KEY).toBe('')
})

test('a passing failure is tried again', async () => {
  const { asked, environment } = await store({ '/a': 'value' }, [500, 429])
  expect((await resolveParameters({ ...environment, A: 'ssm:/a' })).A).toBe('value')
  expect(asked).toHaveLength(3)
})

test('throttling is waited out, each start apart from the others', async () => {
  const { asked, environment } = await store({ '/a': 'value' }, [400, 400, 400, 400], 'ThrottlingException')
  expect((await resolveParameters({ ...environment, A: 'ssm:/a' })).A).toBe('value')
  expect(asked).toHaveLength(5)
})

test('another refusal with the same status is final', async () => {
  const { asked, environment } = await store({ '/a': 'value' }, [400], 'AccessDeniedException')
  await expect(resolveParameters({ ...environment, A: 'ssm:/a' })).rejects.toThrow('/a cannot be read (400)')
  expect(asked).toHaveLength(1)
})

test.each([
  ['a refusal', [403], '403', 1],
  ['a failure that stays', [500, 500, 500], '500', 3],
])('%s names the parameters and ends the start', async (_, statuses, status, calls) => {
  const { asked, environment } = await store({ '/a': 'value' }, statuses)
  await expect(resolveParameters({ ...environment, A: 'ssm:/a' })).rejects.toThrow(
    `Configuration: /a cannot be read (${status}).`,
  )
  expect(asked).toHaveLength(calls)
})

test('the signature is that of AWS’s own example', async () => {
  const keys = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' }
  const host = 'example.amazonaws.com'
  const request = { method: 'POST', protocol: 'https:', hostname: host, path: '/', headers: { host } }
  const signingDate = new Date('2015-08-30T12:36:00Z')
  const { headers } = await signerOf('service', 'us-east-1', keys).sign(request, { signingDate })
  expect(headers.authorization).toBe(
    'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
  )
})
