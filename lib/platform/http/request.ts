import { isUtf8 } from 'node:buffer'
import jsonBodyParser from '@middy/http-json-body-parser'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { malformedInput, tooLarge, unsupportedMediaType } from '../../base/errors.ts'
import { preferredLanguage } from '../../base/language/accept-language.ts'
import type { Say } from '../../base/language/catalogue.ts'
import type { Language } from '../../base/language/languages.ts'
import { english } from '../../base/language/say.ts'
import type { CalendarKey } from '../../engines/calendars/index.ts'
import { callerAddress } from './edge.ts'
import { boundaryOf } from './form-file.ts'
import { findJsonFault } from './json.ts'
import { FROM_REST } from './rest.ts'

/** An event of the gateway, parsed. The names of headers are in lower case. */
export type Request = {
  id: string
  method: string
  path: string
  query: Record<string, string>
  /** The query as it was sent. It has every value of a repeated member. */
  rawQuery: string
  headers: Readonly<Record<string, string>>
  cookies: Readonly<Record<string, string>>
  body: Buffer
  /** Whether the gateway replaced bytes of the body that are not UTF-8 by U+FFFD. */
  isAltered?: boolean
  /** The IP address of the client, as the gateway saw it. Throttles count by it. */
  address: string
  /** Scheme and host as the client wrote them. Absolute links begin with it. */
  origin: string
  version: 'v1'
  /** The language of the answer: that of the header, until the caller's own setting replaces it. */
  language: Language
  /** Translates the service's texts into this language. */
  say: Say
  /** The caller's own calendar. A query may name another. */
  calendar?: CalendarKey | undefined
  /** Whether unknown and malformed members are refused (`Prefer: handling=strict`). */
  strict?: boolean
  /** Whether the request came by the REST API, which takes larger bodies: `rest.ts`. */
  isByRest?: boolean
  /** Set if the handler has put texts in the language of the request into the answer. */
  isTranslated?: true
  /** Headers that the handler adds to its answer, whatever media type the answer has. */
  moreHeaders?: Readonly<Record<string, string>>
  /** Set when the handler reads the page that the query names. */
  isPageRead?: true
  /** The key of the route, for the log line. */
  route?: string
  /** The id of the caller, for the log line. */
  caller?: string
}

/** The most bytes of a JSON body. */
export const JSON_BYTES = 1_048_576

/** Parses an event of an HTTP API (payload 2.0). Of a repeated query member the last value counts. */
export function readRequest(event: APIGatewayProxyEventV2): Request {
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
    isAltered: isAltered(event, headers),
    address: callerAddress(headers, event.requestContext.http.sourceIp),
    origin: `${scheme}://${host}`,
    version: 'v1',
    language: preferredLanguage(headers['accept-language']),
    say: english,
    isByRest: event.version === FROM_REST,
  }
}

/**
 * Whether the gateway has decoded a body that is not UTF-8. It replaces such bytes by U+FFFD, which takes three bytes. So the body
 * no longer has the length that the client announced. A client may send U+FFFD itself.
 */
function isAltered(event: APIGatewayProxyEventV2, headers: Readonly<Record<string, string>>): boolean {
  // Gateways send null for an absent body, too.
  const body = event.body ?? ''
  const length = Number(headers['content-length'])
  return !event.isBase64Encoded && body.includes('\ufffd') && Buffer.byteLength(body) !== length
}

/** Whether all escaped bytes of a query or an encoded form are UTF-8. Example: `%E0%A4%85` is, `%FF` is not. */
const hasUtf8Escapes = (text: string) =>
  (text.match(/(?:%[0-9a-f]{2})+/gi) ?? []).every((bytes) => isUtf8(Buffer.from(bytes.replaceAll('%', ''), 'hex')))

/** The most members of a query or an encoded form. Each costs an object or two. */
const MOST_MEMBERS = 1000
const hasManyMembers = (text: string) => text.split('&', MOST_MEMBERS + 1).length > MOST_MEMBERS

/** Fails with `malformed` if the query has too many members, or is not UTF-8. Parsing would replace bytes that are not UTF-8. */
export function checkQueryText({ rawQuery }: Pick<Request, 'rawQuery'>): void {
  if (hasManyMembers(rawQuery)) throw malformedInput(`The query has more than ${MOST_MEMBERS} members.`)
  if (!hasUtf8Escapes(rawQuery)) throw malformedInput('The query is not UTF-8.')
}

/**
 * Limits of multipart forms: at most `bytes` bytes. With `json` the route also accepts JSON. `instead` adds members to the refusal
 * of a larger form, such as an address that accepts it.
 */
export type FormLimits = { bytes: number; json?: true; instead?: (request: Request) => Record<string, string> }

/** A form with a file that fits into one event of a function, in base64. A larger file is announced at `upload_url`. */
export const fileForm: FormLimits = {
  bytes: 4_700_000,
  instead: ({ origin, path }) => ({ upload_url: `${origin}${path.replace(/(\/upload)?\/?$/, '/uploads/')}` }),
}

/** The form that a mail program sends to unsubscribe in one click: a small multipart form (RFC 8058). */
export const oneClickForm: FormLimits = { bytes: 10_000, json: true }

const hasBody = new Set(['POST', 'PUT', 'PATCH'])

/**
 * Checks size and content type of the body. Returns a function that parses the body, to be called once the caller is allowed.
 * `urlencoded` also accepts a form of text members. Fails with `tooLarge` or `unsupportedMediaType`; the function with `malformed`.
 */
export function bodyReader(
  request: Request,
  limits?: FormLimits,
  urlencoded = false,
  takesBody = false,
): () => Promise<object | undefined> {
  if (!hasBody.has(request.method) && !takesBody) return async () => undefined
  const type = request.headers['content-type'] ?? ''
  const isForm = /^multipart\/form-data\s*;/i.test(type)
  const asForm = limits !== undefined && (isForm || !limits.json)
  const most = asForm ? limits.bytes : JSON_BYTES
  if (request.body.length > most) throw tooLarge(most, asForm ? limits.instead?.(request) : {})
  if (asForm && !isForm) throw unsupportedMediaType('multipart/form-data')
  if (asForm) return () => readForm(request.body, type)
  if (urlencoded && URLENCODED.test(type))
    return async () => Object.fromEntries(new URLSearchParams(encodedForm(request)))
  if (request.body.length > 0 && !/^application\/(json|[\w.+-]+\+json)\s*(;|$)/i.test(type)) {
    throw unsupportedMediaType(
      `application/json${limits?.json ? ' or multipart/form-data' : urlencoded ? ' or application/x-www-form-urlencoded' : ''}`,
    )
  }
  return () => readJson(request)
}

const URLENCODED = /^application\/x-www-form-urlencoded\s*(;|$)/i

/** Parses a JSON object. An empty body is `{}`. */
async function readJson(request: Request): Promise<object> {
  const value = request.body.length === 0 ? {} : parse(request)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw malformedInput('The body must be a JSON object.')
}

/** The text of an encoded form. Fails with `malformed` if it has too many members, or is not UTF-8. */
function encodedForm(request: Request): string {
  const text = decodeUtf8(request, FORM_NOT_UTF8)
  if (hasManyMembers(text)) throw malformedInput(`The form has more than ${MOST_MEMBERS} members.`)
  if (!hasUtf8Escapes(text)) throw malformedInput(FORM_NOT_UTF8)
  return text
}

const FORM_NOT_UTF8 = 'The form is not UTF-8.'

/** Parses a multipart form: texts become strings, files become `File`. */
async function readForm(body: Buffer, type: string): Promise<Record<string, string | File>> {
  // The parts are counted before they are parsed, since each costs an object or two. The last boundary ends the form.
  const parts = body.toString('latin1').split(`--${boundaryOf(type)}`, MOST_PARTS + 3)
  if (parts.length - 2 > MOST_PARTS) throw malformedInput(`The form has more than ${MOST_PARTS} parts.`)
  if (!parts.every(isUtf8Part)) throw malformedInput(FORM_NOT_UTF8)
  try {
    return Object.fromEntries(
      await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData(),
    )
  } catch {
    throw malformedInput('The multipart body cannot be read.')
  }
}

const MOST_PARTS = 100

/** Whether the bytes of a form's part are UTF-8. `part` is those bytes read as Latin-1. A file's content is not checked. */
function isUtf8Part(part: string): boolean {
  const end = part.indexOf('\r\n\r\n')
  const head = end === -1 ? part : part.slice(0, end)
  return isUtf8(Buffer.from(/;\s*filename\*?=/i.test(head) ? head : part, 'latin1'))
}

/** The members of an event that middy's JSON parser reads and writes. */
type ParserEvent = { headers: APIGatewayProxyEventV2['headers']; body?: unknown; isBase64Encoded: boolean }
// `bodyReader` has checked the content type.
const parser: { before?(request: { event: ParserEvent }): unknown } = jsonBodyParser<APIGatewayProxyEventV2>({
  disableContentTypeCheck: true,
})

/** Parses JSON. Middy's parser refuses members that could replace a prototype. Bytes that are not UTF-8 are refused before. */
function parse(request: Request): unknown {
  const { headers } = request
  const text = decodeUtf8(request, 'JSON parse error: the body is not UTF-8.')
  try {
    const event: ParserEvent = { headers, body: text, isBase64Encoded: false }
    parser.before?.({ event })
    return event.body
  } catch {
    const fault = findJsonFault(text)
    throw malformedInput(
      fault
        ? `JSON parse error: the body is not valid JSON at line ${fault.line}, column ${fault.column}.`
        : 'JSON parse error: the body has a member that is not taken, such as "__proto__", or is nested too deeply.',
    )
  }
}

/** Decodes a body. Fails with `malformed` and this sentence if it is not UTF-8. */
function decodeUtf8({ body, isAltered }: Request, sentence: string): string {
  if (isAltered || !isUtf8(body)) throw malformedInput(sentence)
  return new TextDecoder().decode(body)
}

function cookiesOf(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const equals = pair.indexOf('=')
      return [pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()]
    }),
  )
}
