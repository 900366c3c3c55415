import type {
  APIGatewayAuthorizerResult,
  APIGatewayProxyEvent,
  APIGatewayProxyResult,
  APIGatewayRequestAuthorizerEvent,
  Context,
  APIGatewayProxyEventV2 as HttpEvent,
  APIGatewayProxyStructuredResultV2 as HttpResult,
} from 'aws-lambda'

/**
 * A REST API beside the HTTP API, for bodies that no function can take. It stores a body in the bucket itself. Before that, it asks a
 * function, its authorizer, whether and where it may store the body. The client gets the answer of that function.
 */

/** The `version` of an event that came by the REST API, as `asHttpEvent` sets it. */
export const FROM_REST = '1.0'

type Handler = (event: HttpEvent, context: Context) => Promise<HttpResult>
/** A handler of requests of both gateways, and of the questions of a REST API's authorizer. */
export type HandlerOfBoth = Handler & {
  (event: APIGatewayProxyEvent, context: Context): Promise<APIGatewayProxyResult>
  (event: APIGatewayRequestAuthorizerEvent, context: Context): Promise<APIGatewayAuthorizerResult>
}

/** The headers of an answer that the REST API passes on. It can pass on only those that the template names. */
export const passedHeaders = [
  'access-control-allow-credentials',
  'access-control-allow-origin',
  'access-control-expose-headers',
  'cache-control',
  'content-language',
  'idempotent-replayed',
  'preference-applied',
  'referrer-policy',
  'retry-after',
  'strict-transport-security',
  'vary',
  'warning',
  'www-authenticate',
  'x-content-type-options',
  'x-request-id',
] as const

/** The member of the authorizer's context that holds a header. AWS allows no hyphen in its name. */
export const contextName = (header: string): string => header.replaceAll('-', '_')

/** The statuses of the answer if the body is not stored. The template turns the text of the context into one of these numbers. */
export const passedStatuses = [200, 400, 401, 403, 404, 405, 406, 409, 410, 412, 413, 415, 422, 428, 429, 500, 503]

/** The REST API may write into the folder `parts` of the bucket, and not into `refused`. So a refused body is not stored. */
export const STORED_IN = 'parts'
export const REFUSED_IN = 'refused'

/** Where the REST API stores a body: in `parts/UPLOAD/PART`. If the answer lacks it, nothing is stored. */
export type StoredAt = { upload: string; part: string }

/**
 * Makes a handler of both gateways. `reserve` answers the authorizer. Where it allows a body, its answer has the member `stored_at`,
 * which the client does not see. The REST API serves all paths below `root`.
 */
export function behindBoth(serve: Handler, reserve: Handler, root: string): HandlerOfBoth {
  const handle = async (
    event: HttpEvent | APIGatewayProxyEvent | APIGatewayRequestAuthorizerEvent,
    context: Context,
  ) => {
    if ('methodArn' in event) return allow(event, await reserve(asHttpEvent(event, root), context))
    if ('httpMethod' in event) return asRestResult(await serve(asHttpEvent(event, root), context))
    return serve(event, context)
  }
  return handle as HandlerOfBoth
}

/** An event of a REST API as one of an HTTP API (payload 2.0). A question of the authorizer has no body. */
function asHttpEvent(event: APIGatewayProxyEvent | APIGatewayRequestAuthorizerEvent, root: string): HttpEvent {
  const { path, httpMethod, requestContext, multiValueHeaders, headers } = event
  const name = root.slice(root.lastIndexOf('/'))
  // Under a custom domain `path` also has the base path of the domain. Elsewhere it does not.
  const at = path.indexOf(`${name}/`)
  const query = Object.entries(event.multiValueQueryStringParameters ?? {}).flatMap(([member, values]) =>
    (values ?? []).map((value): [string, string] => [member, value]),
  )
  const { identity, requestId, domainName = 'localhost' } = requestContext
  const rawPath = root + (at < 0 ? path : path.slice(at + name.length))
  return {
    version: FROM_REST,
    routeKey: '$default',
    rawPath,
    rawQueryString: new URLSearchParams(query).toString(),
    headers: {
      ...headers,
      ...Object.fromEntries(
        Object.entries(multiValueHeaders ?? {}).map(([each, all]) => [each, (all ?? []).join(',')]),
      ),
    },
    requestContext: {
      accountId: requestContext.accountId,
      apiId: requestContext.apiId,
      domainName,
      domainPrefix: domainName.split('.')[0] ?? '',
      http: {
        method: httpMethod,
        path: rawPath,
        protocol: 'HTTP/1.1',
        sourceIp: identity.sourceIp,
        userAgent: identity.userAgent ?? '',
      },
      requestId,
      routeKey: '$default',
      stage: requestContext.stage,
      time: '',
      timeEpoch: 0,
    },
    ...('body' in event && event.body !== null && { body: event.body }),
    isBase64Encoded: 'isBase64Encoded' in event && event.isBase64Encoded,
  }
}

const asRestResult = ({ statusCode = 200, headers = {}, body = '', isBase64Encoded = false }: HttpResult) =>
  ({ statusCode, headers: headers as Record<string, string>, body, isBase64Encoded }) satisfies APIGatewayProxyResult

/**
 * The answer of the authorizer. It always lets the request go on, since only then the client gets our own answer with its status. What is
 * refused goes on to a folder into which nothing may be written.
 */
function allow({ methodArn }: APIGatewayRequestAuthorizerEvent, result: HttpResult): APIGatewayAuthorizerResult {
  const { stored_at, ...answer }: { stored_at?: StoredAt } = JSON.parse(result.body || '{}')
  const at = result.statusCode === 200 ? stored_at : undefined
  const headers = passedHeaders.flatMap((name) => {
    const value = result.headers?.[name]
    return value === undefined ? [] : [[contextName(name), String(value)]]
  })
  return {
    principalId: 'sender',
    policyDocument: {
      Version: '2012-10-17',
      Statement: [{ Action: 'execute-api:Invoke', Effect: 'Allow', Resource: methodArn }],
    },
    context: {
      ...Object.fromEntries(headers),
      folder: at ? STORED_IN : REFUSED_IN,
      upload: at?.upload ?? REFUSED_IN,
      part: at?.part ?? REFUSED_IN,
      status: String(result.statusCode ?? 500),
      // In base64, since AWS does not document which other characters this context may hold.
      answer: Buffer.from(JSON.stringify(answer)).toString('base64'),
    },
  }
}
