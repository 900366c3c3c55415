import { type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { getEndpointFromInstructions } from '@smithy/core/endpoints'
import { HttpRequest, HttpResponse } from '@smithy/core/protocols'
import { operation } from '@smithy/core/schema'
import { answerIn, requestBody } from './messages.ts'

/**
 * The document client with less between a call and the wire. The SDK still signs, tries again, and makes its errors. What goes:
 * the stack of middleware is put together once for each sort of command, not for each call; the endpoint is resolved once; and
 * bodies are read and written in one walk, where the SDK takes three: schema, attributes, values.
 */
export function lean(client: DynamoDBClient, documents: DynamoDBDocumentClient): DynamoDBDocumentClient {
  replaceMiddleware(client)
  const handlers = new Map<Schema, Handler>()
  whenChanged(client.middlewareStack, () => handlers.clear())
  const handlerFor = (schema: Schema, options?: Options): Handler => {
    // What can be aborted has a way of its own.
    if (options) return handlerOf(client, schema, options)
    const kept = handlers.get(schema) ?? handlerOf(client, schema, {})
    handlers.set(schema, kept)
    return kept
  }
  const send = async ({ clientCommand: command }: Documented, options?: Options) =>
    (await handlerFor(command.schema, options)({ input: command.input })).output
  documents.send = send as unknown as DynamoDBDocumentClient['send']
  return documents
}

type Schema = readonly [sort: number, ...of: Parameters<typeof operation>]
type Command = { schema: Schema; input: object }
/** A command of lib-dynamodb has within it the plain one: the schema of its operation, and the input as it was given. */
type Documented = { clientCommand: Command }
type Options = { abortSignal?: AbortSignal }
type Handler = (args: { input: object }) => Promise<{ output: object }>

function replaceMiddleware({ middlewareStack, config }: DynamoDBClient): void {
  // These work for nobody: one copies every input and output for a logger that writes nothing, the other names the SDK in two headers.
  for (const idle of ['loggerMiddleware', 'getUserAgentMiddleware']) middlewareStack.remove(idle)
  let place: Promise<Place> | undefined
  middlewareStack.add(
    (next, context) => async (args) => {
      place ??= placeOf(config)
      return next({ ...args, request: requestOf(await place, schemaIn(context), args.input) })
    },
    // The SDK puts the choice of credentials before the resolving of endpoints, which this does too.
    { step: 'serialize', name: 'serializerMiddleware', aliases: ['endpointV2Middleware'], override: true },
  )
  middlewareStack.add(
    (next, context) => async (args) => {
      const { response } = await next(args)
      if (!HttpResponse.isInstance(response)) throw new Error('no HTTP response')
      if (response.statusCode < 300) return { response, output: outputOf(response) as never }
      throw await errorIn(response, config, context)
    },
    { step: 'deserialize', name: 'deserializerMiddleware', override: true },
  )
}

/** The whole way of a sort of command, from its input to its output. */
function handlerOf({ middlewareStack, config }: DynamoDBClient, schema: Schema, options: Options): Handler {
  const [, , name] = schema
  const context = {
    logger: config.logger,
    clientName: 'DynamoDBClient',
    commandName: `${name}Command`,
    __smithy_context: { service: 'DynamoDB_20120810', operation: name, operationSchema: schema, ...options },
  }
  const way = middlewareStack.resolve(
    async ({ request }: { request: unknown }) =>
      (await config.requestHandler.handle(request as HttpRequest, options)) as never,
    context as never,
  )
  return way as unknown as Handler
}

const schemaIn = (context: object): Schema =>
  (context as { __smithy_context: { operationSchema: Schema } }).__smithy_context.operationSchema

type Place = ConstructorParameters<typeof HttpRequest>[0] & { headers: Record<string, string> }

/** Where all requests go. Tables are named here, never given by their ARN, so it depends on nothing that is asked. */
async function placeOf(config: DynamoDBClient['config']): Promise<Place> {
  const { url } = await getEndpointFromInstructions({}, GetItemCommand, { ...config })
  return {
    protocol: url.protocol,
    hostname: url.hostname,
    ...(url.port !== '' && { port: Number(url.port) }),
    path: url.pathname,
    method: 'POST',
    headers: { 'content-type': 'application/x-amz-json-1.0', host: url.host },
  }
}

function requestOf(place: Place, [, , name]: Schema, input: object): HttpRequest {
  const body = requestBody(name, input)
  const own = { 'x-amz-target': `DynamoDB_20120810.${name}`, 'content-length': String(body.byteLength) }
  return new HttpRequest({ ...place, headers: { ...place.headers, ...own }, body })
}

const outputOf = ({ statusCode, headers, body }: HttpResponse): object => ({
  ...answerIn(body),
  $metadata: { httpStatusCode: statusCode, requestId: headers['x-amzn-requestid'] },
})

/** What the SDK makes of a refusal, with the answer on it, which may say when to try again. */
async function errorIn(response: HttpResponse, config: DynamoDBClient['config'], context: object): Promise<unknown> {
  const [, ...asked] = schemaIn(context)
  const protocol: { deserializeResponse: Deserialize } = config.protocol as never
  try {
    return new Error(
      String(await protocol.deserializeResponse(operation(...asked), { ...config, ...context }, response)),
    )
  } catch (error) {
    if (error instanceof Error) Object.defineProperty(error, '$response', { value: response, configurable: true })
    return error
  }
}

type Deserialize = (asked: ReturnType<typeof operation>, context: object, response: HttpResponse) => Promise<unknown>

/** Calls `changed` whenever something is put into the stack or taken out of it, as tests do. */
function whenChanged(stack: DynamoDBClient['middlewareStack'], changed: () => void): void {
  for (const name of ['add', 'addRelativeTo', 'use', 'remove', 'removeByTag'] as const) {
    const inner: (...given: never[]) => unknown = stack[name]
    Object.assign(stack, {
      [name]: (...given: never[]) => {
        changed()
        return inner(...given)
      },
    })
  }
}
