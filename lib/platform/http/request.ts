import jsonBodyParser from '@middy/http-json-body-parser'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { malformedInput, tooLarge, unsupportedMediaType } from '../../base/errors.ts'
import { preferredLanguage } from '../../base/language/asked.ts'
import type { Say } from '../../base/language/catalogue.ts'
import type { Language } from '../../base/language/languages.ts'
import { english } from '../../base/language/say.ts'
import type { CalendarKey } from '../../engines/calendars/index.ts'
import { faultIn } from './json.ts'

/** The event, read once. Headers by lower-case name; the body as bytes. */
export type Request = {
  id: string
  method: string
  path: string
  query: Record<string, string>
  /** The query as it was sent, for members that may be repeated. */
  rawQuery: string
  headers: Readonly<Record<string, string>>
  cookies: Readonly<Record<string, string>>
  body: Buffer
  /** Who sent it, as the gateway saw it: for throttles. */
  address: string
  /** Scheme and host as the client wrote them: for absolute links. */
  origin: string
  version: 'v1'
  /** The language of the answer: that of the header, until the caller's own setting is known. */
  language: Language
  /** Says texts of ours in it. */
  say: Say
  /** The calendar in which the caller wants dates, where the query names none. */
  calendar?: CalendarKey | undefined
  /** Whether what is unknown or malformed is refused, as `Prefer: handling=strict` asks; told in the answer. */
  strict?: boolean
  /** Whether the answer holds words in the language of the request, whatever its route says. */
  spoke?: true
  /** Whether someone has read which page is asked for. */
  paged?: true
  /** Filled in on the way, for the log line. */
  route?: string
  caller?: string
}

export const JSON_BYTES = 1_048_576

/** Reads an HTTP API event (payload 2.0). Repeated query members keep the last. */
export function read(event: APIGatewayProxyEventV2): Request {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(event.headers ?? {}))
    if (value !== undefined) headers[name.toLowerCase()] = value
  const host = headers.host ?? event.requestContext.domainName ?? 'localhost'
  const rawQuery = event.rawQueryString ?? ''
  const proxied = headers['x-forwarded-proto']
  const local = /^(localhost|127\.|\[::1\])/.test(host) ? 'http' : 'https'
  const scheme = proxied === 'http' || proxied === 'https' ? proxied : local
  return {
    id: event.requestContext.requestId,
    method: event.requestContext.http.method.toUpperCase(),
    path: event.rawPath || '/',
    query: Object.fromEntries(new URLSearchParams(rawQuery)),
    rawQuery,
    headers,
    cookies: cookiesOf(event.cookies ?? headers.cookie?.split(';') ?? []),
    body: Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8'),
    address: event.requestContext.http.sourceIp,
    origin: `${scheme}://${host}`,
    version: 'v1',
    language: preferredLanguage(headers['accept-language']),
    say: english,
  }
}

/**
 * How a route takes multipart forms: at most `bytes` bytes, and JSON as well where `json` is set. `instead` adds to
 * the refusal of a larger one where it may go.
 */
export type FormLimits = { bytes: number; json?: true; instead?: (request: Request) => Record<string, string> }

/** A form with a file that fits into one event of a function, in base64; a larger one is announced at the address beside it. */
export const fileForm: FormLimits = {
  bytes: 4_700_000,
  instead: ({ origin, path }) => ({ upload_url: `${origin}${path.replace(/(\/upload)?\/?$/, '/uploads/')}` }),
}

const hasBody = new Set(['POST', 'PUT', 'PATCH'])

/**
 * Looks at size and content type at once, and answers how to read the body later, when the caller is known to be
 * allowed. `urlencoded`: a form of text members is taken as well as JSON. Fails with `tooLarge` or `unsupportedMediaType`, later with `malformed`.
 */
export function bodyOf(request: Request, limits?: FormLimits, urlencoded = false): () => Promise<object | undefined> {
  if (!hasBody.has(request.method)) return async () => undefined
  const type = request.headers['content-type'] ?? ''
  const isForm = /^multipart\/form-data\s*;/i.test(type)
  const asForm = limits !== undefined && (isForm || !limits.json)
  const most = asForm ? limits.bytes : JSON_BYTES
  if (request.body.length > most) throw tooLarge(most, asForm ? limits.instead?.(request) : {})
  if (asForm && !isForm) throw unsupportedMediaType('multipart/form-data')
  if (asForm) return () => form(request.body, type)
  if (urlencoded && URLENCODED.test(type))
    return async () => Object.fromEntries(new URLSearchParams(decoded(request.body)))
  if (request.body.length > 0 && !/^application\/(json|[\w.+-]+\+json)\s*(;|$)/i.test(type)) {
    throw unsupportedMediaType(
      `application/json${limits?.json ? ' or multipart/form-data' : urlencoded ? ' or application/x-www-form-urlencoded' : ''}`,
    )
  }
  return () => json(request)
}

const URLENCODED = /^application\/x-www-form-urlencoded\s*(;|$)/i

/** An object; an empty body is `{}`. */
async function json(request: Request): Promise<object> {
  const value = request.body.length === 0 ? {} : parse(request)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw malformedInput('The body must be a JSON object.')
}

/** Text members as strings, files as File. */
async function form(body: Buffer, type: string): Promise<Record<string, string | File>> {
  // Counted before they are read, since each part costs an object or two. The last boundary ends the form.
  const boundary = /;\s*boundary="?([^";\s]+)/i.exec(type)?.[1] ?? ''
  const parts = body.toString('latin1').split(`--${boundary}`, MOST_PARTS + 3).length - 2
  if (parts > MOST_PARTS) throw malformedInput(`The form has more than ${MOST_PARTS} parts.`)
  try {
    return Object.fromEntries(
      await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData(),
    )
  } catch {
    throw malformedInput('The multipart body cannot be read.')
  }
}

const MOST_PARTS = 100

/** The part of an event that the parser of JSON reads and writes. */
type ParserEvent = { headers: APIGatewayProxyEventV2['headers']; body?: unknown; isBase64Encoded: boolean }
// The content type was looked at before, together with the size.
const parser: { before?(request: { event: ParserEvent }): unknown } = jsonBodyParser<APIGatewayProxyEventV2>({
  disableContentTypeCheck: true,
})

/** The parser refuses members that could become a prototype, but takes bytes that are not UTF-8: these are found here. */
function parse({ headers, body }: Pick<Request, 'headers' | 'body'>): unknown {
  const text = decoded(body)
  try {
    const event: ParserEvent = { headers, body: text, isBase64Encoded: false }
    parser.before?.({ event })
    return event.body
  } catch {
    const at = faultIn(text)
    throw malformedInput(
      at
        ? `JSON parse error: the body is not valid JSON at line ${at.line}, column ${at.column}.`
        : 'JSON parse error: the body has a member that is not taken, such as "__proto__", or is nested too deeply.',
    )
  }
}

function decoded(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    throw malformedInput('JSON parse error: the body is not UTF-8.')
  }
}

function cookiesOf(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=')
      return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()]
    }),
  )
}
