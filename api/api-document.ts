import type { GenericSchema } from 'valibot'
import type { Schema } from '../lib/base/shapes.ts'
import { type Kind, kinds, recordKinds } from '../lib/domain/kinds/index.ts'
import { pascalCase } from '../lib/domain/kinds/keys.ts'
import {
  type Answers,
  BadRequestView,
  type Body,
  DetailView,
  type HeaderName,
  WarningView,
} from '../lib/platform/http/answer.ts'
import { type Declared, declarationOf, isSelective } from '../lib/platform/http/endpoint.ts'
import { CSV } from '../lib/platform/http/media.ts'
import { DEFAULT_SIZE, LARGEST_SIZE } from '../lib/platform/http/page.ts'
import { parameterTypes } from '../lib/platform/http/schema-notes.ts'
import { permissions } from '../lib/platform/permissions.ts'
import build from '../package.json' with { type: 'json' }
import { type Examples, examples } from './examples.ts'
import { groups } from './groups.ts'
import { headers } from './headers.ts'
import { isJson, type Json } from './json.ts'
import { withNewerMembers } from './newer-members.ts'
import { components, writeJsonSchema } from './schema.ts'
import { whoMay } from './who.ts'
import { words } from './words.ts'

export type Operation = Json & { operationId: string; parameters: Json[]; responses: Record<string, Json> }
export type Document = Json & {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Json> } & Json
}

/** The API document (OpenAPI 3.1), made from routes, permissions and schemas. */
export function document(): Document {
  const paths: Document['paths'] = {}
  for (const one of operations()) {
    const at = withVersion(one.path)
    paths[at] = { ...paths[at], [one.method.toLowerCase()]: operationOf(one) }
  }
  const schemas = components()
  const media = Object.values(paths).flatMap((methods) => Object.values(methods).flatMap(mediaOfAnswers))
  for (const one of media) one.example = withNewerMembers(one.example, one.schema, schemas)
  const text = JSON.stringify(paths)
  return {
    openapi: '3.1.1',
    info: {
      title: 'Heritage knowledge service',
      version: build.version,
      summary: build.description,
      description,
      license: { name: build.license, identifier: build.license },
    },
    servers: [{ url: '/', description: 'This service' }],
    tags: Object.entries(groups).map(([name, { about }]) => ({ name, description: about })),
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    components: {
      schemas: pickReferred(paths, schemas),
      responses: Object.fromEntries(
        Object.entries(refusals)
          .filter(([status]) => text.includes(`responses/R${status}"`))
          .map(([status, it]) => [`R${status}`, refusalOf(it)]),
      ),
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'An access token: of the identity provider, of the secondary provider, or from `/api/token/`.',
        },
        devUser: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Dev-User',
          description: 'The email address of a seeded user. In dev mode only.',
        },
      },
    },
  }
}

const description = `Structured records of cultural heritage: contributed, reviewed and published, every value with its source.

- Paths under \`/api/v1/data/\` and \`/api/v1/cidoc/\` are also served without \`/api/v1\`, and \`/data/\` as \`/data/api/\`; every path with and without its last slash.
- A token that no authenticator accepts leaves the caller anonymous where nobody has to be signed in.
- What the caller may not see is 404, as if it were not there.
- Lists take \`limit\` and \`offset\`, or \`page\` and \`page_size\`, and answer \`count\`, \`next\`, \`previous\` and \`results\`.
- Refusals are \`{"detail": "..."}\`, or \`{"member": ["..."]}\` for members that break a rule, nested as they are: \`{"assertion": {"confidence": ["..."]}}\`. Each answer carries \`X-Request-Id\`.
- Any JSON object that is answered may carry \`warnings\`, a list of \`Warning\`: members and parameters that are unknown (with the nearest known name) or say nothing, and values that are doubtful. Other answers carry them in the header \`Warning\`. With \`Prefer: handling=strict\` (RFC 7240) what is unknown or malformed is refused with 400, and the answer says \`Preference-Applied: handling=strict\`.
- Errors, warnings and what else the service says are in Nepali for whoever asks for it by \`Accept-Language: ne\` or has set it in the profile (\`language\`), else in English. \`Content-Language\` tells which, and \`Vary\` that it makes a difference. What caches may share goes by the header alone.
- A POST with the header \`Idempotency-Key\` in its parameters takes one: sent again within a day, the same request gets the same answer.
- Within v1 nothing is removed, renamed or retyped, and nothing that was optional becomes required. Members may be added: ignore those that you do not know.`

type One = {
  group: string
  method: string
  path: string
  spec: Declared
  answer: Answers
  kind?: Kind
  /** The ids of this route's operations, one for each kind. */
  alike?: readonly string[]
}

/** All operations. A route with `{segment}` gives one for each kind. */
function operations(): One[] {
  return Object.entries(groups).flatMap(([group, { routes }]) =>
    Object.entries(routes).flatMap(([key, route]) => {
      const [method = '', path = ''] = key.split(' ')
      const spec = declarationOf(route)
      const one = { group, method, path, spec, answer: spec.answer }
      if (!path.includes('{segment}')) return [one]
      const ofKinds = recordKinds.map((name) => ({
        path: path.replace('{segment}', kinds[name].segment),
        kind: kinds[name],
      }))
      const alike = ofKinds.map((it) => idOf(method, it.path))
      return ofKinds.map((it) => ({ ...one, ...it, alike }))
    }),
  )
}

/** The document shows the versioned path, which new clients use. */
const withVersion = (path: string) => (/^\/(data|cidoc)\//.test(path) ? `/api/v1${path}` : path)

function operationOf(one: One): Operation {
  const { group, method, path, spec, kind } = one
  const rule = permissions[spec.permission]
  const { words: who, roles } = whoMay(spec.permission)
  const signedIn = 'role' in rule || 'changes' in rule
  const operationId = spec.operationId ?? idOf(method, path)
  const body = requestOf(one, operationId)
  return {
    operationId,
    summary: fillKind(spec.summary, kind),
    description: [spec.description && fillKind(spec.description, kind), `**Who may:** ${who}`]
      .filter(Boolean)
      .join('\n\n'),
    tags: [group],
    'x-permission': spec.permission,
    ...(roles && { 'x-roles': roles }),
    security: [...(signedIn ? [] : [{}]), { bearer: [] }, { devUser: [] }],
    parameters: [...pathParameters(one), ...queryParameters(one), ...headerParameters(one)],
    ...(body && { requestBody: body }),
    responses: { ...successes(one, operationId), ...failures(one, signedIn) },
  }
}

/** Puts the label of a kind for `{one}` and `{many}`. */
const fillKind = (text: string, kind: Kind | undefined) =>
  text.replace('{one}', kind?.label ?? '').replace('{many}', kind?.labelPlural ?? '')

/** `GET /data/review-flags/{id}/` is getReviewFlagsById. */
function idOf(method: string, path: string): string {
  const parts = path.split('/').filter((part) => part !== '' && part !== 'data' && part !== 'cidoc')
  const said = parts.map((part) => part.replace('{', 'by_').replace('}', '').replaceAll(/[-.]/g, '_'))
  return `${method.toLowerCase()}${pascalCase(said.join('_') || 'root')}`
}

function pathParameters({ group, path, spec }: One): Json[] {
  const { properties } = objectOf(spec.params)
  const types = parameterTypes(spec.params)
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: wordFor(group, name),
    schema: types[name] ?? properties[name] ?? { type: 'string' },
  }))
}

function queryParameters({ group, spec, answer }: One): Json[] {
  const { properties, required } = objectOf(spec.query)
  const types = parameterTypes(spec.query)
  const parameter = (name: string, schema: Json, isRequired = false) => ({
    name,
    in: 'query',
    required: isRequired,
    description: wordFor(group, name),
    schema,
  })
  const own = Object.entries(properties).map(([name, { default: _, ...schema }]) =>
    // A list may be empty, so a repeated member is never required.
    parameter(name, types[name] ?? withoutBlank(schema), required.includes(name) && !spec.repeated?.includes(name)),
  )
  const isPaged = Object.values(answer).some((it) => it?.paged)
  const paging = Object.entries(pagingTypes(spec.pageSize)).map(([name, schema]) => parameter(name, schema))
  return [...own, ...(isPaged ? paging : [])]
}

const pagingTypes = (pageSize = DEFAULT_SIZE): Record<string, Json> => {
  const size = { type: 'integer', minimum: 1, maximum: LARGEST_SIZE, default: pageSize }
  return {
    limit: size,
    offset: { type: 'integer', minimum: 0, default: 0 },
    page: { type: 'integer', minimum: 1, default: 1 },
    page_size: size,
    hint: { type: 'string' },
  }
}

/** Drops blank and null from the type of a parameter. The service accepts them, but clients can leave the parameter out. */
function withoutBlank(schema: Json): Json {
  if (!Array.isArray(schema.anyOf)) return schema
  const [first, ...others] = schema.anyOf.filter((it) => isJson(it) && it.const !== '' && it.type !== 'null')
  return isJson(first) && others.length === 0 ? withoutBlank(first) : schema
}

/** Whether an operation returns an ETag. */
const isTagged = ({ spec, answer }: One) =>
  Object.values(answer).some((it) => it?.etag) || (spec.subject !== undefined && '200' in answer && !isChange(spec))
const isChange = ({ permission }: Declared) => 'changes' in permissions[permission]

function headerParameters(one: One): Json[] {
  const header = (name: string, what: string) => ({
    name,
    in: 'header',
    required: false,
    description: what,
    schema: { type: 'string' },
  })
  return [
    ...(one.spec.idempotent
      ? [
          header(
            'Idempotency-Key',
            'A name for this request: whoever sends it again within a day gets the same answer.',
          ),
        ]
      : []),
    ...(one.spec.translatedPaths
      ? [header('Accept-Language', 'The language of its texts: en or ne, with weights if you like.')]
      : []),
    ...(isChange(one.spec) ? [header('If-Match', 'An ETag: refuses the change when others were faster.')] : []),
    ...(one.method === 'GET' && isTagged(one)
      ? [header('If-None-Match', 'An ETag: 304 while nothing has changed.')]
      : []),
  ]
}

const wordFor = (group: string, name: string) => words[`${group} ${name}`] ?? words[name] ?? ''

function objectOf(schema: GenericSchema | undefined): { properties: Record<string, Json>; required: string[] } {
  const { properties, required } = schema ? writeJsonSchema(schema, 'input') : {}
  return {
    properties: isJson(properties) ? Object.fromEntries(Object.entries(properties).filter(isMember)) : {},
    required: Array.isArray(required) ? required.map(String) : [],
  }
}
const isMember = (member: [string, unknown]): member is [string, Json] => isJson(member[1])

function requestOf({ method, path, spec, kind, alike = [] }: One, operationId: string): Json | undefined {
  if (!['POST', 'PUT', 'PATCH'].includes(method)) return undefined
  // The kind in the path decides which schema applies.
  const schema = spec.shownBody ?? (typeof spec.body === 'function' ? spec.body({ segment: kind }) : spec.body)
  if (!schema) return undefined
  const others = [...(spec.form ? [form] : []), ...(spec.urlencoded ? ['application/x-www-form-urlencoded'] : [])]
  const types = spec.form && !spec.form.json ? [form] : ['application/json', ...others]
  const shape = writeJsonSchema(schema, 'input')
  const isOfKind = typeof spec.body === 'function' && spec.shownBody === undefined
  const example = firstExample(isOfKind ? [operationId] : [operationId, ...alike], ({ request }) => request)
  const shown = (type: string) => ({ schema: shape, ...(type !== form && example !== undefined && { example }) })
  return {
    required: requiresBody(shape, path),
    content: Object.fromEntries(types.map((type) => [type, shown(type)])),
  }
}

/** What an operation answers, by media type, where an example is known. */
const mediaOfAnswers = ({ responses }: Operation): Json[] =>
  Object.values(responses)
    .flatMap(({ content }) => (isJson(content) ? Object.values(content) : []))
    .filter(isJson)
    .filter(({ example }) => example !== undefined)

const form = 'multipart/form-data'
/** Whether the body is required. A missing body counts as empty, so it is required only if it has required members. */
const requiresBody = (shape: Json, path: string) =>
  Array.isArray(shape.required) || '$ref' in shape || 'allOf' in shape || path === ''

function successes(one: One, operationId: string): Record<string, Json> {
  const tagged = isTagged(one) && one.method === 'GET'
  const given = Object.entries(one.answer).map(([status, body]) => {
    const others = status === '200' ? Object.keys(one.spec.representations ?? {}) : []
    const untold = others.find((type) => !body?.also?.[type] && !body?.types?.includes(type))
    if (untold) throw new Error(`the route does not say what ${operationId} looks like as ${untold}`)
    const content = body && contentOf(body, one, status, operationId)
    const told: HeaderName[] = [
      ...(isTagged(one) && status === '200' ? (['ETag'] as const) : []),
      ...(one.spec.idempotent ? (['Idempotent-Replayed'] as const) : []),
      ...(others.includes(CSV) ? (['Content-Disposition'] as const) : []),
      ...(one.spec.translatedPaths ? (['Content-Language'] as const) : []),
      ...(one.spec.answerHeaders ?? []),
    ]
    return [status, { description: reasons[status], ...headersOf(told), ...(content && { content }) }]
  })
  return Object.fromEntries([...given, ...(tagged ? [['304', { description: reasons[304] }]] : [])])
}

const headersOf = (names: readonly HeaderName[]) =>
  names.length > 0 ? { headers: Object.fromEntries(names.map((name) => [name, headers[name]])) } : {}

function contentOf(
  { shape, also = {}, types = [] }: Body,
  { kind, spec, alike = [] }: One,
  status: string,
  operationId: string,
): Json {
  const main = shape && { 'application/json': shape }
  const shaped = Object.entries({ ...main, ...also }).map(([type, it]) => {
    const schema = typeof it === 'function' ? kind && (it as (kind: Kind) => Schema)(kind) : it
    if (!schema) throw new Error(`${operationId} is of no kind`)
    const known = firstExample(typeof it === 'function' ? [operationId] : [operationId, ...alike], (one) =>
      type === 'application/json' ? one.answers[status] : one.others?.[type],
    )
    const example = (type === 'application/json' ? spec.example?.() : undefined) ?? known
    return [
      type,
      { schema: withWarnings(writeJsonSchema(schema, 'output')), ...(example !== undefined && { example }) },
    ]
  })
  const plain = types.map((type) => {
    const example = examples[operationId]?.others?.[type]
    return [type, { schema: schemaOfType(type), ...(example !== undefined && { example }) }]
  })
  return Object.fromEntries([...shaped, ...plain])
}

/** The first example among those of some operations. A shape that all kinds share is shown by that of any kind. */
const firstExample = (ids: readonly string[], pick: (it: Examples[string]) => unknown): unknown =>
  ids
    .flatMap((id) => examples[id] ?? [])
    .map(pick)
    .find((it) => it !== undefined)

const warnings = { type: 'array', items: writeJsonSchema(WarningView, 'output') }

/** Adds `warnings`, which any JSON object may carry, to the schema of an answer. */
function withWarnings(schema: Json): Json {
  const { properties, additionalProperties } = schema
  // If all members have one shape, a list of warnings would not fit it.
  if (schema.type === 'array' || (isJson(additionalProperties) && !isJson(properties))) return schema
  if (schema.type === 'object') return { ...schema, properties: { ...Object(properties), warnings } }
  return { allOf: [schema, { properties: { warnings } }] }
}

/** A body without a schema. */
const schemaOfType = (type: string): Json => (/^text\/|yaml$|\/n-|trig$|xml$/.test(type) ? { type: 'string' } : bytes)
const bytes = { type: 'string', contentMediaType: 'application/octet-stream' }

const reasons: Readonly<Record<string, string>> = {
  200: 'Done.',
  201: 'Made.',
  202: 'Accepted: it will be done.',
  204: 'Done; there is nothing to say.',
  302: 'The state of that time is elsewhere.',
  303: 'It is elsewhere.',
  304: 'Nothing has changed.',
  409: 'Others were faster, or the state does not permit it.',
  413: 'The body is too large.',
  503: 'It is not ready.',
}

/** Refusals by status, each with its reason and the schema of its body. */
type Refused = { why: string; shape: Schema; shows: Json; headers?: readonly HeaderName[]; page?: boolean }
const refusals: Readonly<Record<number, Refused>> = {
  400: {
    why: 'A member or parameter breaks a rule, the body cannot be read, or the host is not served.',
    shape: BadRequestView,
    shows: { name: ['This field is required.'] },
  },
  401: {
    why: 'Nobody is signed in, or the token or password is not good.',
    shape: DetailView,
    shows: { detail: 'Authentication credentials were not provided.' },
    headers: ['WWW-Authenticate'],
  },
  403: {
    why: 'The caller may not do this.',
    shape: DetailView,
    shows: { detail: 'You do not have permission to perform this action.' },
  },
  404: {
    why: 'There is no such thing, or the caller may not see it. At addresses for people a browser gets a page.',
    shape: DetailView,
    page: true,
    shows: { detail: 'Not found.' },
  },
  406: {
    why: 'The Accept header excludes every media type that there is.',
    shape: DetailView,
    shows: { detail: 'Not acceptable. There is application/json, application/ld+json, text/turtle.' },
  },
  409: {
    why: 'Others were faster, or the state does not permit it.',
    shape: DetailView,
    shows: { detail: 'This has changed since it was read. Read it again and retry.' },
  },
  410: {
    why: 'It is gone. At addresses for people a browser gets a page.',
    shape: DetailView,
    shows: { detail: 'It is gone.' },
    page: true,
  },
  412: {
    why: 'It has changed since the version that If-Match names.',
    shape: DetailView,
    shows: { detail: 'This has changed since the version named in If-Match.' },
  },
  413: {
    why: 'The body is too large.',
    shape: DetailView,
    shows: { detail: 'The body is larger than 1048576 bytes.' },
  },
  415: {
    why: 'The content type is not read here.',
    shape: DetailView,
    shows: { detail: 'Unsupported media type. Send application/json.' },
  },
  422: {
    why: 'The same key came with another body before.',
    shape: DetailView,
    shows: { detail: 'This key was used with another body.' },
  },
  429: {
    why: 'Too often. `Retry-After` says how many seconds to wait.',
    shape: DetailView,
    shows: { detail: 'Request was throttled. Expected available in 30 seconds.' },
    headers: ['Retry-After'],
  },
  500: {
    why: 'Our fault. The body says nothing more.',
    shape: DetailView,
    shows: { detail: 'Internal server error.' },
  },
  502: {
    why: 'A service that ours asks did not answer, or nothing that can be read.',
    shape: DetailView,
    shows: { detail: 'The language model did not answer. Try again.' },
  },
  503: {
    why: 'A part that is needed does not answer; try again.',
    shape: DetailView,
    shows: { detail: 'Temporarily unavailable. Try again.' },
    headers: ['Retry-After'],
  },
}

function refusalOf({ why, shape, shows, headers: told = [], page = false }: Refused): Json {
  return {
    description: why,
    ...headersOf(told),
    content: {
      'application/json': { schema: writeJsonSchema(shape, 'output'), example: shows },
      ...(page && { 'text/html': { schema: { type: 'string' } } }),
    },
  }
}

/** The refusals of an operation: those that its declaration implies, and its own `errors`. */
function failures(one: One, signedIn: boolean): Record<string, Json> {
  const { method, path, spec, answer } = one
  const sends = ['POST', 'PUT', 'PATCH'].includes(method) || spec.body !== undefined
  const statuses = [
    400,
    ...(signedIn ? [401] : []),
    // A key may lack the right to call a route that is open to anyone else.
    ...(signedIn || !('open' in permissions[spec.permission]) ? [403] : []),
    // Every route has a throttle for keys: `keyThrottle`.
    429,
    ...(path.includes('{') || spec.subject ? [404] : []),
    ...(isSelective(spec.representations) ? [406] : []),
    ...(isChange(spec) ? [409, 412] : []),
    ...(sends ? [413, 415] : []),
    ...(spec.idempotent ? [409, 422] : []),
    ...(spec.errors ?? []),
    500,
    503,
  ].filter((status) => !(status in answer))
  return Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/R${status}` }]))
}

/** Picks the schemas to which the document refers, by name. Fails if one is missing. */
function pickReferred(paths: object, schemas: Record<string, Json>): Record<string, Json> {
  const found = new Set<string>(['Detail', 'FieldErrors', 'BadRequest', 'Warning'])
  const visit = (value: unknown) => {
    for (const [, name = ''] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (found.has(name)) continue
      found.add(name)
      if (!schemas[name]) throw new Error(`nothing is called ${name}`)
      visit(schemas[name])
    }
  }
  visit(paths)
  visit([...found].map((name) => schemas[name]))
  const used = Object.entries(schemas).filter(([name]) => found.has(name))
  return Object.fromEntries(used.sort(([a], [b]) => (a < b ? -1 : 1)))
}
