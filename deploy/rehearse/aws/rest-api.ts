import type { IncomingHttpHeaders } from 'node:http'
import { render } from 'velocityjs'
import { signerOf } from '../../../lib/base/signing.ts'
import { ACCOUNT, REGION } from '../../access/requests.ts'
import type { GatewayRoute, RestFacts } from '../template.ts'

/** An answer to the client. */
export type RestAnswer = { status: number; headers: Readonly<Record<string, string>>; body: Buffer | string }
/** A request as it comes to the gateway: the path as the client wrote it, and headers with those of the edge. */
export type RestRequest = {
  method: string
  path: string
  query: string
  headers: IncomingHttpHeaders
  body: Buffer
  id: string
  address: string
}
/** What it stands on: calls of functions under the role of an integration, and the bucket. */
export type RestGrounds = {
  invoke: (route: GatewayRoute, event: object) => Promise<unknown>
  bucket: string
  /** Whether a last slash begins an empty rest, and whether functions see `Content-Length`. AWS says neither. */
  restMayBeEmpty: boolean
}

type Facts = Readonly<Record<string, unknown>>
type Integration = {
  type: string
  httpMethod: string
  uri: string
  credentials: string
  requestParameters?: Readonly<Record<string, string>>
  responses?: Readonly<Record<string, MappedResponse>>
}
type MappedResponse = {
  statusCode: string
  responseParameters: Readonly<Record<string, string>>
  responseTemplates: Readonly<Record<string, string>>
}
type Method = {
  security?: readonly Facts[]
  responses: Readonly<Record<string, { headers?: Facts }>>
  'x-amazon-apigateway-integration': Integration
}

/** Limits of Lambda and of an authorizer, in bytes. */
const MOST_EVENT = 6 << 20
const MOST_AUTHORIZED = 8 << 10

/**
 * Stands in for a REST API that is described by an OpenAPI document of the template: functions behind it, authorizers, and integrations of S3, with
 * mappings and templates. What it does not know stops the rehearsal.
 */
export function serveRest({ api, stage, document }: RestFacts, grounds: RestGrounds) {
  const paths = Object.entries(Object(document.paths) as Record<string, Record<string, Method>>)
  const binary = [document['x-amazon-apigateway-binary-media-types'] ?? []].flat().map(String)
  const isBinary = (type = '') => binary.includes(type.split(';')[0]?.trim().toLowerCase() ?? '')
  const authorizers: Readonly<Record<string, Facts>> = Object(Object(document.components).securitySchemes)

  return async (request: RestRequest, path: string): Promise<RestAnswer> => {
    const found = resourceOf(path)
    const method = found?.methods[request.method.toLowerCase()] ?? found?.methods['x-amazon-apigateway-any-method']
    if (!found || !method) return refuse(document, 403, 'MISSING_AUTHENTICATION_TOKEN', 'Missing Authentication Token')
    const integration = method['x-amazon-apigateway-integration']
    const event = eventOf(request, found)
    const [scheme] = method.security ?? []
    const authorizer = scheme && Object(authorizers[Object.keys(scheme)[0] ?? ''])['x-amazon-apigateway-authorizer']
    const context = authorizer ? await authorize(authorizer, event) : {}
    if (!context) return refuse(document, 500, 'AUTHORIZER_CONFIGURATION_ERROR', 'Internal server error')
    if (integration.type === 'aws_proxy') return byFunction(integration, event, request)
    if (integration.type === 'aws') return byBucket(method, integration, context, request)
    throw new Error(`the REST API has an integration of type ${integration.type}`)
  }

  function resourceOf(path: string) {
    const given = (grounds.restMayBeEmpty ? path : path.replace(/(.)\/$/, '$1')).split('/')
    const fits = paths.flatMap(([resource, methods]) => {
      const parts = resource.split('/')
      const isGreedy = parts.at(-1) === '{proxy+}'
      if (isGreedy ? given.length < parts.length : given.length !== parts.length) return []
      const ranks = parts.map((part, i) => (part === '{proxy+}' ? 2 : part === given[i] ? 0 : /^\{/.test(part) ? 1 : 9))
      return ranks.includes(9) ? [] : [{ resource, methods, rank: ranks.join('') }]
    })
    return fits.sort((a, b) => (a.rank < b.rank ? -1 : 1))[0]
  }

  /** The event of a function behind a REST API (payload 1.0). */
  function eventOf(
    { method, path, query, headers, body, id, address }: RestRequest,
    { resource }: { resource: string },
  ) {
    const { 'content-length': length, ...others } = headers
    const sent = { ...others, ...(grounds.restMayBeEmpty && length !== undefined && { 'content-length': length }) }
    const named = Object.entries(sent).flatMap(([name, value]) =>
      value === undefined ? [] : [[titleCase(name), value]],
    )
    const members = new URLSearchParams(query)
    const binary = isBinary(headers['content-type'])
    return {
      resource,
      path,
      httpMethod: method,
      headers: Object.fromEntries(named.map(([name, value]) => [name, [value].flat().at(-1)])),
      multiValueHeaders: Object.fromEntries(named.map(([name, value]) => [name, [value].flat()])),
      queryStringParameters: query ? Object.fromEntries(members) : null,
      multiValueQueryStringParameters: query
        ? Object.fromEntries([...members.keys()].map((name) => [name, members.getAll(name)]))
        : null,
      pathParameters: null,
      stageVariables: null,
      requestContext: {
        accountId: ACCOUNT,
        apiId: api,
        domainName: 'localhost',
        stage,
        requestId: id,
        httpMethod: method,
        identity: { sourceIp: address, userAgent: headers['user-agent'] ?? null },
      },
      body: body.length === 0 ? null : body.toString(binary ? 'base64' : 'utf8'),
      isBase64Encoded: body.length > 0 && binary,
    }
  }
  type RestEvent = ReturnType<typeof eventOf>

  async function authorize(authorizer: Facts, { body: _body, isBase64Encoded: _is, ...head }: RestEvent) {
    if (authorizer.type !== 'request' || authorizer.authorizerResultTtlInSeconds !== 0)
      throw new Error('the REST API has an authorizer of another sort')
    const methodArn = `arn:aws:execute-api:${REGION}:${ACCOUNT}:${api}/${stage}/${head.httpMethod}${head.path}`
    const asked = { type: 'REQUEST', methodArn, ...head }
    const result: Facts = Object(
      await grounds
        .invoke(routeTo(String(authorizer.authorizerUri), String(authorizer.authorizerCredentials)), asked)
        .catch(() => undefined),
    )
    const [statement] = [Object(result.policyDocument).Statement ?? []].flat()
    const context: Record<string, string> = {}
    for (const [name, value] of Object.entries(Object(result.context))) {
      if (!/^\w+$/.test(name) || typeof value === 'object') return undefined
      context[name] = String(value)
    }
    const isAllowed = Object(statement).Effect === 'Allow' && Object(statement).Resource === methodArn
    return isAllowed && JSON.stringify(result).length <= MOST_AUTHORIZED ? context : undefined
  }

  async function byFunction(integration: Integration, event: RestEvent, request: RestRequest): Promise<RestAnswer> {
    if (JSON.stringify(event).length > MOST_EVENT)
      return refuse(document, 413, 'REQUEST_TOO_LARGE', 'Request Entity Too Large')
    const result: Facts = Object(
      await grounds.invoke(routeTo(integration.uri, integration.credentials), event).catch(() => undefined),
    )
    const { statusCode, headers = {}, multiValueHeaders: _, body = '', isBase64Encoded, ...unknown } = result
    if (typeof statusCode !== 'number' || typeof body !== 'string' || Object.keys(unknown).length > 0)
      return refuse(document, 502, 'DEFAULT_5XX', 'Internal server error')
    // Bytes are sent as such to those alone who accept them.
    const bytes = isBase64Encoded && isBinary(request.headers.accept) ? Buffer.from(body, 'base64') : body
    return { status: statusCode, headers: Object(headers), body: bytes }
  }

  async function byBucket(
    method: Method,
    integration: Integration,
    authorizer: Readonly<Record<string, string>>,
    { body, headers }: RestRequest,
  ): Promise<RestAnswer> {
    const source = (from: string): string | undefined => {
      const [, name = ''] = /^context\.authorizer\.(\w+)$/.exec(from) ?? []
      const [, fixed] = /^'(.*)'$/.exec(from) ?? []
      if (!name && fixed === undefined) throw new Error(`the REST API maps ${from}`)
      return fixed ?? authorizer[name]
    }
    const inPath = Object.entries(integration.requestParameters ?? {}).map(([to, from]) => {
      const [, name] = /^integration\.request\.path\.(\w+)$/.exec(to) ?? []
      if (!name) throw new Error(`the REST API maps to ${to}`)
      return [name, encodeURIComponent(source(from) ?? '')] as const
    })
    const [, template = ''] = /:s3:path\/(.+)$/.exec(integration.uri) ?? []
    const key = inPath.reduce((path, [name, value]) => path.replace(`{${name}}`, value), template)
    const answered = await put(`${grounds.bucket}/${key}`, integration, body, headers['content-type'] ?? '')
    // An answer of nothing has no type, as that of S3.
    const type = (answered.size > 0 && answered.type?.split(';')[0]) || 'application/json'
    const { statusCode, responseParameters, responseTemplates } = responseFor(integration, answered.status)
    const declared = Object.keys(Object(method.responses[statusCode]?.headers))
    const override: { status?: number } = {}
    const text = render(responseTemplates[type] ?? '', {
      context: { authorizer, responseOverride: override },
      util: { base64Decode: (it: string) => Buffer.from(it, 'base64').toString() },
    })
    const shown = Object.entries(responseParameters).flatMap(([to, from]) => {
      const name = to.replace(/^method\.response\.header\./, '')
      if (!declared.includes(name)) throw new Error(`the REST API maps ${to}, which its method does not declare`)
      const value = source(from)
      return value === undefined ? [] : [[name, value]]
    })
    return { status: override.status ?? Number(statusCode), headers: Object.fromEntries(shown), body: text }
  }
}

/** The mapping whose pattern fits the whole status, or else that of `default`. */
function responseFor({ responses = {} }: Integration, status: number): MappedResponse {
  const fits = Object.keys(responses).find((pattern) => new RegExp(`^(?:${pattern})$`).test(String(status)))
  const mapped = responses[fits ?? 'default']
  if (!mapped) throw new Error(`the REST API says nothing of ${status}`)
  return mapped
}

/** Stores an object, signed as the role of the integration. */
async function put(address: string, { httpMethod, credentials }: Integration, body: Buffer, type: string) {
  const { hostname, port, pathname } = new URL(address)
  const accessKeyId = credentials.split('/').at(-1) ?? ''
  const signer = signerOf('s3', REGION, { accessKeyId, secretAccessKey: 'local' })
  const signed = await signer.sign({
    method: httpMethod,
    protocol: 'http:',
    hostname,
    port: Number(port),
    path: pathname,
    query: {},
    headers: { host: `${hostname}:${port}`, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD', 'content-type': type },
  })
  const answer = await fetch(address, { method: httpMethod, headers: signed.headers, body: new Uint8Array(body) })
  const { byteLength: size } = await answer.arrayBuffer()
  return { status: answer.status, type: answer.headers.get('content-type'), size }
}

/** The function that an address of an integration names, with the role that calls it. */
function routeTo(uri: string, role: string): GatewayRoute {
  const [, target] = /functions\/(arn:[^/]+)\/invocations$/.exec(uri) ?? []
  if (!target) throw new Error(`the REST API calls ${uri}`)
  return { key: '', target, role }
}

/** An answer of the REST API itself, by its gateway responses. */
function refuse(document: Facts, status: number, kind: string, message: string): RestAnswer {
  const known: Readonly<Record<string, Facts>> = Object(document['x-amazon-apigateway-gateway-responses'])
  const own = known[kind] ?? known[status < 500 ? 'DEFAULT_4XX' : 'DEFAULT_5XX']
  const template = String(
    Object(own?.responseTemplates)['application/json'] ?? '{"message":$context.error.messageString}',
  )
  const body = template.replace('$context.error.messageString', JSON.stringify(message))
  return { status, headers: { 'content-type': 'application/json' }, body }
}

const titleCase = (name: string) =>
  name.replace(/(^|-)([a-z])/g, (_, dash: string, letter: string) => dash + letter.toUpperCase())
