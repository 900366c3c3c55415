import { type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { getEndpointFromInstructions } from '@smithy/core/endpoints'
import { HttpRequest, HttpResponse } from '@smithy/core/protocols'
import { operation } from '@smithy/core/schema'
import { timeOfDay } from '../../../base/clock.ts'
import { currentSignal } from '../../../base/deadline.ts'
import { answerIn, requestBody } from './messages.ts'
import { type Sign, signerIn } from './signature.ts'

/**
 * Replaces `send` of the document client by a shorter way from a call to the wire.
 *
 * 1. Bodies are read and written in one walk, where the SDK takes three (schema, attributes, values).
 * 2. The endpoint is resolved once.
 * 3. The first attempt of a call needs neither stack nor middleware. If it fails the SDK goes on from there: it makes errors and tries again.
 *
 * `around` wraps every call.
 */
export function lean(
  client: DynamoDBClient,
  documents: DynamoDBDocumentClient,
  around: Around,
): DynamoDBDocumentClient {
  replaceMiddleware(client)
  const { middlewareStack } = client
  const attempt = firstAttempt(client)
  const known = new Set(middlewareStack.identify())
  const handlers = new Map<Schema, Handler>()
  let isOwn = true
  whenChanged(middlewareStack, () => {
    handlers.clear()
    isOwn = middlewareStack.identify().every((it) => known.has(it))
  })
  const handlerFor = (schema: Schema, options?: Options): Handler => {
    // A call that can be aborted gets a handler of its own.
    if (options) return handlerOf(client, schema, options)
    const kept = handlers.get(schema) ?? handlerOf(client, schema, {})
    handlers.set(schema, kept)
    return kept
  }
  documents.send = (({ clientCommand: { schema, input: given } }: Documented, own?: Options) =>
    around(schema[2], given, async (input) => {
      const options = own ?? currentSignal()
      // If a test has added a middleware, every call passes through the stack.
      const first = isOwn ? await attempt(schema, input, options) : undefined
      if (first?.output) return first.output
      return (await handlerFor(schema, options)({ input, ...first })).output
    })) as unknown as DynamoDBDocumentClient['send']
  return documents
}

/** Wraps a call: it gets the operation and its input, makes the call, and returns its output. */
type Around = (operation: string, input: object, call: (input: object) => Promise<object>) => Promise<object>

/** The result of a first attempt: its output, or else the request and the reply or error with which the SDK continues. */
type First = { output?: object; request?: HttpRequest; came?: Came[] }
type Came = () => Promise<{ response: HttpResponse }>

function firstAttempt({ config }: DynamoDBClient) {
  let base: Promise<Base> | undefined
  return async (schema: Schema, input: object, options: Options = {}): Promise<First> => {
    base ??= baseOf(config)
    const { place, sign, succeeded } = await base
    const request = requestOf(place, schema, input)
    const at = new Date(timeOfDay() + config.systemClockOffset)
    const headers = sign(request, await config.credentials(), at)
    try {
      const { response } = await config.requestHandler.handle(new HttpRequest({ ...request, headers }), options)
      if (response.statusCode >= 300) return { request, came: [async () => ({ response })] }
      succeeded()
      return { output: outputOf(response, 1) }
    } catch (error) {
      return { request, came: [() => Promise.reject(error)] }
    }
  }
}

/** The parts that all requests of a client share. */
type Base = { place: Place; sign: Sign; succeeded: () => void }

async function baseOf(config: DynamoDBClient['config']): Promise<Base> {
  const strategy = await config.retryStrategy()
  const token = 'acquireInitialRetryToken' in strategy ? await strategy.acquireInitialRetryToken('') : undefined
  return {
    place: await placeOf(config),
    sign: signerIn(await config.region()),
    // Each success gives the SDK's retry quota a little back.
    succeeded: () => token && 'recordSuccess' in strategy && strategy.recordSuccess(token),
  }
}

type Schema = readonly [sort: number, ...of: Parameters<typeof operation>]
type Command = { schema: Schema; input: object }
/** A command of lib-dynamodb holds the plain command: the schema of its operation, and its input. */
type Documented = { clientCommand: Command }
type Options = { abortSignal?: AbortSignal }
type Handler = (args: { input: object } & First) => Promise<{ output: object }>

function replaceMiddleware({ middlewareStack, config }: DynamoDBClient): void {
  // Neither is of use: one copies input and output for a logger that writes nothing, the other names the SDK in two headers.
  for (const idle of ['loggerMiddleware', 'getUserAgentMiddleware']) middlewareStack.remove(idle)
  let place: Promise<Place> | undefined
  middlewareStack.add(
    (next, context) => async (args) => {
      place ??= placeOf(config)
      const request = (args as First).request ?? requestOf(await place, schemaIn(context), args.input)
      return next({ ...args, request })
    },
    // This also resolves the endpoint. The alias keeps the order of the SDK's other middlewares, such as credentials.
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

/** The SDK's handler of one operation, from its input to its output. */
function handlerOf({ middlewareStack, config }: DynamoDBClient, schema: Schema, options: Options): Handler {
  const [, , name] = schema
  const context = {
    logger: config.logger,
    clientName: 'DynamoDBClient',
    commandName: `${name}Command`,
    __smithy_context: { service: 'DynamoDB_20120810', operation: name, operationSchema: schema, ...options },
  }
  const way = middlewareStack.resolve(async ({ request, came }: { request: unknown } & Pick<First, 'came'>) => {
    const first = came?.pop()
    return (await (first ? first() : config.requestHandler.handle(request as HttpRequest, options))) as never
  }, context as never)
  return way as unknown as Handler
}

const schemaIn = (context: object): Schema =>
  (context as { __smithy_context: { operationSchema: Schema } }).__smithy_context.operationSchema

type Place = ConstructorParameters<typeof HttpRequest>[0] & { headers: Record<string, string> }

/** The endpoint of all requests. It depends on no input, since tables are given by name and never by ARN. */
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
  const body = requestBody(input)
  const own = { 'x-amz-target': `DynamoDB_20120810.${name}`, 'content-length': String(Buffer.byteLength(body)) }
  return new HttpRequest({ ...place, headers: { ...place.headers, ...own }, body })
}

const outputOf = ({ statusCode, headers, body }: HttpResponse, attempts?: number): object =>
  Object.assign(answerIn(body), {
    $metadata: { httpStatusCode: statusCode, requestId: headers['x-amzn-requestid'], attempts },
  })

/** The SDK's error for a refusal. It carries the reply, whose headers may say when to try again. */
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

/** Calls `changed` when a middleware is added or removed, as tests do. */
function whenChanged(stack: DynamoDBClient['middlewareStack'], changed: () => void): void {
  for (const name of ['add', 'addRelativeTo', 'use', 'remove', 'removeByTag'] as const) {
    const inner: (...given: never[]) => unknown = stack[name]
    Object.assign(stack, {
      [name]: (...given: never[]) => {
        const answer = inner(...given)
        changed()
        return answer
      },
    })
  }
}
