import { randomUUID } from 'node:crypto'
import * as v from 'valibot'

/** Sends a request: `fetch`, or a function that answers like it. */
export type Send = (
  url: string,
  init: { method: string; headers: Record<string, string>; body?: string | FormData },
) => Promise<Response>
export type ImportedAs = { email: string } | { token: string }
export type Answer = { status: number; body: unknown }
/** Someone who calls the service. */
export type Caller = {
  get: (path: string, query?: Record<string, string>) => Promise<Answer>
  post: (path: string, body: unknown) => Promise<Answer>
  patch: (path: string, body: unknown) => Promise<Answer>
}

/** It is unknown whether the request took effect: no answer came, or one that does not tell. */
export class Unsure extends Error {}
/** No answer came after many tries, so the run stops. */
export class Gone extends Unsure {}
/** The caller cannot be signed in. */
export class NotSignedIn extends Error {}

export type Settings = {
  base: string
  send: Send
  sleep?: (ms: number) => Promise<void>
  signal?: AbortSignal | undefined
}

const MOST_TRIES = 6

/**
 * Calls the service as one user. Unknown members and parameters are refused. After 429 and 503 it waits as the answer says. Reads are
 * repeated if no answer comes, and so is a POST, with one Idempotency-Key. Throws `Unsure` if a write may or may not have happened, and
 * `NotSignedIn`.
 */
export function callerOf(who: ImportedAs, { base, send, sleep = pause, signal }: Settings): Caller {
  let token: Promise<string> | undefined

  const exchange = async (method: string, url: string, headers: Record<string, string>, body: unknown) => {
    const response = await send(url, {
      method,
      headers: { ...careful, ...(isJson(body) && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: parseJson(text), wait: waitOf(response.headers.get('retry-after')) }
  }

  const signIn = async (): Promise<string> => {
    if ('token' in who) return who.token
    const reply = await patient('POST', () => exchange('POST', `${base}/api/dev/login/`, {}, { email: who.email }))
    const pair = v.safeParse(v.object({ access: v.string() }), reply.body)
    if (!pair.success) throw new NotSignedIn(`${who.email} cannot sign in (${reply.status}): ${detailOf(reply.body)}`)
    return pair.output.access
  }

  /** Repeats a request while the service answers 429 or 503. A safe one is also repeated while no answer comes. */
  const patient = async (method: string, once: () => Promise<Answer & { wait: number | undefined }>) => {
    for (let tries = 1; ; tries += 1) {
      signal?.throwIfAborted()
      const reply = await once().catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))))
      const last = tries >= MOST_TRIES
      if (reply instanceof Error) {
        if (last) throw new Gone(`No answer: ${causeOf(reply)}`)
        if (!isRepeatable(method)) throw new Unsure(`No answer: ${causeOf(reply)}`)
      } else if (reply.status === 429 && !last && (reply.wait ?? 0) <= LONGEST_WAIT) {
        await sleep(waitFor(reply, tries))
        continue
      } else if (![502, 503, 504].includes(reply.status) || (last && method === 'GET')) {
        return reply
      } else if (last || !isRepeatable(method)) {
        await sleep(waitFor(reply, tries))
        throw new Unsure(`The service answered ${reply.status}.`)
      }
      await sleep(reply instanceof Error ? backOff(tries) : waitFor(reply, tries))
    }
  }

  const call = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const once = method === 'POST' && { 'idempotency-key': randomUUID() }
    const attempt = async () => {
      token ??= signIn()
      const authorization = `Bearer ${await token}`
      return patient(method, () => exchange(method, `${base}${path}`, { authorization, ...once }, body))
    }
    const reply = await attempt()
    if (reply.status !== 401) return reply
    if ('token' in who) throw new NotSignedIn('The token is not accepted.')
    token = undefined
    return attempt()
  }

  return {
    get: (path, query = {}) => call('GET', `${path}${searchOf(query)}`),
    post: (path, body) => call('POST', path, body),
    patch: (path, body) => call('PATCH', path, body),
  }
}

/** The message of an error body, in one line. */
export function detailOf(body: unknown): string {
  if (typeof body === 'string') return body.slice(0, 300)
  if (typeof body !== 'object' || body === null) return 'no reason was given'
  return Object.entries(body)
    .map(([name, said]) => (name === 'detail' || name === 'non_field_errors' ? String(said) : `${name}: ${said}`))
    .join('; ')
}

function searchOf(query: Record<string, string>): string {
  const text = new URLSearchParams(query).toString()
  return text && `?${text}`
}

function parseJson(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    return text
  }
}

/** `Retry-After` in milliseconds. The header holds seconds or a date. */
function waitOf(header: string | null): number | undefined {
  if (header === null) return undefined
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isFinite(ms) ? Math.max(ms, 0) : undefined
}

const careful = { accept: 'application/json', prefer: 'handling=strict' }
const isRepeatable = (method: string) => method === 'GET' || method === 'POST'
const isJson = (body: unknown) => body !== undefined && !(body instanceof FormData)
/** The longest wait, in milliseconds. A longer limit is reported. */
const LONGEST_WAIT = 120_000
const waitFor = ({ wait }: { wait: number | undefined }, tries: number) =>
  Math.min(wait ?? backOff(tries), LONGEST_WAIT)
const backOff = (tries: number) => 200 * 2 ** tries
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
const causeOf = (error: Error) => (error.cause instanceof Error ? error.cause.message : error.message)
