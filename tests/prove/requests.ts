import type { Context } from 'aws-lambda'
import { groupOf } from '../../lib/platform/http/groups.ts'
import { canonicalPath } from '../../lib/platform/http/path.ts'
import { eventOf, type Sent } from '../harness/app.ts'
import { faultOf } from '../harness/documented.ts'
import { logged, moduleIn } from './world/processes.ts'
import { type Actor, Gone, PATIENCE, type World } from './world/world.ts'

/** Requests to the real handlers in the simulated world, each answer held against the API document. */
export type Request = { who: string | null; method: string; path: string; sent?: Sent; process?: number; slow?: number }
export type Answer = {
  /** 0: the process ended before there was one. */
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: what is expected of an answer is its test's business
  body: any
  text: string
  headers: Record<string, string>
  cookies: readonly string[]
  /** The calls to the table and the bucket that it took. */
  commands: readonly string[]
  /** What the API document does not say of it. */
  undocumented: string | undefined
}

/** How many have been sent so far. */
export const sentSoFar = { requests: 0 }

/** Sends one, as an actor of the world; time does not pass by itself. */
export async function sendIn(world: World, it: Request, fault?: Actor['fault']): Promise<Answer> {
  sentSoFar.requests += 1
  const { who, method, path, sent = {}, process = 0, slow = 1 } = it
  const identity: Record<string, string> = who ? { 'x-dev-user': `${who}@heritage.test` } : {}
  const made = await eventOf(method, path, identity, sent)
  world.requests += 1
  const event = { ...made, requestContext: { ...made.requestContext, requestId: `request-${world.requests}` } }
  const { handler } = await moduleIn(process, `functions/${groupOf(canonicalPath(event.rawPath))}.ts`)
  const context = { awsRequestId: event.requestContext.requestId, getRemainingTimeInMillis: () => PATIENCE } as Context
  let commands: readonly string[] = []
  try {
    const result = await world.start({ name: `${method} ${path}`, process, slow, fault }, async (actor) => {
      commands = actor.commands
      const answer = await handler(event, context)
      if (answer.statusCode >= 500) world.noteImpatience(actor)
      return answer
    })
    const answer = answerOf(it, event.rawPath, result)
    // What the log says of a failure names files of this run.
    world.noteThat(`${answer.status} ${answer.status >= 500 ? '' : answer.text}`)
    return { ...answer, commands }
  } catch (error) {
    if (error instanceof Gone)
      return { status: 0, body: undefined, text: '', headers: {}, cookies: [], commands, undocumented: undefined }
    throw error
  }
}

type Result = {
  statusCode?: number
  headers?: Record<string, unknown>
  cookies?: string[]
  body?: string
  isBase64Encoded?: boolean
}

function answerOf({ method, sent }: Request, path: string, result: Result): Omit<Answer, 'commands'> {
  const bytes = Buffer.from(result.body ?? '', result.isBase64Encoded ? 'base64' : 'utf8')
  const headers = Object.fromEntries(
    Object.entries(result.headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]),
  )
  const status = result.statusCode ?? 200
  const undocumented = faultOf({ method, path, sent: sent?.body, status, headers, bytes })
  const text = result.isBase64Encoded ? '' : bytes.toString()
  const body = headers['content-type']?.includes('json') && text !== '' ? JSON.parse(text) : undefined
  // A failure of the service says nothing of its cause; its log does.
  const told = status >= 500 ? `${text} ${logged.splice(0).join('\n')}` : text
  return { status, body, text: told, headers, cookies: result.cookies ?? [], undocumented }
}

/** Sends one, and time passes until it is answered. */
export const send = (world: World, it: Request, fault?: Actor['fault']): Promise<Answer> =>
  world.time.until(sendIn(world, it, fault))

/** One that must be answered so. */
export async function sure(world: World, status: number, it: Request): Promise<Answer['body']> {
  const answer = await send(world, it)
  if (answer.status !== status)
    throw new Error(`${it.method} ${it.path} by ${it.who} gave ${answer.status}: ${answer.text}`)
  return answer.body
}
