import { signerOf } from './signing.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Replaces every `ssm:/path` of the environment by the value of that parameter. One request fetches all of them. A missing parameter
 * becomes empty, so that the configuration names the variable that lacks a value. Fails with the names of the parameters, and never with
 * a value.
 */
export async function resolveParameters(environment: Environment): Promise<Environment> {
  const references = Object.entries(environment).filter(([, value]) => value?.startsWith(MARK))
  if (references.length === 0) return environment
  const names = [...new Set(references.map(([, value]) => pathIn(value)))]
  const values = await fetchParameters(names, environment)
  return {
    ...environment,
    ...Object.fromEntries(references.map(([name, value]) => [name, values.get(pathIn(value)) ?? ''])),
  }
}

const MARK = 'ssm:'
const pathIn = (value = '') => value.slice(MARK.length)
/** The longest time of one attempt, in milliseconds. */
const TIME_LIMIT_MS = 3000
/** The most attempts. If the failure is throttling, START_MS limits them instead. */
const ATTEMPTS = 3
/**
 * Milliseconds in which throttled attempts are repeated. Lambda gives a function ten seconds to start. Many functions that start at once are
 * throttled, so each waits a random time.
 */
const START_MS = 8000

async function fetchParameters(names: readonly string[], environment: Environment): Promise<Map<string, string>> {
  const body = JSON.stringify({ Names: names, WithDecryption: true })
  const until = performance.now() + START_MS
  for (let attempt = 1; ; attempt += 1) {
    const response = await sendRequest(body, environment).catch(() => undefined)
    if (response?.ok) return valuesIn(await response.json())
    const isTransient = !response || response.status >= 500 || response.status === 429
    const wait = Math.random() * Math.min(2000, 100 * 2 ** attempt)
    const tryAgain = (await isThrottled(response))
      ? performance.now() + wait < until
      : isTransient && attempt < ATTEMPTS
    if (!tryAgain)
      throw new Error(`Configuration: ${names.join(', ')} cannot be read (${response?.status ?? 'no answer'}).`)
    await new Promise((resolve) => setTimeout(resolve, wait))
  }
}

/** Whether the parameter store throttled a request. It then answers 400, with the reason in the body. */
async function isThrottled(response: Response | undefined): Promise<boolean> {
  return response?.status === 400 && /ThrottlingException/.test(await response.text())
}

function valuesIn(answer: unknown): Map<string, string> {
  const { Parameters = [] }: { Parameters?: { Name: string; Value: string }[] } = Object(answer)
  return new Map(Parameters.map(({ Name, Value }) => [Name, Value]))
}

/** Sends one signed request. The SDK's client would add code to every bundle for one call at the start. */
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
