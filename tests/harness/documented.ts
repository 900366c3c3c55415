import { appendFileSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { DOCUMENT } from '../../deploy/packages/built-document.ts'
import { kindOfSegment } from '../../lib/domain/kinds/index.ts'
import { appliedOverlay } from '../../lib/domain/kinds/schema/overlay.ts'
import { canonicalPath, routeMatcher } from '../../lib/platform/http/path.ts'
import { keptByProcess } from './kept.ts'

/** A request and its answer. */
export type Exchange = {
  method: string
  path: string
  sent: unknown
  status: number
  headers: Readonly<Record<string, string>>
  bytes: Buffer
  /** The parsed bytes if they are JSON and the caller has parsed them. */
  body?: unknown
}

type Content = Record<string, { schema: object }>
type Response = { $ref?: string; headers?: object; content?: Content }
type Operation = { operationId: string; requestBody?: { content: Content }; responses: Record<string, Response> }
type Document = {
  paths: Record<string, Record<string, Operation>>
  components: { responses: Record<string, Response> }
}

/**
 * Fails unless the API document declares this answer: its status, its headers, its content type, and a body that fits the schema. The
 * schema must name each member of the body.
 */
export function expectDocumented(it: Exchange): void {
  const fault = faultOf(it)
  if (fault === undefined) return
  throw new Error(
    `The API document does not know this answer. ${it.method} ${it.path} gave ${it.status}: ${fault}. ` +
      'Correct the `answer` of the route or its shape, then run `npm run openapi`.',
  )
}

/** Returns how an answer differs from the document, in words. Undefined if it fits. */
export function faultOf(it: Exchange): string | undefined {
  if (it.method === 'OPTIONS' || it.status === 301) return undefined
  const operation = operationOf(it)
  const at = operation && responseAt(operation, it.status)
  // An unknown path or method belongs to no operation: it may only fail with these statuses.
  if (!operation && ![400, 404, 405].includes(it.status)) return faultOfUnknown(it)
  if (operation && !at) return 'the status is not named'
  if (it.method === 'HEAD') return undefined
  const header = operation && headerFault(operation, it)
  if (header) return header
  const isExtended = appliedOverlay().fields.length + appliedOverlay().values.length > 0
  const unfit = operation && it.status < 300 && !isExtended && sentFault(operation, it.sent)
  if (unfit) return unfit
  const type = typeOf(it)
  const pointer = at ?? '/components/responses/R404'
  const content = lookUp(pointer).content
  if (!content) return it.bytes.length > 0 ? 'a body is not named' : undefined
  if (!content[type]) return `the content type ${type} is not named`
  if (!/json$|^text\/plain$/.test(type)) return undefined
  const body = bodyOf(it)
  if (operation && it.status < 300) record(operation.operation.operationId, it, body)
  const validate = answeredAt(`${pointer}/content/${escaped(type)}/schema`)
  const { warnings, rest } = withoutWarnings(withoutAdded(body))
  return warningFault(warnings) ?? (validate(rest) ? undefined : wordsOf(validate))
}

/** Headers that any answer may have: those that the introduction of the document names, and those of HTTP and browsers. */
const common = new Set([
  ...['x-request-id', 'preference-applied', 'warning', 'allow', 'location', 'vary', 'set-cookie', 'cache-control'],
  ...['content-language'],
  ...['content-type', 'content-encoding', 'content-length', 'content-security-policy', 'referrer-policy'],
  ...['strict-transport-security', 'x-content-type-options', 'x-frame-options'],
])

/** Returns a fault if an answer has a header that the document does not declare, or lacks an ETag that it declares. */
function headerFault({ path, method, operation }: Found, { status, headers }: Exchange): string | undefined {
  const pointer = responseAt({ path, method, operation }, status === 304 ? 200 : status)
  const named = Object.keys((pointer && lookUp(pointer).headers) ?? {}).map((name) => name.toLowerCase())
  const unnamed = Object.keys(headers).find(
    (name) => !common.has(name) && !name.startsWith('access-control-') && !named.includes(name),
  )
  if (unnamed) return `the header ${unnamed} is not named`
  return named.includes('etag') && !('etag' in headers) ? 'there is no ETag' : undefined
}

/** Takes `warnings` out of a body. Any object may have that member, which the document declares once for all answers. */
function withoutWarnings(body: unknown): { warnings: unknown; rest: unknown } {
  if (typeof body !== 'object' || body === null || Array.isArray(body) || !('warnings' in body))
    return { warnings: undefined, rest: body }
  const { warnings, ...rest } = body
  return { warnings, rest }
}

/** Takes members out of a body that were added to the kinds since the release: the registry tells them, the document does not. */
function withoutAdded(body: unknown): unknown {
  const added = new Set(appliedOverlay().fields.map(({ name }) => name))
  if (added.size === 0) return body
  return JSON.parse(JSON.stringify(body), (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).filter(([name]) => !added.has(name)))
      : value,
  )
}

function warningFault(warnings: unknown): string | undefined {
  if (warnings === undefined) return undefined
  const validate = answeredAt('/components/schemas/Warning')
  if (!Array.isArray(warnings) || warnings.length === 0) return 'warnings are a list that is not empty'
  return warnings.every((each) => validate(each)) ? undefined : wordsOf(validate)
}

/** Returns a fault if the service accepted a body that the document does not allow. */
function sentFault({ path, method, operation }: Found, sent: unknown): string | undefined {
  const isObject = typeof sent === 'object' && sent !== null && Object.getPrototypeOf(sent) === Object.prototype
  if (!isObject || !operation.requestBody?.content['application/json']) return undefined
  const validate = sentAt(`/paths/${escaped(path)}/${method}/requestBody/content/application~1json/schema`)
  // JSON drops undefined members, as the wire does.
  return validate(JSON.parse(JSON.stringify(sent))) ? undefined : `the body was taken, but ${wordsOf(validate)}`
}

function bodyOf(it: Exchange): unknown {
  if (it.body !== undefined) return it.body
  const text = (it.headers['content-encoding'] === 'gzip' ? gunzipSync(it.bytes) : it.bytes).toString()
  return typeOf(it).endsWith('json') ? JSON.parse(text) : text
}

const typeOf = ({ headers }: Exchange) => headers['content-type']?.split(';')[0] ?? ''

const recording = process.env.RECORD_EXAMPLES

/** With RECORD_EXAMPLES=FILE, appends request and answer to that file. `npm run openapi -- --examples FILE` reads them. */
function record(id: string, it: Exchange, body: unknown): void {
  const { status, sent } = it
  if (recording) appendFileSync(recording, `${JSON.stringify({ id, status, type: typeOf(it), sent, body })}\n`)
}

/** Returns a fault for a route that the document lacks. While examples are recorded, a new route is recorded by its path instead. */
function faultOfUnknown(it: Exchange): string | undefined {
  if (!recording) return 'there is no such operation'
  const path = canonicalPath(it.path).replace(/(?<=\/)([0-9a-f]{8}-[0-9a-f-]{27}|\d+)(?=\/)/g, '{id}')
  if (it.headers['content-type']?.startsWith('application/json')) record(`${it.method} ${path}`, it, bodyOf(it))
  return undefined
}

const document = keptByProcess<Document>('document', () => JSON.parse(readFileSync(DOCUMENT, 'utf8')))
/** Finds an operation by method and canonical path. */
const find = routeMatcher(
  Object.fromEntries(
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [
        `${method.toUpperCase()} ${canonicalPath(path)}`,
        { path, method, operation },
      ]),
    ),
  ),
)

type Found = { path: string; method: string; operation: Operation }

function operationOf({ method, path }: Exchange): Found | undefined {
  // The service accepts the segment of a kind with hyphens and with underscores. The document has one of them.
  const known = canonicalPath(path).replace(/(?<=^\/cidoc\/)[^/]+/, (it) => kindOfSegment(it)?.segment ?? it)
  const hit = find(method === 'HEAD' ? 'GET' : method, known)
  return 'found' in hit ? hit.found : undefined
}

function responseAt({ path, method, operation }: Found, status: number): string | undefined {
  const response = operation.responses[status]
  if (status === 405 || !response) return status === 405 ? '/components/responses/R404' : undefined
  return response.$ref?.slice(1) ?? `/paths/${escaped(path)}/${method}/responses/${status}`
}

const escaped = (part: string) => part.replaceAll('~', '~0').replaceAll('/', '~1')

const lookUp = (pointer: string): Response => Object(valueAt(pointer) ?? {})

function valueAt(pointer: string): unknown {
  const parts = pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  return parts.reduce<unknown>((at, part) => Object(at)[part], document)
}

/**
 * Returns a function that compiles the schema at a JSON pointer. A process compiles each schema once, when it first needs it. Compiling
 * the whole document would take 0.2 s.
 */
function validators(membersOf: (shape: Shape) => Shape): (pointer: string) => ValidateFunction {
  const ajv = new Ajv2020({
    strict: false,
    validateSchema: false,
    addUsedSchema: false,
    inlineRefs: false,
    code: { optimize: false },
  })
    .addFormat('uuid', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i)
    .addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/)
    .addFormat('date', /^\d{4}-\d\d-\d\d$/)
    .addFormat('email', true)
    .addFormat('uri', true)
  const referred = new Set<string>()
  /** Registers each schema to which a schema refers, and refers to it by its name. */
  const withNamedReferences = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(withNamedReferences)
    if (typeof value !== 'object' || value === null) return value
    const shape = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withNamedReferences(each)]))
    return membersOf(typeof shape.$ref === 'string' ? { ...shape, $ref: register(shape.$ref) } : shape)
  }
  const register = (pointer: string): string => {
    const name = pointer.slice('#/components/schemas/'.length)
    if (referred.has(name)) return name
    referred.add(name)
    ajv.addSchema(shapeAt(pointer.slice(1)), name)
    return name
  }
  const shapeAt = (pointer: string): Shape => {
    const shape = valueAt(pointer)
    if (shape === undefined) throw new Error(`the document has nothing at ${pointer}`)
    return Object(withNamedReferences(shape))
  }
  const compiled = new Map<string, ValidateFunction>()
  return (pointer) => {
    const validate = compiled.get(pointer) ?? ajv.compile(shapeAt(pointer))
    compiled.set(pointer, validate)
    return validate
  }
}

type Shape = Record<string, unknown>

/** A schema that allows an object only the members that it names. */
function closed(shape: Shape): Shape {
  const isOpen = shape.type === 'object' && 'properties' in shape && !('additionalProperties' in shape)
  return isOpen ? { ...shape, additionalProperties: false } : shape
}

/** Answers must fit closed schemas. A request may have unknown members, which the service drops. */
const answeredAt = keptByProcess('answers', () => validators(closed))
const sentAt = keptByProcess('requests', () => validators((shape) => shape))

const wordsOf = ({ errors }: ValidateFunction) => errors?.map(faultInWords).slice(0, 5).join('; ')
const faultInWords = ({ instancePath, message, params }: NonNullable<ValidateFunction['errors']>[number]) =>
  `${instancePath || 'the body'} ${message}${params.additionalProperty ? `: ${params.additionalProperty}` : ''}`
