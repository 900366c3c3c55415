import * as v from 'valibot'
import { config } from '../../../base/config.ts'
import { unavailable } from '../../../base/errors.ts'
import { signerOf } from '../../../base/signing.ts'
import { log } from '../../../base/telemetry/log.ts'
import { SearchDocument } from '../document.ts'

export type Json = { readonly [member: string]: unknown }

/** The longest time of a question in milliseconds. A call that writes or prepares has `WRITE_MS`. */
const QUESTION_MS = 3000
/** Milliseconds after a call without an answer in which questions fail at once, so that requests do not wait one after another. */
const PAUSE_MS = 1500
// prove: memory
let silentAt = Number.NEGATIVE_INFINITY
const WRITE_MS = 10_000

/** The server refused a call, with this status and reason. It is an error of the program, or an index is missing. */
export class Refused extends Error {
  readonly status: number
  constructor(status: number, reason: string) {
    super(`the search server answered ${status}: ${reason}`)
    this.status = status
  }
}

/** The name of the alias that questions go to: the path of `SEARCH_URL`, or `search`. Indexes are named after it. */
export const aliasName = (): string => new URL(config.SEARCH_URL).pathname.replace(/^\/+|\/+$/g, '') || 'search'

/** Makes a call that writes or prepares. Fails with `unavailable` if the server does not answer, and with `Refused` if it refuses. */
export const callServer = (method: string, path: string, body?: Json | string): Promise<unknown> =>
  send(method, path, body, WRITE_MS)

/** The indexes that the alias names. Fails with `unavailable` if the server does not answer. */
export const indexesOfAlias = async (): Promise<string[]> => {
  try {
    return Object.keys(Object(await send('GET', `/_alias/${aliasName()}`, undefined, QUESTION_MS)))
  } catch (error) {
    if (error instanceof Refused && error.status === 404) return []
    throw error
  }
}

/** A found document, with the score that the server gives it. */
export type Found = { document: SearchDocument; score: number }
export type Page = { total: number; found: Found[]; counts: Json }

const Answer = v.object({
  error: v.optional(v.unknown()),
  hits: v.optional(
    v.object({
      total: v.optional(v.object({ value: v.number() }), { value: 0 }),
      hits: v.array(v.object({ _score: v.nullish(v.number()), _source: v.object({ document: SearchDocument }) })),
    }),
  ),
  aggregations: v.optional(v.record(v.string(), v.unknown()), {}),
})
const Answers = v.object({ responses: v.array(Answer) })

/** Asks several questions of the alias with one call. Fails with `unavailable` if any of them has no answer. */
export async function askServer(questions: readonly Json[]): Promise<Page[]> {
  const lines = questions.flatMap((question) => ['{}', JSON.stringify({ track_total_hits: true, ...question })])
  const answer = await send('POST', `/${aliasName()}/_msearch`, `${lines.join('\n')}\n`, QUESTION_MS).catch(noIndex)
  return v.parse(Answers, answer).responses.map(({ hits, error, aggregations }): Page => {
    if (!hits) throw failure('search server', JSON.stringify(error ?? 'no hits').slice(0, 500))
    const found = hits.hits.map(({ _score, _source }) => ({ document: _source.document, score: _score ?? 0 }))
    return { total: hits.total.value, found, counts: aggregations }
  })
}

/** Without an index there is nothing to ask. The sweeper makes one. */
function noIndex(error: unknown): never {
  throw error instanceof Refused ? failure('search server', error.message) : error
}

async function send(method: string, path: string, body: Json | string | undefined, limit: number): Promise<unknown> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const type = typeof body === 'string' ? 'application/x-ndjson' : 'application/json'
  const { origin } = new URL(config.SEARCH_URL)
  const url = new URL(path, origin)
  if (limit === QUESTION_MS && performance.now() - silentAt < PAUSE_MS) throw failure('search server', 'silent')
  let response: Response
  let answer: string
  try {
    const headers = await signedHeaders(method, url, type, text)
    response = await fetch(url, {
      method,
      headers,
      ...(text !== undefined && { body: text }),
      signal: AbortSignal.timeout(limit),
    })
    answer = await response.text()
  } catch (error) {
    const name = error instanceof Error ? error.name : 'unknown'
    if (name === 'TimeoutError') silentAt = performance.now()
    throw failure('search server', name)
  }
  if (response.status >= 500 || response.status === 429) throw failure('search server', String(response.status))
  if (!response.ok) throw new Refused(response.status, answer.slice(0, 500))
  return JSON.parse(answer)
}

function failure(message: string, error: string) {
  log({ level: 'error', message, dependency: 'search', error })
  return unavailable(undefined, 'search')
}

/** Headers with the name and password of `SEARCH_URL`, or, for a domain of AWS, with the signature of this function's role. */
async function signedHeaders(method: string, url: URL, type: string, body = ''): Promise<Record<string, string>> {
  const { username, password } = new URL(config.SEARCH_URL)
  if (username !== '') {
    const both = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
    return { 'content-type': type, authorization: `Basic ${Buffer.from(both).toString('base64')}` }
  }
  if (!url.hostname.endsWith('.amazonaws.com')) return { 'content-type': type }
  const { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '', AWS_SESSION_TOKEN } = process.env
  const credentials = {
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    ...(AWS_SESSION_TOKEN && { sessionToken: AWS_SESSION_TOKEN }),
  }
  const { headers } = await signerOf('es', config.AWS_REGION, credentials).sign({
    method,
    protocol: url.protocol,
    hostname: url.hostname,
    path: url.pathname,
    query: Object.fromEntries([...url.searchParams.keys()].map((name) => [name, url.searchParams.getAll(name)])),
    headers: { host: url.host, 'content-type': type },
    body,
  })
  return headers
}
