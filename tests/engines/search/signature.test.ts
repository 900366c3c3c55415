import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'

// Requests to a domain of Amazon OpenSearch carry a signature. Botocore, Amazon's own library for Python, signs the same requests here.

const host = 'search-heritage-abc123.eu-west-1.es.amazonaws.com'
const keys = {
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  AWS_SESSION_TOKEN: 'token/with+signs==',
}
const isWithBotocore = spawnSync('python3', ['-c', 'import botocore']).status === 0
if (!isWithBotocore) console.warn('Signatures are not compared: python3 has no botocore here.')

type Sent = { method: string; url: string; headers: Record<string, string>; body: string }
const sent: Sent[] = []
type CallServer = typeof import('../../../lib/engines/search/opensearch/client.ts').callServer
let callServer: CallServer

beforeAll(async () => {
  const environment = { ...keys, AWS_REGION: 'eu-west-1', SEARCH_URL: `https://${host}/heritage` }
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
  vi.stubGlobal('fetch', async (url: URL, { method, headers, body }: Sent) => {
    sent.push({ method, url: url.href, headers, body })
    return new Response('{}')
  })
  // The configuration is read with the first import.
  vi.resetModules()
  ;({ callServer } = await import('../../../lib/engines/search/opensearch/client.ts'))
})
afterAll(() => {
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
  vi.resetModules()
})

/** Signs the requests with botocore, each at the time and with the headers that ours names. Returns their headers `authorization`. */
function signWithBotocore(requests: readonly Sent[]): string[] {
  const script = `
import datetime, json, sys
from urllib.parse import parse_qsl, urlsplit
from unittest import mock
from botocore import auth, awsrequest, credentials
keys, requests = json.load(sys.stdin)
signer = auth.SigV4Auth(credentials.Credentials(*keys), 'es', 'eu-west-1')
answer = []
for it in requests:
    headers = {name: value for name, value in it['headers'].items() if name in ('host', 'content-type')}
    url = urlsplit(it['url'])
    query = parse_qsl(url.query, keep_blank_values=True)
    request = awsrequest.AWSRequest(it['method'], url._replace(query='').geturl(), headers, (it.get('body') or '').encode(), query)
    at = datetime.datetime.strptime(it['headers']['x-amz-date'], '%Y%m%dT%H%M%SZ')
    with mock.patch.object(auth, 'get_current_datetime', lambda *_, **__: at):
        signer.add_auth(request)
    answer.append(request.headers['Authorization'])
print(json.dumps(answer))
`
  const input = JSON.stringify([Object.values(keys), requests])
  const { stdout, stderr } = spawnSync('python3', ['-c', script], { input, encoding: 'utf8' })
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout)
}

describe.skipIf(!isWithBotocore)('the signature of requests to Amazon OpenSearch is that of botocore', () => {
  test('with queries, bodies, and special characters in paths', async () => {
    const calls: Parameters<CallServer>[] = [
      ['GET', '/'],
      ['GET', '/_alias/heritage'],
      ['PUT', '/heritage-20250115100000-48e6', { settings: { index: { number_of_shards: 1 } } }],
      ['POST', '/_bulk?refresh=wait_for', '{"index":{"_index":"heritage"}}\n{"title":"न्यातपोल"}\n'],
      ['POST', '/heritage/_msearch', '{}\n{"size":0}\n'],
      ['GET', '/heritage/_stats/store?filter_path=_all.primaries,indices.*&human=false'],
      ['GET', '/a/_search?z=1&a=2&a=1&empty=&flag'],
      ['GET', '/a/_search?q=caf%C3%A9%20x%2Fy%2By&b=1%3D2%26c~*()'],
      ['DELETE', '/heritage-%2A%2Cother'],
      ['DELETE', '/%3Cheritage-%7Bnow%2Fd%7D%3E'],
      ['GET', '/देवल/_doc/a b+c=d@e:f'],
    ]
    for (const call of calls) await callServer(...call)
    const ours = sent.map(({ headers }) => headers.authorization)
    expect(ours).toEqual(signWithBotocore(sent))
    expect(sent.every(({ headers }) => headers['x-amz-security-token'] === keys.AWS_SESSION_TOKEN)).toBe(true)
  })
})
