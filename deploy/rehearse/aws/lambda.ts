import type { IncomingMessage, ServerResponse } from 'node:http'
import { deniedCall, refusal } from '../../access/judge.ts'
import { functionArn, signerOfRequest } from '../../access/requests.ts'
import { listen, readBody } from '../../stand-ins/listening.ts'
import { nameOf, visit, type World } from './background.ts'

export type Lambda = { endpoint: string; stop: () => Promise<void> }

/** The most bytes of an event, by type of invocation: waited for, and not. */
const MOST = { RequestResponse: 6 << 20, Event: 1 << 20 }

/**
 * Stands in for Lambda's Invoke, by which functions call each other. The caller needs the right to invoke the other function. `visit`
 * repeats an asynchronous call as the template says.
 */
export async function startLambda(world: World): Promise<Lambda> {
  const { port, stop } = await listen((request, response) => serveInvocation(world, request, response))
  return { endpoint: `http://127.0.0.1:${port}`, stop }
}

const ADDRESS = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/

async function serveInvocation(world: World, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readBody(request)
  const target = functionArn(decodeURIComponent(ADDRESS.exec(request.url ?? '')?.[1] ?? ''))
  const signer = signerOfRequest({ headers: { authorization: request.headers.authorization }, query: {} })
  const needs = [{ action: 'lambda:InvokeFunction', resource: target }]
  const refused = refusal(world.roles, signer, needs, world.record)
  if (refused) {
    const { status, headers, body: told } = deniedCall(signer, refused)
    return void response.writeHead(status, headers).end(told)
  }
  const fail = (status: number, type: string, Message: string) =>
    void response.writeHead(status, { 'x-amzn-errortype': type }).end(JSON.stringify({ Message }))
  if (!world.stack.functions().some((it) => it.name === nameOf(target)))
    return fail(404, 'ResourceNotFoundException', `Function not found: ${target}`)
  const waits = request.headers['x-amz-invocation-type'] !== 'Event'
  if (body.length > MOST[waits ? 'RequestResponse' : 'Event'])
    return fail(413, 'RequestTooLargeException', 'Request must be smaller than the limit.')
  const input: unknown = JSON.parse(body.toString() || '{}')
  if (waits) return answer(world, response, target, Object(input))
  response.writeHead(202).end()
  await visit(world, { target, input })
}

async function answer({ invoke }: World, response: ServerResponse, target: string, event: object): Promise<void> {
  try {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(await invoke(target, event)))
  } catch (error) {
    const told = { errorType: 'Error', errorMessage: error instanceof Error ? error.message : String(error) }
    response.writeHead(200, { 'x-amz-function-error': 'Unhandled' }).end(JSON.stringify(told))
  }
}
