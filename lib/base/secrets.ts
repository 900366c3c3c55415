import { signerOf } from './signing.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The environment with every `ssm:/path` replaced by the value of that parameter, all in one call. A parameter that is
 * not there becomes empty, so that the configuration names what it lacks. Fails with the names of the parameters, never
 * a value.
 */
export async function resolveParameters(environment: Environment): Promise<Environment> {
  const wanted = Object.entries(environment).filter(([, value]) => value?.startsWith(MARK))
  if (wanted.length === 0) return environment
  const names = [...new Set(wanted.map(([, value]) => pathIn(value)))]
  const values = await fetchParameters(names, environment)
  return {
    ...environment,
    ...Object.fromEntries(wanted.map(([name, value]) => [name, values.get(pathIn(value)) ?? ''])),
  }
}

const MARK = 'ssm:'
const pathIn = (value = '') => value.slice(MARK.length)
/** The most that one attempt takes. A start that waits longer is given up anyway. */
const TIME_LIMIT_MS = 3000
const ATTEMPTS = 3
/**
 * How long throttled attempts go on, of the ten seconds in which Lambda lets a function start. Many functions that
 * start at once are throttled, so each waits a random time.
 */
const START_MS = 8000

async function fetchParameters(names: readonly string[], environment: Environment): Promise<Map<string, string>> {
  const body = JSON.stringify({ Names: names, WithDecryption: true })
  const until = performance.now() + START_MS
  for (let attempt = 1; ; attempt += 1) {
    const response = await sendRequest(body, environment).catch(() => undefined)
    if (response?.ok) return valuesIn(await response.json())
    const passes = !response || response.status >= 500 || response.status === 429
    const wait = Math.random() * Math.min(2000, 100 * 2 ** attempt)
    const again = (await isThrottled(response)) ? performance.now() + wait < until : passes && attempt < ATTEMPTS
    if (!again)
      throw new Error(`Configuration: ${names.join(', ')} cannot be read (${response?.status ?? 'no answer'}).`)
    await new Promise((done) => setTimeout(done, wait))
  }
}

/** Beyond its rate the parameter store answers 400, and says why in the body. */
async function isThrottled(response: Response | undefined): Promise<boolean> {
  return response?.status === 400 && /ThrottlingException/.test(await response.text())
}

function valuesIn(answer: unknown): Map<string, string> {
  const { Parameters = [] }: { Parameters?: { Name: string; Value: string }[] } = Object(answer)
  return new Map(Parameters.map(({ Name, Value }) => [Name, Value]))
}

/** Sends one signed request. The SDK's client would be one more in every bundle, for one call at the start. */
async function sendRequest(body: string, environment: Environment): Promise<Response> {
  const { AWS_REGION: region = 'us-east-1', AWS_ENDPOINT_URL_SSM = `https://ssm.${region}.amazonaws.com` } = environment
  const { protocol, hostname, host, href } = new URL('/', AWS_ENDPOINT_URL_SSM)
  const headers = { host, 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'AmazonSSM.GetParameters' }
  const signed = await signerOf('ssm', region, credentialsIn(environment)).sign({
    method: 'POST',
    protocol,
    hostname,
    path: '/',
    headers,
    body,
  })
  return fetch(href, { method: 'POST', headers: signed.headers, body, signal: AbortSignal.timeout(TIME_LIMIT_MS) })
}

const credentialsIn = ({ AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '', AWS_SESSION_TOKEN }: Environment) => ({
  accessKeyId: AWS_ACCESS_KEY_ID,
  secretAccessKey: AWS_SECRET_ACCESS_KEY,
  ...(AWS_SESSION_TOKEN && { sessionToken: AWS_SESSION_TOKEN }),
})
